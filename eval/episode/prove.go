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
	// Found are the differences from the record.
	Found []Mismatch
	// Prompts counts the steps whose prompts, built again, are as they were sent, Mismatched
	// steps whose prompts are not, and Unknown steps of which the record does not say what
	// was sent, or that came after something was left out to fit the context.
	Prompts, Mismatched, Unknown int
	// Ended reports that the attempt had come to its end, so that it has a result.
	Ended bool
}

// Prove plays an attempt of a model again in its environment: the recorded replies are
// read as the model's were, and everything that follows from them is compared with the
// record. The error says why the attempt cannot be played from its replies.
func (r *Rebuilder) Prove(ctx context.Context, rec *record.Episode, env envs.Env, task envs.Task) (Proof, error) {
	t := r.tape(rec)
	e := r.episode(rec, nil)
	e.ID, e.Task, e.Player.Model = rec.ID, &task, t
	e.Benchmark.Env, e.Benchmark.Preset = env, r.preset
	if r.condition.Substitute == "" {
		e.Benchmark.PerturbationHash = r.condition.PerturbationHash
	}
	replayed, err := e.Play(ctx, Trusting{}, func(agent.Usage) { t.step, t.stepCalls = t.step+1, 0 })
	if ctx.Err() != nil {
		return Proof{}, ctx.Err()
	}
	p := Proof{Ended: replayed.Outcome.Final()}
	ended := t.step >= len(rec.Trajectory) && !rec.Outcome.Final() // as it did: in the middle
	if err = cmp.Or(t.err, err); err != nil && !ended {
		return p, err
	}
	c := &replay{task: task, source: rec.ID, same: comparer(env)}
	r.ageThoughts(rec, replayed)
	c.proveSteps(rec, replayed)
	c.proveResult(rec, replayed)
	p.Found = c.found
	p.provePrompts(rec, replayed)
	return p, nil
}

// ageThoughts makes thoughts that a preset accepts invalid in the second attempt where they are
// in the first, as in records from before they counted as valid.
func (r *Rebuilder) ageThoughts(rec, replayed *record.Episode) {
	if r.preset.Agent.Thoughts == "" {
		return
	}
	valid := 0
	for i := range replayed.Trajectory {
		b := &replayed.Trajectory[i]
		if i < len(rec.Trajectory) && !rec.Trajectory[i].Valid && strings.HasPrefix(b.Action, agent.ThoughtAction) {
			b.Valid = false
		}
		if b.Valid {
			valid++
		}
	}
	if len(replayed.Trajectory) > 0 {
		replayed.Grounding = float64(valid) / float64(replayed.Turns())
	}
}

func (r *replay) proveSteps(rec, replayed *record.Episode) {
	r.compare(0, "", "goal", rec.Goal, replayed.Goal)
	if !r.same("", rec.Observation, replayed.Observation) {
		r.compare(0, "", "observation", rec.Observation, replayed.Observation)
	}
	r.compare(0, "", "number of steps", len(rec.Trajectory), len(replayed.Trajectory))
	for i := range min(len(rec.Trajectory), len(replayed.Trajectory)) {
		a, b := &rec.Trajectory[i], &replayed.Trajectory[i]
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

func (r *replay) proveResult(rec, replayed *record.Episode) {
	n := len(rec.Trajectory) + 1
	r.compare(n, "", "final progress", rec.Progress, replayed.Progress)
	r.compare(n, "", "grounding", rec.Grounding, replayed.Grounding)
	r.compare(n, "", "changed messages", number(rec.Rewritten), number(replayed.Rewritten))
	if !rec.Outcome.Final() {
		return
	}
	r.compare(n, "", "outcome", rec.Outcome, replayed.Outcome)
	r.compare(n, "", "final score", number(rec.Score), number(replayed.Score))
	r.compare(n, "", "loose success", number(rec.Loose), number(replayed.Loose))
	r.compare(n, "", "rule that ended it", rec.Cut, replayed.Cut)
}

// number is a value, or a text that no value is equal to.
func number[T any](v *T) any {
	if v == nil {
		return "none"
	}
	return *v
}

func (p *Proof) provePrompts(rec, replayed *record.Episode) {
	for i := range min(len(rec.Trajectory), len(replayed.Trajectory)) {
		want, got := rec.Trajectory[i].Sent, replayed.Trajectory[i].Sent
		switch same := slices.Equal(want, got); {
		case len(got) == 0: // the model was not asked
		case len(want) > 0 && same:
			p.Prompts++
		case len(want) == 0 || rec.Trimmed > 0 || rec.Forgotten > 0:
			p.Unknown++
		default:
			p.Mismatched++
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
