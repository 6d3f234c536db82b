package claim

import (
	"fmt"
	"math"
	"strings"

	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Sentence says a claim with its rate, its tasks and its seeds, without a period.
func (c Claim) Sentence() string {
	switch {
	case c.Kind == Best, c.Kind == Undecided:
		return c.best() + c.also()
	case c.Kind == Unreadable:
		return c.unreadable()
	case c.Kind == Unscored:
		return fmt.Sprintf("%s has no held-out score: %s", c.Subjects[0].Name, c.Reason)
	case c.Kind == Trained:
		return fmt.Sprintf("%s was trained on %s", c.Subjects[0].Name, table.List(Titles(c.Environments)))
	case !c.Compared():
		return c.rate()
	case len(c.Subjects) == 1:
		return c.loss()
	}
	return fmt.Sprintf("%s (%s): %s: %s%s", c.topic(), c.basis(), c.values(), c.result(), c.also())
}

// Titles are the titles of places.
func Titles(places []Scope) []string {
	return table.Each(places, func(p Scope) string { return p.Title })
}

// best says which model is best, or how far that is decided.
func (c Claim) best() string {
	basis := fmt.Sprintf("%s (%s%s)", c.topic(), c.basis(), c.Family.corrected())
	if c.Leading == len(c.Subjects) {
		return fmt.Sprintf("%s, the best is not decided: %s", basis, rates(c.Subjects, ", "))
	}
	return fmt.Sprintf("Best %s: %s, significantly above %s", strings.Replace(basis, "Unp", "unp", 1),
		rates(c.Subjects[:c.Leading], " or "),
		rates(c.Subjects[c.Leading:], ", "))
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

// values are what a comparison is about: the rates of both models, or what perturbations change of them.
func (c Claim) values() string {
	a, b := c.Subjects[0], c.Subjects[1]
	if c.Family.Name == LossDifferences {
		return fmt.Sprintf("%s %s, %s %s", a.Name, change(a), b.Name, change(b))
	}
	return a.rated() + ", " + b.rated()
}

func change(s Subject) string { return table.Points(s.Perturbed - s.Value).Text }

// result says what a comparison of two models shows.
func (c Claim) result() string {
	if c.Kind == NotCompared {
		return c.verdict()
	}
	return fmt.Sprintf("%s (%s), %s", points(c.Estimate), c.tested(), c.verdict())
}

// loss says what a model loses under perturbations.
func (c Claim) loss() string {
	subject := c.Subjects[0]
	text := fmt.Sprintf("%s (%s): %s ", c.topic(), c.basis(), subject.Name)
	if c.Kind == NotCompared {
		return fmt.Sprintf("%s%s without a perturbation, %s", text, number(subject.Value), c.verdict())
	}
	verb, interval := "loses", &stats.Interval{Low: 0 - c.Interval.High, High: 0 - c.Interval.Low}
	if c.Estimate > 0 && number(c.Estimate) != number(0) {
		verb, interval = "gains", c.Interval
	}
	return fmt.Sprintf("%s%s %s points of %s (%s), %s", text, verb, number(math.Abs(c.Estimate)), number(subject.Value),
		c.bounds(interval), c.verdict())
}

// unreadable says how many replies had no action, and what that cost at most.
func (c Claim) unreadable() string {
	text := fmt.Sprintf("%s, %s (%s): %d of %d replies (%.1f%%) had no readable action and cost a step",
		c.Subjects[0].Name, c.topic(), c.basis(), c.Part, c.Total, 100*c.Share())
	switch c.Touched {
	case 0:
		return text + "; no unsolved episode has one"
	case 1:
		return fmt.Sprintf("%s; 1 of the %d unsolved episodes has one: had it been solved, %s would be %s", text,
			c.Unsolved, c.Rate, number(c.Estimate))
	}
	return fmt.Sprintf("%s; %d of the %d unsolved episodes have one: had they all been solved, %s would be %s", text,
		c.Touched, c.Unsolved, c.Rate, number(c.Estimate))
}
