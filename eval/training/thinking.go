package training

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"heldout/configs"
	"heldout/envs/stream"
	"heldout/eval/bench"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/eval/training/calls"
	"heldout/scoring/record"
)

// Thinking has a model write the thoughts of experts.
type Thinking struct {
	*ModelCalls
	Prompt string // a file; empty for heldout's own
	Seed   int64

	condition thinkCondition
	prompt    configs.ThinkPrompt
	episodes  []record.Episode
}

// thinkCondition is everything that thoughts depend on, beside the servers.
type thinkCondition struct {
	Model    string          `json:"model"`
	Decoding record.Decoding `json:"decoding"`
	// Prompt and Episodes are SHA-256 hashes: of the prompt, and of what was played.
	Prompt   string `json:"prompt"`
	Episodes string `json:"episodes"`
	Seed     int64  `json:"seed"`
}

// mostSteps bounds the steps whose thoughts are written.
const mostSteps = 10_000_000

// Prepare reads the episodes of experts in a run directory, and names the folder if it has
// no name. It returns the number of steps, and asks no model.
func (t *Thinking) Prepare(dir string) (steps int, err error) {
	if t.prompt, err = bench.FileOr(t.Prompt, configs.LoadThink, configs.Parse); err != nil {
		return 0, bench.Misconfigured(err)
	}
	hash := sha256.New()
	read := map[string]bool{}
	m, err := record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
		if !e.Outcome.Final() || read[e.ID] || e.Agent != episode.Expert && e.Agent != episode.Erring {
			return
		}
		read[e.ID] = true
		steps += len(e.Trajectory)
		t.episodes = append(t.episodes, *e)
		fmt.Fprintln(hash, e.ID, len(e.Trajectory))
	})
	switch {
	case err != nil:
		return 0, err
	case steps == 0 || steps > mostSteps:
		return 0, fmt.Errorf("%s has %d steps of experts, want 1 to %d", dir, steps, mostSteps)
	case len(m.Uncovered) > 0:
		t.Outside.Warn(record.NotCovered(m.Uncovered))
	}
	t.condition = thinkCondition{Model: t.Run.Model[0], Decoding: t.Run.Decoding, Seed: t.Seed,
		Episodes: hex.EncodeToString(hash.Sum(nil))}
	if t.condition.Prompt, err = configs.HashJSON(t.prompt); err != nil {
		return 0, err
	}
	return steps, t.nameDir("think", t.condition)
}

// Write makes the thoughts that are missing and writes all. missing counts the episodes without a result.
func (t *Thinking) Write(ctx context.Context) (missing int, err error) {
	return t.work(ctx, record.ThinkLog, t.condition, len(t.episodes),
		func(ctx context.Context, ask Asker, i int) error {
			_, err := t.think(ctx, ask, &t.episodes[i])
			return err
		},
		func(book *calls.Book) error {
			return book.Replace(record.ThoughtsFile, func(w io.Writer) error { return t.collect(ctx, book, w) })
		})
}

// think asks for the thoughts of an episode, step by step. Each sees those before it.
func (t *Thinking) think(ctx context.Context, ask Asker, e *record.Episode) ([]string, error) {
	var history strings.Builder
	fmt.Fprintf(&history, "Goal: %s\n\nObservation: %s\n", e.Goal, e.Observation)
	var out []string
	for i := range e.Trajectory {
		s := &e.Trajectory[i]
		text := t.prompt.Instruction + "\n" + history.String() + "\nThe player's next action: " + s.Action
		key := fmt.Sprintf("%s/%d", e.ID, i)
		c, err := ask(ctx, calls.Question{Key: key, Kind: "thought", Decoding: t.condition.Decoding,
			Messages: []model.Message{{Role: model.User, Content: text}},
			Seed:     stream.Seed(t.Seed, "think", key)})
		if err != nil {
			return nil, err
		}
		thought := ""
		if c.Fault == "" {
			thought = thoughtIn(c.Reply)
		}
		out = append(out, thought)
		fmt.Fprintf(&history, "Thought: %s\nAction: %s\nObservation: %s\n", thought, s.Action, s.Observation)
	}
	return out, nil
}

// longestThought bounds a thought, in bytes.
const longestThought = 2000

// thoughtIn is the thought in a reply, on one line; "" if there is none that a reply could hold.
func thoughtIn(reply string) string {
	text := strings.Join(strings.Fields(reply), " ")
	text = strings.TrimSpace(strings.TrimPrefix(text, "Thought:"))
	text, _, _ = strings.Cut(text, "Action:")
	if len(text) > longestThought {
		return ""
	}
	return strings.TrimSpace(text)
}

// collect writes the thoughts of the recorded calls.
func (t *Thinking) collect(ctx context.Context, book *calls.Book, w io.Writer) error {
	lines := record.NewLines(w)
	for i := range t.episodes {
		thoughts, err := t.think(ctx, recorded(book), &t.episodes[i])
		if errors.Is(err, calls.ErrUnasked) {
			continue
		}
		if err == nil {
			err = lines.Encode(record.Thoughts{Episode: t.episodes[i].ID, Thoughts: thoughts})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
