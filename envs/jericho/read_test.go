package jericho

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/sharedtest"
)

// pythonBindings has the form of Jericho's own file.
const pythonBindings = `# Bindings
import re

def load(rom):
    """Find a game's {bindings}"""
    return BINDINGS.get(rom)

deep = {
    "name": "deep",   # a comment, with 'quotes"
    'rom': 'deep.z5',
    "seed" : 0,
    "walkthrough": "n/s/say \"it's\"/" \
                   'open box',
    "grammar" : ("look;take/get OBJ;"
                 "put OBJ in OBJ"),
    "max_word_length" : 6,
    "other": ["a", {"b": (1, 2)}],
}
empty = {"rom": "none.z5"}
`

func TestParseBindings(t *testing.T) {
	want := bindings{"deep": {
		Grammar: "look;take/get OBJ;put OBJ in OBJ", Walkthrough: `n/s/say "it's"/open box`, MaxWordLength: 6,
		ROM: "deep.z5",
	}}
	got, err := parseBindings([]byte(pythonBindings))
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
	got, err = parseBindings(
		[]byte(`{"about": "x", "games": {"anything": {"name": "deep", "rom": "deep.z5", "max_word_length": 6,
		"grammar": "look;take/get OBJ;put OBJ in OBJ", "walkthrough": "n/s/say \"it's\"/open box"}}}`))
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
	for text, want := range map[string]string{
		"":                     "no game in it",
		"{}":                   "no game in it",
		"{":                    "it ends in the middle",
		"x = {'a': 'b'":        "no game in it",
		"x = 1\ny = {'a' 'b'}": "no game in it",
		"\n\n'abc":             "line 3: a string has no end",
		"x = {1: r'a'}":        "no game in it",
	} {
		sharedtest.Fails(t, sharedtest.Err(parseBindings([]byte(text))), want, text)
	}
}

// labelLines makes a label file of the benchmark's form, with changes by line.
func labelLines(t *testing.T, change func(i int, line map[string]any)) []byte {
	t.Helper()
	var b strings.Builder
	for i, g := range games {
		name := g.Name
		if name == misfiled {
			name = misfiledName
		}
		line := map[string]any{
			"id": i, "goal": fmt.Sprintf("Win %s.", g.Name), "subgoals": []string{"You win!"}, "difficulty": "easy",
			"additional_info": map[string]string{"subtask": name, "init_obs": "You are here."},
		}
		change(i, line)
		b.Write(append(sharedtest.Must(json.Marshal(line))(t), "\n\n"...))
	}
	return []byte(b.String())
}

func TestParseLabels(t *testing.T) {
	labels := sharedtest.Must(parseLabels("labels", labelLines(t, func(int, map[string]any) {})))(t)
	sharedtest.Equal(t, len(labels), len(games))
	l := labels[18]
	if l.goal != "Win huntdark." || l.start != "You are here." || l.difficulty != envs.Easy || l.subgoals.n != 1 ||
		l.subgoals.texts[0] != "You win" {
		t.Errorf("%+v", l)
	}
	// The leftover rule for other keys; spec §2.1. JSON objects are written here with sorted keys.
	for last, want := range map[string][]string{"subgoals_1": nil, "zz_subgoals": {"text"}, "zz": nil} {
		labels, err := parseLabels("labels", labelLines(t, func(i int, line map[string]any) {
			if i == 3 {
				line[last] = "text"
				if last != "subgoals_1" {
					delete(line, "subgoals")
				}
			}
		}))
		if last == "subgoals_1" {
			want = []string{"text"} // it is the last key
		}
		if err != nil || !cmp.Equal(labels[3].subgoals.texts, want) || labels[3].subgoals.n != len(want) {
			t.Errorf("%s: %+v, %v", last, labels[3], err)
		}
	}
	for want, change := range map[string]func(line map[string]any){
		"No difficulty in annotation file": func(line map[string]any) { delete(line, "difficulty") },
		`want difficulty "easy" or "hard"`: func(line map[string]any) { line["difficulty"] = "medium" },
		`"subgoals": entry 1: want a text`: func(line map[string]any) { line["subgoals"] = []int{1} },
		`is about "chess"`: func(line map[string]any) {
			line["additional_info"] = map[string]string{"subtask": "chess"}
		},
	} {
		_, err := parseLabels("labels", labelLines(t, func(i int, line map[string]any) {
			if i == 2 {
				change(line)
			}
		}))
		// every second line is blank
		if err == nil || !strings.HasPrefix(err.Error(), "labels:5: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

// Label file and story files are looked for where the benchmark has them.
func TestMissingFiles(t *testing.T) {
	dir := t.TempDir()
	check := func(want string) {
		t.Helper()
		sharedtest.Fails(t, sharedtest.Err(New(Options{Data: dir})), want, "in it")
	}
	write := func(name string, b []byte) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		sharedtest.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
		sharedtest.OK(t, os.WriteFile(file, b, 0o644))
	}
	check("the labels of the official Jericho tasks are missing: want jericho/test.jsonl")
	write(labelFile, []byte(`{"difficulty":"easy"}`))
	check("test.jsonl has 1 labels, but there are 20 games")
	write(labelFile, labelLines(t, func(int, map[string]any) {}))
	check("Game file " + filepath.Join(dir, filepath.FromSlash(suiteFolder), "905.z5") + " does not exist.")
	write(suiteFolder+"/905.z5", lowlightImage)
	check("905.z5 is not the benchmark's file: its MD5 is")
}

func TestFilterAction(t *testing.T) {
	for action, want := range map[string]string{
		"take lamp, then go": "take lamp", "go north. look": "go north", " Take  it ": " Take  it ", ",x": "", "": "",
		strings.Repeat("a ", 25): strings.TrimSuffix(strings.Repeat("a ", 20), " "),
	} {
		sharedtest.Equal(t, agentboard.JerichoAction(action), want, action)
	}
}

func TestObservation(t *testing.T) {
	for text, want := range map[string]string{
		"\nA\n\nB   C\n": " A B C ", "x [Your score went up] y [Your score [a] b]": "x  y  b]",
		"no [score]": "no [score]",
	} {
		sharedtest.Equal(t, observation(text), want, text)
	}
}

// A help question is one with both words, however they are written.
func TestAsksForHelp(t *testing.T) {
	for action, want := range map[string]bool{
		"check valid actions": true, "CHECK THE REACTION": true, "action: check": true, "check": false, "act": false,
		"check actİon": false,
	} {
		sharedtest.Equal(t, asksForHelp(action), want, action)
	}
}
