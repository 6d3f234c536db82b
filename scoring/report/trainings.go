package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

const lacksTrainings = "no two models have names that differ in the number at their end alone, as M-0 and M-1 do"

// trained is an arm on an environment.
type trained struct {
	row    // of the first training
	joint  scoring.Trainings
	name   string
	served int // trainings; a baseline has none
}

// trainedArms gathers the models whose names differ in the number at their end alone: they
// are trainings of one arm. Baselines are arms without a training. Another model, which
// was trained once, is left out: nothing says how another training of it would do.
func trainedArms(in []row) (arms []trained, notes []string) {
	type key struct{ place, perturbation, arm string }
	type separate struct {
		trained
		why error
	}
	var single []string
	var apart []separate
	for _, of := range groupedBy(in, func(r row) key {
		return key{r.place.Name, r.Condition.Perturbation, armOf(r.line)}
	}) {
		arm := trained{row: of[0], name: armOf(of[0].line), served: len(of)}
		if arm.Condition.Decoding == nil {
			arm.name, arm.served = of[0].line, 0
		} else if len(of) == 1 {
			if name := of[0].line; !slices.Contains(single, name) { // under each perturbation
				single = append(single, name)
			}
			continue
		}
		var scores []*scoring.Score
		for _, r := range of {
			scores = append(scores, r.Score)
		}
		var err error
		if arm.joint, err = scoring.JoinTrainings(scores); err != nil {
			apart = append(apart, separate{arm, err})
			continue
		}
		arms = append(arms, arm)
	}
	notes = grouped(apart, func(s separate) string { return s.named() }, func(s separate) string {
		return fmt.Sprintf("trainings cannot be joined, because %v", s.why)
	})
	if !slices.ContainsFunc(arms, func(a trained) bool { return a.served > 0 }) {
		return nil, notes
	}
	if len(single) > 0 {
		notes = append(notes, fmt.Sprintf("Trained once, so nothing says how another training would do: %s.",
			strings.Join(single, ", ")))
	}
	return arms, notes
}

// named says which arm it is, where it played and under which perturbation.
func (a trained) named() string {
	name := a.name + " on " + a.place.Title
	if p := a.Condition.Perturbation; p != noPerturbation {
		name += " under " + p
	}
	return name
}

// armOf is a name without the number at its end.
func armOf(name string) string {
	arm := strings.TrimRight(name, "0123456789")
	if arm == name {
		return name
	}
	return cmp.Or(strings.TrimRight(arm, "-_./: "), name)
}

// trainings has the rates of arms, each the mean of its trainings.
func trainings(report *Report, t *table.Table) {
	arms, notes := trainedArms(report.allRows)
	if len(arms) == 0 {
		t.Notes = notes
	}
	for _, a := range arms {
		t.Add(a.envCol(), column.Model.Val(a.name), column.Perturbation.Val(a.Condition.Perturbation),
			column.Trainings.Val(a.served), a.field(column.Success, a.joint.Success),
			column.SuccessDeviation.Val(a.joint.Success.SampleStd),
			a.field(column.Progress, a.joint.Progress),
			column.ProgressDeviation.Val(a.joint.Progress.SampleStd))
	}
	annotate(t, "Trainings: models whose names differ in the number at their end alone. 95% intervals are for new "+
		"trainings and new tasks; SR std and PR std: standard deviation of the trainings' rates, in percentage points, "+
		"with divisor n-1.", notes)
}

// field is a rate with its interval.
func (a trained) field(c table.Bounded, r scoring.Rate) table.Field {
	return rated(c, *a.joint.Estimate(r))
}

// armsOf are the rows of arms with several trainings each, with all other rows; nil if there
// are fewer than two arms, or if trainings of an arm do not go together. Names that differ in
// the number at their end are trainings only if they are numbered from 0 or 1: checkpoints of
// one training have other numbers.
func armsOf(plain []row) (rows []row) {
	type key struct{ place, arm string }
	arms := map[string]bool{}
	for _, of := range groupedBy(plain, func(r row) key { return key{r.place.Name, armOf(r.line)} }) {
		if of[0].Condition.Decoding == nil || len(of) < 2 || !numbered(of) {
			rows = append(rows, of...)
			continue
		}
		var scores []*scoring.Score
		for _, r := range of {
			scores = append(scores, r.Score)
		}
		joined, err := scoring.JoinTrainings(scores)
		if err != nil {
			return nil
		}
		arm := of[0]
		arm.Score, arm.arm, arm.line = joined.Score, &joined, armOf(arm.line)
		arm.name = arm.line
		rows, arms[arm.line] = append(rows, arm), true
	}
	if len(arms) < 2 {
		return nil
	}
	return rows
}

// numbered reports whether the names of rows end in the numbers from 0 or 1 on.
func numbered(rows []row) bool {
	var numbers []int
	for _, r := range rows {
		n, err := strconv.Atoi(strings.TrimLeft(strings.TrimPrefix(r.line, armOf(r.line)), "-_./: "))
		if err != nil {
			return false
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for i, n := range numbers {
		if n != numbers[0]+i {
			return false
		}
	}
	return numbers[0] <= 1
}

// trainingsPaired compares all pairs of arms on unperturbed tasks.
func trainingsPaired(report *Report, t *table.Table) {
	arms, notes := trainedArms(report.plain)
	var pairs pairing
	for i, b := range arms {
		for _, a := range arms[i+1:] {
			if a.place.Name != b.place.Name {
				continue
			}
			c, err := scoring.CompareTrainings(a.joint, b.joint)
			if err != nil {
				notes = append(notes, fmt.Sprintf("%s cannot be compared with %s on %s: %v.", a.name, b.name,
					a.place.Name, err))
				continue
			}
			// The notes about other kinds know nothing of trainings.
			c.Success.NewKindsP, c.Progress.NewKindsP = c.Success.P, c.Progress.P
			pairs.add(c, a.envCol(), column.Model.Val(a.name), column.Against.Val(b.name))
		}
	}
	pairs.fill(t, notes, "Δ: mean of the arm's trainings minus that of the other, in percentage points, on the same "+
		"tasks. 95% CI: Student's t interval for new trainings and new tasks of these kinds: the variance among "+
		"tasks and that among trainings add up.")
}
