package jericho

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"heldout/envs/engine/zmachine"
	"heldout/envs/sharedtest"
)

var momentsFile = flag.String("moments", "", "lists of valid actions recorded by testdata/help/record.py")

// The lists of valid actions at random moments are compared with the reference's: the mean Jaccard index by game,
// with derived templates and with bindings, of the commands and of what they change. The reference chooses between
// commands that change the same by the order of a Python set, which differs from run to run, so that its commands
// do not agree with themselves either.
func TestHelpMoments(t *testing.T) {
	if *momentsFile == "" {
		t.Skip("no recorded moments: make them with testdata/help/record.py and name them with -moments")
	}
	b := sharedtest.Must(os.ReadFile(*momentsFile))(t)
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
		sharedtest.OK(t, json.Unmarshal([]byte(line), &m))
		moments[m.Game] = append(moments[m.Game], m)
	}
	var total, totalEffects [2]float64
	equal, equalEffects, n := [2]int{}, [2]int{}, 0
	for i := range games {
		g := &games[i]
		if len(moments[g.Name]) == 0 {
			continue
		}
		x := golden.Games[g.Name]
		story := officialStory(t, g)
		plays := [2]*play{
			newPlay(g, story, g.Seed, binding{}),
			newPlay(g, story, g.Seed, binding{Grammar: x.Grammar, MaxWordLength: x.MaxWordLength}),
		}
		var sum, sumEffects [2]float64
		for _, m := range moments[g.Name] {
			s := newSession(g, story, zmachine.Options{Seed: g.Seed})
			if _, err := s.start(); err != nil {
				t.Fatal(err)
			}
			for _, a := range splitWalkthrough(x.Walkthrough)[:m.Step] {
				sharedtest.OK(t, s.play(a))
			}
			at := s.snapshot()
			want := effects(t, s, at, m.Valid)
			for k, p := range plays {
				got := sharedtest.Must(s.validActions(p.actions()))(t)
				have := effects(t, s, at, got)
				e := jaccard(len(want), len(lacking(want, have)), len(lacking(have, want)))
				if sumEffects[k] += e; e == 1 {
					equalEffects[k]++
				}
				missing, extra := lacking(distinct(m.Valid), got), lacking(distinct(got), m.Valid)
				j := jaccard(len(distinct(m.Valid)), len(missing), len(extra))
				if sum[k] += j; j == 1 {
					equal[k]++
				} else {
					t.Logf("%s, step %d, %s: %.2f, effects %.2f, missing %q, extra %q", g.Name, m.Step,
						[]string{"derived", "bindings"}[k], j, e, missing, extra)
				}
			}
		}
		count := len(moments[g.Name])
		n += count
		t.Logf("%-11s %d moments: derived %.2f, effects %.2f; bindings %.2f, effects %.2f", g.Name, count,
			sum[0]/float64(count), sumEffects[0]/float64(count), sum[1]/float64(count), sumEffects[1]/float64(count))
		for k := range sum {
			total[k] += sum[k]
			totalEffects[k] += sumEffects[k]
		}
	}
	for k, name := range []string{"derived", "bindings"} {
		t.Logf("%d moments, %s: commands %d equal, mean %.3f; effects %d equal, mean %.3f",
			n, name, equal[k], total[k]/float64(n), equalEffects[k], totalEffects[k]/float64(n))
	}
}

// effects returns what commands change at a moment, each once, as text. A command
// that changes nothing stands for itself. The session is left at the moment.
func effects(t *testing.T, s *storySession, at *moment, actions []string) []string {
	var out []string
	sharedtest.OK(t, s.restore(at))
	score := s.score()
	for _, a := range actions {
		effect := a
		if d, ok := s.attempt(at, score, a); ok {
			effect = fmt.Sprint(d)
		}
		out = append(out, effect)
	}
	sharedtest.OK(t, s.restore(at))
	return distinct(out)
}

// jaccard is the index of a set of so many members, and of one that lacks some of them and has extra ones.
func jaccard(members, missing, extra int) float64 {
	if members+extra == 0 {
		return 1
	}
	return float64(members-missing) / float64(members+extra)
}
