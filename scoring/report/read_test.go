package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/scoring/column"
	"heldout/scoring/stats"
)

// What the user gave is read, or the error names it.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	thoughts := filepath.Join(dir, "thoughts.txt")
	sharedtest.OK(t, os.WriteFile(thoughts, []byte("one\r\ntwo\n"), 0o600))
	fine := Inputs{Interval: string(stats.TheseKinds), Thoughts: thoughts,
		Baselines: []string{"agentrefine", PresetResults}}
	g := sharedtest.Must(fine.Load())(t)
	sharedtest.Same(t, g.thoughts, []string{"one", "two"})
	if len(g.baselines) == 0 || g.baselines[0].Name != "agentrefine" {
		t.Errorf("baselines %v", g.baselines)
	}
	for want, change := range map[string]func(*Inputs){
		`unknown interval "task" (did you mean tasks?)`: func(s *Inputs) { s.Interval = "task" },
		"nowhere.txt":                           func(s *Inputs) { s.Thoughts = dir + "/nowhere.txt" },
		"agentrefin":                            func(s *Inputs) { s.Baselines = []string{"agentrefin"} },
		"nowhere.yaml":                          func(s *Inputs) { s.Baselines = []string{dir + "/nowhere.yaml"} },
		`baseline agentrefine has no table "x"`: func(s *Inputs) { s.Baselines = []string{"agentrefine:x"} },
	} {
		s := fine
		change(&s)
		sharedtest.Fails(t, sharedtest.Err(s.Load()), want)
	}
}

// Without a table, a baseline is the first of each kind; with one, that one alone.
func TestFindBaselines(t *testing.T) {
	w := sharedtest.Must(configs.LoadWeights())(t)
	all := sharedtest.Must(findBaselines("agentrefine", w))(t)
	last := all[len(all)-1]
	one, err := findBaselines("agentrefine:"+last.Table.ID, w)
	if err != nil || len(one) != 1 || one[0].Table.ID != last.Table.ID {
		t.Errorf("%v, %v", one, err)
	}
	seen := map[string]bool{}
	for _, b := range all {
		key := b.Table.Env
		if b.Table.HasBestOf() {
			key += "+"
		}
		if seen[key] {
			t.Errorf("two tables of the kind %q", key)
		}
		seen[key] = true
	}
}

// Names that the user gives now stand over those that the run has recorded, with or without the provider.
func TestNamesOverRecorded(t *testing.T) {
	got := merge(map[string]string{"vllm:a": "first", "vllm:b": "second"}, map[string]string{"a": "mine"})
	sharedtest.Same(t, got, map[string]string{"a": "mine", "vllm:b": "second"})
}

func TestCheckAndSuit(t *testing.T) {
	if err := Check([]string{"headline", "results-EM-F1", AllTables}); err != nil {
		t.Error(err)
	}
	for _, id := range []string{"headlin", "checkpoints"} {
		sharedtest.Fails(t, Check([]string{id}), "unknown table", id)
	}
	for _, k := range Kinds() {
		err := Suit([]string{k.ID}, map[Only]bool{k.Only: false})
		if (k.Only != "") != (err != nil && strings.Contains(err.Error(), `the table "`+k.ID+`"`)) {
			t.Errorf("%s, which is for %q: %v", k.ID, k.Only, err)
		}
		if err := Suit([]string{k.ID}, map[Only]bool{k.Only: true}); err != nil {
			t.Error(err)
		}
	}
}

// A part has the lines of its environments alone; the runs must have them.
func TestPart(t *testing.T) {
	from := New([]NamedRun{newRun(t, "a", group{env: "pddl", tasks: 2, model: "expert", outcomes: "Sf"},
		group{env: "babyai", tasks: 2, model: "expert", outcomes: "SS"})}, nil, configs.Weights{})
	part := sharedtest.Must(from.Part([]string{"pddl"}))(t)
	for _, tb := range part.Tables("results") {
		for _, row := range tb.Rows {
			sharedtest.Equal(t, row[tb.Pos(column.Environment.Key)].Text, "pddl", "a line of")
		}
		if len(tb.Rows) == 0 {
			t.Error("no lines of pddl")
		}
	}
	if _, err := from.Part([]string{"pdd"}); err == nil || err.Error() != `the runs have no environment "pdd"` {
		t.Error(err)
	}
}
