package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/scoring/table"
)

// Sentence says a claim with its rate, its tasks and its seeds, without a period.
func (c Claim) Sentence() string {
	switch {
	case c.Kind == Best:
		return fmt.Sprintf("Best %s (%s): %s, significantly above %s (%s by Holm)", c.topic(), c.basis(),
			c.Subjects[0].rated(), rates(c.Subjects[1:]), table.Counted(c.Family.Tests, "test"))
	case c.Kind == Undecided:
		return fmt.Sprintf("%s (%s), the best is not decided: %s", c.topic(), c.basis(), rates(c.Subjects))
	case c.Kind == Unreadable:
		return c.unreadable()
	case c.Kind == Unscored:
		return fmt.Sprintf("%s has no held-out score: %s", c.Subjects[0].Name, c.Reason)
	case c.Kind == Trained:
		return fmt.Sprintf("%s was trained on %s", c.Subjects[0].Name, table.List(titles(c.Environments)))
	case !c.Compared():
		return c.rate()
	case len(c.Perturbations) > 0 && len(c.Subjects) == 1:
		return c.loss()
	case len(c.Perturbations) > 0:
		return c.losses()
	}
	return c.pair()
}

func titles(places []Scope) (out []string) {
	for _, p := range places {
		out = append(out, p.Title)
	}
	return out
}

// rate says what one model reached.
func (c Claim) rate() string {
	s := c.Subjects[0]
	value := s.rated()
	if c.Interval != nil {
		value += fmt.Sprintf(" (%s)", limits(c.Interval))
	}
	switch c.Kind {
	case Preliminary:
		return fmt.Sprintf("Preliminary %s (%d of %d episodes, %s): %s", c.topic(), s.Finished, s.Planned, c.basis(),
			value)
	case Incomplete:
		return fmt.Sprintf("%s (%d of %d episodes, %s): %s", c.topic(), s.Finished, s.Planned, c.basis(), value)
	}
	return fmt.Sprintf("%s (%s): %s", c.topic(), c.basis(), value)
}

// pair says how two models compare.
func (c Claim) pair() string {
	text := fmt.Sprintf("%s (%s): %s, %s", c.topic(), c.basis(), c.Subjects[0].rated(), c.Subjects[1].rated())
	if c.Kind == NotCompared {
		return text + ", " + c.verdict()
	}
	return fmt.Sprintf("%s: %s (%s), %s", text, points(c.Estimate), c.tested(), c.verdict())
}

// reach says which true difference would have been found.
func (c Claim) reach() string {
	name := c.Subjects[0].Name
	if len(c.Subjects) > 1 {
		name += " minus " + c.Subjects[1].Name
	}
	text := fmt.Sprintf("%s (%s), %s: %s", c.topic(), c.basis(), name, c.found())
	if len(c.Perturbations) > 0 {
		return fmt.Sprintf("Under %s, %s", brief(c.Perturbations), text)
	}
	return text
}

// minus says the same of models whose rates were said.
func (c Claim) minus() string {
	text := fmt.Sprintf("%s minus %s, %s (%s): ", c.Subjects[0].Name, c.Subjects[1].Name, c.topic(), c.basis())
	if c.Kind == NotCompared {
		return text + c.verdict()
	}
	return fmt.Sprintf("%s%s (%s), %s", text, points(c.Estimate), c.tested(), c.verdict())
}

// brief names perturbations: P1 to P4 if they are numbered in order.
func brief(names []string) string {
	const limit = 4
	switch n := len(names); {
	case n > 2 && numbered(names):
		return names[0] + " to " + names[n-1]
	case n > limit:
		return table.Counted(n, "perturbation")
	}
	return table.List(names)
}

func numbered(names []string) bool {
	for i, name := range names {
		var first, n int
		if _, err := fmt.Sscanf(names[0], "P%d", &first); err != nil {
			return false
		}
		if _, err := fmt.Sscanf(name, "P%d", &n); err != nil || n != first+i || name != fmt.Sprintf("P%d", n) {
			return false
		}
	}
	return true
}

