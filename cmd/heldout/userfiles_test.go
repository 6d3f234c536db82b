package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"go.yaml.in/yaml/v4"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// userFile is a file that users write or take from elsewhere, and the commands that read it.
type userFile struct {
	path     string
	commands [][]string
	// ours: only heldout writes it, and every change is refused.
	ours bool
	// told are the messages that were found wrong, so that each is shown once.
	told map[string]bool
	// folders counts those that commands have made.
	folders int
}

// mutation is a change of a text. Harmless ones leave what the text says.
type mutation struct {
	name     string
	harmless bool
	// whole: no line and no field is at fault, but all of the file.
	whole bool
	apply func(rng *rand.Rand, text []byte) []byte
}

// wrongValues are values that few keys take, as JSON and YAML have them.
var wrongValues = []string{"NaN", "-Infinity", "true", "null", "[]", "{}", `""`, "1e400", "-1", "2.5",
	"99999999999999999999999", `"x"`, `{"a": 1}`, `["a", {"b": [1]}]`, "None", "'x'", "0x1f", "*x", "@x", "!x", "2024-01-01",
	strings.Repeat("[", 20000), strings.Repeat("[", 100) + strings.Repeat("]", 100)}

// mutations are what happens to files: on the way, in editors, and by slips.
var mutations = []mutation{
	{"byte order mark", true, false, func(_ *rand.Rand, b []byte) []byte { return append([]byte("\ufeff"), b...) }},
	{"CRLF", true, false, func(_ *rand.Rand, b []byte) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}},
	{"CR", true, false, func(_ *rand.Rand, b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r")) }},
	{"empty", false, true, func(*rand.Rand, []byte) []byte { return nil }},
	{"UTF-16", false, true, func(rng *rand.Rand, b []byte) []byte {
		var out []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + string(b)))[rng.IntN(2):] {
			out = append(out, byte(unit), byte(unit>>8))
		}
		return out
	}},
	{"gzip", false, true, func(_ *rand.Rand, b []byte) []byte {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, _ = z.Write(b)
		_ = z.Close()
		return out.Bytes()
	}},
	{"truncated", false, false, func(rng *rand.Rand, b []byte) []byte { return b[:rng.IntN(len(b))] }},
	{"Latin-1", false, false, func(rng *rand.Rand, b []byte) []byte { return inserted(rng, b, "\xe9") }},
	{"tab", false, false, func(rng *rand.Rand, b []byte) []byte { return atLine(rng, b, "\t", false) }},
	{"line twice", false, false, func(rng *rand.Rand, b []byte) []byte {
		lines := bytes.SplitAfter(b, []byte("\n"))
		i := rng.IntN(len(lines))
		return bytes.Join(slices.Insert(lines, i, lines[i]), nil)
	}},
	{"line gone", false, false, func(rng *rand.Rand, b []byte) []byte {
		lines := bytes.SplitAfter(b, []byte("\n"))
		i := rng.IntN(len(lines))
		return bytes.Join(slices.Delete(lines, i, i+1), nil)
	}},
	{"unknown key", false, false, func(rng *rand.Rand, b []byte) []byte {
		if i := openings.FindAllIndex(b, -1); i != nil && rng.IntN(4) > 0 {
			end := i[rng.IntN(len(i))][1]
			return slices.Concat(b[:end], []byte(`"colour": "red", `), b[end:])
		}
		return atLine(rng, b, "colour: red\n", true)
	}},
	{"other character", false, false, func(rng *rand.Rand, b []byte) []byte {
		return inserted(rng, b, string("{}[]\",:'\\#&*!|>%@`-?=\x00\x07"[rng.IntN(23)]))
	}},
	{"wrong value", false, false, func(rng *rand.Rand, b []byte) []byte {
		found := members.FindAllSubmatchIndex(b, -1)
		if found == nil {
			return inserted(rng, b, wrongValues[rng.IntN(len(wrongValues))])
		}
		i := found[rng.IntN(len(found))]
		return slices.Concat(b[:i[2]], []byte(wrongValues[rng.IntN(len(wrongValues))]), b[i[3]:])
	}},
	{"other type", false, false, func(rng *rand.Rand, b []byte) []byte {
		return []byte([]string{"[]", "{}", `"x"`, "1", "null", "[[]]", `[{"a": 1}]`, `{"a": {"b": 1}}`, "a: [b]\n",
			"a\n", "- a\n"}[rng.IntN(11)])
	}},
	{"other key", false, false, func(rng *rand.Rand, b []byte) []byte {
		found := members.FindAllSubmatchIndex(b, -1)
		if found == nil {
			return b[:len(b)/2]
		}
		i := found[rng.IntN(len(found))]
		return slices.Concat(b[:i[0]+1], []byte("x"), b[i[0]+1:])
	}},
}

