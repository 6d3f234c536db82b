package claim

import (
	"cmp"
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
	title, _ := s.say(false)
	return title
}

// Verdict is what results say below the title, in sentences; tabled: the table above has the averages of sweeps.
func (s *Set) Verdict(tabled bool) []string {
	_, rest := s.say(tabled)
	return table.Each(rest, func(line string) string { return line + "." })
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
	lines = s.besidesOnce(lines)
	return lines[0], append(lines[1:], s.spreads()...)
}

// besidesOnce says what differs besides the models once: in the first line if that has it, else in one of its own.
func (s *Set) besidesOnce(lines []string) []string {
	also := s.ProtocolText()
	if also == "" {
		return lines
	}
	first := strings.Contains(lines[0], also)
	for _, c := range slices.Concat(s.Comparisons, s.Best) {
		for i := range lines {
			if (i > 0 || !first) && (strings.HasPrefix(c.Protocols, onlyModels) || agree(c.Protocols, also)) {
				lines[i] = strings.TrimSuffix(lines[i], c.also())
			}
		}
	}
	if first {
		return lines
	}
	return slices.Insert(lines, 1, strings.Replace(also, "not only", "Not only", 1))
}

// ProtocolText says what differs between the models that are compared besides the models; empty if nothing is known to.
func (s *Set) ProtocolText() string {
	places := table.Keys(s.Places, func(p Scope) string { return p.Name })
	return protocolChanges(places, table.Filter(s.Models, s.Competes))
}

// sweptLines are the answers to the questions that a sweep asks: how good models are without a perturbation, how good
// over all conditions, and what each loses. Of a single model the last one says all.
func (s *Set) sweptLines(tabled bool) []string {
	losses := s.Family(Losses)
	switch {
	case s.competing() > 1:
		return slices.Concat(s.answers(Unperturbed, false), s.answers(Averages, tabled),
			lost(losses, s.Family(Unperturbed)))
	case len(losses) > 1:
		return []string{lossByPlace(losses)}
	}
	return sentences(losses)
}

// answers say what the tests of a family show: of each pair that is compared with the reference or alone, or who of
// several models is best. Where the table has the rates, lines leave them out.
func (s *Set) answers(family FamilyName, tabled bool) (lines []string) {
	if s.Reference != "" || s.competing() == 2 {
		claims := s.Family(family)
		if pairs := byPair(claims); family == Second || len(pairs) < len(claims) {
			return truncate(table.Each(pairs, s.byPlace), slices.Concat(pairs[min(mostSentences, len(pairs)):]...))
		}
		claims = Surest(claims)
		for i, c := range claims {
			switch {
			case tabled && len(claims) > 1:
				lines = append(lines,
					fmt.Sprintf("Average of %s against %s: %s", c.model(), c.Subjects[1].Name, c.result()))
			case tabled:
				lines = append(lines, "Average: "+c.result())
			case i > 0 && c.basis() == claims[0].basis():
				lines = append(lines, c.values()+": "+c.result())
			case i > 0:
				lines = append(lines, fmt.Sprintf("%s (%s): %s", c.values(), c.basis(), c.result()))
			default:
				lines = append(lines, c.Sentence())
			}
		}
		return truncate(lines, claims[min(mostSentences, len(claims)):])
	}
	best := ofFamily(s.Best, family)
	switch {
	case len(best) == 1 && tabled:
		return []string{best[0].onAverage(s.leaders(mostOfGroup)(best[0]))}
	case len(best) == 1 && family == Primary && len(s.Family(Second)) == 0:
		return s.first(best[0])
	case len(best) == 1 && family != Second:
		return []string{best[0].Sentence()}
	case len(best) > 0:
		return []string{s.bestByPlace(family, best)}
	}
	return nil
}

// sentences say claims, the significant ones with the largest difference first.
func sentences(claims []Claim) []string {
	claims = Surest(claims)
	return truncate(table.Each(claims, Claim.Sentence), claims[min(mostSentences, len(claims)):])
}

// Surest orders claims: the significant ones first, by the size of their difference, and then the others by theirs.
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

// mostSentences is how many models, or pairs of them, have sentences of their own; a table has the others.
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
		if same := table.Filter(rest, func(c Claim) bool { return c.Kind == word }); len(same) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", len(same), word))
		}
	}
	if parts == nil {
		parts = []string{table.Counted(n, "rate")}
	}
	return append(sentences[:mostSentences:mostSentences], strings.Join(parts, ", ")+" more: --table verdict")
}

