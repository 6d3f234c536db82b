package claim

import (
	"cmp"
	"fmt"
	"maps"
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
	title, _ := s.say(false)
	return title
}

// Verdict is what results say below the title, in sentences; tabled: the table above has the averages of sweeps.
func (s *Set) Verdict(tabled bool) []string {
	_, rest := s.say(tabled)
	var out []string
	for _, line := range rest {
		out = append(out, line+".")
	}
	return out
}

// say returns the title and what stands below it.
func (s *Set) say(tabled bool) (title string, rest []string) {
	var lines []string
	switch {
	case s.retried():
		lines = sentences(s.Comparisons)
	case s.Swept():
		lines = s.sweptLines(tabled)
	default:
		lines = slices.Concat(s.answers(Primary, false), s.answers(Second, false))
	}
	if len(lines) == 0 {
		lines = s.alone()
	}
	if len(lines) == 0 {
		return s.Rate.Title(), nil
	}
	if also := s.Besides(); also != "" && !strings.Contains(lines[0], also) {
		lines = slices.Insert(lines, 1, strings.Replace(also, "not only", "Not only", 1))
	}
	return lines[0], append(lines[1:], s.spreads()...)
}

// Besides says what differs between the models that are compared besides the models; empty if nothing is known to.
func (s *Set) Besides() string {
	models := slices.DeleteFunc(slices.Clone(s.Models), func(m Model) bool { return !s.Competes(m) })
	var places []string
	for _, p := range s.Places {
		places = append(places, p.Name)
	}
	return besides(places, models)
}

// sweptLines are the answers to the questions that a sweep asks: how good models are without a perturbation, how good
// over all conditions, and what each loses. Of a single model the last one says all.
func (s *Set) sweptLines(tabled bool) []string {
	losses := s.Of(Losses)
	if s.competing() == 1 {
		return sentences(losses)
	}
	return slices.Concat(s.answers(Unperturbed, false), s.answers(Averages, tabled), lost(losses, s.Of(Unperturbed)))
}

// answers say what the tests of a family show: of each pair that is compared with the reference or alone, or who of
// several models is best. Where the table has the rates, lines leave them out.
func (s *Set) answers(of FamilyName, tabled bool) (lines []string) {
	if s.Reference != "" || s.competing() == 2 {
		claims := s.Of(of)
		if pairs := byPair(claims); of == Second || len(pairs) < len(claims) {
			for _, claims := range pairs {
				lines = append(lines, s.byPlace(claims))
			}
			return truncate(lines, slices.Concat(pairs[min(mostSentences, len(pairs)):]...))
		}
		claims = Surest(claims)
		for _, c := range claims {
			if tabled {
				lines = append(lines, "Average: "+c.result())
			} else {
				lines = append(lines, c.Sentence())
			}
		}
		return truncate(lines, claims[min(mostSentences, len(claims)):])
	}
	best := ofFamily(s.Best, of)
	switch {
	case len(best) == 1 && of != Second:
		if tabled {
			return []string{best[0].onAverage()}
		}
		return s.first(best[0])
	case len(best) > 0:
		return []string{s.bestByPlace(of, best)}
	}
	return nil
}

// sentences say claims, the significant ones with the largest difference first.
func sentences(claims []Claim) (out []string) {
	claims = Surest(claims)
	for _, c := range claims {
		out = append(out, c.Sentence())
	}
	return truncate(out, claims[min(mostSentences, len(claims)):])
}

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
	slices.SortStableFunc(out, func(a, b Claim) int { return cmp.Compare(weight(b), weight(a)) })
	return out
}

// mostSentences is how many models, or pairs of them, have sentences of their own; a table
// has the others.
const mostSentences = 3

// truncate keeps the first sentences and says how many others there are, and what the comparisons show that
// they are about.
func truncate(sentences []string, rest []Claim) []string {
	n := len(sentences) - mostSentences
	if n <= 0 {
		return sentences
	}
	var parts []string
	for _, word := range []ClaimKind{Differs, NotSignificant, NotCompared} {
		if of := slices.DeleteFunc(slices.Clone(rest), func(c Claim) bool { return c.Kind != word }); len(of) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", len(of), word))
		}
	}
	if parts == nil {
		parts = []string{table.Counted(n, "rate")}
	}
	return append(sentences[:mostSentences:mostSentences], strings.Join(parts, ", ")+" more: --table verdict")
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

// byPlace says in which places two models differ, and in which direction. Where no sentence has said it, on how many
// tasks and seeds that stands.
func (s *Set) byPlace(claims []Claim) string {
	first := claims[0]
	pair := first.Subjects[0].Name + " minus " + first.Subjects[1].Name
	head := fmt.Sprintf("%s, %s", rateOf(claims), pair)
	switch first.Family.Name {
	case Unperturbed:
		head = "Unperturbed " + head
	case Averages:
		head = "Averages of " + head
	}
	head = fmt.Sprintf("%s (%s, %s%s)", head, table.Counted(tasksOf(claims), "task"), seeds(subjects(claims)),
		first.Family.corrected())
	if len(s.Of(Primary)) > 0 {
		if head = "By environment"; s.competing() > 2 {
			head = pair + ", by environment"
		}
		if n := first.Family.Tests; n > 1 {
			head += fmt.Sprintf(" (%s)", table.Counted(n, "test"))
		}
	}
	return head + ": " + outcomes(claims)
}

