package eval

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/episode"
	"heldout/eval/episode/episodetest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// named is a model whose replies give the names one after the other, the last one from then on. A name with a star
// belongs to another model of the server's list.
func named(names ...string) episodetest.ModelFunc {
	var calls atomic.Int64
	return func(context.Context, model.Request) (model.Reply, error) {
		name, other := strings.CutSuffix(names[min(int(calls.Add(1)), len(names))-1], "*")
		return model.Reply{Text: "Action: wait", FinishReason: "stop", Attempts: 1, Model: name, OtherModel: other,
			Fingerprint: "fp " + name}, nil
	}
}

func sixSteps(m model.Model, seeds ...int64) Spec {
	return Spec{Benchmarks: []episode.Benchmark{longTask(6)}, Players: []episode.Player{served(m)}, Seeds: seeds}
}

// The model that answers is recorded, and warned of at the first reply that names another one. An alias is not.
func TestAnswersAreWatched(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names    []string
		warnings []string
		answered record.Answered
		others   int
	}{
		{[]string{"m"}, nil, record.Answered{"m": 6}, 0},
		{[]string{""}, nil, nil, 0},
		{[]string{"m-2024-08-06"}, nil, record.Answered{"m-2024-08-06": 6}, 0},
		{[]string{"m", "", "M", "org/m", "/models/m.gguf"}, nil, record.Answered{"m": 1, "M": 1, "org/m": 1,
			"/models/m.gguf": 2}, 0},
		{[]string{"other-1b*"}, []string{"replies are by other-1b, another model of the server's list"},
			record.Answered{"other-1b": 6}, 6},
		{[]string{"m", "m", "fallback"}, []string{"several models answer: "}, record.Answered{"m": 2, "fallback": 4},
			0},
		{[]string{"m", "other*", "third"}, []string{"replies are by ", "several models answer: "},
			record.Answered{"m": 1, "other": 1, "third": 4}, 1},
	} {
		var warned []string
		results, err := play(t, t.Context(), t.TempDir(), mustPlan(t, sixSteps(named(c.names...), 0)),
			Options{Warn: func(line string) {
				if strings.Contains(line, "answer") || strings.Contains(line, "replies are by") {
					warned = append(warned, line)
				}
			}})
		if err != nil || len(results) != 1 {
			t.Fatalf("%q: %d results, %v", c.names, len(results), err)
		}
		if got := results[0]; got.Answered.String() != c.answered.String() || got.OtherModel != c.others {
			t.Errorf("%q: %s answered, %d others", c.names, got.Answered, got.OtherModel)
		}
		if len(warned) != len(c.warnings) {
			t.Errorf("%q: warned of %q", c.names, warned)
			continue
		}
		for i, want := range c.warnings {
			if !strings.Contains(warned[i], want) || !strings.HasPrefix(warned[i], "vllm:m: ") {
				t.Errorf("%q: %s", c.names, warned[i])
			}
		}
	}
}

// A run that goes on with another model than its results name is refused at the first reply, unless the user
// accepts it.
func TestAnotherModelAnswersLater(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, now string
		changed     bool
	}{{"m", "m", false}, {"m", "Org/M", false}, {"", "m", false}, {"m", "", false}, {"m", "fallback", true},
		{"m-2024-05-13", "m-2024-08-06", true}} {
		dir := t.TempDir()
		before := mustPlan(t, sixSteps(named(c.before), 0))
		sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), dir, before, Options{})))
		again := mustPlan(t, sixSteps(named(c.now), 0, 1))
		results, err := play(t, t.Context(), dir, again, Options{})
		changed := &ChangedModelError{}
		if errors.As(err, &changed) != c.changed || !c.changed && (err != nil || len(results) != 2) {
			t.Errorf("%q, then %q: %d results, %v", c.before, c.now, len(results), err)
		}
		if !c.changed {
			continue
		}
		for _, r := range results {
			if r.Seed == 1 && r.Outcome.Final() {
				t.Errorf("%q, then %q: an episode counts: %+v", c.before, c.now, r)
			}
		}
		if !strings.Contains(err.Error(), "its replies name "+c.now+", and recorded ones "+c.before+" (6)") ||
			!strings.Contains(err.Error(), "--accept-changed-model") {
			t.Error(err)
		}
		results, err = play(t, t.Context(), dir, again, Options{AcceptChangedModel: true})
		if last := results[len(results)-1]; err != nil || !last.Outcome.Final() || last.Answered[c.now] != 6 {
			t.Errorf("accepted: %v, %+v", err, last)
		}
	}
}

// A server that cuts prompts is warned of once, and the prompts are counted.
func TestCutPromptsAreWatched(t *testing.T) {
	cutting := episodetest.ModelFunc(func(context.Context, model.Request) (model.Reply, error) {
		return model.Reply{Text: "Action: wait", FinishReason: "stop", Attempts: 1, PromptTokens: 1000}, nil
	})
	var warned []string
	results, err := play(t, t.Context(), t.TempDir(), mustPlan(t, sixSteps(cutting, 0, 1)),
		Options{Warn: func(line string) {
			if strings.Contains(line, "cuts prompts") {
				warned = append(warned, line)
			}
		}})
	if err != nil || len(warned) != 1 || !strings.Contains(warned[0], "--context") || !strings.Contains(warned[0],
		"ollama:NAME") {
		t.Errorf("%q, %v", warned, err)
	}
	for _, r := range results {
		if r.CutPrompts == 0 || r.CutPrompts > 5 {
			t.Errorf("%d prompts of 6 count as cut", r.CutPrompts)
		}
	}
}
