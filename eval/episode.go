package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"heldout/envs"
	"heldout/envs/stream"
	"heldout/eval/agent"
	"heldout/eval/fleet"
	"heldout/eval/model"
	"heldout/eval/record"
)

// play runs one attempt at an episode to its end. Every fault becomes an outcome.
// play also returns its cause, because a run may have to stop for it.
func (e *Episode) play(ctx context.Context, w *watch, onStep func(agent.Usage)) (rec *record.Episode, cause error) {
	rec = e.blank()
	valid := 0
	defer func() {
		if p := recover(); p != nil { // a bug in one environment must not end the other episodes
			rec.Outcome, rec.Error = record.EnvError, fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
			rec.Success = false
		}
		rec.Steps = len(rec.Trajectory)
		if rec.Steps > 0 {
			rec.Grounding = float64(valid) / float64(rec.Steps)
		}
	}()
	fail := func(outcome record.Outcome, err error) (*record.Episode, error) {
		rec.Outcome, rec.Error, rec.Success = outcome, err.Error(), false
		return rec, err
	}
	world, err := e.newWorld()
	if err != nil {
		return fail(record.EnvError, err)
	}
	defer world.Close() // an error here no longer changes the result
	start, err := world.Start(ctx)
	if err != nil {
		return fail(failed(ctx, record.EnvError), err)
	}
	if start.Observation, err = e.open(ctx, world, start.Observation); err != nil {
		return fail(failed(ctx, record.EnvError), err)
	}
	rec.Goal, rec.Observation = start.Goal, start.Observation
	player, err := e.newAgent(world, start)
	if err != nil {
		return fail(record.EnvError, err)
	}
	score := newMetric(e.bench.Protocol)
	for e.goesOn(rec) {
		move, err := player.Act(ctx)
		spend(&rec.Result, move.Usage)
		onStep(move.Usage)
		if err != nil {
			return fail(modelOutcome(ctx, e.player.Model, err), err)
		}
		if move.GiveUp {
			rec.Cut = move.End
			break
		}
		e.spell(world, &move)
		step := envs.Step{Observation: move.Correction, Progress: rec.Progress}
		if move.Correction == "" && move.End == "" {
			if step, err = world.Step(ctx, move.Action); err != nil {
				return fail(failed(ctx, record.EnvError), err)
			}
		}
		step.Observation = cmp.Or(move.Answer, step.Observation)
		step.Valid = step.Valid && !move.FormatError
		step.Understood = step.Understood && !move.FormatError
		if step.Valid {
			valid++
		}
		rec.Progress, rec.Success = step.Progress, step.Success
		oldForm, newForm := "", step.Written.Form
		if step.Written.Old {
			oldForm, newForm = newForm, ""
		}
		rec.Trajectory = append(rec.Trajectory, record.Step{
			Thought: move.Thought, Action: move.Action, Observation: step.Observation,
			Progress: step.Progress, Valid: step.Valid, Understood: step.Understood, FormatError: move.FormatError,
			FinishReason: move.FinishReason, Fault: move.Fault, Reply: move.Reply, Reasoning: move.Reasoning,
			Parsed: move.Parsed, Repairs: move.Repairs, OldForm: oldForm, NewForm: newForm,
			PromptTokens: move.Usage.PromptTokens, CompletionTokens: move.Usage.CompletionTokens, ModelSeconds: move.Usage.Latency.Seconds(),
		})
		count(&rec.Result, move)
		score.add(world, step, rec)
		if e.player.Model != nil {
			if err := w.reply(e.player.Name, move); err != nil {
				return fail(record.ModelError, err)
			}
		}
		if step.Done {
			break
		}
		if rec.Cut = cmp.Or(move.End, e.stopped(rec.Trajectory)); rec.Cut != "" {
			break
		}
		player.Observe(step.Observation)
	}
	if e.player.Model != nil && rec.FormatErrors == len(rec.Trajectory) {
		if err := w.unproven(e.player.Name); err != nil {
			return fail(record.ModelError, err) // it would count as the model's failure
		}
	}
	if err := e.reflect(ctx, rec); err != nil {
		return fail(modelOutcome(ctx, e.player.Model, err), err)
	}
	score.settle(rec)
	rec.Outcome = record.Failure
	if rec.Success {
		rec.Outcome = record.Success
	}
	return rec, nil
}

// blank returns a record with everything that is known before the first step.
func (e *Episode) blank() *record.Episode {
	c := e.Condition
	return &record.Episode{
		Result: record.Result{
			Schema: record.Schema, ID: e.ID,
			Env: c.Env, Source: c.Source, Task: e.Task.ID, TaskIndex: e.Task.Index,
			TaskType: e.Task.Type, Difficulty: e.Task.Difficulty,
			Model: c.Model, Agent: c.Agent, Seed: c.Seed, Perturbation: c.Perturbation,
			Preset: c.Preset.Key(), Trial: e.Trial,
		},
		Memory:     e.memory(),
		Trajectory: []record.Step{},
	}
}

