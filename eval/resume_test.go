package eval

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/episode/episodetest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// meter is a model that refuses long prompts and counts what it answers. It stops the run
// instead of giving more answers than it may in a session.
type meter struct {
	model.Model
	answered, left atomic.Int64
	stop           context.CancelFunc
}

// Chat implements model.Model.
func (m *meter) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	if m.left.Add(-1) < 0 {
		m.stop()
		return model.Reply{}, context.Canceled
	}
	m.answered.Add(1)
	if len(req.Messages) > 8 {
		return model.Reply{}, &model.ContextError{Status: 400, Message: "too long", Attempts: 2}
	}
	reply, err := m.Model.Chat(ctx, req)
	reply.Latency, reply.Reasoning, reply.Leftovers = time.Second, "hm", []record.Leftover{record.EndTokens}
	return reply, err
}

// played reads the attempts of a run without their times, by id.
func played(t *testing.T, dir string) map[string]record.Episode {
	t.Helper()
	out := map[string]record.Episode{}
	sharedtest.OK(t, sharedtest.Err(record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
		c := *e
		c.Started, c.Ended, c.Checksum = time.Time{}, time.Time{}, ""
		if _, twice := out[e.ID]; twice {
			t.Errorf("episode %s is there twice", e.ID)
		}
		out[e.ID] = c
	})))
	return out
}

// resumed is a plan of trials with reflections, and its model.
func resumed(t *testing.T) (*Plan, *meter) {
	t.Helper()
	m := &meter{Model: learning(1)}
	m.left.Store(1 << 30)
	return planOne(t, benchmark(episodetest.NewCountdown(3)), trying(m, 3, 1), 1, 2), m
}

// session plays on until so many more answers are given, and returns the error.
func session(t *testing.T, dir string, p *Plan, m *meter, answers int64) error {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	m.stop = stop
	m.left.Store(answers)
	_, err := play(t, ctx, dir, p, Options{Concurrency: 3})
	return err
}

// A run that is stopped after every few answers asks for each reply once, and its records equal
// the records of an undisturbed run: with refusals, trials and reflections.
func TestResume(t *testing.T) {
	t.Parallel()
	whole, dir := t.TempDir(), t.TempDir()
	p, m := resumed(t)
	sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), whole, p, Options{Concurrency: 3})))
	p, n := resumed(t)
	sessions := 1
	for errors.Is(session(t, dir, p, n, 7), context.Canceled) {
		sessions++
	}
	if want := m.answered.Load(); n.answered.Load() != want || sessions < int(want)/7 {
		t.Errorf("%d answers in %d sessions, want %d", n.answered.Load(), sessions, want)
	}
	sharedtest.Same(t, played(t, dir), played(t, whole))
	if _, err := os.Stat(filepath.Join(dir, "replies.jsonl")); err == nil {
		t.Error("the replies are still there")
	}
}

// Replies that are damaged, cut or of another request are asked for again. No number depends on them.
func TestDamagedReplies(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	p, m := resumed(t)
	sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), whole, p, Options{Concurrency: 3})))
	for name, damage := range map[string]func([]byte) []byte{
		"torn":     func(b []byte) []byte { return b[:len(b)-10] },
		"bit":      func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"no lines": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte(" ")) },
		"garbage":  func(b []byte) []byte { return append([]byte("\x00{}\n[]\n\n{\"schema\":9}\n"), b...) },
		"reversed": func(b []byte) []byte {
			lines := bytes.SplitAfter(b, []byte("\n"))
			for i, j := 0, len(lines)-2; i < j; i, j = i+1, j-1 {
				lines[i], lines[j] = lines[j], lines[i]
			}
			return bytes.Join(lines, nil)
		},
		"twice":   func(b []byte) []byte { return append(b, b...) },
		"of none": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"sent":"`), []byte(`"sent":"0`)) },
	} {
		dir := t.TempDir()
		p, n := resumed(t)
		if err := session(t, dir, p, n, 20); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "replies.jsonl")
		content := sharedtest.Must(os.ReadFile(file))(t)
		sharedtest.OK(t, os.WriteFile(file, damage(content), 0o644))
		if err := session(t, dir, p, n, 1<<30); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if again := n.answered.Load() - m.answered.Load(); again < 0 || again > 20 || name == "twice" && again > 0 {
			t.Errorf("%s: %d answers again", name, again)
		}
		sharedtest.Same(t, played(t, dir), played(t, whole), name)
	}
}

// Replies of another program or model begin no episode. That is said, and nothing stays of a model without a record.
func TestRepliesOfOthers(t *testing.T) {
	const again = "the episodes in flight begin again: "
	warnings := map[string]string{
		"program": again + "another version of heldout began them",
		"model":   again + "the model behind vllm:m changed: digest one, now other",
	}
	for name, change := range map[string]func(*About){
		"program": func(a *About) { a.Tool.Version = "other" },
		"model":   func(a *About) { a.Reports = map[string]record.ServerReport{"vllm:m": {Digest: "other"}} },
		"same":    func(*About) {},
	} {
		dir := t.TempDir()
		p, m := resumed(t)
		about := About{Manifest: record.Manifest{Tool: record.Tool{Version: "test"}},
			Reports: map[string]record.ServerReport{"vllm:m": {Digest: "one"}}}
		s := sharedtest.Must(Begin(dir, p, about, clock()))(t)
		sharedtest.OK(t, s.End())
		if err := session(t, dir, p, m, 5); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		change(&about)
		s = sharedtest.Must(Begin(dir, p, about, clock()))(t)
		sharedtest.OK(t, s.Store.OpenReplies(p.Due(nil).Next(false)))
		if n := s.Store.Replies.Interrupted(); (n > 0) != (name == "same") {
			t.Errorf("%s: %d attempts go on", name, n)
		}
		sharedtest.Equal(t, strings.Join(s.Warnings, "\n"), warnings[name], name, "warned")
		for _, server := range s.Store.Manifest.Servers["vllm:m"] {
			if name == "model" && server.Digest != "other" {
				t.Errorf("the run has %+v", server)
			}
		}
		sharedtest.OK(t, s.End())
	}
}

// What cannot be written down ends the run, and costs what was in flight.
func TestRepliesCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	p, m := resumed(t)
	m.Model = episodetest.ModelFunc(func(ctx context.Context, req model.Request) (model.Reply, error) {
		_ = os.Mkdir(filepath.Join(dir, "replies.jsonl"), 0o755) // before the first reply is written
		return learning(1)(ctx, req)
	})
	results, err := play(t, t.Context(), dir, p, Options{Concurrency: 2})
	if !errors.As(err, new(*record.ReplyError)) || !strings.Contains(err.Error(), "recording replies: ") {
		t.Errorf("the run ends with %v", err)
	}
	sharedtest.Equal(t, len(results), 0, "attempts are recorded")
}

// Where this machine has no open file left for a call, the run ends: no server is blamed.
func TestNoFileForCalls(t *testing.T) {
	p, m := resumed(t)
	m.Model = episodetest.ModelFunc(func(context.Context, model.Request) (model.Reply, error) {
		return model.Reply{}, &model.MachineError{Err: syscall.EMFILE}
	})
	results, err := play(t, t.Context(), t.TempDir(), p, Options{Concurrency: 2})
	if !errors.Is(err, syscall.EMFILE) || !strings.Contains(err.Error(), "ulimit -n") || len(results) != 0 {
		t.Errorf("the run ends with %v and %d results", err, len(results))
	}
}
