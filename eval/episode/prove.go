package episode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/eval/agent"
	"heldout/scoring/record"
)

// Proof is what playing an attempt again from its replies shows.
type Proof struct {
	// Calls are those of the model, in order, as Rebuilder.Calls returns them.
	Calls []Call
	// Found are the differences from the record.
	Found []Mismatch
	// Prompts counts the steps whose prompts, built again, are those that were sent,
	// Others those whose are not, and Unknown those of which the record does not say what
	// was sent, or that came after something was left out to fit the context.
	Prompts, Others, Unknown int
	// Over reports that the attempt had come to its end, so that it has a result.
	Over bool
}

// Prove plays an attempt of a model again in its environment: the recorded replies are
// read as those of the model were, and everything that follows from them is compared
// with the record. The error says why the attempt cannot be played from its replies.
func (r *Rebuilder) Prove(ctx context.Context, rec *record.Episode, env envs.Env, task envs.Task) (Proof, error) {
	t := r.tape(rec)
	e := r.episode(rec, nil)
	e.ID, e.Task, e.Player.Model = rec.ID, &task, t
	e.Benchmark.Env, e.Benchmark.Preset = env, r.preset
	if r.condition.Instead == "" {
		e.Benchmark.PerturbationHash = r.condition.PerturbationHash
	}
	again, err := e.Play(ctx, Trusting{}, func(agent.Usage) { t.step, t.asked = t.step+1, 0 })
	if ctx.Err() != nil {
		return Proof{}, ctx.Err()
	}
	p := Proof{Calls: t.calls, Over: again.Outcome.Final()}
	ended := t.step >= len(rec.Trajectory) && !rec.Outcome.Final() // as it did: in the middle
	if err = cmp.Or(t.err, err); err != nil && !ended {
		return p, err
	}
	c := &replay{task: task, source: rec.ID, same: comparer(env)}
	r.ageThoughts(rec, again)
	c.proveSteps(rec, again)
	c.proveResult(rec, again)
	p.Found = c.found
	p.provePrompts(rec, again)
	return p, nil
}

// ageThoughts makes thoughts that a preset accepts invalid in the second attempt where they are
// in the first, as in records from before they counted as valid.
func (r *Rebuilder) ageThoughts(rec, again *record.Episode) {
	if r.preset.Agent.Thoughts == "" {
		return
	}
	valid := 0
	for i := range again.Trajectory {
		b := &again.Trajectory[i]
		if i < len(rec.Trajectory) && !rec.Trajectory[i].Valid && strings.HasPrefix(b.Action, agent.ThoughtAction) {
			b.Valid = false
		}
		if b.Valid {
			valid++
		}
	}
	if len(again.Trajectory) > 0 {
		again.Grounding = float64(valid) / float64(again.Turns())
	}
}

func (r *replay) proveSteps(rec, again *record.Episode) {
	r.compare(0, "", "goal", rec.Goal, again.Goal)
	if !r.same("", rec.Observation, again.Observation) {
		r.compare(0, "", "observation", rec.Observation, again.Observation)
	}
	r.compare(0, "", "number of steps", len(rec.Trajectory), len(again.Trajectory))
	for i := range min(len(rec.Trajectory), len(again.Trajectory)) {
		a, b := &rec.Trajectory[i], &again.Trajectory[i]
		n := i + 1
		r.compare(n, a.Action, "thought", a.Thought, b.Thought)
		r.compare(n, a.Action, "action", a.Action, b.Action)
		r.compare(n, a.Action, "action as read", a.Parsed, b.Parsed)
		r.compare(n, a.Action, "format error", a.FormatError, b.FormatError)
		if !r.same(a.Action, a.Observation, b.Observation) {
			r.compare(n, a.Action, "observation", a.Observation, b.Observation)
		}
		r.compare(n, a.Action, "progress", a.Progress, b.Progress)
		r.compare(n, a.Action, "validity", a.Valid, b.Valid)
		r.compare(n, a.Action, "understood", a.Understood, b.Understood)
		r.compare(n, a.Action, "score", number(a.Score), number(b.Score))
		r.compare(n, a.Action, "old form", a.OldForm, b.OldForm)
		r.compare(n, a.Action, "new form", a.NewForm, b.NewForm)
		r.compare(n, a.Action, "repairs", fmt.Sprint(a.Repairs), fmt.Sprint(b.Repairs))
	}
}

func (r *replay) proveResult(rec, again *record.Episode) {
	n := len(rec.Trajectory) + 1
	r.compare(n, "", "final progress", rec.Progress, again.Progress)
	r.compare(n, "", "grounding", rec.Grounding, again.Grounding)
	r.compare(n, "", "changed messages", number(rec.Rewritten), number(again.Rewritten))
	if !rec.Outcome.Final() {
		return
	}
	r.compare(n, "", "outcome", rec.Outcome, again.Outcome)
	r.compare(n, "", "final score", number(rec.Score), number(again.Score))
	r.compare(n, "", "loose success", number(rec.Loose), number(again.Loose))
	r.compare(n, "", "rule that ended it", rec.Cut, again.Cut)
}

// number is a value, or a text that no value is equal to.
func number[T any](v *T) any {
	if v == nil {
		return "none"
	}
	return *v
}

func (p *Proof) provePrompts(rec, again *record.Episode) {
	for i := range min(len(rec.Trajectory), len(again.Trajectory)) {
		was, is := rec.Trajectory[i].Sent, again.Trajectory[i].Sent
		switch same := slices.Equal(was, is); {
		case len(is) == 0: // the model was not asked
		case len(was) > 0 && same:
			p.Prompts++
		case len(was) == 0 || rec.Trimmed > 0 || rec.Forgotten > 0:
			p.Unknown++
		default:
			p.Others++
		}
	}
}

// Remembered is the memory of the trial that follows an attempt, as the memory and the
// reflection of the attempt give it; empty if no trial follows.
func (r *Rebuilder) Remembered(rec *record.Episode) []record.Remembered {
	next := r.episode(rec, nil).NextTrial(rec.Brief())
	if next == nil {
		return nil
	}
	return next.memory()
}