// byPair groups comparisons by their models.
func byPair(claims []Claim) [][]Claim {
	return table.Grouped(claims, func(c Claim) [2]string { return [2]string{c.Subjects[0].Name, c.Subjects[1].Name} })
}

// byPlace says in which places two models differ, and in which direction. Where no sentence has said it, on how many
// tasks and seeds that stands.
func (s *Set) byPlace(claims []Claim) string {
	first := claims[0]
	pair := first.Subjects[0].Name + " against " + first.Subjects[1].Name
	head := ""
	switch first.Family.Name {
	case Unperturbed:
		head = "Unperturbed "
	case Averages:
		head = "Average "
	}
	decided := table.Filter(claims, func(c Claim) bool { return c.Kind != NotCompared || c.Bounded })
	if len(decided) == 0 {
		decided = claims
	}
	head = fmt.Sprintf("%s%s of %s (%s, %s%s)", head, rateOf(claims), pair, table.Counted(tasksOf(decided), "task"),
		seeds(subjects(decided)), first.Family.corrected())
	if len(s.Family(Primary)) > 0 {
		if head = "By environment"; s.competing() > 2 {
			head = pair + ", by environment"
		}
		if n := first.Family.Tests; n > 1 {
			head += fmt.Sprintf(" (%s)", table.Counted(n, "test"))
		}
	}
	return head + ": " + outcomes(claims)
}

// lossByPlace says where a model loses how much.
func lossByPlace(losses []Claim) string {
	return fmt.Sprintf("%s of %s, perturbed against unperturbed (%s, %s%s): %s", rateOf(losses), losses[0].model(),
		table.Counted(tasksOf(losses), "task"), seeds(subjects(losses)), losses[0].Family.corrected(), outcomes(losses))
}

// tasksOf counts the tasks of all places but the held-out score, which has the tasks of others.
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
	groups := table.Grouped(claims, Claim.outcome)
	slices.SortStableFunc(groups, func(a, b []Claim) int {
		return cmp.Compare(a[0].outcome().rank, b[0].outcome().rank)
	})
	var parts []string
	for _, group := range groups {
		var places []string
		for _, c := range group {
			title := c.Place.Title
			if c.Family.Name == Losses && c.Kind != NotCompared { // no table has them
				title += fmt.Sprintf(" (%s)", points(c.Estimate))
			}
			places = append(places, title)
		}
		o := group[0].outcome()
		text := fmt.Sprintf("%s on %s %s", o.text, strings.Join(places, ", "), o.rest)
		parts = append(parts, strings.TrimSpace(text))
	}
	return strings.Join(parts, "; ")
}

// outcome is the text that a comparison shows, the rest that stands behind the place, and its rank among others.
type outcome struct {
	rank       int
	text, rest string
}

func (c Claim) outcome() outcome {
	switch {
	case c.Kind == NotCompared && c.Bounded:
		amount, whatever := c.wording()
		return outcome{2, amount, whatever}
	case c.Kind == NotCompared:
		return outcome{5, string(NotCompared), "(" + c.Reason + ")"}
	case c.Equal:
		return outcome{3, "equal " + c.equality(), ""}
	case c.Kind == NotSignificant:
		return outcome{4, string(c.Kind), ""}
	case c.Estimate > 0:
		return outcome{0, "significantly higher", ""}
	}
	return outcome{1, "significantly lower", ""}
}

// rateOf names the rates of claims, each once.
func rateOf(claims []Claim) string {
	return strings.Join(table.Keys(claims, func(c Claim) string { return c.Rate }), "/")
}

func subjects(claims []Claim) []Subject {
	return slices.Concat(table.Each(claims, func(c Claim) []Subject { return c.Subjects })...)
}