var (
	openings = regexp.MustCompile(`\{`)
	// members match a key with what follows it on its line.
	members = regexp.MustCompile(`[\w-]+"?: ?("(?:[^"\\\n]|\\.)*"|[^\s,"{}\[\]]+|\[|\{)`)
)

func inserted(rng *rand.Rand, b []byte, text string) []byte {
	i := rng.IntN(len(b) + 1)
	return slices.Concat(b[:i], []byte(text), b[i:])
}

// atLine inserts a text where a line begins or, if it is indented, behind the blanks there.
func atLine(rng *rand.Rand, b []byte, text string, indented bool) []byte {
	lines := bytes.SplitAfter(b, []byte("\n"))
	i := rng.IntN(len(lines))
	blanks := lines[i][:len(lines[i])-len(bytes.TrimLeft(lines[i], " -"))]
	if indented {
		text = strings.Repeat(" ", len(blanks)) + text
	}
	lines[i] = append([]byte(text), lines[i]...)
	return bytes.Join(lines, nil)
}

var (
	digits     = regexp.MustCompile(`[0-9]+|"[^"]*"`)
	quotedPart = regexp.MustCompile(`"(\\.|[^"\\])*"`)
	// forbidden are words of parsers and of Go.
	forbidden = regexp.MustCompile(`(^|[ (])(json|yaml|jsontext):|\bGo |unmarshal|\bstruct\b|invalid character|\[\d+:\d+\]|` +
		`\b(configs|record|yaml|json|strconv|reflect|bufio)\.|map\[string|goroutine|offset|scalar|sequence|EOF|0x[0-9a-f]{6}|%!`)
	// placed matches a line, a field or an entry.
	placed = regexp.MustCompile(`:\d+: |\b(line|entry|episode|question|task|turn|table|row|example|step|game)s? \S|"[^"]+"|` +
		`[\w-]+(\.|, )[\w-]+|: [\w-]+ (is|are|has|wants|lists|names)\b|[\w-]+: want`)
)

// A file that is not as it should be is read, or refused with its name, the line or the field, and
// what is wrong in words of people.
func TestUserFiles(t *testing.T) {
	sharedtest.Heavy(t)
	files := userFiles(t)
	n := sharedtest.Times(t, 1, 1, 600)
	for _, f := range files {
		t.Run(filepath.Base(f.path), func(t *testing.T) {
			original := sharedtest.Must(os.ReadFile(f.path))(t)
			for _, command := range f.commands {
				if code, said := said(f.fresh(command)); code != exitOK {
					t.Fatalf("%q: %s", command, said)
				}
			}
			refused := 0
			for _, m := range mutations {
				rng := stream.New(1, "user files", filepath.Base(f.path), m.name)
				for range n {
					if changed := m.apply(rng, original); !bytes.Equal(changed, original) && f.try(t, m, changed) {
						refused++
					}
				}
			}
			sharedtest.OK(t, os.Remove(f.path))
			sharedtest.OK(t, os.Mkdir(f.path, 0o755))
			f.judge(t, mutation{name: "folder", whole: true}, nil)
			sharedtest.OK(t, os.Remove(f.path))
			f.judge(t, mutation{name: "gone", whole: true}, nil)
			sharedtest.OK(t, os.WriteFile(f.path, original, 0o644))
			t.Logf("%d of %d refused", refused, n*len(mutations))
		})
	}
}

func (f *userFile) try(t *testing.T, m mutation, changed []byte) (refused bool) {
	t.Helper()
	sharedtest.OK(t, os.WriteFile(f.path, changed, 0o644))
	return f.judge(t, m, changed)
}

// judge runs the commands, and fails the test if one does not say what it should.
func (f *userFile) judge(t *testing.T, m mutation, changed []byte) (refused bool) {
	t.Helper()
	for _, command := range f.commands {
		code, text := said(f.fresh(command))
		refused = refused || code != exitOK
		message := text
		if i := strings.Index(text, "heldout: "); i >= 0 {
			message = text[i:]
		}
		message = strings.ReplaceAll(message, f.path, filepath.Base(f.path))
		report := func(what string) {
			t.Helper()
			if key := what + digits.ReplaceAllString(message, "0"); !f.told[key] {
				f.told[key] = true
				t.Errorf("%s: %s\n\t%.300q\n\tof %.200q", m.name, what, message, changed)
			}
		}
		switch {
		case code != exitOK && m.harmless && !f.ours:
			report("it is refused")
		case code == exitOK:
		case forbidden.MatchString(quotedPart.ReplaceAllString(message, "")):
			report("it says " + forbidden.FindString(quotedPart.ReplaceAllString(message, "")))
		case !f.names(text, command) && len(changed) > 0:
			report("it does not name the file")
		case !m.whole && !placed.MatchString(message) && len(changed) > 0:
			report("it names neither a line nor a field")
		}
	}
	return refused
}

