package report

import (
	"strings"
	"testing"

	"heldout/scoring"
	"heldout/scoring/record"
)

func TestCheckMixed(t *testing.T) {
	run := func(name string, protocols ...string) Run {
		r := Run{Name: name}
		for _, p := range protocols {
			c := record.Condition{Env: "alfworld"}
			if p != "" {
				c.Preset = &record.Preset{Name: p, SHA256: strings.Repeat(p[:1], 64)}
			}
			r.Scores = append(r.Scores, &scoring.Score{Condition: c})
		}
		return r
	}
	other := Run{Name: "c", Scores: []*scoring.Score{{Condition: record.Condition{Env: "pddl"}}}}
	for _, c := range []struct {
		runs []Run
		want string // empty for no error
	}{
		{[]Run{run("a", "x"), run("b", "x")}, ""},
		{[]Run{run("a", "x", "y"), run("b", "y")}, ""},
		{[]Run{run("a", "x", "y")}, ""},
		{[]Run{run("a", ""), run("b", "")}, ""},
		{[]Run{run("a", "x"), other}, ""},
		{[]Run{run("a", "x"), run("b", "y")},
			"a has x (xxxx…) of alfworld, and b has y (yyyy…): their numbers do not compare"},
		{[]Run{run("a", ""), run("b", "y")}, "a has the default protocol of alfworld, and b has y"},
		{[]Run{run("a", "x"), other, run("b", "x"), run("d", "z")}, "a has x (xxxx…) of alfworld, and d has z"},
	} {
		err := CheckMixed(c.runs)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
