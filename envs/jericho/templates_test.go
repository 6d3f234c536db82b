package jericho

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// goldenCounts are the reference's verb counts.
type goldenCounts struct {
	Exact  map[string]int
	Prefix map[string]int
}

func (c *goldenCounts) exact(word string) int { return c.Exact[word] }

func (c *goldenCounts) prefix(word string) int {
	return c.Prefix[fmt.Sprintf("%d:%s", len(word), word)]
}

// The reference's templates are reduced as it reduces them, by its verb counts and by ours.
func TestReducedTemplates(t *testing.T) {
	var golden struct {
		Templates map[string]struct {
			Count int
			SHA   string `json:"sha256_joined_by_newline"`
		}
	}
	var b goldenBindings
	theirs := &goldenCounts{}
	sharedtest.JSON(t, "jericho/jericho_valid_filter_check.json", &golden)
	sharedtest.JSON(t, "jericho/thirdparty_jericho_bindings_20.json", &b)
	sharedtest.JSON(t, "jericho/jericho_verb_counts_used.json", theirs)
	for _, g := range games {
		want := golden.Templates[g.Name]
		for _, counts := range []verbCounts{theirs, usualVerbs()} {
			got := reduceTemplates(b.Games[g.Name].Grammar, g.WordLength, counts)
			if len(got) != want.Count || sha([]byte(strings.Join(got, "\n"))) != want.SHA {
				t.Errorf("%s by %T: %d templates, want %d, or they differ", g.Name, counts, len(got), want.Count)
			}
		}
	}
}

// The templates derived from the stories are the reference's, but for a few that were written by hand there.
func TestDerivedTemplates(t *testing.T) {
	var b goldenBindings
	sharedtest.JSON(t, "jericho/thirdparty_jericho_bindings_20.json", &b)
	counts := usualVerbs()
	all, common := 0, 0
	for i := range games {
		g := &games[i]
		want := distinct(reduceTemplates(b.Games[g.Name].Grammar, g.WordLength, counts))
		got := distinct(reduceTemplates(deriveTemplates(officialStory(t, g)), g.WordLength, counts))
		missing, extra := lacking(want, got), lacking(got, want)
		all += len(want) + len(extra)
		common += len(want) - len(missing)
		for _, answer := range []string{"yes", "no"} { // 905 knows them without a line in its grammar
			if slices.Contains(missing, answer) || slices.Contains(extra, answer) {
				t.Errorf("%s: %q is on one of the lists only", g.Name, answer)
			}
		}
		if len(missing) > 8 || len(extra) > 5 {
			t.Errorf("%s: missing %q, extra %q", g.Name, missing, extra)
		}
	}
	if agreement := float64(common) / float64(all); agreement < 0.98 {
		t.Errorf("%.3f of all templates agree", agreement)
	}
}

// lacking returns the texts of a list that another does not have.
func lacking(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// Nouns and adjectives are told apart, and numbers, pronouns and other words that name nothing are left out.
func TestTag(t *testing.T) {
	for text, want := range map[string]string{
		"You can see a rusty sword and another brass lamp here.": "rusty/a sword brass lamp",
		"The other one is classy, the red two aren't.":           "classy/a red/a",
		"A wooden table; a wooden":                               "wooden/a table wooden/a",
		"To the north is the Stone Room":                         "north stone room",
		"42 x":                                                   "",
	} {
		var got []string
		for _, n := range tag(text) {
			if n.class == adjective {
				n.text += "/a"
			}
			got = append(got, n.text)
		}
		sharedtest.Same(t, strings.Join(got, " "), want, text)
	}
}

// Names of directions come behind names of things.
func TestNamesIn(t *testing.T) {
	v := &vocabulary{length: 6, words: map[string]bool{"north": true, "lamp": true, "lanter": true}}
	var got []string
	for _, n := range v.namesIn("North is a lamp, or lantern, on a table.") {
		got = append(got, n.text)
	}
	sharedtest.Same(t, got, []string{"lamp", "lantern", "north"})
}
