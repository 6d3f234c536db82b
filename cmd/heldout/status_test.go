package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/eval/agent"
	"heldout/scoring/record"
)

// The status has the episodes in flight, the oldest first, with their steps.
func TestStatusOfARun(t *testing.T) {
	start := time.Unix(100, 0).UTC()
	now := start
	sys := &system{now: func() time.Time { return now }}
	plan := append(episodes("pddl", "random", "none", 5, 3), episodes("babyai", "random", "none", 5, 1)...)
	p := newProgress(sys, plan, 2, true)
	if left := p.status().RemainingSeconds; left != nil {
		t.Errorf("an estimate before the first step: %v", *left)
	}
	for i := range plan {
		now = start.Add(time.Duration(i) * time.Second)
		p.EpisodeBegun(&plan[i])
		for range i {
			p.StepDone(&plan[i], agent.Usage{PromptTokens: 10, CompletionTokens: 1})
		}
	}
	p.EpisodeDone(&plan[1], result(plan[1], 1, record.ModelError, 0, time.Second))
	got := p.status()
	if got.RemainingSeconds == nil {
		t.Error("no estimate though every kind has made a step")
	}
	got.RemainingSeconds = nil
	want := &record.Status{
		Updated: now, Started: start, Concurrency: 2, Planned: 4, Most: 4, Done: 1, Failed: 1, Tokens: 66,
		InFlight: []record.InFlight{
			{ID: plan[0].ID, Started: start},
			{ID: plan[2].ID, Steps: 2, Started: start.Add(2 * time.Second)},
			{ID: plan[3].ID, Steps: 3, Started: start.Add(3 * time.Second)},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A status describes a bounded number of episodes.
func TestStatusIsBounded(t *testing.T) {
	plan := episodes("pddl", "random", "none", 5, record.MaxInFlight+7)
	p := newProgress(&system{now: func() time.Time { return time.Unix(0, 0) }}, plan, len(plan), true)
	for i := range plan {
		p.EpisodeBegun(&plan[i])
	}
	if s := p.status(); len(s.InFlight) != record.MaxInFlight || s.Others != 7 {
		t.Errorf("%d in flight and %d others", len(s.InFlight), s.Others)
	}
}

// A run leaves no status behind.
func TestNoStatusAfterARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	var said bytes.Buffer
	sys := &system{stdout: io.Discard, stderr: &said, getenv: func(string) string { return "" }, now: time.Now}
	if code := execute(t.Context(), []string{"run", "--env", "pddl", "--model", "expert", "--limit", "2", "--out", dir}, sys); code != exitOK {
		t.Fatal(said.String())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("run directory: %v, %v", entries, err)
	}
}
