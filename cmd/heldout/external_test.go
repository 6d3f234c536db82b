//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
	"heldout/scoring/report"
)

// echoEnvironment is an environment as a program: echoenv TASKS VERSION repeats actions, of
// which "win" solves a task, and the last of which is the state. Tasks from the third are for
// training. With a third argument it is killed at one of so many steps.
func echoEnvironment() {
	tasks, _ := strconv.Atoi(os.Args[1])
	deadly := 0
	if len(os.Args) > 3 {
		deadly, _ = strconv.Atoi(os.Args[3])
	}
	about := map[string]any{"protocol": 1, "name": "echo", "version": os.Args[2], "hash": "0123456789abcdef",
		"step_limit": 20, "success": true, "can": []string{"actions", "expert", "fork", "state_key"},
		"instruction": "Win.", "actions": []string{"win", "{number}"}}
	var list []map[string]string
	for i := range tasks {
		use := "test"
		if i > 1 {
			use = "train"
		}
		list = append(list, map[string]string{"id": fmt.Sprintf("task-%d", i), "kind": "echo", "use": use})
	}
	about["tasks"] = list
	lines, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	states := map[int]string{} // by world
	for lines.Scan() {
		var q struct {
			ID, World, Fork, Seed int
			Ask, Action           string
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		switch q.Ask {
		case "describe":
			about["id"] = q.ID
			if err := json.NewEncoder(out).Encode(about); err != nil {
				panic(err)
			}
		case "start":
			fmt.Fprintf(out, `{"id":%d,"goal":"Win.","observation":"Say %d."}`+"\n", q.ID, q.Seed)
		case "actions":
			fmt.Fprintf(out, `{"id":%d,"actions":["1","2","3","4","5","6","7","8","9","win"]}`+"\n", q.ID)
		case "expert":
			fmt.Fprintf(out, `{"id":%d,"action":"win"}`+"\n", q.ID)
		case "step":
			if deadly > 0 && rand.IntN(deadly) == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			won := q.Action == "win"
			states[q.World] = q.Action
			fmt.Fprintf(out, `{"id":%d,"observation":%q,"done":%t,"success":%t}`+"\n", q.ID, q.Action, won, won)
		case "state_key":
			fmt.Fprintf(out, `{"id":%d,"state_key":%q}`+"\n", q.ID, "after "+states[q.World])
		default:
			states[q.Fork] = states[q.World] // at a close it harms nobody
			fmt.Fprintf(out, `{"id":%d}`+"\n", q.ID)
		}
		if err := out.Flush(); err != nil {
			return // heldout is gone
		}
	}
}

var externalKills = flag.Int("external-kills", 0, "how often TestExternalKills kills heldout")

// A run of an environment that is a program is killed again and again, and so is the program: in
// the end nothing is lost, nothing is there twice, and the table equals the table of a run without kills.
//
// 100 kills of 10,000 episodes: go test ./cmd/heldout -run TestExternalKills -external-kills 100
func TestExternalKills(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	dir, kills, episodes := t.TempDir(), max(*externalKills, sharedtest.Times(t, 8, 3, 20)), 200
	if *externalKills > 0 {
		episodes = 10_000
	}
	run := func(out string, deadly int) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command("heldout", "run", "--env", fmt.Sprintf("exec:echoenv %d 1 %d", episodes, deadly),
			"--env-processes", "2", "--model", "random", "--quiet", "--out", filepath.Join(dir, out))
		var table bytes.Buffer
		cmd.Stdout = &table
		return cmd, &table
	}
	calm, want := run("calm", 0)
	sharedtest.OK(t, calm.Run())
	deadly := episodes / 4
	for range kills {
		cmd, _ := run("killed", deadly)
		sharedtest.OK(t, cmd.Start())
		time.Sleep(time.Duration(rand.Int64N(int64(200 * time.Millisecond))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	for range 100 {
		cmd, got := run("killed", deadly)
		err := cmd.Run()
		if ended, ok := errors.AsType[*exec.ExitError](err); ok && ended.ExitCode() == exitIncomplete {
			deadly *= 2 // so that it ends
			continue
		}
		if err != nil || got.String() != want.String() {
			t.Errorf("%v\n%s\nwant\n%s", err, got, want)
		}
		break
	}
	_, results, err := record.Read(filepath.Join(dir, "killed"))
	final := map[string]int{}
	for _, r := range results {
		if r.Outcome.Final() {
			final[r.ID]++
		}
	}
	for id, n := range final {
		sharedtest.Equal(t, n, 1, id, "has results")
	}
	if err != nil || len(final) != episodes {
		t.Errorf("%d results, want %d; %v", len(final), episodes, err)
	}
}

// A command that is stopped as it starts a program ends at once, and has ended the program then.
func TestExternalStop(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	for _, command := range []string{"run --model random --out %s/run --env", "play", "tasks", "doctor"} {
		dir := t.TempDir()
		ctx, stop := context.WithCancel(t.Context())
		args := append(strings.Fields(strings.ReplaceAll(command, "%s", dir)), "exec:echo $$ >"+dir+
			"/id; mv "+dir+"/id "+dir+"/begun; exec sleep 1000")
		code := make(chan int)
		var said bytes.Buffer
		go func() {
			code <- execute(ctx, args, &system{stdin: strings.NewReader(""), stdout: &said, stderr: &said,
				getenv: noVariables, now: time.Now, goos: runtime.GOOS})
		}()
		id, err := os.ReadFile(filepath.Join(dir, "begun"))
		for ; err != nil; id, err = os.ReadFile(filepath.Join(dir, "begun")) {
			time.Sleep(time.Millisecond)
		}
		stop()
		if got := <-code; got != exitInterrupted || strings.Contains(said.String(), "fail") {
			t.Errorf("%s: exit code %d: %s", command, got, &said)
		}
		process, _ := strconv.Atoi(strings.TrimSpace(string(id)))
		if err := syscall.Kill(process, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s: the program is still there: %v", command, err)
		}
	}
}

// Every table that has rows of an environment outside says which program it was.
func TestExternalMarks(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	heldout := func(args ...string) string {
		var out bytes.Buffer
		execute(t.Context(), args, &system{stdout: &out, stderr: io.Discard, getenv: noVariables, now: time.Now,
			goos: runtime.GOOS})
		return out.String()
	}
	heldout("run", "--env", "exec:echoenv 4 1", "--model", "random", "--model", "expert", "--seeds", "0-1", "--out",
		dir)
	marked := 0
	for _, id := range append(report.IDs(), report.AllTables) {
		for _, format := range []string{"text", "json"} {
			text := heldout("compare", dir, "--table", id, "--format", format)
			if !strings.Contains(text, "exec:echo") {
				continue
			}
			marked++
			mark := "outside of heldout, version 1, hash 0123456789abcdef"
			sharedtest.Contains(t, strings.Join(strings.Fields(text), " "), mark, "table", id, format)
		}
	}
	if marked < 30 {
		t.Errorf("%d tables have the environment", marked)
	}
}
