package episode

import (
	"context"
	"strconv"

	"heldout/configs"
	"heldout/envs/stream"
	"heldout/eval/agent"
	"heldout/scoring/record"
)

// Trials says how served models play a task again after a failure.
type Trials struct {
	record.Trials
	// Prompt asks for reflections; it is not used without memory. Own: the preset has a form
	// for them, which is used instead.
	Prompt configs.Reflection
	Own    bool
}

// NextTrial is the trial that is due after a result of this one; nil if none is.
func (e *Episode) NextTrial(a record.Attempt) *Episode {
	if a.Outcome != record.Failure || e.TrialsLeft() == 0 {
		return nil
	}
	next := *e
	next.Trial++
	next.ID = record.TrialID(e.First, next.Trial)
	own := e.Player != nil && e.Player.Trials != nil && e.Player.Trials.Own
	if a.Reflection != "" || own {
		next.Reflections = append(e.Reflections[:len(e.Reflections):len(e.Reflections)], record.Remembered{
			Trial: e.Trial, Text: a.Reflection})
	}
	return &next
}

// TrialsLeft is the number of trials that can follow this one.
func (e *Episode) TrialsLeft() int { return e.Condition.MostTrials() - max(1, e.Trial) }

// memory holds the reflections that the agent is shown, the oldest first.
func (e *Episode) memory() []record.Remembered {
	if e.Condition.Trials == nil {
		return nil
	}
	return e.Reflections[max(0, len(e.Reflections)-e.Condition.Trials.Memory):]
}

// seed is the server's seed for a call of the trial. A retry with the seeds of the trial before it would repeat it.
func (e *Episode) seed(purpose string, step int) int64 {
	names := []string{purpose, e.Condition.Env, e.Task.ID, strconv.Itoa(step)}
	if e.Trial > 1 {
		names = append(names, "trial", strconv.Itoa(e.Trial))
	}
	return stream.Seed(e.Condition.Seed, names...)
}

// reflect adds the model's reflection to the record of a trial that failed and that another one follows.
func (e *Episode) reflect(ctx context.Context, rec *record.Episode) error {
	t := e.Player.Trials
	if rec.Success || t == nil || t.Memory == 0 || e.TrialsLeft() == 0 {
		return nil
	}
	chat := e.chat("reflection")
	chat.Decoding = *t.Decoding
	var reflection record.Reflection
	var used agent.Usage
	var err error
	if t.Own {
		reflection, used, err = agent.ReflectAs(ctx, chat, e.Benchmark.Preset.Play, e.Benchmark.Prompt.Handover, rec)
	} else {
		reflection, used, err = agent.Reflect(ctx, chat, t.Prompt, rec)
	}
	if err != nil {
		return err
	}
	rec.Reflection = &reflection
	note(&rec.Result, used)
	return nil
}
