//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

var everyExtreme = flag.Bool("every-extreme", false, "try all extremes of all fields, not a sample")

// extremes are what a field is set to: huge, negative, empty, long, deep, of another type.
func extremes() map[string]string {
	return map[string]string{
		"two billion": "2000000000", "largest": "9223372036854775807", "1e308": "1e308", "-1": "-1", "zero": "0",
		"empty": `""`, "long": `"` + strings.Repeat("x ", 1<<19) + `"`, "null": "null", "list": "[]", "object": "{}",
		"deep":     strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"long key": `{"` + strings.Repeat("k", 1<<20) + `":1}`,
	}
}

// span is where a value is in a JSON text. Its path has no indices.
type span struct {
	path       string
	start, end int
	list       bool
}

// spans returns the first value of each path of a JSON text.
func spans(t *testing.T, b []byte) (all []span) {
	d := json.NewDecoder(bytes.NewReader(b))
	seen := map[string]bool{}
	token := func() json.Token {
		t.Helper()
		return sharedtest.Must(d.Token())(t)
	}
	var walk func(path string)
	walk = func(path string) {
		start := int(d.InputOffset())
		start += len(b[start:]) - len(bytes.TrimLeft(b[start:], " \t\r\n:,"))
		opening, _ := token().(json.Delim)
		for opening != 0 && d.More() {
			inner := path + "[]"
			if opening == '{' {
				inner = path + "." + token().(string)
			}
			walk(inner)
		}
		if opening != 0 {
			token()
		}
		if !seen[path] {
			seen[path] = true
			all = append(all, span{path, start, int(d.InputOffset()), opening == '['})
		}
	}
	walk("")
	return all
}

const oneQuestion = `[{"_id": "1", "question": "Where?", "answer": "there", "type": "bridge",
"supporting_facts": [["A", 0]], "context": [["A", ["A is there."]]]}]`

// extremeFile is a file that is read from others, and the commands that read it.
type extremeFile struct {
	path string
	// sealed: a checksum ends it, or its first line if it has lines.
	sealed   bool
	commands [][]string
}

// firstLine divides a file into its first line, if it has several, and what follows.
func (f *extremeFile) firstLine(b []byte) (line, rest []byte) {
	if filepath.Ext(f.path) != ".jsonl" {
		return b, nil
	}
	end := bytes.IndexByte(b, '\n') + 1
	return b[:end], b[end:]
}

// body is a JSON text without its checksum.
func (f *extremeFile) body(line []byte) []byte {
	if i := bytes.LastIndex(line, []byte(`,"checksum":"`)); f.sealed && i > 0 {
		return append(bytes.Clone(line[:i]), '}')
	}
	return bytes.TrimSpace(line)
}

// walk sets each field to its extremes. Every command answers soon, in few words, and without much memory.
//
// Of all cases, every so many is tried; n counts them.
func (f *extremeFile) walk(t *testing.T, every int, n *int) {
	original := sharedtest.Must(os.ReadFile(f.path))(t)
	line, rest := f.firstLine(original)
	body := f.body(line)
	cases := 0
	for _, s := range spans(t, body) {
		values := extremes()
		if s.list && s.end-s.start > 2 { // of a megabyte
			item := body[s.start+1 : s.end-1]
			many := bytes.Repeat(append(bytes.Clone(item), ','), 1+(1<<20)/(len(item)+1))
			values["many"] = "[" + string(many) + string(item) + "]"
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if *n++; *n%every != 0 {
				continue
			}
			value := values[name]
			changed := append(append(bytes.Clone(body[:s.start]), value...), body[s.end:]...)
			if f.sealed && changed[len(changed)-1] == '}' {
				changed = record.Seal(changed)
			}
			if filepath.Ext(f.path) == ".yaml" {
				changed = append([]byte("--- "), changed...) // JSON alone would be of AgentBoard's form
			}
			sharedtest.OK(t, os.WriteFile(f.path, append(changed, rest...), 0o644))
			for _, command := range f.commands {
				cases++
				soon(t, fmt.Sprintf("%s%s %s: %q", filepath.Base(f.path), s.path, name, command), command)
			}
		}
	}
	sharedtest.OK(t, os.WriteFile(f.path, original, 0o644))
	t.Logf("%s: %d cases", f.path, cases)
}

// soon runs a command, and fails the test if it takes more than 2 s of CPU or 200 MB, or says much.
func soon(t *testing.T, name string, command []string) {
	t.Helper()
	var said bytes.Buffer
	s := &system{stdout: &said, stderr: &said, getenv: noVariables, now: time.Now, goos: runtime.GOOS}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := sharedtest.ProcessorTime(t)
	code := execute(context.Background(), command, s)
	took := sharedtest.ProcessorTime(t) - start
	runtime.ReadMemStats(&after)
	mb := (after.TotalAlloc - before.TotalAlloc) >> 20
	most := 200_000
	if command[0] == "replay" {
		most = 4 << 20 // it shows the first difference in full
	}
	if took > 2*time.Second || mb > 200 || said.Len() > most {
		t.Errorf("%s: exit code %d after %v, %d MB and %d bytes: %.200q", name, code, took, mb, said.Len(),
			said.String())
	}
}

