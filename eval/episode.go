package eval

import (
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
	"heldout/scoring/record"
)

// play runs one attempt at an episode to its end. Every fault becomes an outcome.
// play also returns its cause, because a run may have to stop for it.
func (e *Episode) play(ctx context.Context, w *watch, onStep func(agent.Usage)) (rec *record.Episode, cause error) {
	t := turns{Episode: e, rec: e.blank(), watch: w, onStep: onStep, score: newMetric(e.bench.Protocol)}
	rec = t.rec
	defer func() {
		if p := recover(); p != nil { // a bug in one environment must not end the other episodes
			rec.Outcome, rec.Error = record.EnvError, fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
			rec.Success = false
		}
		rec.Steps = len(rec.Trajectory)
		if rec.Steps > 0 {
			rec.Grounding = float64(t.valid) / float64(rec.Steps)
		}
	}()
	if rec.Outcome, cause = t.run(ctx); cause != nil {
		rec.Error, rec.Success = cause.Error(), false
	}
	return rec, cause
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
	e.model = e.conversation()
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

// conversation returns a model for the calls of the episode.
func (e *Episode) conversation() model.Model {
	if f := e.fleet(); f != nil {
		return f.Conversation(e.Condition.StepLimit)
	}
	return e.player.Model
}

// fleet is the fleet that the episode's player asks; nil if it asks none.
func (e *Episode) fleet() *fleet.Fleet {
	f, _ := e.player.Model.(*fleet.Fleet)
	return f
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