// fresh is a command with the name of a folder that is not there in place of NEW.
func (f *userFile) fresh(command []string) []string {
	command = slices.Clone(command)
	for i := range command {
		if command[i] == "NEW" {
			f.folders++
			command[i] = fmt.Sprintf("%s-%d", f.path, f.folders)
		}
	}
	return command
}

// names reports whether a text names the file, or the folder in which the command was told to
// find it.
func (f *userFile) names(text string, command []string) bool {
	return strings.Contains(text, filepath.Base(f.path)) || slices.ContainsFunc(command, func(arg string) bool {
		return filepath.IsAbs(arg) && strings.HasPrefix(f.path, arg+string(filepath.Separator)) &&
			strings.Contains(text, arg)
	})
}

// said runs a command and returns its exit code and what it says on standard error.
func said(command []string) (code int, text string) {
	var stdout, stderr bytes.Buffer
	s := &system{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, getenv: noVariables, now: time.Now,
		goos: runtime.GOOS}
	code = execute(context.Background(), command, s)
	return code, stderr.String()
}

// userFiles makes a valid file of each kind.
func userFiles(t *testing.T) (files []*userFile) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	server := httptest.NewServer(&fakeServer{context: 16384})
	t.Cleanup(server.Close)
	do := func(command string) {
		t.Helper()
		if code, text := said(strings.Fields(command)); code != exitOK {
			t.Fatalf("%s: %s", command, text)
		}
	}
	add := func(name string, commands ...string) {
		f := &userFile{path: in(name), ours: strings.HasPrefix(name, "runs/"), told: map[string]bool{}}
		for _, command := range commands {
			f.commands = append(f.commands, strings.Fields(command))
		}
		files = append(files, f)
	}
	fake := " --model vllm:fake --base-url " + server.URL + "/v1 --quiet"
	do("run --env pddl --seeds 0-1 --tasks 0-1 --step-limit 3 --allow-unusable --out " + in("runs/plain") + fake)
	do("synth --max-tokens 1000 --count 4 --out " + in("made") + fake)
	do("wiki build " + write(t, in("q0.json"), oneQuestion) + " --quiet --out " + in("index"))
	for _, c := range sharedtest.Cases[struct {
		Name, Text, Embedded string
		Commands             []string
	}](t, "userfiles.yaml") {
		if c.Embedded != "" {
			c.Text = string(sharedtest.Must(os.ReadFile(filepath.Join("..", "..", "configs", c.Embedded)))(t))
		}
		fill := strings.NewReplacer("DRY", "run --env pddl --data= --tasks gripper --dry-run"+fake,
			"SERVER", server.URL, "FILE", in(c.Name), "DIR", dir, "QUESTION", oneQuestion)
		if c.Text != "" {
			write(t, in(c.Name), fill.Replace(c.Text))
		}
		for i, command := range c.Commands {
			c.Commands[i] = fill.Replace(command)
		}
		if c.Commands != nil {
			add(c.Name, c.Commands...)
		}
	}
	if shared := filepath.Join("..", "..", "..", "shared", "data", "agentboard"); exists(shared) {
		for _, part := range []struct{ env, folder, labels, task string }{
			{"pddl", "pddl", "test.jsonl", "0"}, {"babyai", "babyai", "test.jsonl", "0"},
			{"sciworld", "scienceworld", "test.jsonl", "0"},
			{"jericho", "jericho", "partial_labels.json", "zork1"},
		} {
			sharedtest.OK(t, os.CopyFS(in("data/"+part.folder), os.DirFS(filepath.Join(shared, part.folder))))
			add("data/"+part.folder+"/"+part.labels, "tasks "+part.env+" --data "+in("data"))
		}
	} else {
		t.Log("the labels of the official tasks are left out: they are not in ../shared/data beside the module root")
	}
	return files
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	sharedtest.OK(t, cmp.Or(err, os.WriteFile(name, []byte(content), 0o644)))
	return name
}

// asJSON is a YAML document as JSON, which is YAML too.
func asJSON(t *testing.T, b []byte) []byte {
	t.Helper()
	var v any
	err := yaml.Unmarshal(b, &v)
	if err == nil {
		b, err = json.Marshal(v)
	}
	sharedtest.OK(t, err)
	return b
}