// newAgent makes the episode's player.
func (e *Episode) newAgent(w envs.World, start envs.Start) (agent.Agent, error) {
	c := e.Condition
	switch e.player.Agent {
	case Expert:
		return agent.NewExpert(w)
	case Random:
		return agent.NewRandom(w, stream.New(c.Seed, Random, c.Env, e.Task.ID))
	}
	in, err := e.bench.Prompt.For(e.Task.Type)
	if err != nil {
		return nil, err
	}
	e.model = conversation(e.player.Model)
	chat := e.chat("model")
	if t := e.player.Trials; t != nil {
		chat.Memory = agent.Memory{Intro: t.Prompt.Memory, Plans: e.memory()}
	}
	if e.bench.Protocol != nil && !e.spells() {
		return agent.NewProtocol(chat, e.bench.protocol(in), w, start)
	}
	switch e.player.Agent {
	case React:
		return agent.NewReact(chat, in, e.bench.Prompt.React, start), nil
	case Act:
		return agent.NewAct(chat, in, e.bench.Prompt.Help, start), nil
	}
	return nil, fmt.Errorf("unknown agent %q; there are %s and %s", e.player.Agent, React, Act)
}

// chat says how the episode's model is asked for that purpose.
func (e *Episode) chat(purpose string) agent.Chat {
	return agent.Chat{
		Model: e.model, Decoding: e.player.Decoding, ContextLimit: e.player.ContextLimit,
		FoldSystem: e.player.NoSystemRole, Completion: e.player.Completions,
		Seed: func(step int) int64 {
			if p := e.bench.Protocol; p != nil && p.Decoding.Seed > 0 {
				return p.Decoding.Seed
			}
			return e.seed(purpose, step)
		},
	}
}

// conversation returns a model for the calls of one episode.
func conversation(m model.Model) model.Model {
	if f, ok := m.(*fleet.Fleet); ok {
		return f.Conversation()
	}
	return m
}

// spells reports whether actions take the spelling of the benchmark's own agent:
// those of react and act. The other forms send what their parsers read.
func (e *Episode) spells() bool {
	return e.player.Agent == React || e.player.Agent == Act
}

// spell brings an action into the benchmark's spelling. The record keeps the action
// as it was read, because the history holds it.
func (e *Episode) spell(w envs.World, move *agent.Move) {
	speller, ok := envs.As[envs.Speller](w)
	if !ok || !e.spells() || move.FormatError {
		return
	}
	if spelled := speller.Spell(move.Action); spelled != move.Action {
		move.Parsed, move.Action = move.Action, spelled
	}
}

// count adds a reply to the counts of its fault and of the rules applied to it.
func count(r *record.Result, m agent.Move) {
	if m.FormatError {
		r.FormatErrors++
	}
	for _, rule := range m.Repairs {
		if r.Repairs == nil {
			r.Repairs = map[string]int{}
		}
		r.Repairs[rule]++
	}
	if m.Fault == "" {
		return
	}
	if r.Faults == nil {
		r.Faults = map[record.Fault]int{}
	}
	r.Faults[m.Fault]++
}

// spend adds to the usage of an attempt.
func spend(r *record.Result, u agent.Usage) {
	r.Calls += u.Calls
	r.Requests += u.Requests
	r.PromptTokens += u.PromptTokens
	r.CompletionTokens += u.CompletionTokens
	r.Trimmed += u.Trimmed
	r.Forgotten += u.Forgotten
	r.ModelSeconds += u.Latency.Seconds()
	note(r, u)
}

// note adds servers and refused fields to those of an attempt.
func note(r *record.Result, u agent.Usage) {
	if u.Server != "" && !slices.Contains(r.Servers, u.Server) {
		r.Servers = append(r.Servers, u.Server)
	}
	for _, field := range u.Dropped {
		if at, found := slices.BinarySearch(r.Dropped, field); !found {
			r.Dropped = slices.Insert(r.Dropped, at, field)
		}
	}
}

// failed returns the outcome of an error: cancelled if the run was stopped,
// otherwise the given outcome.
func failed(ctx context.Context, otherwise record.Outcome) record.Outcome {
	if ctx.Err() != nil {
		return record.Cancelled
	}
	return otherwise
}

// modelOutcome is the outcome of an agent's error. Agents without a model only
// ask the environment; others ask both.
func modelOutcome(ctx context.Context, m model.Model, err error) record.Outcome {
	var tooLong *model.ContextError
	var world *agent.WorldError
	switch {
	case m == nil, errors.As(err, &world):
		return failed(ctx, record.EnvError)
	case errors.As(err, &tooLong):
		return failed(ctx, record.ContextExceeded)
	}
	return failed(ctx, record.ModelError)
}
