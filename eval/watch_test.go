package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/episode/episodetest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// replying is a model that always gives the same reply.
func replying(r model.Reply) episodetest.ModelFunc {
	return func(context.Context, model.Request) (model.Reply, error) { return r, nil }
}

// longTask is one task that takes many steps.
func longTask(steps int) episode.Benchmark {
	b := benchmark(episodetest.NewCountdown(1))
	b.StepLimit = steps
	return b
}

// A model that brings nothing usable ends the run, and none of its episodes counts as a failure.
func TestUnusableRepliesEndTheRun(t *testing.T) {
	t.Parallel()
	for symptom, reply := range map[model.Symptom]model.Reply{
		model.LongReasoning: {Reasoning: "Let me", FinishReason: "length", Fault: record.CutOff},
		model.Silence:       {FinishReason: "stop", Fault: record.Empty},
		model.Prose:         {Text: "I do not know.", FinishReason: "stop"},
		model.Repetition: {Text: strings.Repeat("I look around. ", 20), FinishReason: "length",
			Fault: record.CutOff},
	} {
		for _, limit := range []int{100, 3} {
			t.Run(fmt.Sprint(string(symptom), " ", limit), func(t *testing.T) {
				p := planOne(t, longTask(limit), served(replying(reply)), 0, 1)
				results, err := play(t, t.Context(), t.TempDir(), p, Options{})
				var unusable *UnusableError
				if !errors.As(err, &unusable) {
					t.Fatalf("the run ended with %v", err)
				}
				fault := reply.Fault
				if fault == "" {
					fault = record.NoAction
				}
				if unusable.Lost[symptom] != unusable.Replies || unusable.Replies > silence ||
					unusable.Symptom != symptom || unusable.Advice == "" ||
					!strings.Contains(err.Error(), fmt.Sprintf(": it %s in %d; %s; ", symptom, unusable.Replies,
						unusable.Advice)) {
					t.Errorf("the error is %v", err)
				}
				for _, r := range results {
					if r.Outcome.Final() || r.FormatErrors != r.Steps || r.Faults[fault] < r.Steps {
						t.Errorf("an episode is recorded as %+v", r)
					}
				}

				results, err = play(t, t.Context(), t.TempDir(), p, Options{AllowUnusable: true})
				if err != nil || len(results) != 2 || results[0].Outcome != record.Failure ||
					results[0].Steps != limit {
					t.Errorf("if that is allowed, the run ends with %v and %+v", err, results)
				}
			})
		}
	}
}

// Replies that come after the verdict do not change it: which episode ends first is chance.
func TestVerdictIsTheFirst(t *testing.T) {
	w := newWatch(Options{}, nil, nil)
	for n := 1; n <= silence+2; n++ {
		err := w.Reply(&episode.Player{Name: "m"},
			agent.Move{Step: record.Step{FormatError: n <= silence, Fault: record.Empty}}, false)
		if n < silence {
			if err != nil {
				t.Fatalf("reply %d: %v", n, err)
			}
			continue
		}
		for _, err := range []error{err, w.verdicts()["m"]} {
			var unusable *UnusableError
			if !errors.As(err, &unusable) || unusable.Replies != silence || unusable.Lost[model.Silence] != silence {
				t.Errorf("after reply %d: %v", n, err)
			}
		}
		if w.proves("m") {
			t.Error("a reply after the verdict proves the model")
		}
	}
}

// One usable reply is enough, be it of an earlier session.
func TestUsableReplyProvesAModel(t *testing.T) {
	dir := t.TempDir()
	spec := Spec{Benchmarks: []episode.Benchmark{longTask(40)}, Players: []episode.Player{
		served(episodetest.Saying("down"))}, Seeds: []int64{0}}
	sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), dir, mustPlan(t, spec), Options{})))
	spec.Players, spec.Seeds = []episode.Player{served(replying(model.Reply{Fault: record.Empty}))}, []int64{0, 1}
	results, err := play(t, t.Context(), dir, mustPlan(t, spec), Options{})
	if err != nil || len(results) != 2 || results[1].Outcome != record.Failure {
		t.Errorf("the run ends with %v and %+v", err, results)
	}
}

// A few faulty replies of the first ones say little, and few of many do not matter.
func TestMatters(t *testing.T) {
	for _, c := range []struct {
		faulty, replies int
		want            bool
	}{{16, 16, false}, {3, 20, false}, {4, 20, true}, {1, 20, false}, {5, 60, false}, {12, 100, true}, {0, 100, false},
		{70, 1000, false}, {80, 1000, true}} {
		sharedtest.Equal(t, Matters(c.faulty, c.replies), c.want, c.faulty, c.replies)
	}
}