// tasksOf counts the tasks of all places but the held-out score, which has those of others.
func tasksOf(claims []Claim) (n int) {
	for _, c := range claims {
		if c.Place.Name != HeldOut.Name {
			n += c.Tasks
		}
	}
	return n
}

// outcomes say where which outcome was seen.
func outcomes(claims []Claim) string {
	byWord, ranks := map[string][]string{}, map[string]int{}
	var words, parts []string
	for _, c := range claims {
		word, rank := c.outcome()
		if byWord[word] == nil {
			words = append(words, word)
		}
		byWord[word], ranks[word] = append(byWord[word], c.Place.Title), rank
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(ranks[a], ranks[b]) })
	for _, word := range words {
		verdict, rest, _ := strings.Cut(word, "; ")
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s on %s %s", verdict, table.List(byWord[word]), rest)))
	}
	return strings.Join(parts, "; ")
}

// outcome is what a comparison shows, behind a semicolon what is to be said behind the place, and its rank among
// others.
func (c Claim) outcome() (text string, rank int) {
	switch {
	case c.Kind == NotCompared && c.Bounded:
		by, whatever := c.either()
		return by + "; " + whatever, 2
	case c.Kind == NotCompared:
		return fmt.Sprintf("%s; (%s)", NotCompared, c.Reason), 5
	case c.Equal:
		return "equal " + c.equality(), 3
	case c.Kind == NotSignificant:
		return string(c.Kind), 4
	case c.Estimate > 0:
		return "significantly higher", 0
	}
	return "significantly lower", 1
}

// rateOf names the rates of claims, each once.
func rateOf(claims []Claim) string {
	var names []string
	for _, c := range claims {
		if !slices.Contains(names, c.Rate) {
			names = append(names, c.Rate)
		}
	}
	return strings.Join(names, "/")
}

func subjects(claims []Claim) (out []Subject) {
	for _, c := range claims {
		out = append(out, c.Subjects...)
	}
	return out
}

// bestByPlace says which of several models is best in each place.
func (s *Set) bestByPlace(of FamilyName, best []Claim) string {
	head := "Best"
	switch of {
	case Unperturbed:
		head = "Best unperturbed"
	case Averages:
		head = "Best on average"
	}
	if len(s.Of(Primary)) > 0 {
		head += fmt.Sprintf(" by environment (%s)", table.Counted(best[0].Family.Tests, "test"))
	} else {
		claims := s.Of(of)
		head += fmt.Sprintf(" by environment (%s, %s%s)", rateOf(claims), seeds(subjects(claims)),
			best[0].Family.corrected())
	}
	var parts, undecided []string
	for _, c := range best {
		switch c.Leading {
		case len(c.Subjects):
			undecided = append(undecided, c.Place.Title)
		case 1:
			parts = append(parts, fmt.Sprintf("%s: %s", c.Place.Title, c.Subjects[0].Name))
		default:
			parts = append(parts, fmt.Sprintf("%s: %s above %s", c.Place.Title, names(c.Subjects[:c.Leading], " or "),
				names(c.Subjects[c.Leading:], " and ")))
		}
	}
	if len(undecided) > 0 {
		parts = append(parts, "not decided on "+table.List(undecided))
	}
	return head + ": " + strings.Join(append(parts, s.uncompared(of)...), "; ")
}

// uncompared says where no models are compared, and why not.
func (s *Set) uncompared(of FamilyName) (out []string) {
	places := map[string][]string{}
	var reasons []string
	for _, c := range s.Of(of) {
		in := func(other Claim) bool { return other.Place == c.Place }
		if c.Place == HeldOut || slices.ContainsFunc(s.Best, in) ||
			slices.Contains(slices.Concat(slices.Collect(maps.Values(places))...), c.Place.Title) {
			continue
		}
		if places[c.Reason] == nil {
			reasons = append(reasons, c.Reason)
		}
		places[c.Reason] = append(places[c.Reason], c.Place.Title)
	}
	for _, reason := range reasons {
		out = append(out, fmt.Sprintf("%s on %s (%s)", NotCompared, table.List(places[reason]), reason))
	}
	return out
}

// first answers a question about several models: who is best, or what is open.
func (s *Set) first(c Claim) []string {
	lines := []string{c.Sentence()}
	for _, other := range c.Subjects[1:] {
		pair, ok := s.Find(c.Place, c.Subjects[0].Name, other.Name)
		switch {
		case !ok || pair.Kind == Differs || c.Leading == 1:
			continue
		case pair.Bounded:
			return append(lines, pair.verdict())
		case s.position(pair.Subjects[0]) < s.position(pair.Subjects[1]):
			pair = pair.Reversed()
		}
		return append(lines, fmt.Sprintf("%s minus %s: %s", pair.Subjects[0].Name, pair.Subjects[1].Name,
			pair.result()))
	}
	return lines
}

