//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/training/export"
)

var flipCount = flag.Int("flips", 0, "how many bits TestFlippedBits changes; 0 for few, or some hundred in the long form")

// writtenFiles are files that heldout writes, and the command that reads them.
type writtenFiles struct {
	name string
	// of are the files, or the folders that they are in.
	of []string
	// read is a command, and input what it reads from standard input. Copied: it writes to of, which is put back.
	read   []string
	input  string
	copied bool

	files []string
	clean answer
}

// answer is what a command says.
type answer struct {
	code           int
	stdout, stderr string
}

// campaign runs commands in a folder, within the process of the test.
type campaign struct {
	*testing.T
	dir string
}

func (c campaign) at(name string) string { return filepath.Join(c.dir, name) }

// call runs a command; a panic is an answer that no command gives.
func (c campaign) call(ctx context.Context, input string, args ...string) (a answer) {
	working.Lock()
	defer working.Unlock()
	var stdout, stderr bytes.Buffer
	defer func() {
		if cause := recover(); cause != nil {
			a.code, a.stderr = -1, fmt.Sprint("panic: ", cause)
		}
	}()
	a.code = execute(ctx, args, &system{stdin: strings.NewReader(input), stdout: &stdout, stderr: &stderr,
		getenv: noVariables, now: time.Now})
	a.stdout, a.stderr = stdout.String(), stderr.String()
	return a
}

// do runs a command that has to succeed.
func (c campaign) do(args ...string) {
	c.Helper()
	if a := c.call(c.Context(), "", args...); a.code != exitOK {
		c.Fatalf("%q: code %d: %s", args, a.code, a.stderr)
	}
}

// interrupted plays a run until the server has answered so many requests.
func (c campaign) interrupted(server *fakeServer, requests int, args []string) {
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	counted := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "completions") {
			if requests--; requests < 0 {
				stop()
				panic(http.ErrAbortHandler)
			}
		}
		server.ServeHTTP(w, r)
	}))
	defer counted.Close()
	c.call(ctx, "", append(args, "--base-url", counted.URL+"/v1")...)
}

