package record

import (
	"cmp"
	"slices"
	"time"
)

// Results are the attempts of an index at one moment. They stay as they are when the index is updated.
type Results struct {
	plan    *Plan
	entries []listed
}

// listed is an attempt in an index: where its line is, and what the plan does not say. It
// is small, because a run can have millions.
type listed struct {
	pos                 Position
	line                int32
	file                string
	offset              int64
	length              int32
	attempt             int
	ended               time.Time
	outcome             Outcome
	failure             string // why there is no result
	progress, grounding float64
	replyTokens         int32
	steps, formatErrors uint16
	note                uint8 // of OpenNoted
}

// newListed takes what is listed of a checked result.
func newListed(r *Result, pos Position, p Place) listed {
	return listed{pos: pos, line: int32(p.line), file: p.file, offset: p.offset, length: int32(p.length),
		attempt: r.Attempt, ended: r.Ended, outcome: r.Outcome.shared(), failure: r.Error, progress: r.Progress,
		grounding: r.Grounding, replyTokens: int32(r.CompletionTokens),
		steps: uint16(r.Steps), formatErrors: uint16(r.FormatErrors)}
}

// Len is the number of attempts.
func (r Results) Len() int { return len(r.entries) }

// Result returns what lists and rates say of an attempt, in the order of the lines: of what a
// line says, identity, outcome, progress, steps, errors, tokens of replies and the end.
func (r Results) Result(i int) Result {
	l := &r.entries[i]
	want := r.plan.planned(l.pos)
	out := Result{Schema: Schema, TaskIndex: want.task.Index, Seed: want.condition.Seed, Trial: want.trial,
		Attempt: l.attempt, Outcome: l.outcome, Error: l.failure, Success: l.outcome == Success, Progress: l.progress,
		Grounding: l.grounding, Steps: int(l.steps), FormatErrors: int(l.formatErrors),
		CompletionTokens: int(l.replyTokens), Ended: l.ended}
	want.share(&out)
	return out
}

// Position returns where an attempt stands in the plan.
func (r Results) Position(i int) Position { return r.entries[i].pos }

// StepLimit returns the step limit of an attempt.
func (r Results) StepLimit(i int) int { return r.plan.planned(r.entries[i].pos).condition.StepLimit }

// Note returns the note on the steps of an attempt; 0 without OpenNoted.
func (r Results) Note(i int) uint8 { return r.entries[i].note }

// Place returns where the line of an attempt is.
func (r Results) Place(i int) Place {
	l := &r.entries[i]
	return Place{file: l.file, line: int(l.line), offset: l.offset, length: int(l.length),
		id: r.plan.planned(l.pos).id, attempt: l.attempt}
}

// EachPlanned reads the attempts in the order of the plan, and those at one episode in theirs. Visit must keep neither
// an attempt nor its steps.
func (r Results) EachPlanned(visit func(*Episode) error) error {
	order := make([]int, len(r.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &r.entries[i], &r.entries[j]
		return cmp.Or(cmp.Compare(a.pos.Group, b.pos.Group), cmp.Compare(a.pos.Task, b.pos.Task),
			cmp.Compare(a.pos.Trial, b.pos.Trial), cmp.Compare(a.attempt, b.attempt), a.ended.Compare(b.ended))
	})
	var lines lineReader
	defer lines.close()
	var e Episode
	for _, i := range order {
		if err := lines.episode(r.Place(i), &e); err != nil {
			return err
		}
		if err := visit(&e); err != nil {
			return err
		}
	}
	return nil
}