// position is the place of a model in the order of the runs.
func (s *Set) position(of Subject) int {
	return s.Models[slices.IndexFunc(s.Models, func(m Model) bool { return m.Name == of.Name })].Position
}

// onAverage says who is best on average.
func (c Claim) onAverage() string {
	tests := ""
	if c.Family.Tests > 1 {
		tests = fmt.Sprintf(" (%s)", table.Counted(c.Family.Tests, "test"))
	}
	if c.Leading == len(c.Subjects) {
		return fmt.Sprintf("Average%s: the best is not decided", tests)
	}
	return fmt.Sprintf("Average%s: %s, significantly above %s", tests, names(c.Subjects[:c.Leading], " or "),
		names(c.Subjects[c.Leading:], " and "))
}

// lost says whose losses are significant.
func lost(losses, unperturbed []Claim) []string {
	if len(losses) == 0 {
		return nil
	}
	var found, gains, open, uncompared []string
	for _, c := range Surest(losses) {
		switch name := c.Subjects[0].Name; {
		case c.Kind == Differs && c.Estimate > 0:
			gains = append(gains, name)
		case c.Kind == Differs:
			found = append(found, name)
		case c.Kind == NotCompared:
			uncompared = append(uncompared, fmt.Sprintf("%s: %s", name, c.verdict()))
		default:
			open = append(open, name+strings.TrimPrefix(c.verdict(), "not significant"))
		}
	}
	var parts []string
	switch {
	case len(found) == len(losses) && len(found) > 1:
		parts = []string{"all significant"}
	case len(found) > 0:
		parts = append(parts, "significant for "+table.List(found))
	}
	for _, of := range []struct {
		text  string
		names []string
	}{{"significant gains for ", gains}, {"not significant for ", open}} {
		if len(of.names) > 0 {
			parts = append(parts, of.text+table.List(of.names))
		}
	}
	parts = append(parts, uncompared...)
	if slices.ContainsFunc(unperturbed, func(c Claim) bool { return c.Kind == Differs }) {
		parts = append(parts, "a lower rate has less to lose")
	}
	return []string{"Losses: " + strings.Join(parts, "; ")}
}

// alone says what models reached that are not compared: each rate in a sentence, or the rates
// of a single model in one.
func (s *Set) alone() (out []string) {
	rates := slices.DeleteFunc(slices.Clone(s.Rates), func(c Claim) bool { return math.IsNaN(c.Estimate) })
	if len(s.Models) != 1 || len(rates) < 2 || len(s.Retries) > 0 {
		for _, c := range rates {
			out = append(out, c.Sentence())
		}
		return truncate(out, nil)
	}
	var parts []string
	for _, c := range rates {
		if c.Place == HeldOut {
			out = append(out, c.Sentence())
			continue
		}
		text := fmt.Sprintf("%s (%s) %s", c.Place.Title, table.Counted(c.Tasks, "task"), number(c.Estimate))
		if subject := c.Subjects[0]; c.Kind != Rated {
			text += fmt.Sprintf(" so far, %d of %d episodes", subject.Finished, subject.Planned)
		}
		parts = append(parts, text)
	}
	if len(out) > 0 { // the table has them
		return out
	}
	return append(out, fmt.Sprintf("%s of %s (%s): %s", rateOf(rates), s.Models[0].Name, seeds(subjects(rates)),
		strings.Join(parts, ", ")))
}

// spreads says how much the seeds of a single model differ, where the primary question is
// asked.
func (s *Set) spreads() []string {
	if len(s.Models) != 1 || s.Rate == Grounding || s.Swept() {
		return nil
	}
	m := s.Models[0]
	if m.HeldOut != nil {
		spread := scoring.HeldOutSpread(s.Weights, m.Scores)
		rate := spread.Success
		if s.Rate == Progress {
			rate = spread.Progress
		}
		return spreadOf(rate, spread.Seeds, math.NaN(), nil)
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
	return spreadOf(s.Rate.Select(score), len(score.Seeds), last, decoded)
}

// spreadOf says how the means of so many seeds spread, what the best of them reaches, and how far
// the rate is known for these tasks.
func spreadOf(rate scoring.Rate, n int, best float64, decoded *stats.Interval) []string {
	if n < 2 {
		return nil
	}
	text := fmt.Sprintf("Standard deviation over %d seeds %s", n, number(rate.SampleStd))
	if !math.IsNaN(best) {
		text += fmt.Sprintf("; best of %d in each task %s", n, number(best))
	}
	if decoded != nil {
		text += fmt.Sprintf("; for these tasks decoded again, %s", limits(decoded))
	}
	return []string{text}
}