// loss says what a model loses under perturbations.
func (c Claim) loss() string {
	subject := c.Subjects[0]
	text := fmt.Sprintf("Under %s, %s (%s): %s ", brief(c.Perturbations), c.topic(), c.basis(), subject.Name)
	if c.Kind == NotCompared {
		return fmt.Sprintf("%sis %s; without a perturbation %s", text, c.verdict(), number(subject.Value))
	}
	verb := "loses"
	switch size := number(math.Abs(c.Estimate)); {
	case size == number(0):
		verb = "changes by"
	case c.Estimate > 0:
		verb = "gains"
	}
	return fmt.Sprintf("%s%s %s points, from %s to %s (change %s), %s", text, verb, number(math.Abs(c.Estimate)),
		number(subject.Value), number(subject.Perturbed), c.tested(), c.verdict())
}

// losses says how the changes of two models compare.
func (c Claim) losses() string {
	text := fmt.Sprintf("Change under %s of %s minus that of %s, %s (%s): ", brief(c.Perturbations), c.Subjects[0].Name,
		c.Subjects[1].Name, c.topic(), c.basis())
	if c.Kind == NotCompared {
		return text + c.verdict()
	}
	return fmt.Sprintf("%s%s (%s), %s", text, points(c.Estimate), c.tested(), c.verdict())
}

// unreadable says how many replies had no action, and what that cost at most.
func (c Claim) unreadable() string {
	subject := c.Subjects[0]
	text := fmt.Sprintf("%s, %s (%s): %d of %d replies (%.1f%%) had no readable action and cost a step", subject.Name,
		c.topic(), c.basis(), c.Part, c.Total, 100*c.Share())
	if len(c.Perturbations) > 0 {
		text = fmt.Sprintf("Under %s, %s", brief(c.Perturbations), text)
	}
	if c.Touched == 0 {
		return text + "; no unsolved episode has one"
	}
	if c.Touched == 1 {
		return fmt.Sprintf("%s; 1 of the %d unsolved episodes has one: had it been solved, %s would be %s", text,
			c.Unsolved, c.Rate, number(c.Estimate))
	}
	return fmt.Sprintf("%s; %d of the %d unsolved episodes have one: had they all been solved, %s would be %s", text,
		c.Touched, c.Unsolved, c.Rate, number(c.Estimate))
}

// mostSentences is how many models, or pairs of them, have sentences of their own; a table
// has the others.
const mostSentences = 3

// truncate keeps the first sentences and counts the others.
func truncate(sentences []string, noun string) []string {
	if n := len(sentences) - mostSentences; n > 0 {
		return append(sentences[:mostSentences:mostSentences], remainder(n, 0, noun))
	}
	return sentences
}

// remainder counts what has no sentence of its own, and what of it is not compared.
func remainder(n, uncompared int, noun string) string {
	text := table.Counted(n, "more "+noun)
	if uncompared > 0 {
		text += fmt.Sprintf(", %d not compared", uncompared)
	}
	return text + ": --table verdict"
}

// parts divides the comparisons of two models by what they show.
func parts(claims []Claim) (found, open, uncompared []Claim) {
	for _, c := range claims {
		switch c.Kind {
		case Differs:
			found = append(found, c)
		case NotSignificant:
			open = append(open, c)
		case NotCompared:
			uncompared = append(uncompared, c)
		}
	}
	return found, open, uncompared
}

// place is the place of a claim with its tasks.
func (c Claim) place() string {
	return fmt.Sprintf("%s (%s)", c.Place.Title, table.Counted(c.Tasks, "task"))
}

func places(claims []Claim) (names []string) {
	for _, c := range claims {
		names = append(names, c.place())
	}
	return names
}

// headOf begins what is said of the comparisons of two models in several places; tasks is
// empty, or how many tasks they have in all.
func headOf(claims []Claim, tasks string) string {
	first := claims[0]
	text := fmt.Sprintf("%s, %s minus %s (%s%s", rateOf(claims), first.Subjects[0].Name, first.Subjects[1].Name,
		tasks, seeds(subjects(claims)))
	if n := first.Family.Tests; n > 1 {
		text += fmt.Sprintf(", %d tests by Holm", n)
	}
	return text + "): "
}