// bestByPlace says which of several models is best in each place.
func (s *Set) bestByPlace(family FamilyName, best []Claim) string {
	head := "Best"
	switch family {
	case Unperturbed:
		head = "Best unperturbed"
	case Averages:
		head = "Best average"
	}
	if len(s.Family(Primary)) > 0 {
		head += fmt.Sprintf(" by environment (%s)", table.Counted(best[0].Family.Tests, "test"))
	} else {
		claims := s.Family(family)
		head += fmt.Sprintf(" %s by environment (%s%s)", rateOf(claims), seeds(subjects(claims)),
			best[0].Family.corrected())
	}
	var parts, undecided []string
	leaders := s.leaders(mostOfGroup)
	if len(table.Grouped(best, leaders)) > mostGroups {
		leaders = s.leaders(1)
	}
	for _, claims := range table.Grouped(best, leaders) {
		places := strings.Join(placesOf(claims), ", ")
		if leaders := leaders(claims[0]); leaders != "" {
			parts = append(parts, places+": "+leaders)
		} else {
			undecided = []string{"not decided on " + places}
		}
	}
	return head + ": " + strings.Join(slices.Concat(parts, undecided, s.uncompared(family)), "; ")
}

// mostOfGroup is how many models of a group are named, and mostGroups with how many groups of environments they are.
const mostOfGroup, mostGroups = 3, 3

// leaders names the best model, or at most so many models of which one is the best, which are significantly above all
// others; it names none if any may be.
func (s *Set) leaders(limit int) func(Claim) string {
	return func(c Claim) string {
		switch {
		case c.Leading == len(c.Subjects):
			return ""
		case c.Leading > limit:
			return fmt.Sprintf("one of %d models", c.Leading)
		}
		first := slices.Clone(c.Subjects[:c.Leading])
		slices.SortFunc(first, func(a, b Subject) int { return s.player(a).Position - s.player(b).Position })
		return strings.Join(table.Keys(first, func(subject Subject) string { return subject.Name }), ", ")
	}
}

func placesOf(claims []Claim) []string {
	return table.Each(claims, func(c Claim) string { return c.Place.Title })
}

// uncompared says where no models are compared, and why not.
func (s *Set) uncompared(family FamilyName) (out []string) {
	var open []Claim // the first of each place
	for _, claims := range table.Grouped(s.Family(family), func(c Claim) Scope { return c.Place }) {
		in := func(c Claim) bool { return c.Place == claims[0].Place }
		if claims[0].Place != HeldOut && !slices.ContainsFunc(s.Best, in) {
			open = append(open, claims[0])
		}
	}
	for _, claims := range table.Grouped(open, func(c Claim) string { return c.Reason }) {
		places := table.List(placesOf(claims))
		out = append(out, fmt.Sprintf("%s on %s (%s)", NotCompared, places, claims[0].Reason))
	}
	return out
}

// first answers a question about several models: which one is best, or what is open.
func (s *Set) first(c Claim) []string {
	lines := []string{c.Sentence()}
	for _, subject := range c.Subjects[1:] {
		pair, ok := s.Find(c.Place, c.Subjects[0].Name, subject.Name)
		switch {
		case !ok || pair.Kind == Differs || c.Leading == 1:
			continue
		case s.player(pair.Subjects[0]).Position < s.player(pair.Subjects[1]).Position:
			pair = pair.Reversed()
		}
		return append(lines, fmt.Sprintf("%s minus %s: %s", pair.Subjects[0].Name, pair.Subjects[1].Name,
			pair.result()))
	}
	return lines
}

// player is the model of a subject.
func (s *Set) player(of Subject) Model {
	return s.Models[slices.IndexFunc(s.Models, func(m Model) bool { return m.Name == of.Name })]
}

// onAverage says which models may be best on average; none if any may.
func (c Claim) onAverage(leaders string) string {
	tests := ""
	if c.Family.Tests > 1 {
		tests = fmt.Sprintf(" (%s)", table.Counted(c.Family.Tests, "test"))
	}
	return fmt.Sprintf("Best average%s: %s", tests, cmp.Or(leaders, "not decided"))
}

// openLoss follows the models whose losses are not significant.
const openLoss = " not significant"

// lossWord says what a loss shows, behind its model.
func (c Claim) lossWord() string {
	switch {
	case c.Kind == NotCompared:
		return ": " + c.verdict()
	case c.Kind == Differs && c.Estimate > 0:
		return " gained significantly"
	case c.Kind == Differs:
		return " significant"
	case c.Equal:
		return openLoss + ", equal " + c.equality()
	}
	return openLoss
}

