package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Title is the first thing that results say: the answer to the primary question, or where
// models differ if there is none.
func (s *Set) Title() string {
	title, _ := s.say()
	return title
}

// Verdict is what results say below the title, in sentences.
func (s *Set) Verdict() []string {
	_, rest := s.say()
	var out []string
	for _, line := range rest {
		out = append(out, line+".")
	}
	return out
}

// say returns the title and what stands below it.
func (s *Set) say() (title string, rest []string) {
	var lines []string
	switch {
	case s.retried():
		lines = sentences(s.Primary)
	case s.Swept():
		lines = slices.Concat(sentences(s.Primary), s.lossDifferences())
	case s.Reference != "" || s.competing() == 2:
		lines = s.against()
	default:
		lines = s.among()
	}
	if len(lines) == 0 {
		lines = s.alone()
	}
	if len(lines) == 0 {
		return s.Rate.Title(), nil
	}
	return lines[0], append(lines[1:], s.spreads()...)
}

// sentences say claims, the significant ones with the largest difference first, and what would
// have been found where none is: of the first one, which is the title, in a sentence of its own.
// Of many claims, only significant ones and equalities follow the first.
func sentences(claims []Claim) (out []string) {
	claims = Surest(claims)
	omitted, uncompared := 0, 0
	for i, c := range claims {
		switch brief := len(claims) <= mostSentences; {
		case i > 0 && brief && c.open():
			out = append(out, c.Sentence()+"; "+c.found())
		case i == 0 || brief || len(out) < mostSentences && (c.Significant() || c.Equal):
			out = append(out, c.Sentence())
		case c.Kind == NotCompared:
			uncompared++
			fallthrough
		default:
			omitted++
		}
	}
	if omitted > 0 {
		out = append(out, remainder(omitted, uncompared, noun(claims)))
	}
	if len(claims) > 0 && claims[0].open() {
		out = slices.Insert(out, 1, claims[0].reach())
	}
	return out
}

// noun is what claims are counted as: in a single place, there are as many as models.
func noun(claims []Claim) string {
	if slices.ContainsFunc(claims, func(c Claim) bool { return c.Place != claims[0].Place }) {
		return "comparison"
	}
	return "model"
}

// open reports whether there is no significant difference, nor an equality.
func (c Claim) open() bool { return c.Kind == NotSignificant && !c.Equal }

