package calls

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
	"heldout/eval/fleet"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// echo answers with the prompt, or with an error.
type echo struct {
	calls atomic.Int64
	err   error
}

// Chat implements model.Model.
func (e *echo) Chat(_ context.Context, req model.Request) (model.Reply, error) {
	e.calls.Add(1)
	if e.err != nil {
		return model.Reply{}, e.err
	}
	return model.Reply{Text: req.Messages[0].Content, Attempts: 2, PromptTokens: 10, CompletionTokens: 5,
		UnusedPromptTokens: 1, FinishReason: "stop", Dropped: []string{"seed"}}, nil
}

type condition struct {
	Model string  `json:"model"`
	T     float64 `json:"temperature"`
}

func open(t *testing.T, dir string, c condition, planned int) *Book {
	t.Helper()
	return sharedtest.Must(Open(dir, setup(c, planned)))(t)
}

func setup(c condition, planned int) Setup {
	return Setup{Kind: record.SynthLog, Condition: c, Planned: planned, Now: func() time.Time {
		return time.Unix(0, 0)
	}}
}

func question(key, text string) Question {
	return Question{Key: key, Kind: "k", Messages: []model.Message{{Role: model.User, Content: text}}, Seed: 7}
}

// A call is made once, recorded, and found again; with another prompt it is an error.
func TestAsk(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir, condition{"m", 0}, 1)
	m := &echo{}
	sharedtest.OK(t, b.Met(record.ServerReport{Software: "s"}, "http://one"))
	if _, err := b.Ask(t.Context(), nil, question("1", "hi")); !errors.Is(err, ErrUnasked) {
		t.Error(err)
	}
	made, err := b.Ask(t.Context(), m, question("1", "hi"))
	if err != nil || made.Reply != "hi" || made.Server != "http://one" || made.PromptTokens != 11 ||
		made.Requests != 2 {
		t.Fatalf("%+v, %v", made, err)
	}
	sharedtest.OK(t, b.End())
	b = open(t, dir, condition{"m", 0}, 1)
	defer b.End()
	found, err := b.Ask(t.Context(), m, question("1", "hi"))
	if err != nil || m.calls.Load() != 1 {
		t.Fatalf("%v, %d calls", err, m.calls.Load())
	}
	found.Checksum = ""
	sharedtest.Equal(t, cmp.Diff(made, found), "")
	sharedtest.Fails(t, sharedtest.Err(b.Ask(t.Context(), m, question("1", "ho"))),
		"the recorded call 1 has another prompt")
	m.err = &model.UnavailableError{Message: "gone", Attempts: 3}
	if _, err := b.Ask(t.Context(), m, question("2", "hi")); err == nil {
		t.Error("no error")
	}
	sharedtest.OK(t, b.Reread())
	if _, err := b.Ask(t.Context(), nil, question("2", "hi")); !errors.Is(err, ErrUnasked) {
		t.Errorf("a call without a reply counts: %v", err)
	}
	usage, err := b.Usage()
	want := map[string]Usage{"k": {Calls: 1, Failed: 1, Requests: 5, PromptTokens: 11, CompletionTokens: 5,
		Dropped: []string{"seed"}}}
	if diff := cmp.Diff(want, usage); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// Another condition is refused and named, unless nothing was asked under the old one; a plan may grow.
func TestCondition(t *testing.T) {
	dir := t.TempDir()
	sharedtest.OK(t, open(t, dir, condition{"m", 0}, 2).End())
	b := open(t, dir, condition{"n", 0.5}, 2)
	sharedtest.OK(t, sharedtest.Err(b.Ask(t.Context(), &echo{}, question("1", "hi"))))
	sharedtest.OK(t, b.End())
	for want, c := range map[string]struct {
		condition
		planned int
	}{
		`temperature is 0.5 there and 1 here`:             {condition{"n", 1}, 2},
		`model is "n" there and "m" here; temperature is`: {condition{"m", 1}, 2},
		`it is planned for 2 items, which is more than 1`: {condition{"n", 0.5}, 1},
	} {
		sharedtest.Fails(t, sharedtest.Err(Open(dir, setup(c.condition, c.planned))), want)
	}
	sharedtest.OK(t, open(t, dir, condition{"n", 0.5}, 9).End())
	for _, content := range []string{"", "{", `{"schema": 2}`, "[]"} {
		sharedtest.OK(t, os.WriteFile(filepath.Join(dir, "synth.json"), []byte(content), 0o600))
		if _, err := Open(dir, setup(condition{"n", 0.5}, 9)); err == nil {
			t.Errorf("the manifest %q is no error", content)
		}
	}
}

// Errors of single calls stop nothing; those that every call would meet do.
func TestWork(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		calls int64 // 0: any number
		fatal bool
	}{
		"unavailable":       {&model.UnavailableError{Message: "slow"}, 20, false},
		"too long":          {&model.ContextError{Message: "long"}, 20, false},
		"refused every one": {&model.RequestError{Status: 400}, mostRefusals, true},
		"wrong key":         {&model.RequestError{Status: 401}, 1, true},
		"lost":              {&fleet.LostError{}, 1, true},
		"none":              {nil, 20, false},
	} {
		b := open(t, t.TempDir(), condition{}, 20)
		m := &echo{err: c.err}
		missing, err := b.Work(t.Context(), 20, 1, func(ctx context.Context, i int) error {
			_, err := b.Ask(ctx, m, question(fmt.Sprint(i), "hi"))
			return err
		})
		if (err != nil) != c.fatal || m.calls.Load() != c.calls || !c.fatal && c.err != nil && missing != 20 ||
			c.err == nil && missing != 0 {
			t.Errorf("%s: %d missing, %v, %d calls", name, missing, err, m.calls.Load())
		}
		sharedtest.OK(t, b.End())
	}
	ctx, cancel := context.WithCancel(t.Context())
	b := open(t, t.TempDir(), condition{}, 20)
	defer b.End()
	if _, err := b.Work(ctx, 20, 4, func(ctx context.Context, i int) error {
		cancel()
		return ctx.Err()
	}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The line says how long the rest takes at the pace so far.
func TestProgressLine(t *testing.T) {
	now := time.Unix(0, 0)
	items := NewProgress(10, func() time.Time { return now })
	now = now.Add(40 * time.Second)
	for range 3 {
		items.Item(nil)
	}
	items.Item(errors.New("no reply"))
	line := items.Line()
	for _, part := range []string{"4/10 items", "ETA 1m0s", "1 without a result", "0 calls"} {
		if !strings.Contains(line, part) {
			t.Errorf("%q lacks %q", line, part)
		}
	}
	for range 6 {
		items.Item(nil)
	}
	if line := items.Line(); strings.Contains(line, "ETA") {
		t.Errorf("what is done has a rest: %q", line)
	}
}
