package export

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/envs/stream"
	"heldout/eval/agent"
	"heldout/eval/bench"
	"heldout/eval/episode"
	"heldout/eval/training/synth"
	"heldout/perturb"
	"heldout/scoring/record"
)

// isExpert reports whether a player is an expert, who acts without thinking.
func isExpert(c *record.Condition) bool {
	return c.Agent == episode.Expert || c.Agent == episode.Erring
}

// thinker gives the steps of experts thoughts; one without sentences gives none.
type thinker struct {
	configs.Thoughts
	seed int64
	// thoughts are thoughts that a model wrote, by episode. Where it wrote none, a sentence is drawn.
	thoughts map[string][]string
}

func readThoughts(dir string) (map[string][]string, error) {
	name := filepath.Join(dir, record.ThoughtsFile)
	out := map[string][]string{}
	_, err := synth.EachLineOf(name, func(_ int, line []byte) error {
		var t record.Thoughts
		err := datafile.Unmarshal(line, &t)
		out[t.Episode] = t.Thoughts
		return err
	})
	return out, err
}

func (t thinker) think(e *record.Episode) {
	if len(t.First) == 0 {
		return
	}
	past, thoughts := pasts(e), t.thoughts[e.ID]
	for i := range e.Trajectory {
		s := &e.Trajectory[i]
		if i < len(thoughts) {
			s.Thought = oneLine(thoughts[i])
		}
		if s.Thought == "" {
			s.Thought = t.thought(e, past[i], i, s.Action)
		}
	}
}

// corrections says of every error of an expert what it would have said without it: the next action that was carried
// out, with a thought that knows of no error. It is "" for other steps.
func (t thinker) corrections(e *record.Episode) []string {
	out := make([]string, len(e.Trajectory))
	past := pasts(e)
	right := ""
	for i := len(e.Trajectory) - 1; i >= 0; i-- {
		action := strings.TrimSpace(e.Trajectory[i].Action)
		switch {
		case !e.Trajectory[i].Erroneous():
			right = action
		case right != "":
			thought := ""
			if len(t.First) > 0 {
				thought = t.thought(e, past[i], i, right)
			}
			out[i] = agent.Canonical(thought, right)
		}
	}
	return out
}

// pasts are hashes of what happened before each step. Equal beginnings of two episodes of
// a task have equal thoughts, so that they part where their actions do.
func pasts(e *record.Episode) []string {
	out := make([]string, len(e.Trajectory))
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", e.Goal, e.Observation)
	for i, s := range e.Trajectory {
		out[i] = string(h.Sum(nil))
		fmt.Fprintf(h, "%q %q", strings.TrimSpace(s.Action), s.Observation)
	}
	return out
}

// thought is what an expert thinks before it acts in step i.
func (t thinker) thought(e *record.Episode, past string, i int, action string) string {
	sentences, observation := t.First, e.Observation
	if i > 0 {
		prev := &e.Trajectory[i-1]
		observation = prev.Observation
		progress := 0.0
		if i > 1 {
			progress = e.Trajectory[i-2].Progress
		}
		switch {
		case prev.Erroneous():
			sentences = t.Wrong
		case prev.Progress > progress:
			sentences = t.Progress
		default:
			sentences = t.Next
		}
	}
	sentence := sentences[stream.New(t.seed, "thoughts", e.Env, e.Task, past).IntN(len(sentences))]
	return oneLine(strings.NewReplacer("{goal}", repeated(e.Goal), "{action}", strings.TrimRight(oneLine(action), "."),
		"{observation}", repeated(observation)).Replace(sentence))
}

// longestSaid is how much of a goal or an observation a thought repeats, in bytes; of a
// longer one, the first sentence.
const longestSaid = 200

func repeated(text string) string {
	text = oneLine(text)
	if len(text) > longestSaid {
		text, _, _ = strings.Cut(text, ". ")
	}
	return strings.TrimRight(text, ".!?: ") + "."
}

// expert writes an episode of an expert as one of a model with the agent react: with the
// prompt that a model would have had, and with thoughts.
func (x *exporter) expert(ctx context.Context, r *runSource, e *record.Episode, p planned) ([]episode.Call, error) {
	b, err := x.expertRebuilder(r, p)
	if err != nil {
		return nil, err
	}
	thoughtful := *e
	thoughtful.Trajectory = slices.Clone(e.Trajectory)
	x.thinker.think(&thoughtful)
	for i := range thoughtful.Trajectory {
		thoughtful.Trajectory[i].Action = strings.TrimSpace(thoughtful.Trajectory[i].Action)
	}
	return x.rebuild(ctx, b, &thoughtful, nil, *p.task)
}

// expertRebuilder returns the rebuilder of an expert's condition or, if every task has a
// perturbation of its own, of the task.
func (x *exporter) expertRebuilder(r *runSource, p planned) (*episode.Rebuilder, error) {
	if cached := x.experts[p.condition]; cached != nil {
		return cached, nil
	}
	var perturbed *perturb.Env
	_, drawn := perturb.DrawnFrom(p.condition.Perturbation)
	if drawn {
		env, err := x.prompts.Open(*p.condition)
		if err != nil {
			return nil, fmt.Errorf("the perturbation of each task of %s: %w", p.condition.Env, err)
		}
		task, err := bench.SameTask(env, *p.task)
		if err != nil {
			return nil, err
		}
		if perturbed, err = env.(*perturb.Drawn).ForTask(task); err != nil {
			return nil, err
		}
	}
	prompt, err := x.Texts.Would(r.manifest, *p.condition, perturbed, *p.task)
	if err != nil {
		return nil, err
	}
	c := *p.condition
	c.Agent, c.Decoding = configs.React, &record.Decoding{}
	if c.PromptHash, err = prompt.Hash(); err != nil {
		return nil, err
	}
	built, err := episode.NewRebuilder(c, prompt, configs.Preset{}, "")
	if err == nil && !drawn {
		x.experts[p.condition] = built
	}
	return built, err
}
