package claim

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/scoring/stats"
)

// clauses are what stands between the marks of sentences, with three words or more.
func clauses(text string) (out []string) {
	for _, c := range regexp.MustCompile(`\. |; |: |[()]`).Split(text+" ", -1) {
		if len(strings.Fields(c)) > 2 {
			out = append(out, strings.TrimSpace(c))
		}
	}
	return out
}

// The losses of models in several places are said with each clause once, and each model with what its own show.
func TestLosses(t *testing.T) {
	kinds := map[string]Claim{
		"significant":          {Kind: Differs, Estimate: -0.4},
		"gained significantly": {Kind: Differs, Estimate: 0.4},
		"not significant":      {Kind: NotSignificant, Estimate: -0.1, Sensitivity: 0.3},
		"few":                  {Kind: NotCompared, Reason: "fewer than two tasks"},
		"lacks":                {Kind: NotCompared, Reason: "not planned under P1"},
	}
	words := []string{"significant", "gained significantly", "not significant", "few", "lacks"}
	models, places := []string{"expert", "memoriser", "reciter", "tuned"}, []string{"ALFWorld", "BabyAI", "PDDL"}
	rapid.Check(t, func(t *rapid.T) {
		var losses []Claim
		shown := map[string][]string{} // by model and word
		several := rapid.IntRange(1, len(places)).Draw(t, "places")
		for _, model := range models[:rapid.IntRange(1, len(models)).Draw(t, "models")] {
			for _, place := range places[:several] {
				word := rapid.SampledFrom(words[:rapid.IntRange(1, len(words)).Draw(t, "words")]).Draw(t, "word")
				c := kinds[word]
				c.Place, c.Rate, c.Tasks, c.Family = Scope{Name: place, Title: place}, "SR", 4, Family{Losses, 3}
				c.Subjects, c.Interval = []Subject{{Name: model, Seeds: 1, Value: 0.5}},
					&stats.Interval{Low: -1, High: 1}
				losses = append(losses, c)
				shown[model+" "+word] = append(shown[model+" "+word], place)
			}
		}
		text := lost(losses, nil)[0]
		for _, said := range []string{text, lossByPlace(losses[:several])} {
			list := clauses(said)
			slices.Sort(list)
			if len(slices.Compact(slices.Clone(list))) < len(list) {
				t.Fatalf("a clause is said twice: %q", said)
			}
		}
		for key, at := range shown {
			model, word, _ := strings.Cut(key, " ")
			part := text
			for _, p := range strings.Split(strings.TrimPrefix(text, "Losses: "), "; ") {
				list, _, _ := strings.Cut(p, " (")
				before, ends := strings.CutSuffix(list, " "+word)
				if ends && !strings.HasSuffix(before, " not") ||
					strings.Contains(p, kinds[word].Reason) && kinds[word].Reason != "" {
					part = p
				}
			}
			if who := map[string]string{"significant": "all", "not significant": "none"}[word]; who != "" &&
				strings.HasPrefix(text, "Losses: "+who+" significant") && !strings.Contains(text, ";") {
				continue
			}
			item := regexp.MustCompile(`\b` + model + `\b[^.;]*`).FindString(part)
			if item == "" || len(at) < several && !strings.Contains(item, " on ") {
				t.Fatalf("%s, %s on %q: %q", model, word, at, text)
			}
			for _, place := range at {
				if len(at) < several && !strings.Contains(item, place) {
					t.Fatalf("%s, %s on %s: %q", model, word, place, text)
				}
			}
		}
	})
}

// What is true of all models is said once, in words that a screen has room for.
func TestLossesAlike(t *testing.T) {
	var losses []Claim
	for _, model := range []string{"expert", "memoriser", "reciter"} {
		for _, place := range []string{"A", "B", "C", "D", "E", "F"} {
			losses = append(losses, Claim{Kind: NotCompared, Reason: "fewer than two tasks", Place: Scope{Title: place},
				Subjects: []Subject{{Name: model}}, Family: Family{Name: Losses}})
		}
	}
	want := "Losses: expert, memoriser and reciter: not compared (fewer than two tasks)"
	if got := lost(losses, nil); len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
}