// questions writes a question with its article, and returns its file.
func (c campaign) questions() string {
	text := strings.Repeat("Mars is red and dry. ", 20)
	b, err := json.Marshal([]map[string]any{{"_id": "q", "question": "Which?", "answer": "red", "type": "bridge",
		"supporting_facts": []any{[]any{"Mars", 0}}, "context": []any{[]any{"Mars", []string{text}},
			[]any{"Ares", []string{strings.Repeat("Ares is another name. ", 20)}}}}})
	name := c.at("q.json")
	sharedtest.OK(c, firstError(err, os.WriteFile(name, b, 0o644)))
	return name
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// write makes files of all kinds that a command reads.
func (c campaign) write(url string, server *fakeServer) []writtenFiles {
	model := []string{"--model", "vllm:fake", "--base-url", url + "/v1", "--quiet"}
	with := func(args ...string) []string { return append(args, model...) }
	pddl := []string{"run", "--env", "pddl", "--step-limit", "3", "--quiet"}
	c.do(append(pddl, "--tasks", "0-1", "--model", "random", "--out", c.at("run"))...)
	experts := []string{"run", "--env", "pddl", "--tasks", "gripper", "--limit", "3", "--generator-seed", "1-2",
		"--model", "expert", "--model", "expert-errs", "--seeds", "2", "--quiet"}
	c.do(append(experts, "--out", c.at("experts"))...)
	c.do(append(experts, "--step-limit", "12", "--out", c.at("hurried"))...) // some fail
	c.do(append(pddl, "--model", "random", "--out", c.at("all"))...)
	for _, shard := range []string{"1/2", "2/2"} {
		c.do(append(pddl, "--tasks", "0-3", "--model", "random", "--shard", shard, "--out", c.at("shards"))...)
	}
	unfinished := append(pddl, "--tasks", "0-1", "--model", "vllm:fake", "--concurrency", "1", "--table", "rates",
		"--out", c.at("unfinished"))
	c.interrupted(server, 4, unfinished)
	sharedtest.OK(c, os.Mkdir(c.at("bundles"), 0o755))
	c.do("bundle", c.at("all"), "--out", c.at("bundles/all.heldout"))
	c.do(with("synth", "--max-tokens", "1000", "--count", "6", "--out", c.at("synth"))...)
	c.do(with("judge", c.at("synth"), "--trajectories", "2", "--out", c.at("judge"))...)
	c.do(with("think", c.at("experts"), "--out", c.at("think"))...)
	sharedtest.OK(c, os.Mkdir(c.at("exports"), 0o755))
	for _, f := range export.Formats() {
		a := c.call(c.Context(), "", "export", c.at("experts"), c.at("hurried"), "--format", string(f), "--mask",
			"none", "--out", c.at("exports/"+string(f)+f.Extension()))
		if a.code != exitOK && !strings.Contains(a.stderr, "nothing is left to export") {
			c.Fatalf("%s: %s", f, a.stderr)
		}
	}
	c.do("export", c.at("synth"), "--format", "openai", "--split", "a=0.5,b=0.5", "--out",
		c.at("exports/synth.jsonl"))
	c.do("export", c.at("run"), "--format", "records", "--out", c.at("exports/records.jsonl"))
	c.do("verify", c.at("synth/trajectories.jsonl"), "--min-errors", "0", "--masked", c.at("verified.jsonl"))
	questions := c.questions()
	c.do("wiki", "build", questions, "--out", c.at("index"), "--quiet")
	pages := &fakeWiki{}
	pages.allowed.Store(1 << 40)
	wikipedia := httptest.NewServer(pages)
	defer wikipedia.Close()
	ask := []string{"play", "hotpotqa", "--questions", questions, "--task", "q"}
	search := "search[Warsaw]\nsearch[Mars]\nlookup[is]\nsearch[another name]\n"
	if a := c.call(c.Context(), search, append(ask, "--wiki-url", wikipedia.URL+"/w", "--wiki-cache",
		c.at("cache"))...); a.code != exitOK {
		c.Fatalf("%+v", a)
	}
	sharedtest.OK(c, os.WriteFile(c.at("board.tar.gz"), boardArchive(c.T), 0o644))
	c.do("data", "import", c.at("board.tar.gz"), "--data", c.at("data"), "--accept-changed")
	check := func(name string) writtenFiles {
		return writtenFiles{name: name, of: []string{name}, read: []string{"export", "--check", c.at(name)}}
	}
	tables := func(name string) writtenFiles {
		return writtenFiles{name: name, of: []string{name},
			read: []string{"compare", c.at(name), "--table", "all", "--format", "json"}}
	}
	data := func(args ...string) []string {
		return append([]string{"export", "--format", "openai", "--mask", "none", "--force", "--out", c.at("out.jsonl")},
			args...)
	}
	return []writtenFiles{
		tables("run"), tables("shards"),
		{name: "thoughts", of: []string{"think/thoughts.jsonl"},
			read: data(c.at("experts"), "--thoughts", c.at("think"))},
		{name: "trajectories", of: []string{"synth/trajectories.jsonl"}, read: data(c.at("synth"))},
		{name: "run as training data", of: []string{"experts"}, read: data(c.at("experts"))},
		{name: "unfinished run", of: []string{"unfinished"}, copied: true,
			read: append(unfinished, "--base-url", url+"/v1")},
		{name: "bundle", of: []string{"bundles"},
			read: []string{"check", c.at("bundles/all.heldout"), "--format", "json"}},
		{name: "verified", of: []string{"verified.jsonl"}, read: data(c.at("verified.jsonl"))},
		{name: "wiki index", of: []string{"index"}, input: search,
			read: append(ask, "--wiki", "offline", "--wiki-index", c.at("index"))},
		{name: "wiki cache", of: []string{"cache"}, input: search,
			read: append(ask, "--wiki", "recorded", "--wiki-cache", c.at("cache"))},
		{name: "data", of: []string{"data"}, read: []string{"data", "check", "babyai", "--data", c.at("data")}},
		check("synth"), check("judge"), check("think"), check("exports"),
	}
}

// prepare lists the files, and says what the command says of them as they are.
func (w *writtenFiles) prepare(c campaign) {
	for _, of := range w.of {
		err := filepath.WalkDir(c.at(of), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil && info.Size() > 0 {
				w.files = append(w.files, name)
			}
			return err
		})
		if err != nil || len(w.files) == 0 {
			c.Fatalf("%s: %v, %d files", of, err, len(w.files))
		}
	}
	if w.clean = w.look(c); w.clean.code != exitOK {
		c.Fatalf("%s: code %d: %s%s", w.name, w.clean.code, w.clean.stdout, w.clean.stderr)
	}
	if again := w.look(c); again.stdout != w.clean.stdout || again.code != w.clean.code {
		c.Fatalf("%s: two answers: %+v, then %+v", w.name, w.clean, again)
	}
}

