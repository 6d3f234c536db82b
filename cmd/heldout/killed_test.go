//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

var killsEach = flag.Int("kills-each", 1, "how often TestKilledCommands kills each command")

// killedCommand is a command that writes. It works in a copy of what it needs.
type killedCommand struct {
	name string
	args []string
	// half are files that are not whole while the command works, by a part of their path.
	half string
	// done: it refuses to write again what is there, so it need not be repeated then.
	done string
	// shown: what it prints is compared, and not what half names.
	shown bool
}

func killedCommands() []killedCommand {
	return []killedCommand{
		{name: "export", args: []string{"export", "played", "--format", "axolotl", "--split", "train=0.5,val=0.5",
			"--out", "data.jsonl", "--force"}},
		{name: "merge", args: []string{"merge", "whole", "parts"}, half: ".whole" + record.Unfinished, done: "whole"},
		{name: "repair", args: []string{"repair", "damaged"}},
		{name: "verify", args: []string{"verify", "made/trajectories.jsonl", "--min-errors", "0", "--masked",
			"verified.jsonl", "--force"}},
		{name: "judge sheet", args: []string{"judge", "sheet", "made", "--out", "sheet.csv"}, done: "sheet.csv"},
		{name: "report", args: []string{"report", "played"}},
		{name: "plot", args: []string{"plot", "played", "--figure", "rates", "--out", "rates.svg"}},
		{name: "data import", args: []string{"data", "import", "board.tar.gz", "--data", "data", "--accept-changed"},
			half: "data/.heldout"},
		{name: "wiki build", args: []string{"wiki", "build", "q.json", "--out", "index", "--quiet"}, half: "index",
			shown: true},
	}
}

// material makes what the commands need, also old files that some of them replace.
func material(t *testing.T, dir string) {
	t.Helper()
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	do := func(c *exec.Cmd) {
		t.Helper()
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", c.Args, err, out)
		}
	}
	do(fakeRun(server.URL, "played", "--allow-unusable"))
	for _, shard := range []string{"1/2", "2/2"} {
		do(exec.Command("heldout", "run", "--env", "pddl", "--model", "random", "--seeds", "4", "--quiet", "--shard",
			shard, "--out", "parts"))
	}
	do(exec.Command("heldout", "merge", "damaged", "parts"))
	do(fakeSynth(server.URL, "made", "--count", fmt.Sprint(sharedtest.Times(t, 200, 60)), "--concurrency", "20"))
	do(exec.Command("heldout", "export", "played", "--format", "openai", "--mask", "none", "--split",
		"train=0.5,val=0.5", "--out", "data.jsonl"))
	episodes := filepath.Join(dir, "damaged", "episodes.jsonl")
	content, err := os.ReadFile(episodes)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(content, []byte("\n"))
	for i := 0; i < len(lines)-1; i += 3 {
		lines[i][len(lines[i])/2] ^= 1
	}
	type paragraph []any
	var questions []map[string]any
	for i := range sharedtest.Times(t, 2000, 500) {
		questions = append(questions, map[string]any{
			"_id": fmt.Sprint(i), "question": "Where?", "answer": "there", "type": "bridge", "supporting_facts": []any{
				[]any{fmt.Sprint("A", i), 0}},
			"context": []any{paragraph{fmt.Sprint("A", i),
				[]string{strings.Repeat(fmt.Sprintf("A%d is there. ", i), 20)}}},
		})
	}
	text, err := json.Marshal(questions)
	for _, err := range []error{
		err, os.WriteFile(episodes, bytes.Join(lines, nil), 0o644),
		os.WriteFile(filepath.Join(dir, "damaged", "episodes.set-aside"), []byte("half a line"), 0o644),
		os.WriteFile(filepath.Join(dir, "q.json"), text, 0o644),
		os.WriteFile(filepath.Join(dir, "board.tar.gz"), boardArchive(t), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// retrieved is the time at which data were imported.
var retrieved = regexp.MustCompile(`"retrieved": *"[^"]*"`)

// leftBehind matches temporary files.
var leftBehind = regexp.MustCompile(regexp.QuoteMeta(record.Unfinished) + `[0-9]*$|^(report\.html|rates\.svg)[0-9]+$`)

// snapshot returns the files below a directory, without times. Lines that were set aside
// may be there twice.
func snapshot(t *testing.T, dir, without string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || d.IsDir() || leftBehind.MatchString(name) || without != "" &&
			strings.HasPrefix(name, without) {
			return err
		}
		b, err := os.ReadFile(path)
		if files[name] = retrieved.ReplaceAllString(string(b), ""); strings.HasSuffix(name, "set-aside") {
			lines := strings.SplitAfter(strings.TrimSuffix(files[name], "\n")+"\n", "\n")
			slices.Sort(lines)
			files[name] = strings.Join(slices.Compact(lines), "")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A command that writes is killed at random moments: each file is as it was or as it will
// be, and nothing else changes. The same command again ends as an undisturbed one.
func TestKilledCommands(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	material(t, from)
	for _, c := range killedCommands() {
		t.Run(c.name, func(t *testing.T) {
			start := func() (dir string, cmd *exec.Cmd) {
				dir = filepath.Join(t.TempDir(), "at")
				if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
					t.Fatal(err)
				}
				cmd = exec.Command("heldout", c.args...)
				cmd.Dir = dir
				return dir, cmd
			}
			dir, cmd := start()
			before, begun := snapshot(t, dir, c.half), time.Now()
			said, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			took, want := time.Since(begun), snapshot(t, dir, c.half)
			interrupted := 0
			for range *killsEach {
				dir, cmd := start()
				k := &killed{b: t, command: func() *exec.Cmd { return cmd }}
				k.keep()
				select {
				case <-k.done:
				case <-time.After(time.Duration(rand.Int64N(int64(took)))): // the moment of the kill
				}
				k.end()
				if !k.succeeded() {
					interrupted++
				}
				now := snapshot(t, dir, c.half)
				for name, content := range now {
					if old, ok := before[name]; (!ok || content != old) && content != want[name] {
						t.Errorf("%s is neither the old nor the new one", name)
					}
				}
				for name := range before {
					if _, ok := now[name]; !ok && !strings.HasSuffix(name, ".manifest.json") {
						t.Errorf("%s is gone", name)
					}
				}
				if _, err := os.Stat(filepath.Join(dir, c.done)); c.done == "" || err != nil {
					again := exec.Command("heldout", c.args...)
					again.Dir = dir
					var stderr strings.Builder
					again.Stderr = &stderr
					out, err := again.Output()
					if err != nil || c.shown && !bytes.Equal(out, said) {
						t.Errorf("again: %v, it says %s%s", err, out, &stderr)
					}
				}
				if now = snapshot(t, dir, c.half); !maps.Equal(now, want) {
					t.Errorf("in the end there are %q, want %q", differing(now, want), differing(want, now))
				}
			}
			t.Logf("%s: %d kills, %d of them before its end", c.name, *killsEach, interrupted)
		})
	}
}

// differing lists the files that another snapshot does not have like this.
func differing(files, other map[string]string) (names []string) {
	for name, content := range files {
		if other[name] != content {
			names = append(names, name)
		}
	}
	return names
}
