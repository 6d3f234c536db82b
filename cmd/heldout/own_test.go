//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// firstAgent is an agent as a program: firstagent VERSION plays the first action that is possible, and says how many
// steps of the episode came before. With a second argument it fails in tasks whose name has it; with "kill", it is
// killed at one of so many steps as the third one says.
func firstAgent() {
	trouble, deadly := "", 0
	if len(os.Args) > 2 {
		trouble = os.Args[2]
	}
	if len(os.Args) > 3 {
		_, _ = fmt.Sscan(os.Args[3], &deadly)
	}
	steps := map[string]int{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q struct {
			ID                 int
			Ask, Episode, Task string
			Actions            []string
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		answer := map[string]any{"id": q.ID}
		switch {
		case q.Ask == "describe":
			answer["protocol"], answer["name"], answer["version"] = 1, "first", os.Args[1]
		case q.Ask == "start" && trouble != "" && strings.Contains(q.Task, trouble):
			answer["error"] = "Traceback:\n  line 7\nKeyError: \x1b[31m'lamp'"
		case q.Ask == "start", q.Ask == "step":
			answer["want"] = "actions"
		case q.Ask == "actions":
			if deadly > 0 && rand.IntN(deadly) == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			steps[q.Episode]++
			answer["action"], answer["thought"] = q.Actions[0], fmt.Sprintf("step %d", steps[q.Episode])
			answer["usage"] = map[string]int{"prompt_tokens": 10, "completion_tokens": 2}
			answer["notes"] = []map[string]string{{"title": "memory", "text": fmt.Sprint(q.Actions)}}
		}
		line, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
	}
}

// The programs of the page play.
func TestOwnAgentPage(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		sharedtest.Absent(t, "python3", "python3 is not in the PATH: install Python 3")
	}
	t.Chdir(t.TempDir())
	var commands []string
	for _, b := range blocks(part(t, "own-agent", "In any language: a program")) {
		if b.file != "" {
			sharedtest.OK(t, os.WriteFile(b.file, []byte(b.text), 0o600))
		} else if strings.HasPrefix(b.text, "heldout run") {
			commands = strings.Split(strings.TrimSpace(b.text), "\n")
		}
	}
	for i, name := range []string{"luck", "first"} {
		_, command, _ := strings.Cut(commands[i], `--agent "`)
		command, rest, _ := strings.Cut(command, `" `)
		args := append([]string{"run", "--agent", command, "--data", "", "--out", name}, strings.Fields(rest)...)
		var out bytes.Buffer
		code := execute(t.Context(), args, &system{stdout: &out, stderr: &out, getenv: noVariables, now: time.Now,
			goos: runtime.GOOS})
		if code != exitOK || !strings.Contains(out.String(), "SR on PDDL (6 tasks, 1 seed): "+name+" ") {
			t.Errorf("%s ends with %d: %s", commands[i], code, &out)
		}
	}
}

var ownKills = flag.Int("own-kills", 0, "how often TestOwnAgentKills kills heldout")

// A run of an agent of the user's is killed again and again, and so is the agent: in the end nothing is lost, nothing
// is there twice, and every episode is as in a run without kills.
func TestOwnAgentKills(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	dir, kills := t.TempDir(), max(*ownKills, sharedtest.Times(t, 8, 2, 20))
	run := func(out string, deadly int) *exec.Cmd {
		return exec.Command("heldout", "run", "--agent", fmt.Sprintf("exec:firstagent 1 kill %d", deadly), "--env",
			"pddl", "--data", "", "--seeds", "0-4", "--quiet", "--out", filepath.Join(dir, out))
	}
	if out, err := run("calm", 0).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for range kills {
		cmd := run("killed", 1000)
		sharedtest.OK(t, cmd.Start())
		time.Sleep(time.Duration(rand.Int64N(int64(400 * time.Millisecond))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	deadly, ended := 1000, errors.New("it has not ended")
	for range 30 {
		if ended = run("killed", deadly).Run(); ended == nil {
			break
		}
		deadly *= 2 // so that it ends
	}
	want, got := ownResults(t, filepath.Join(dir, "calm")), ownResults(t, filepath.Join(dir, "killed"))
	if ended != nil || len(got) != len(want) || len(want) != 300 {
		t.Errorf("%v; %d results, want %d", ended, len(got), len(want))
	}
	for id, trajectory := range want {
		sharedtest.Equal(t, got[id], trajectory, id, "was played")
	}
}

// ownResults are the trajectories of a run by the ids of its episodes, each of which has one result.
func ownResults(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	_, err := record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
		if !e.Outcome.Final() {
			return
		}
		if _, twice := found[e.ID]; twice {
			t.Errorf("%s has two results", e.ID)
		}
		var b bytes.Buffer
		_ = json.NewEncoder(&b).Encode(e.Trajectory) // texts and numbers
		found[e.ID] = fmt.Sprintf("%s %s", e.Outcome, &b)
	})
	sharedtest.OK(t, err)
	return found
}
