package export

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs/stream"
	"heldout/eval/bench"
	"heldout/eval/episode"
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
}

// think gives every step of an episode a thought. Equal beginnings of two episodes of a
// task have equal thoughts, so that they part where their actions do.
func (t thinker) think(e *record.Episode) {
	if len(t.First) == 0 {
		return
	}
	said := e.Goal + "\n" + e.Observation
	observation, progress := e.Observation, 0.0
	for i := range e.Trajectory {
		s := &e.Trajectory[i]
		sentences := t.Next
		switch {
		case i == 0:
			sentences = t.First
		case e.Trajectory[i-1].Erroneous():
			sentences = t.Wrong
		case e.Trajectory[i-1].Progress > progress:
			sentences = t.Progress
		}
		if i > 0 {
			progress = max(progress, e.Trajectory[i-1].Progress)
		}
		s.Thought = t.say(stream.New(t.seed, "thoughts", e.Env, e.Task, said), sentences, e.Goal, s.Action, observation)
		observation = s.Observation
		said += "\n" + s.Action + "\n" + s.Observation
	}
}

// longestSaid is how much of a goal or an observation a thought repeats, in bytes; of a
// longer one, the first sentence.
const longestSaid = 200

// say draws a sentence and fills it.
func (t thinker) say(rng *rand.Rand, sentences []string, goal, action, observation string) string {
	short := func(text string) string {
		text = oneLine(text)
		if len(text) > longestSaid {
			text, _, _ = strings.Cut(text, ". ")
		}
		return strings.TrimRight(text, ".!?: ") + "."
	}
	return oneLine(strings.NewReplacer("{goal}", short(goal), "{action}", strings.TrimRight(oneLine(action), "."),
		"{observation}", short(observation)).Replace(sentences[rng.IntN(len(sentences))]))
}

// expert writes an episode of an expert as one of a model with the agent react: with the
// prompt that a model would have had, and with thoughts.
func (x *exporter) expert(ctx context.Context, r *run, e *record.Episode, p planned) ([]episode.Call, error) {
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
	return b.again(ctx, &thoughtful, *p.task)
}

// expertRebuilder returns the rebuilder of an expert's condition or, if every task has a
// perturbation of its own, of the task.
func (x *exporter) expertRebuilder(r *run, p planned) (*rebuilder, error) {
	known := x.rebuilder[p.condition]
	if known != nil && known.env == nil {
		return known, nil
	}
	if _, drawn := perturb.DrawnFrom(p.condition.Perturbation); drawn && known == nil {
		env, err := bench.ReopenEnv(*p.condition, x.Texts.Setup, x.Texts.Outside)
		if err != nil {
			return nil, fmt.Errorf("the perturbation of each task of %s: %w", p.condition.Env, err)
		}
		known = &rebuilder{env: env}
		x.rebuilder[p.condition] = known
	}
	var perturbed *perturb.Env
	if known != nil {
		task, err := bench.SameTask(known.env, *p.task)
		if err != nil {
			return nil, err
		}
		if perturbed, err = known.env.(*perturb.Drawn).Of(task); err != nil {
			return nil, err
		}
	}
	prompt, err := x.Texts.Would(r.manifest, *p.condition, perturbed, *p.task)
	if err != nil {
		return nil, err
	}
	c := *p.condition
	c.Agent, c.Decoding = episode.React, &record.Decoding{}
	if c.PromptHash, err = prompt.Hash(); err != nil {
		return nil, err
	}
	made := &rebuilder{}
	if made.Rebuilder, err = episode.NewRebuilder(c, prompt, nil, ""); err != nil {
		return nil, err
	}
	if known == nil {
		x.rebuilder[p.condition] = made
	}
	return made, nil
}
