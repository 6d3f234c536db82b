package report

import (
	"strings"
	"testing"

	"heldout/scoring"
	"heldout/scoring/record"
)

func TestCheckMixed(t *testing.T) {
	run := func(name string, protocols ...string) NamedRun {
		r := NamedRun{Name: name}
		for _, p := range protocols {
			c := record.Condition{Env: "alfworld"}
			if p != "" {
				c.Preset = &record.Preset{Name: p, SHA256: strings.Repeat(p[:1], 64)}
			}
			r.Scores = append(r.Scores, &scoring.Score{Condition: c})
		}
		return r
	}
	other := NamedRun{Name: "c", Scores: []*scoring.Score{{Condition: record.Condition{Env: "pddl"}}}}
	for _, c := range []struct {
		runs []NamedRun
		want string // empty for no error
	}{
		{[]NamedRun{run("a", "x"), run("b", "x")}, ""},
		{[]NamedRun{run("a", "x", "y"), run("b", "y")}, ""},
		{[]NamedRun{run("a", "x", "y")}, ""},
		{[]NamedRun{run("a", ""), run("b", "")}, ""},
		{[]NamedRun{run("a", "x"), other}, ""},
		{[]NamedRun{run("a", "x"), run("b", "y")},
			"a has x (xxxx…) of alfworld, and b has y (yyyy…): their numbers do not compare"},
		{[]NamedRun{run("a", ""), run("b", "y")}, "a has the default protocol of alfworld, and b has y"},
		{[]NamedRun{run("a", "x"), other, run("b", "x"), run("d", "z")}, "a has x (xxxx…) of alfworld, and d has z"},
	} {
		err := CheckMixed(c.runs)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
