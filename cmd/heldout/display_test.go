package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/progress"
	"heldout/scoring/record"
)

// episodes are planned episodes of one kind.
func episodes(env, model, perturbation string, limit, n int) (out []*episode.Episode) {
	for i := range n {
		out = append(out, &episode.Episode{
			ID:        fmt.Sprint(env, model, perturbation, i),
			Task:      &envs.Task{ID: fmt.Sprint(i)},
			Condition: &record.Condition{Env: env, Model: model, Perturbation: perturbation, StepLimit: limit},
		})
	}
	return out
}

// Quiet or not, warnings are shown, and the last line of progress stays.
func TestQuiet(t *testing.T) {
	for _, quiet := range []bool{true, false} {
		var stderr bytes.Buffer
		sys := &system{stderr: &stderr, now: time.Now, getenv: environment(nil)}
		sys.open()
		finish := func() {}
		if !quiet {
			finish = sys.follow(func() string { return "1/1 episodes" })
		}
		sys.warn("odd\a")
		finish()
		sys.display.end()
		want := "warning: odd\\a\n"
		if !quiet {
			want += "1/1 episodes\n"
		}
		sharedtest.Equal(t, stderr.String(), want, "quiet", quiet)
	}
}

// size is a size of a terminal that does not change.
func sized(columns, rows int) func() (int, int) { return func() (int, int) { return columns, rows } }

// On a terminal the line is cut to the width of the moment, so that the next one can erase it.
func TestCutToWidth(t *testing.T) {
	line := "12/3440 episodes  1.0/s  ETA 1m0s  pddl 模型 SR 1.0 PR 2.0"
	for _, c := range []struct {
		size func() (int, int)
		line string
		want string
	}{
		{sized(40, 24), line, "12/3440 episodes  1.0/s  ETA 1m0s  pdd…"},
		{sized(44, 24), line, "12/3440 episodes  1.0/s  ETA 1m0s  pddl 模…"}, // each of the two fills two columns
		{sized(0, 0), strings.Repeat("x", 100), strings.Repeat("x", 78) + "…"},
		{nil, strings.Repeat("x", 100), strings.Repeat("x", 100)},
	} {
		d := &display{size: c.size, frames: make(chan []string, 1), broken: strings.Clone}
		d.show(c.line)
		if got := <-d.frames; len(got) != 1 || got[0] != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// frozen is a terminal that takes nothing until it is released.
type frozen struct {
	mu       sync.Mutex
	writes   int
	released chan struct{}
}

func (f *frozen) Write(b []byte) (int, error) {
	f.mu.Lock()
	f.writes++
	f.mu.Unlock()
	<-f.released
	return len(b), nil
}

// A terminal that takes nothing holds neither the episodes up nor the end of the run, whatever is said meanwhile.
func TestFrozenTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal := &frozen{released: make(chan struct{})}
		sys := &system{stderr: terminal, interactive: true, stderrSize: sized(80, 24), now: time.Now,
			getenv: func(string) string { return "" }}
		sys.open()
		out := &checkedWriter{w: io.Discard, prepare: sys.display.flush}
		plan := episodes("pddl", "random", "none", 2, 100)
		p := progress.NewRun(eval.Due{Missing: plan}, 8, func() string { return "" }, sys.now)
		finish := sys.followRun(p, nil)
		start := time.Now()
		for i := range plan {
			time.Sleep(screenEvery) // of the bubble's clock: a line is due for each
			synctest.Wait()
			p.EpisodeBegun(plan[i])
			p.StepDone(plan[i], agent.Usage{})
			p.EpisodeDone(plan[i], record.Result{ID: plan[i].ID, Env: "pddl", Model: "random", Perturbation: "none",
				Steps: 1, Outcome: record.Failure})
			sys.bench().Warn("the server refuses seed")
			sys.say("a line")
		}
		sharedtest.Equal(t, time.Since(start), time.Duration(len(plan))*screenEvery, "the run took")
		before := time.Now()
		finish()
		for range 10 {
			io.WriteString(out, "a table")
		}
		sys.display.end()
		if took := time.Since(before); took > patience {
			t.Errorf("the end took %v", took)
		}
		if done := p.Status().Done; done != 100 || terminal.writes != 1 {
			t.Errorf("%d episodes, %d writes", done, terminal.writes)
		}
		close(terminal.released)
	})
}

// A command ends although nobody reads the pipe or terminal that standard error is.
func TestFrozenPipe(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	sharedtest.OK(t, err)
	defer reader.Close() // ends the write that waits
	if writer.SetWriteDeadline(time.Now().Add(100*time.Millisecond)) != nil {
		t.Skip("the deadlines of pipes are absent on this system: run this test on Linux or macOS")
	}
	for full := false; !full; {
		_, err := writer.Write(make([]byte, 1<<12))
		full = errors.Is(err, os.ErrDeadlineExceeded)
	}
	sharedtest.OK(t, writer.SetWriteDeadline(time.Time{}))
	dir := filepath.Join(t.TempDir(), "run")
	for _, c := range sharedtest.Sample(t, []struct {
		args []string
		code int
		want string
	}{
		{[]string{"run", "--env", "pddl", "--model", "random", "--limit", "40", "--out", dir}, exitOK, "PDDL"},
		{[]string{"compare", dir, dir}, exitOK, "PDDL"},
		{[]string{"compare", dir, filepath.Join(dir, "nowhere")}, exitError, ""},
	}, 1) {
		var out bytes.Buffer
		code := execute(t.Context(), c.args, &system{stdout: &out, stderr: writer, interactive: true,
			stderrSize: sized(80, 24), getenv: environment(nil), now: time.Now})
		if code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%v: exit code %d\n%s", c.args, code, &out)
		}
	}
}

// What is said before the tables stands above them, and nothing is left of the line that changes.
func TestOrderOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal strings.Builder
		sys := &system{stderr: &terminal, interactive: true, stderrSize: sized(80, 24), getenv: environment(nil)}
		sys.open()
		out := &checkedWriter{w: &terminal, prepare: sys.display.flush}
		sys.say("first")
		synctest.Wait()
		sys.display.show("bar")
		synctest.Wait()
		sys.warn("second")
		synctest.Wait()
		io.WriteString(out, "a table\n")
		synctest.Wait()
		sys.display.draw([]string{"two", "bars"})
		synctest.Wait()
		sys.say("third")
		synctest.Wait()
		io.WriteString(out, "another\n")
		sys.say("last")
		sys.display.end()
		want := "first\n\rbar\x1b[K\r\x1b[J\x1b[33mwarning:\x1b[m second\nbar\r\x1b[Ja table\n\rtwo\x1b[K\r\nbars\x1b[K" +
			"\r\x1b[A\x1b[Jthird\ntwo\r\nbars\r\x1b[A\x1b[Janother\nlast\n"
		sharedtest.Equal(t, terminal.String(), want)
	})
}
