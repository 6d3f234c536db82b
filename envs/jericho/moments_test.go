package jericho

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"heldout/envs/jericho/zmachine"
	"heldout/envs/sharedtest"
)

var momentsFile = flag.String("moments", "", "lists of valid actions recorded by testdata/help/record.py")

// The lists of valid actions at random moments are compared with the reference's:
// the mean Jaccard index by game, with derived templates and with bindings. The
// reference chooses between commands that do the same by the order of a Python
// set, which changes from run to run, so that it does not agree with itself either.
func TestHelpMoments(t *testing.T) {
	if *momentsFile == "" {
		t.Skip("no recorded moments: make them with testdata/help/record.py and name them with -moments")
	}
	b, err := os.ReadFile(*momentsFile)
	if err != nil {
		t.Fatal(err)
	}
	var golden goldenBindings
	sharedtest.JSON(t, "jericho/thirdparty_jericho_bindings_20.json", &golden)
	type moment struct {
		Game  string
		Step  int
		Valid []string
	}
	moments := map[string][]moment{}
	for line := range strings.Lines(string(b)) {
		var m moment
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		moments[m.Game] = append(moments[m.Game], m)
	}
	var total [2]float64
	equal, n := [2]int{}, 0
	for i := range games {
		g := &games[i]
		if len(moments[g.name]) == 0 {
			continue
		}
		x := golden.Games[g.name]
		story := officialStory(t, g)
		plays := [2]*play{
			newPlay(g, story, g.seed, binding{}),
			newPlay(g, story, g.seed, binding{Grammar: x.Grammar, MaxWordLength: x.MaxWordLength}),
		}
		var sum [2]float64
		for _, m := range moments[g.name] {
			s := newSession(g, story, zmachine.Options{Seed: g.seed})
			if _, err := s.start(); err != nil {
				t.Fatal(err)
			}
			for _, a := range splitWalkthrough(x.Walkthrough)[:m.Step] {
				if err := s.play(a); err != nil {
					t.Fatal(err)
				}
			}
			for k, p := range plays {
				got, err := s.validActions(p.actions())
				if err != nil {
					t.Fatal(err)
				}
				missing, extra := lacking(distinct(m.Valid), got), lacking(distinct(got), m.Valid)
				j := jaccard(len(distinct(m.Valid)), len(missing), len(extra))
				if sum[k] += j; j == 1 {
					equal[k]++
				} else {
					t.Logf("%s, step %d, %s: %.2f, missing %q, extra %q", g.name, m.Step, []string{"derived", "bindings"}[k], j, missing, extra)
				}
			}
		}
		count := len(moments[g.name])
		n += count
		t.Logf("%-11s %d moments: derived %.2f, bindings %.2f", g.name, count, sum[0]/float64(count), sum[1]/float64(count))
		for k := range sum {
			total[k] += sum[k]
		}
	}
	t.Logf("%d moments: derived %d equal, mean %.3f; bindings %d equal, mean %.3f",
		n, equal[0], total[0]/float64(n), equal[1], total[1]/float64(n))
}

// jaccard is the index of two sets, of which one has a number of members, of which
// some are missing from the other, which has some more.
func jaccard(members, missing, extra int) float64 {
	if members+extra == 0 {
		return 1
	}
	return float64(members-missing) / float64(members+extra)
}
