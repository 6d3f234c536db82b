package jericho

import (
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// The variant shows the story's own text, line ends included, passes replies on whole and knows the game's score.
func TestPlain(t *testing.T) {
	w, start := startedWorld(t, sharedtest.Must(New(Options{Variant: Jericho, GeneratorSeed: 3}))(t), 0)
	if !strings.Contains(start.Observation, "\n") {
		t.Errorf("the first observation is one line: %q", start.Observation)
	}
	if s := steps(t, w, "check valid actions"); strings.HasPrefix(s.Observation, helpPrefix) {
		t.Errorf("there is a help command: %q", s.Observation)
	}
	score, ok := envs.As[envs.Scorer](w)
	if !ok || score.Score() != 0 {
		t.Fatalf("the score is %v at first", score)
	}
	actions := splitWalkthrough(lowlight.Walkthrough)
	for i, action := range actions {
		s := steps(t, w, action)
		if last := i == len(actions)-1; s.Done != last || s.Success != last {
			t.Fatalf("step %d, %s: done %v, success %v", i, action, s.Done, s.Success)
		}
	}
	sharedtest.Equal(t, score.Score(), 1, "the score after the solution")
}

func TestPlainOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"variant is":           {Variant: "plain"},
		"game-seed is for the": {Seed: 4},
	} {
		sharedtest.Fails(t, sharedtest.Err(New(o)), want, o)
	}
	a, err := New(Options{Variant: Jericho, Seed: 7})
	if err != nil || a.Info().Settings["game-seed"] != "7" || a.plays[0].seed != 7 {
		t.Errorf("%v, %v", a.Info(), err)
	}
}

// The 20 games start with another seed and without labels.
func TestPlainOfficial(t *testing.T) {
	e := officialEnv(t, Options{Variant: Jericho, Seed: 202411061})
	if len(e.Tasks()) != 20 || e.Info().Settings["labels"] != "" {
		t.Errorf("%d games, settings %v", len(e.Tasks()), e.Info().Settings)
	}
	for i, task := range e.Tasks() {
		if _, start := startedWorld(t, e, i); start.Observation == "" {
			t.Errorf("%s starts without a text", task.ID)
		}
	}
}