// Surest orders claims: the significant ones first, by the size of their difference, and then
// the others by theirs.
func Surest(claims []Claim) []Claim {
	weight := func(c Claim) float64 {
		switch size := math.Abs(c.Estimate); {
		case c.Kind == NotCompared:
			return 0
		case c.Kind == Differs:
			return 4 + size
		default:
			return 1 + size
		}
	}
	out := slices.Clone(claims)
	slices.SortStableFunc(out, func(a, b Claim) int {
		switch x, y := weight(a), weight(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return out
}

// lossDifferences says whose losses differ.
func (s *Set) lossDifferences() (out []string) {
	for _, c := range Surest(s.Second) {
		if c.Kind == Differs {
			out = append(out, c.Sentence())
		}
	}
	if len(out) == 0 && len(s.Second) > 0 && s.Second[0].Family.Tests > 0 {
		return []string{fmt.Sprintf("No change differs significantly from that of another model (%s, %s, %s by Holm)",
			rateOf(s.Second), seeds(subjects(s.Second)), table.Counted(s.Second[0].Family.Tests, "test"))}
	}
	return truncate(out, "pair")
}

// against says how each model compares with the reference, or with the only other one.
func (s *Set) against() (out []string) {
	out = sentences(s.Primary)
	pairs := byPair(s.Second)
	if len(out) == 0 && len(pairs) > 0 {
		out = append(out, summary(pairs[0]))
	}
	var families []string
	for _, claims := range pairs {
		families = append(families, family(claims))
	}
	return append(out, truncate(families, "model")...)
}

// byPair groups comparisons by their models.
func byPair(claims []Claim) (groups [][]Claim) {
	for _, c := range claims {
		i := slices.IndexFunc(groups, func(g []Claim) bool {
			return g[0].Subjects[0].Name == c.Subjects[0].Name && g[0].Subjects[1].Name == c.Subjects[1].Name
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

// among says which of several models is best: where the primary question is asked, and by
// environment.
func (s *Set) among() (out []string) {
	var best, undecided []string
	tests := 0
	var claims []Claim
	for _, c := range s.Best {
		if c.Family.Name == Primary {
			out = append(out, s.first(c)...)
			continue
		}
		tests = c.Family.Tests
		claims = append(claims, c)
		place := fmt.Sprintf("%s (%s)", c.Place.Title, table.Counted(c.Tasks, "task"))
		if c.Kind == Best {
			best = append(best, fmt.Sprintf("%s %s, above %s", place, c.Subjects[0].rated(), rates(c.Subjects[1:])))
		} else {
			undecided = append(undecided, place)
		}
	}
	if len(claims) == 0 {
		return out
	}
	parts := best
	if len(undecided) > 0 {
		parts = append(parts, "not decided on "+table.List(undecided))
	}
	parts = append(parts, s.uncompared()...)
	return append(out, fmt.Sprintf("Best by environment (%s, %s, %s by Holm): %s", rateOf(claims),
		seeds(subjects(claims)), table.Counted(tests, "test"), strings.Join(parts, "; ")))
}

// uncompared says where no models are compared, and why not.
func (s *Set) uncompared() (out []string) {
	places := map[string][]string{}
	var reasons []string
	for _, p := range s.Places {
		in := func(c Claim) bool { return c.Place == p }
		i := slices.IndexFunc(s.Comparisons(), in)
		if i < 0 || slices.ContainsFunc(s.Best, in) {
			continue
		}
		reason := s.Comparisons()[i].Reason
		if places[reason] == nil {
			reasons = append(reasons, reason)
		}
		places[reason] = append(places[reason], p.Title)
	}
	for _, reason := range reasons {
		out = append(out, fmt.Sprintf("%s on %s (%s)", NotCompared, table.List(places[reason]), reason))
	}
	return out
}

// first answers the primary question of several models: who is best, or what is open.
func (s *Set) first(c Claim) (out []string) {
	out = []string{c.Sentence()}
	if c.Kind == Best {
		return out
	}
	for _, other := range c.Subjects[1:] {
		pair, ok := s.Find(c.Place, c.Subjects[0].Name, other.Name)
		if ok && pair.Kind != Differs {
			out = append(out, pair.minusWithReach())
			break
		}
	}
	var found []string
	for _, of := range Surest(s.Primary) {
		if of.Kind == Differs {
			if of.Estimate < 0 {
				of = of.Reversed()
			}
			found = append(found, of.minus())
		}
	}
	return append(out, truncate(found, "pair")...)
}

func (c Claim) minusWithReach() string {
	if c.open() {
		return c.minus() + "; " + c.found()
	}
	return c.minus()
}

// alone says what models reached that are not compared: each rate in a sentence, or the rates
// of a single model in one.
func (s *Set) alone() (out []string) {
	rates := slices.DeleteFunc(slices.Clone(s.Rates), func(c Claim) bool { return math.IsNaN(c.Estimate) })
	if len(s.Models) != 1 || len(rates) < 2 || len(s.Retries) > 0 {
		for _, c := range rates {
			out = append(out, c.Sentence())
		}
		return truncate(out, "rate")
	}
	var parts []string
	for _, c := range rates {
		if c.Place == HeldOut {
			out = append(out, c.Sentence())
			continue
		}
		text := fmt.Sprintf("%s %s", c.place(), number(c.Estimate))
		if subject := c.Subjects[0]; c.Kind != Rated {
			text += fmt.Sprintf(" so far, %d of %d episodes", subject.Finished, subject.Planned)
		}
		parts = append(parts, text)
	}
	return append(out, fmt.Sprintf("%s of %s (%s): %s", rateOf(rates), s.Models[0].Name, seeds(subjects(rates)),
		strings.Join(parts, ", ")))
}

// spreads says how much the seeds of a single model differ, where the primary question is
// asked.
func (s *Set) spreads() []string {
	if len(s.Models) != 1 || s.Rate == Grounding {
		return nil
	}
	m := s.Models[0]
	if m.HeldOut != nil {
		spread := scoring.HeldOutSpread(s.Weights, m.Scores)
		rate := spread.Success
		if s.Rate == Progress {
			rate = spread.Progress
		}
		return s.spread(HeldOut, rate, spread.Seeds, math.NaN(), nil)
	}
	if len(s.Places) != 1 {
		return nil
	}
	score := m.Scores[s.Places[0].Name]
	if score == nil || !score.Complete() || score.EqualSeeds() {
		return nil
	}
	best := score.BestOf()
	last, decoded, progress := best[len(best)-1].Success.Mean, (*stats.Interval)(nil), (*stats.Interval)(nil)
	if decoded, progress = score.Decoded(); s.Rate == Progress {
		last, decoded = best[len(best)-1].Progress.Mean, progress
	}
	if score.About == stats.TheseTasks {
		decoded = nil
	}
	return s.spread(s.Places[0], s.Rate.Select(score), len(score.Seeds), last, decoded)
}

// spread says how the means of so many seeds spread, what the best of them reaches, and how far
// the rate is known for these tasks.
func (s *Set) spread(p Scope, rate scoring.Rate, n int, best float64, decoded *stats.Interval) []string {
	if n < 2 {
		return nil
	}
	c := Claim{Rate: s.Measure(p), Place: p, Tasks: s.tasks(s.Models[0], p), Subjects: []Subject{{Seeds: n}}}
	text := fmt.Sprintf("%s (%s): mean %s, standard deviation of the seeds %s (n-1)", c.topic(), c.basis(),
		number(rate.Mean), number(rate.SampleStd))
	if !math.IsNaN(best) {
		text += fmt.Sprintf("; best of %d seeds in each task %s", n, number(best))
	}
	if decoded != nil {
		text += fmt.Sprintf("; for these tasks decoded again, %s", limits(decoded))
	}
	return []string{text}
}