// No count, size, name or depth in a file that is read from others stops a command.
func TestExtremes(t *testing.T) {
	sharedtest.Heavy(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	do := func(args ...string) {
		t.Helper()
		var said bytes.Buffer
		s := &system{stdout: &said, stderr: &said, getenv: noVariables, now: time.Now, goos: runtime.GOOS}
		if code := execute(t.Context(), args, s); code != exitOK {
			t.Fatalf("%q: %s", args, said.String())
		}
	}
	fake := []string{"--model", "vllm:fake", "--base-url", server.URL + "/v1", "--quiet"}
	played := append([]string{"--tasks", "0-1", "--step-limit", "3", "--temperature", "1", "--allow-unusable"}, fake...)
	do(append([]string{"run", "--env", "pddl,babyai", "--seeds", "0-1", "--trials", "2", "--out", in("runs/plain")},
		played...)...)
	do(append([]string{"sweep", "--env", "alfworld", "--perturb", "P1,P2", "--out", in("runs/sweep")}, played...)...)
	do(append([]string{"run", "--env", "pddl", "--shard", "1/2", "--out", in("parts")}, played...)...)
	do(append([]string{"synth", "--max-tokens", "1000", "--count", "4", "--out", in("made")}, fake...)...)
	do(append([]string{"judge", in("made"), "--trajectories", "2", "--out", in("judged")}, fake...)...)
	sharedtest.OK(t, os.Mkdir(in("out"), 0o755))
	do("export", in("made"), "--format", "openai", "--out", in("out/data.jsonl"))
	for name, content := range map[string]string{"board.tar.gz": string(boardArchive(t)), "q.json": oneQuestion} {
		sharedtest.OK(t, os.WriteFile(in(name), []byte(content), 0o644))
	}
	do("data", "import", in("board.tar.gz"), "--data", in("data"), "--accept-changed")
	do("wiki", "build", in("q.json"), "--out", in("index"), "--quiet")
	run := func(name string) [][]string {
		return [][]string{
			{"compare", in(name)},
			{"runs", filepath.Dir(in(name)), "--rates"},
			{"report", in(name), "--out", in("report.html"), "--force"},
			{"export", in(name), "--format", "openai", "--out", in("x.jsonl"), "--force"},
			{"export", in(name), "--format", "parquet", "--out", in("x.parquet"), "--force"},
			{"export", in(name), "--format", "calls", "--out", in("x.calls"), "--force"},
			{"bundle", in(name), "--out", in("x.heldout"), "--force"},
			{"replay", in(name)},
			{"plot", in(name), "--figure", "rates", "--out", in("x.svg"), "--force"},
		}
	}
	of := func(path string, sealed bool, commands ...[]string) extremeFile {
		return extremeFile{in(path), sealed, commands}
	}
	synth := append([]string{"synth", "--max-tokens", "1000", "--count", "4", "--out", in("made")}, fake...)
	judge := append([]string{"judge", in("made"), "--trajectories", "2", "--out", in("judged")}, fake...)
	exportMade := []string{"export", in("made"), "--format", "openai", "--out", in("x.jsonl"), "--force"}
	verify := []string{"verify", in("made/trajectories.jsonl"), "--min-errors", "0"}
	files := []extremeFile{
		of("runs/plain/run.json", true, run("runs/plain")...),
		of("runs/plain/episodes.jsonl", true, run("runs/plain")...),
		of("runs/sweep/run.json", true, run("runs/sweep")[:3]...),
		of("parts/shard-1-of-2/run.json", true, []string{"compare", in("parts")}),
		of("made/synth.json", true, synth, []string{"export", "--check", in("made")}),
		of("made/items.jsonl", true, synth, []string{"export", "--check", in("made")}),
		of("made/trajectories.jsonl", true, verify, exportMade, judge),
		of("judged/judge.json", true, judge, []string{"export", "--check", in("judged")}),
		of("judged/labels.jsonl", true, judge, []string{"export", "--check", in("judged")}),
		of("out/data.jsonl.manifest.json", true, []string{"export", "--check", in("out")}),
		of("data/heldout-data.json", false, []string{"data", "check", "--data", in("data")}),
		of("index/about.json", false, []string{"run", "--env", "hotpotqa", "--wiki", "offline", "--wiki-index",
			in("index"), "--questions", in("q.json"), "--tasks", "0", "--model", "random", "--step-limit", "1",
			"--out", in("asked"), "--quiet"}),
		of("out/data.jsonl", false, []string{"export", "--check", in("out")}),
	}
	for _, source := range []struct {
		name, embedded string
		command        []string
	}{
		{"preset", "presets/agentrefine.yaml", []string{"preset", "show"}},
		{"agentboard", "presets/agentboard.yaml", []string{"preset", "show"}},
		{"perturbation", "perturbations/P1.yaml", []string{"sweep", "--env", "alfworld", "--tasks", "0", "--model",
			"random", "--dry-run", "--perturb"}},
		{"published", "baselines/agentrefine.yaml", []string{"published"}},
		{"weights", "weights.yaml", []string{"compare", in("runs/plain"), "--weights"}},
		{"played preset", "presets/agentboard.yaml", []string{"run", "--model", "expert", "--dry-run", "--preset"}},
		{"prompt", "prompts/v2/pddl.yaml", append([]string{"run", "--env", "pddl", "--tasks", "0",
			"--dry-run"}, append(fake, "--prompt")...)},
	} {
		b := sharedtest.Must(os.ReadFile(filepath.Join("..", "..", "configs", source.embedded)))(t)
		file := in(source.name + ".yaml")
		sharedtest.OK(t, os.WriteFile(file, asJSON(t, b), 0o644))
		command := append(slices.Clone(source.command), file)
		files = append(files, extremeFile{file, false, [][]string{command}})
	}
	every := 1
	if !*everyExtreme {
		every = 17 * sharedtest.Every(t, 40, 8)
	}
	n := 0
	for _, f := range files {
		t.Run(strings.TrimPrefix(f.path, dir), func(t *testing.T) { f.walk(t, every, &n) })
	}
}