// summary says in which places two models differ, and in which direction.
func summary(claims []Claim) string {
	byWord := map[string][]string{}
	var words []string
	tasks := 0
	for _, c := range claims {
		word := c.word()
		if byWord[word] == nil {
			words = append(words, word)
		}
		byWord[word] = append(byWord[word], c.Place.Title)
		tasks += c.Tasks
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	var parts []string
	for _, word := range words {
		verdict, reason, _ := strings.Cut(word, "; ")
		text := verdict + " on " + table.List(byWord[word])
		if reason != "" {
			text += " (" + reason + ")"
		}
		parts = append(parts, text)
	}
	return headOf(claims, table.Counted(tasks, "task")+", ") + strings.Join(parts, "; ")
}

// The words for what a comparison shows, in the order in which they are said.
var ordered = []string{"significantly higher", "significantly lower", "not significant"}

func rank(word string) int {
	if i := slices.Index(ordered, word); i >= 0 {
		return i
	}
	return len(ordered)
}

// word is what a comparison shows; behind a semicolon, why there is none.
func (c Claim) word() string {
	switch {
	case c.Kind == Differs && c.Estimate > 0:
		return ordered[0]
	case c.Kind == Differs:
		return ordered[1]
	case c.Kind == NotSignificant:
		return ordered[2]
	case c.Bounded:
		return fmt.Sprintf("%s; %s, significant either way", NotCompared, c.Reason)
	}
	return fmt.Sprintf("%s; %s", NotCompared, c.Reason)
}

// family says the same with what it stands on.
func family(claims []Claim) string {
	found, open, uncompared := parts(claims)
	var clauses, differ []string
	for _, c := range found {
		differ = append(differ, fmt.Sprintf("%s %s (%s, p %s)", c.place(), points(c.Estimate), limits(c.Interval),
			table.Probability(c.P).Text))
	}
	if len(found) > 0 {
		clauses = append(clauses, "significant on "+table.List(differ))
	}
	if len(open) > 0 {
		clauses = append(clauses, fmt.Sprintf("not significant on %s, %s", table.List(places(open)), largest(open)))
	}
	for _, c := range uncompared {
		clauses = append(clauses, c.place()+": "+c.verdict())
	}
	return headOf(claims, "") + strings.Join(clauses, "; ")
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

// largest says of comparisons without a significant difference which one is largest, and
// which true differences would have been found.
func largest(open []Claim) string {
	largest := slices.MaxFunc(open, func(a, b Claim) int {
		return cmp.Compare(math.Abs(a.Estimate), math.Abs(b.Estimate))
	})
	bySensitivity := func(a, b Claim) int { return cmp.Compare(a.Sensitivity, b.Sensitivity) }
	lowest, highest := slices.MinFunc(open, bySensitivity), slices.MaxFunc(open, bySensitivity)
	text := points(largest.Estimate)
	if len(open) > 1 {
		text = fmt.Sprintf("at most %s on %s", text, largest.Place.Title)
	}
	text += fmt.Sprintf(" (%s)", limits(largest.Interval))
	switch {
	case math.IsInf(lowest.Sensitivity, 1):
		return text + ", with too few tasks to find any true difference with a probability of 80%"
	case number(lowest.Sensitivity) == number(highest.Sensitivity):
		text += fmt.Sprintf("; a true difference of %s points", number(lowest.Sensitivity))
	case math.IsInf(highest.Sensitivity, 1):
		text += fmt.Sprintf("; a true difference of %s points on %s", number(lowest.Sensitivity), lowest.Place.Title)
	default:
		text += fmt.Sprintf("; true differences of %s (%s) to %s points (%s)", number(lowest.Sensitivity),
			lowest.Place.Title, number(highest.Sensitivity), highest.Place.Title)
	}
	return text + " would have been found with a probability of 80%"
}