// A run that goes on says once of each fault that there are many.
func TestWarnings(t *testing.T) {
	calls := 0
	m := episodetest.ModelFunc(func(context.Context, model.Request) (model.Reply, error) {
		calls++
		switch {
		case calls%10 == 0:
			return model.Reply{Text: "Action: up", FinishReason: "length", Fault: record.CutOff}, nil
		case calls == 15, calls == 16:
			return model.Reply{Fault: record.Empty}, nil
		}
		return model.Reply{Text: "Action: up"}, nil
	})
	var mu sync.Mutex
	var lines []string
	p := planOne(t, longTask(300), served(m), 0)
	results := sharedtest.Must(play(t, t.Context(), t.TempDir(), p, Options{Warn: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}}))(t)
	want := []string{"vllm:m: none of its first 30 actions is valid; " + "heldout doctor --show prints them: " +
		model.Adviser{}.Advice(model.InvalidActions),
		"vllm:m is cut off behind its action in 17 of 170 replies so far; give a larger --max-tokens"}
	sharedtest.Same(t, lines, want, "warnings")
	if f := results[0].Faults; f[record.CutOff] != 30 || f[record.Empty] != 2 || results[0].FormatErrors != 2 {
		t.Errorf("counted %v and %d format errors", f, results[0].FormatErrors)
	}
}

// A run says once that fewer than half of a model's actions are valid, from the thirtieth on.
func TestFewValidActions(t *testing.T) {
	for valid, want := range map[int]string{
		0:  "m: none of its first 30 actions is valid; ",
		14: "m: only 14 of its first 30 actions are valid; ",
		15: "m: only 15 of its first 31 actions are valid; ",
		40: "m: only 40 of its first 81 actions are valid; ",
	} {
		var lines []string
		w := newWatch(Options{Warn: func(line string) { lines = append(lines, line) }}, nil, nil)
		for i := range 100 {
			sharedtest.OK(t, w.Reply(&episode.Player{Name: "m"}, agent.Move{Step: record.Step{Action: "a"}}, i < valid))
		}
		if len(lines) != 1 || !strings.HasPrefix(lines[0], want) {
			t.Errorf("%d valid: %q, want %q", valid, lines, want)
		}
	}
}

// A refusal in unknown words ends the run when nothing else ever comes.
func TestRefusalsEndTheRun(t *testing.T) {
	refused := &model.RequestError{Status: 400, Message: "bad request", Attempts: 1}
	p := planOne(t, longTask(3), served(failing(refused)), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	results, err := play(t, t.Context(), t.TempDir(), p, Options{})
	if !errors.Is(err, refused) || !strings.Contains(err.Error(), "the first 8 calls of vllm:m were all refused") ||
		len(results) != 8 {
		t.Errorf("the run ended with %v after %d episodes", err, len(results))
	}
}

// An environment of others that shows the same after all actions, in all episodes, is warned about once.
func TestUnchanging(t *testing.T) {
	steps := func(words ...string) (list []record.Step) { // action, observation
		for i := 0; i < len(words); i += 2 {
			list = append(list, record.Step{Action: words[i], Observation: words[i+1], Valid: words[i] != "bad"})
		}
		return list
	}
	same, changing := steps("a", "echo", "b", "echo", "c", "echo"), steps("a", "echo", "b", "echo", "c", "ready")
	const warning = `after every action in %s, openenv:echo showed the same, "echo": --openenv-observation names the ` +
		`fields that are shown`
	for name, c := range map[string]struct {
		source   envs.Source
		episodes [][]record.Step
		during   string // the warning before the end
		atEnd    string
	}{
		"one":         {envs.External, [][]record.Step{same}, "", "1 episode"},
		"three":       {envs.External, [][]record.Step{same, same, same, same}, "3 episodes", ""},
		"one changes": {envs.External, [][]record.Step{same, same, changing, same, same}, "", ""},
		"later":       {envs.External, [][]record.Step{same, same, same, changing}, "3 episodes", ""},
		"ours":        {envs.Official, [][]record.Step{same, same, same}, "", ""},
		"short":       {envs.External, [][]record.Step{same[:2], same[:2], same[:2]}, "", ""},
		"one action":  {envs.External, [][]record.Step{steps("a", "no", "a", "no", "a", "no")}, "", ""},
		"invalid":     {envs.External, [][]record.Step{steps("bad", "no", "bad", "no", "a", "no", "b", "no")}, "", ""},
		"invalid last": {envs.External, [][]record.Step{steps("a", "echo", "b", "echo", "c", "echo", "bad", "no")}, "",
			"1 episode"},
		"nothing": {envs.External, nil, "", ""},
	} {
		var said []string
		u := &unchanging{warn: func(line string) { said = append(said, line) }, sights: map[string]*sight{}}
		check := func(when, episodes string) {
			var want []string
			if episodes != "" {
				want = []string{fmt.Sprintf(warning, episodes)}
			}
			sharedtest.Same(t, said, want, name, when)
			said = nil
		}
		for _, list := range c.episodes {
			u.look(&record.Episode{Result: record.Result{Env: "openenv:echo", Source: c.source}, Trajectory: list})
		}
		check("during", c.during)
		u.end()
		check("at the end", c.atEnd)
	}
}