// look runs the command. What it writes into the files is put back.
func (w *writtenFiles) look(c campaign) answer {
	if w.copied {
		original := sharedtest.Must(os.MkdirTemp(c.dir, "original"))(c)
		at := c.at(w.of[0])
		sharedtest.OK(c, os.CopyFS(original, os.DirFS(at)))
		defer func() {
			sharedtest.OK(c, firstError(os.RemoveAll(at), os.Rename(original, at)))
		}()
	}
	return c.call(c.Context(), w.input, w.read...)
}

// flipOne changes a bit, runs the command, and says what became of the damage: found, harmless or silent.
func (w *writtenFiles) flipOne(c campaign, random *rand.Rand) string {
	file := w.files[random.IntN(len(w.files))]
	content := sharedtest.Must(os.ReadFile(file))(c)
	at, bit := random.IntN(len(content)), random.IntN(8)
	flipped := bytes.Clone(content)
	flipped[at] ^= 1 << bit
	sharedtest.OK(c, os.WriteFile(file, flipped, 0o644))
	a := w.look(c)
	sharedtest.OK(c, os.WriteFile(file, content, 0o644))
	switch same := a.stdout == w.clean.stdout && a.code == w.clean.code; {
	case a.code < 0 || strings.Contains(a.stderr, "goroutine "):
		c.Errorf("%s: bit %d of byte %d: a trace: %s", file, bit, at, a.stderr)
		return "trace"
	case same:
		return "harmless"
	case a.code != exitOK:
		return "found"
	}
	c.Errorf("%s: bit %d of byte %d: nothing says so, and the answer is another:\n%s%s", file, bit, at, a.stdout,
		a.stderr)
	return "silent"
}

// Whatever bit of a file that heldout writes is changed, the command that reads it says so, or
// says what it said before. No command reads a board, a report, a figure or an event file.
func TestFlippedBits(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	server := &fakeServer{context: 16384}
	plain := httptest.NewServer(server)
	defer plain.Close()
	c := campaign{t, t.TempDir()}
	kinds := c.write(plain.URL, server)
	for i := range kinds {
		kinds[i].prepare(c)
	}
	n := sharedtest.Times(t, 60, 25, 850)
	if *flipCount > 0 {
		n = *flipCount
	}
	random, counts := rand.New(rand.NewPCG(53, 3)), map[string]map[string]int{}
	for i := range n {
		w := &kinds[i%len(kinds)]
		if counts[w.name] == nil {
			counts[w.name] = map[string]int{}
		}
		counts[w.name][w.flipOne(c, random)]++
	}
	for _, w := range kinds {
		t.Logf("%s (%d files): %v", w.name, len(w.files), counts[w.name])
	}
}
