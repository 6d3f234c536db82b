package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// fault changes what is rendered so that it is no longer true; a text that it does not apply to stays as it is.
type fault struct {
	name   string
	change func(text string) string
}

// replaced changes the first match of a form, whose group is changed by a function.
func replaced(form string, change func(string) string) func(string) string {
	re := regexp.MustCompile(form)
	return func(text string) string {
		at := re.FindStringSubmatchIndex(text)
		if at == nil {
			return text
		}
		return text[:at[2]] + change(text[at[2]:at[3]]) + text[at[3]:]
	}
}

func plus(n int) func(string) string {
	return func(text string) string {
		x, _ := strconv.Atoi(text)
		return strconv.Itoa(x + n)
	}
}

func instead(text string) func(string) string { return func(string) string { return text } }

var faults = []fault{
	{"the wrong winner of a pair", func(text string) string {
		return regexp.MustCompile(`\): ([a-z0-9-]+) ([\d.]+), ([a-z0-9-]+) ([\d.]+): `).ReplaceAllStringFunc(text,
			func(s string) string {
				m := regexp.MustCompile(`\): (\S+) ([\d.]+), (\S+) ([\d.]+): `).FindStringSubmatch(s)
				if m[2] == m[4] {
					return s
				}
				return fmt.Sprintf("): %s %s, %s %s: ", m[3], m[2], m[1], m[4])
			})
	}},
	{"a best model where none is", replaced(`(, the best is not decided: \S+ [\d.]+)`, func(s string) string {
		return strings.Replace(s, ", the best is not decided", "", 1) + ", significantly above"
	})},
	{"another number of tests", replaced(`, (\d+) tests\)`, plus(1))},
	{"other seeds", replaced(`tasks?, (\d+) seeds?[,)]`, plus(1))},
	{"other tasks", replaced(`\((\d+) tasks?, \d+ seed`, plus(1))},
	{"significance without ground", replaced(`\), (not significant)`, instead("significant"))},
	{"no significance where there is", replaced(`\), (significant)`, instead("not significant (80% power at 20.0 points)"))},
	{"a dropped place", replaced(`(?:not decided|not significant|significantly (?:higher|lower)) on (\w+, )`,
		instead(""))},
	{"another share of unreadable replies", replaced(`replies \(([\d.]+)%\)`, instead("77.7"))},
	{"another difference", replaced(`: ([+-]\d+\.\d) points`, instead("+55.5"))},
	{"another interval", replaced(`points \(95% CI (-?[\d.]+) to`, instead("99.9"))},
	{"another probability", replaced(`, p (0\.\d+)`, instead("0.049"))},
	{"fewer missing episodes", replaced(`\* (\d+) of \d+ episodes`, plus(-1))},
	{"a loss that is none", replaced(`: \S+ loses ([\d.]+) points`, instead("33.3"))},
	{"a preliminary rate that is none", replaced(`(Preliminary )`, instead(""))},
	{"a missing reason", replaced(`( \d+ not started)`, instead(" 1 not started"))},
	{"a perturbation that was none", replaced(`(Unperturbed )`, instead(""))},
	{"a significant loss that is none", replaced(`Losses: .* (not significant)`, instead("significant"))},
	{"an average that differs", replaced(`Best average.*: (not decided)`, instead("base"))},
	{"a best model by environment", replaced(`by environment.*: (not decided on [A-Za-z, ]+)`, func(s string) string {
		return strings.TrimPrefix(s, "not decided on ") + ": base"
	})},
	{"missing episodes that matter", replaced(`whatever the (\d+) missing episodes are`, plus(1))},
	{"another way", replaced(` (higher|lower) (?:by|on)`, func(s string) string {
		return map[string]string{"higher": "lower", "lower": "higher"}[s]
	})},
	{"a part of the protocol that is left out", replaced(`not only the models differ \(.*?(\d\d steps, )`, instead(""))},
	{"another value of the protocol", replaced(`temperature (0\.\d)[,;)]`, instead("0.9"))},
	{"nothing besides the models", replaced(`(; not only the models differ \([^)]*\))`, instead(""))},
}

// tellingDesigns are designs that together have a place for every fault: they come first.
var tellingDesigns = []int{7, 8, 27, 37, 104, 106}

// Faults put into what is rendered are found. The whole form takes 240 designs, the others as many as have
// places for all faults.
func TestFaultsAreFound(t *testing.T) {
	found, applied := map[string]int{}, map[string]int{}
	for i := range len(tellingDesigns) + 240 {
		number := i - len(tellingDesigns)
		if number < 0 {
			number = tellingDesigns[i]
		}
		if !sharedtest.Whole() && len(applied) == len(faults) {
			t.Logf("this form takes %d of 240 designs; HELDOUT_LONG=all takes all", i)
			break
		}
		d := drawDesign(number, false, number%2 == 0)
		if d.trained() {
			continue
		}
		d.write(t, t.TempDir())
		c := &checker{design: d, said: map[string]int{}}
		c.derive()
		text := c.run(t, append(c.args("compare"), d.dirs...))
		if c.screen(text); len(c.problems) > 0 {
			t.Fatalf("design %d without a fault: %s", number, c.problems)
		}
		for _, f := range faults {
			changed := f.change(text)
			if changed == text {
				continue
			}
			applied[f.name]++
			c.problems = nil
			if c.screen(changed); len(c.problems) > 0 {
				found[f.name]++
			} else {
				t.Logf("design %d: %s is not found in\n%s", number, f.name, changed)
			}
		}
	}
	for _, f := range faults {
		t.Logf("%s: found %d of %d", f.name, found[f.name], applied[f.name])
		if applied[f.name] == 0 || found[f.name] < applied[f.name] {
			t.Errorf("%s: found %d of %d", f.name, found[f.name], applied[f.name])
		}
	}
}
