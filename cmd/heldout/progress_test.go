package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/eval/agent"
	"heldout/eval/record"
)

// Rates of different things are not averaged: a line has those of what was played
// last, and the last line none.
func TestProgressLines(t *testing.T) {
	now := time.Unix(0, 0)
	var stderr bytes.Buffer
	p := newProgress(&system{stderr: &stderr, now: func() time.Time { return now }}, 5)
	play := func(env, model, perturbation string, outcome record.Outcome, success bool, progress float64) {
		now = now.Add(10 * time.Second)
		p.EpisodeDone(record.Result{Env: env, Model: model, Perturbation: perturbation, Outcome: outcome, Success: success, Progress: progress})
		p.show()
	}
	p.show()
	play("pddl", "random", "none", record.Failure, false, 0.5)
	play("pddl", "random", "none", record.Success, true, 1)
	p.StepDone(agent.Usage{PromptTokens: 600, CompletionTokens: 40})
	play("alfworld", "bad\x1b[2J", "P1", record.ModelError, false, 0)
	play("alfworld", "bad\x1b[2J", "P1", record.Failure, false, 0.25)
	play("alfworld", "bad\x1b[2J", "P1", record.Failure, false, 0.25)
	p.finish()
	want := `0/5 episodes  SR –  PR –
1/5 episodes  SR 0.0  PR 50.0  ETA 40s
2/5 episodes  SR 50.0  PR 75.0  ETA 30s
3/5 episodes  SR 50.0  PR 75.0  21 tokens/s  1 failed  ETA 20s
4/5 episodes  alfworld bad\x1b[2J P1  SR 0.0  PR 25.0  16 tokens/s  1 failed  ETA 10s
5/5 episodes  13 tokens/s  1 failed
5/5 episodes  13 tokens/s  1 failed
`
	if d := cmp.Diff(want, stderr.String()); d != "" {
		t.Error(d)
	}
}
