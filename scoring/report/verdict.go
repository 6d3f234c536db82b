package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/scoring/column"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// mostSentences is how many sentences say who beats whom; a table has the rest.
const mostSentences = 3

// Verdict says in sentences what the differences of a standing show: who beats whom and
// by how much, where nothing is shown, and what is equal within a margin.
type Verdict struct {
	// Title is the finding.
	Title     string
	Sentences []string
	Facts     []Fact
}

// Verdict returns the verdict of the runs; it has no sentences if there is nothing to
// compare.
func (r *Report) Verdict() Verdict {
	s := r.standing()
	v := Verdict{Title: s.title(), Facts: s.facts}
	if len(s.facts) == 0 {
		return v
	}
	v.Sentences = append(wins(s.facts), ties(s.facts, len(s.lines) > 2)...)
	if r.First.Margin > 0 {
		v.Sentences = append(v.Sentences, equals(s.facts, r.First.Margin)...)
	}
	v.Sentences = append(v.Sentences, population(r.plain[0].About))
	return v
}

// population says what differences are about.
func population(q stats.Question) string {
	switch q {
	case stats.TheseTasks:
		return "This is about other decodings of the same tasks, not about other tasks."
	case stats.NewKinds:
		return "This is about other kinds of tasks like these."
	}
	return "This is about new tasks of the same kinds."
}

// winsOf groups the facts that are shown by winner and loser, those with the most first. Each
// is seen from the winner.
func winsOf(facts []Fact) [][]Fact {
	var shown []Fact
	for _, f := range facts {
		if f.Shown && f.Difference < 0 {
			f = f.reversed()
		}
		if f.Shown {
			shown = append(shown, f)
		}
	}
	out := groupedBy(shown, Fact.models)
	slices.SortStableFunc(out, func(a, b []Fact) int { return cmp.Compare(len(b), len(a)) })
	return out
}

// models are those that a fact compares.
func (f Fact) models() [2]string { return [2]string{f.A, f.B} }

// reversed is the fact seen from the other model.
func (f Fact) reversed() Fact {
	f.A, f.B, f.Difference, f.Low, f.High = f.B, f.A, -f.Difference, -f.High, -f.Low
	f.TogetherLow, f.TogetherHigh = -f.TogetherHigh, -f.TogetherLow
	return f
}

// wins says who beats whom, where and by how much.
func wins(facts []Fact) (out []string) {
	pairs := winsOf(facts)
	for i, won := range pairs {
		if i == mostSentences {
			more := len(pairs) - mostSentences
			return append(out, fmt.Sprintf("%s more %s; --table pairs has all.", number(more),
				plural(more, "pair differs", "pairs differ")))
		}
		var where []string
		for j, f := range won {
			unit := ""
			if j == 0 {
				unit = " points"
			}
			where = append(where, fmt.Sprintf("on %s by %.1f%s (%.1f to %.1f)", said(f.Where), 100*f.Difference, unit,
				100*f.Low, 100*f.High))
		}
		out = append(out, fmt.Sprintf("%s beats %s %s.", won[0].A, won[0].B, strings.Join(where, ", ")))
	}
	return out
}

// enough says which differences would have been shown, and where no difference could
// have been.
func enough(facts []Fact) string {
	var needed, where []string
	for _, f := range facts {
		if f.Needed < 1 {
			needed = append(needed, fmt.Sprintf("%.0f", math.Ceil(100*f.Needed)))
			where = append(where, said(f.Where))
		}
	}
	if needed == nil {
		return "with so few tasks none could have been"
	}
	if len(slices.Compact(slices.Clone(needed))) == 1 {
		needed = needed[:1]
	}
	text := "one of " + table.List(needed) + " points would have been"
	if len(where) < len(facts) {
		text += " on " + table.List(where) + ", and with so few tasks none could have been elsewhere"
	}
	return text
}

// surest returns the fact of the place where the smallest difference would have been shown
// whichever pair has it: the one of that place that needs the largest.
func surest(facts []Fact) Fact {
	byNeed := func(a, b Fact) int { return cmp.Compare(a.Needed, b.Needed) }
	var hardest []Fact
	for _, of := range groupedBy(facts, func(f Fact) string { return f.Where }) {
		hardest = append(hardest, slices.MaxFunc(of, byNeed))
	}
	return slices.MinFunc(hardest, byNeed)
}

// ties says where no difference is shown, and which one would have been. With several
// models it names the pairs that are told apart nowhere.
func ties(facts []Fact, several bool) (out []string) {
	pairs, isShown := groupedBy(facts, Fact.models), func(f Fact) bool { return f.Shown }
	if several && len(pairs) > 1 && !slices.ContainsFunc(facts, isShown) {
		least := surest(facts)
		return []string{fmt.Sprintf("No difference between any two models is shown; on %s, %s.", said(least.Where),
			enough([]Fact{least}))}
	}
	for _, of := range pairs {
		open := slices.DeleteFunc(slices.Clone(of), isShown)
		if len(open) == 0 || several && len(open) < len(of) {
			continue
		}
		var where []string
		for _, f := range open {
			where = append(where, said(f.Where))
		}
		who := ""
		if several {
			who = fmt.Sprintf(" between %s and %s", of[0].A, of[0].B)
		}
		out = append(out, fmt.Sprintf("No difference%s is shown on %s; %s.", who, table.List(where), enough(open)))
	}
	if n := len(out); n > mostSentences {
		out = append(out[:mostSentences], fmt.Sprintf("%s more %s told apart nowhere; --table pairs has all.",
			number(n-mostSentences), plural(n-mostSentences, "pair is", "pairs are")))
	}
	return out
}

// equals says who is equal within a margin, and where.
func equals(facts []Fact, margin float64) (out []string) {
	for _, f := range facts {
		if f.TogetherLow >= -margin && f.TogetherHigh <= margin {
			out = append(out, fmt.Sprintf("On %s, %s and %s are equal within %g points (%.1f to %.1f).",
				said(f.Where), f.A, f.B, 100*margin, 100*f.TogetherLow, 100*f.TogetherHigh))
		}
	}
	return out
}

// title is the finding about the best model and the last one.
func (s *standing) title() string {
	if len(s.lines) < 2 || len(s.facts) == 0 {
		return s.rate.title()
	}
	first, last := s.lines[0].name, s.lines[len(s.lines)-1].name
	var better, worse []string
	compared := 0
	for _, f := range s.facts {
		if f.A != first || f.B != last {
			continue
		}
		compared++
		switch {
		case f.Shown && f.Difference > 0:
			better = append(better, said(f.Where))
		case f.Shown:
			worse = append(worse, said(f.Where))
		}
	}
	switch {
	case compared == 0:
		return s.rate.title()
	case better != nil && worse != nil:
		return fmt.Sprintf("%s is better than %s on %s, and worse on %s", first, last, table.List(better),
			table.List(worse))
	case better != nil:
		return fmt.Sprintf("%s is better than %s on %s", first, last, table.List(better))
	case worse != nil:
		return fmt.Sprintf("%s is better than %s on %s", last, first, table.List(worse))
	}
	return fmt.Sprintf("No difference between %s and %s is shown", first, last)
}

// title names the rate.
func (r Rate) title() string {
	return map[Rate]string{Success: "Success rate", Progress: "Progress rate", Grounding: "Grounding accuracy"}[r]
}

// said names a place in a sentence.
func said(place string) string {
	if place == column.HeldOutScore {
		return "the held-out score"
	}
	return place
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// number writes a small number as the first word of a sentence.
func number(n int) string {
	if words := []string{"No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"}; n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}
