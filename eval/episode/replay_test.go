package episode

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode/episodetest"
)

// wonFrom2 is a record of winning the second task.
func wonFrom2() Recorded {
	return Recorded{
		Env: "countdown", Source: "someone", ID: 1, Goal: "reach 0", Done: true, Progress: 1, Grounding: 2.0 / 3,
		Steps: []RecordedStep{{"down", "1", 0.5}, {"what", "1", 0.5}, {"down", "0", 1}},
	}
}

func TestReplay(t *testing.T) {
	env := episodetest.NewCountdown(3)
	for _, c := range []struct {
		name   string
		change func(*Recorded)
		want   []string
	}{
		{"as recorded", func(*Recorded) {}, nil},
		{"no goal recorded", func(r *Recorded) { r.Goal = "" }, nil},
		{"goal", func(r *Recorded) { r.Goal = "reach 1" }, []string{`0 "" goal: reach 1, reach 0`}},
		{"observation", func(r *Recorded) { r.Steps[1].Observation = "2" }, []string{`2 "what" observation: 2, 1`}},
		{"progress", func(r *Recorded) { r.Steps[0].Progress = 0.4 }, []string{`1 "down" progress: 0.4, 0.5`}},
		{"end", func(r *Recorded) { r.Done, r.Progress, r.Grounding = false, 0.5, 1 },
			[]string{`4 "" done: false, true`, `4 "" final progress: 0.5, 1`,
				fmt.Sprint(`4 "" grounding: 1, `, 2.0/3)}},
	} {
		rec := wonFrom2()
		c.change(&rec)
		found, err := Replay(t.Context(), env, &rec)
		var got []string
		for _, m := range found {
			got = append(got, fmt.Sprintf("%d %q %s: %s, %s", m.Step, m.Action, m.Field, m.Want, m.Got))
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
	rec := wonFrom2()
	rec.ID = 3
	if _, err := Replay(t.Context(), env, &rec); err == nil {
		t.Error("a task that does not exist was replayed")
	}
}

// loose is an environment that tells which observations are the same.
type loose struct{ *episodetest.Countdown }

func (loose) SameObservation(action, recorded, ours string) bool {
	return recorded == ours || action == "what" && recorded == "any"
}

func TestReplayAsksTheEnvironment(t *testing.T) {
	rec := wonFrom2()
	rec.Steps[1].Observation = "any"
	sharedtest.Equal(t, len(sharedtest.Must(Replay(t.Context(), loose{episodetest.NewCountdown(3)}, &rec))(t)), 0)
	if found, _ := Replay(t.Context(), episodetest.NewCountdown(3), &rec); len(found) != 1 {
		t.Errorf("%v", found)
	}
}

const twoRecords = `{"env":"a","id":1,"steps":[{"action":"x","observation":"y","progress":0}]}

{"env":"b","id":2,"done":true,"progress":1,"extra":"is passed over"}`

func TestReadRecorded(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(twoRecords)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{"plain": twoRecords, "gzip": zipped.String()} {
		var got []string
		err := ReadRecorded(t.Context(), strings.NewReader(in), name, func(line int, e *Recorded) error {
			got = append(got, fmt.Sprint(line, e.Env, e.ID, len(e.Steps), e.Done))
			return nil
		})
		if diff := cmp.Diff([]string{"1a1 1 false", "3b2 0 true"}, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	for in, want := range map[string]string{
		"{}\n{":                          "f:2: ",
		"[1]":                            "f:1: ",
		"\x1f\x8bnot gzip":               "f: gzip",
		zipped.String()[:zipped.Len()-9]: "f: after line 3: unexpected EOF",
	} {
		err := ReadRecorded(t.Context(), strings.NewReader(in), "f", func(int, *Recorded) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", in, err, want)
		}
	}
}

// A small file that stands for a long line ends with an error, and one that stands
// for blank lines without end can be stopped.
func TestReadRecordedBombs(t *testing.T) {
	zip := func(piece string, n int) *bytes.Buffer {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for range n {
			sharedtest.OK(t, sharedtest.Err(z.Write([]byte(piece))))
		}
		sharedtest.OK(t, z.Close())
		return &b
	}
	visit := func(int, *Recorded) error { return nil }
	err := ReadRecorded(t.Context(), zip(strings.Repeat(" ", 1<<20), 17), "f", visit)
	if err == nil || err.Error() != "f:1: the line has more than 16777216 bytes" {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := ReadRecorded(ctx, zip("\n", 10), "f", visit); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Reading never panics, and what is read can be replayed.
func FuzzReadRecorded(f *testing.F) {
	f.Add([]byte(twoRecords))
	f.Add([]byte("\x1f\x8b\x08"))
	var env envs.Env = episodetest.NewCountdown(3)
	f.Fuzz(func(t *testing.T, in []byte) {
		_ = ReadRecorded(t.Context(), bytes.NewReader(in), "f", func(_ int, e *Recorded) error {
			for _, s := range e.Steps {
				if s.Action == "panic" {
					return nil // the fake environment does as it is told
				}
			}
			_, _ = Replay(t.Context(), env, e)
			return nil
		})
	})
}
