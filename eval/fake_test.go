package eval

import (
	"context"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode"
	"heldout/eval/episode/episodetest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// benchmark is all tasks of an environment.
func benchmark(e envs.Env) episode.Benchmark {
	return episode.Benchmark{Env: e, Tasks: e.Tasks(), StepLimit: 10, Prompt: episodetest.Prompt, PromptHash: "hash"}
}

// served is a player with a model.
func served(m model.Model) episode.Player {
	return episode.Player{Name: "vllm:m", Agent: configs.React, Model: m, Decoding: record.Decoding{
		TopP: 1, MaxTokens: 8}}
}

func mustPlan(t testing.TB, s Spec) *Plan {
	t.Helper()
	return sharedtest.Must(NewPlan(&s))(t)
}

// planOne is the plan of one player on one benchmark.
func planOne(t testing.TB, b episode.Benchmark, p episode.Player, seeds ...int64) *Plan {
	t.Helper()
	return mustPlan(t, Spec{Benchmarks: []episode.Benchmark{b}, Players: []episode.Player{p}, Seeds: seeds})
}

// clock is a clock that goes on by a second whenever it is read.
func clock() func() time.Time {
	ticks := make(chan time.Time, 1)
	ticks <- time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		now := <-ticks
		ticks <- now.Add(time.Second)
		return now
	}
}

// play runs a plan in a directory and returns what is recorded afterwards.
func play(t testing.TB, ctx context.Context, dir string, p *Plan, o Options) ([]record.Result, error) {
	t.Helper()
	if o.Now == nil {
		o.Now = clock()
	}
	s := sharedtest.Must(Begin(dir, p, About{Manifest: record.Manifest{Tool: record.Tool{Version: "test"}}}, o.Now))(t)
	sharedtest.OK(t, s.Store.OpenReplies(p.Due(s.Store.Attempts).Next(o.AllowUnusable)))
	runErr := Run(ctx, p, s.Store, o)
	sharedtest.OK(t, s.End())
	_, results, err := record.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return results, runErr
}