// lost says whose losses are significant, and where if that depends on the place. What is true of several is said
// once.
func lost(losses, unperturbed []Claim) []string {
	if len(losses) == 0 {
		return nil
	}
	var parts []string
	for _, claims := range table.Grouped(Surest(losses), Claim.lossWord) {
		models, word, power := losers(claims, losses), claims[0].lossWord(), ""
		if word == openLoss && (len(table.Grouped(losses, Claim.model)) == len(losses) ||
			!slices.ContainsFunc(claims, func(c Claim) bool { return !math.IsInf(c.Sensitivity, 1) })) {
			power = powers(claims) // where there are several places, the table of claims has them
		}
		if len(claims) == len(losses) && len(losses) > 1 {
			if word == " significant" {
				models = "all"
			} else if rest, ok := strings.CutPrefix(word, openLoss); ok {
				models, word = "none", " significant"+rest
			}
		}
		parts = append(parts, models+word+power)
	}
	if len(losses) > 1 && slices.ContainsFunc(unperturbed, func(c Claim) bool { return c.Kind == Differs }) {
		parts = append(parts, "lower rates can lose less")
	}
	return []string{"Losses: " + strings.Join(parts, "; ")}
}

// losers lists the models of some of all losses, with places if a model has losses of other kinds elsewhere.
func losers(losses, family []Claim) string {
	var parts []string
	places := func(c Claim) string { return lossPlaces(c.model(), losses, family) }
	for _, claims := range table.Grouped(losses, places) {
		models := table.Keys(claims, Claim.model)
		parts = append(parts, table.List(models)+lossPlaces(models[0], losses, family))
	}
	return strings.Join(parts, ", ")
}

// lossPlaces says in which places a model has some of the losses; empty if that is everywhere.
func lossPlaces(model string, losses, claims []Claim) string {
	its := func(c Claim) bool { return c.model() == model }
	own := table.Filter(losses, its)
	if len(own) == len(table.Filter(claims, its)) {
		return ""
	}
	return " on " + table.List(slices.Sorted(slices.Values(placesOf(own))))
}

// alone says what models reached that are not compared: each rate in a sentence, or the rates
// of a single model in one.
func (s *Set) alone() (out []string) {
	reached := table.Filter(s.Rates, func(c Claim) bool { return !math.IsNaN(c.Estimate) })
	if len(s.Models) != 1 || len(reached) < 2 || len(s.Retries) > 0 {
		head := func(c Claim) string { return fmt.Sprintf("%s (%s)", c.topic(), c.basis()) }
		for _, claims := range table.Grouped(reached, func(c Claim) string { return string(c.Kind) + head(c) }) {
			if claims[0].Kind == Rated && len(claims) > 1 {
				out = append(out, head(claims[0])+": "+rates(subjects(claims), ", "))
				continue
			}
			out = append(out, table.Each(claims, Claim.Sentence)...)
		}
		return truncate(out, nil)
	}
	var parts []string
	for _, c := range reached {
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
	return append(out, fmt.Sprintf("%s of %s (%s): %s", rateOf(reached), s.Models[0].Name, seeds(subjects(reached)),
		strings.Join(parts, ", ")))
}

// spreads says how much the seeds of a single model differ, where the primary question is asked.
func (s *Set) spreads() []string {
	if len(s.Models) != 1 || s.Rate == Grounding || s.Swept() {
		return nil
	}
	m := s.Models[0]
	if m.HeldOut != nil {
		spread := scoring.HeldOutSpread(s.Weights, m.Scores)
		return spreadOf(Pick(s.Rate, spread.Success, spread.Progress), spread.Seeds, math.NaN(), nil)
	}
	if len(s.Places) != 1 {
		return nil
	}
	score := m.Scores[s.Places[0].Name]
	if score == nil || !score.Complete() || score.EqualSeeds() {
		return nil
	}
	success, progress := score.Decoded()
	best, decoded := score.BestOf(score.Tries())[0], Pick(s.Rate, success, progress)
	if score.About == stats.TheseTasks {
		decoded = nil
	}
	return spreadOf(s.Rate.Select(score), len(score.Seeds), Pick(s.Rate, best.Success, best.Progress).Mean, decoded)
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
		text += fmt.Sprintf("; 95%% CI for these tasks decoded again %s to %s", number(decoded.Low),
			number(decoded.High))
	}
	return []string{text}
}
