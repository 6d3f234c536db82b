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

// joinedTrainings are rows of one arm as one row, with its name; an error if they do not go together.
func joinedTrainings(rows []row) (row, error) {
	joined, err := scoring.JoinTrainings(scoresOf(rows))
	arm := rows[0]
	if arm.arm = &joined; len(rows) > 1 {
		arm.line = armOf(arm.line)
	}
	arm.name = arm.line
	return arm, err
}

// trainedArms gathers the models whose names differ in the number at their end alone: they
// are trainings of one arm. Baselines are arms without a training. Another model, which
// was trained once, is left out: nothing says how another training of it would do.
func trainedArms(in []row) (arms []row, notes []string) {
	type key struct{ place, perturbation, arm string }
	type separate struct {
		name  string
		cause error
	}
	var single []string
	var separated []separate
	for _, group := range table.Grouped(in, func(r row) key {
		return key{r.place.Name, r.Condition.Perturbation, armOf(r.line)}
	}) {
		served := group[0].Condition.Decoding != nil
		if len(group) == 1 && served {
			single = table.AppendNew(single, group[0].line) // under each perturbation
			continue
		}
		arm, err := joinedTrainings(group)
		if !served {
			arm.name = group[0].line
		}
		if err != nil {
			separated = append(separated, separate{armTitle(arm), err})
			continue
		}
		arms = append(arms, arm)
	}
	notes = grouped(separated, func(s separate) string { return s.name }, func(s separate) string {
		return fmt.Sprintf("trainings cannot be joined, because %v", s.cause)
	})
	if !slices.ContainsFunc(arms, func(a row) bool { return a.Condition.Decoding != nil }) {
		return nil, notes
	}
	if len(single) > 0 {
		notes = append(notes, fmt.Sprintf("Trained once, so nothing says how another training would do: %s.",
			strings.Join(single, ", ")))
	}
	return arms, notes
}

// armTitle says which arm it is, where it played and under which perturbation.
func armTitle(a row) string {
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
		trainings := 0 // a baseline has none
		if a.Condition.Decoding != nil {
			trainings = len(a.arm.Parts)
		}
		t.Add(a.envCol(), a.modelCol(), column.Perturbation.Val(a.Condition.Perturbation),
			column.Trainings.Val(trainings), rated(column.Success, *a.arm.Estimate(a.arm.Success)),
			column.SuccessDeviation.Val(a.arm.Success.SampleStd),
			rated(column.Progress, *a.arm.Estimate(a.arm.Progress)),
			column.ProgressDeviation.Val(a.arm.Progress.SampleStd))
	}
	annotate(t, legend(t), notes)
}

// armsOf are the rows of arms with several trainings each, with all other rows; nil if there are fewer than two
// arms, or if trainings of an arm do not go together. Names that differ in the number at their end are trainings
// only if they are numbered from 0 or 1: checkpoints of one training have other numbers.
func armsOf(plain []row) (rows []row) {
	type key struct{ place, arm string }
	arms := map[string]bool{}
	for _, group := range table.Grouped(plain, func(r row) key { return key{r.place.Name, armOf(r.line)} }) {
		if group[0].Condition.Decoding == nil || len(group) < 2 || !numbered(group) {
			rows = append(rows, group...)
			continue
		}
		arm, err := joinedTrainings(group)
		if err != nil {
			return nil
		}
		rows, arms[arm.line] = append(rows, arm.rescored(arm.arm.Score)), true
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
			c, err := scoring.CompareTrainings(*a.arm, *b.arm)
			// The notes about other kinds know nothing of trainings.
			c.Success.NewKindsP, c.Progress.NewKindsP = c.Success.P, c.Progress.P
			pairs.take(pilot{a, b, a.name, b.name}, c, err)
		}
	}
	pairs.fill(t, notes, legend(t))
}
