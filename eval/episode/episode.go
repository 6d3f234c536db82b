// Package episode plays episodes: it owns the life of an episode from its first observation to its record.
package episode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/stream"
	"heldout/eval/agent"
	"heldout/eval/fleet"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Episode is a planned episode.
type Episode struct {
	ID string
	// Task and Condition are shared by all episodes that have them.
	Task      *envs.Task
	Condition *record.Condition
	// Trial is the number of the trial, from 1; 0 if the task has only one.
	Trial int
	// Benchmark and Player are what is played and who plays it.
	Benchmark *Benchmark
	Player    *Player
	// First is the id of the first trial; Reflections are those on the earlier trials, the oldest first.
	First       string
	Reflections []record.Remembered
	// Attempt is the number of the attempt, and Replies keep what models reply to it; nil keeps nothing.
	Attempt int
	Replies *record.Replies
	// Store is the hash of what the player remembered after the last episode of the condition; empty for none.
	Store string
	// model answers the calls of the attempt in progress.
	model model.Model
}

// Watch follows the replies of models while episodes are played. Its errors end the
// episode without a result. It is safe for concurrent use.
type Watch interface {
	// Reply counts a reply of a player. Valid: the environment understood the action.
	Reply(p *Player, m agent.Move, valid bool) error
}

// Trusting is a Watch that accepts everything.
type Trusting struct{}

// Reply implements Watch.
func (Trusting) Reply(*Player, agent.Move, bool) error { return nil }

// Play runs one attempt at an episode to its end; onStep is called with the usage of each step. Every fault becomes
// an outcome. Play also returns its cause, because a run may have to stop for it.
func (e *Episode) Play(ctx context.Context, w Watch, onStep func(agent.Usage)) (rec *record.Episode, cause error) {
	t := e.attempt(w, onStep)
	outcome := record.EnvError
	defer func() {
		if p := recover(); p != nil { // a bug in one environment must not end the other episodes
			outcome, cause = record.EnvError, nil
			t.log.End(outcome, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			rec = t.log.Episode
		}
	}()
	if outcome, cause = t.run(ctx); t.agent != nil {
		outcome, cause = t.tell(ctx, outcome, cause)
	}
	if k, ok := e.model.(*keeping); ok {
		_ = k.flush() // an error comes again: no reply can be written any more
	}
	t.log.End(outcome, cause)
	return t.log.Episode, cause
}

// Blank returns a record with everything that is known before the first step.
func (e *Episode) Blank() *record.Episode {
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

func (e *Episode) newAgent(w envs.World, start envs.Start) (agent.Agent, error) {
	c := e.Condition
	switch e.Player.Agent {
	case Expert:
		return agent.NewExpert(w)
	case Erring:
		return agent.NewErring(w, stream.New(c.Seed, Erring, c.Env, e.Task.ID))
	case Random:
		return agent.NewRandom(w, stream.New(c.Seed, Random, c.Env, e.Task.ID))
	case Memoriser, Reciter:
		return e.byHeart(start), nil
	}
	in, err := e.Benchmark.Prompt.For(e.Task.Type)
	if e.Player.Program != nil {
		return e.newProgramAgent(in, w, start), nil
	}
	if err != nil {
		return nil, err
	}
	e.model = e.conversation()
	chat := e.chat("model")
	if t := e.Player.Trials; t != nil {
		chat.Memory = agent.Memory{Intro: t.Prompt.Memory, Plans: e.memory()}
	}
	switch e.Player.Agent {
	case configs.React:
		chat.Correction = e.Benchmark.Prompt.Correction
		return agent.NewReact(chat, in, e.Benchmark.Prompt.React, start), nil
	case configs.Act:
		return e.newAct(chat, in, start)
	}
	return agent.NewProtocol(chat, e.Benchmark.protocol(in, e.Player.Name), w, start)
}

// newProgramAgent tells an agent of the user's what the agents of heldout are told; without instruction and examples
// if there is no prompt.
func (e *Episode) newProgramAgent(in configs.Instructions, w envs.World, start envs.Start) agent.Agent {
	c := e.Condition
	about := agent.ProgramEpisode{Env: c.Env, Task: e.Task.ID, Kind: e.Task.Type,
		Split: cmp.Or(c.Settings["split"], e.Task.Use, "test"), Seed: c.Seed, StepLimit: c.StepLimit, Goal: start.Goal}
	turn := agent.Turn{ID: e.ID, Store: e.Store, Ordered: c.Order != ""}
	return agent.NewProgramAgent(e.Player.Program, turn, about, in, w, start.Observation)
}

// byHeart makes a player that knows the episode without its perturbation.
func (e *Episode) byHeart(start envs.Start) agent.Agent {
	original := *e
	if b := e.Benchmark.Unperturbed; b != nil {
		original.Benchmark = b
	}
	return &agent.ByHeart{Open: original.begin, Limit: e.Condition.StepLimit, Reads: e.Player.Agent == Reciter,
		Start: start, Strange: !reflect.DeepEqual(e.taskPrompt(), original.taskPrompt())}
}

// taskPrompt is what the prompt says to players of the episode's task.
func (e *Episode) taskPrompt() configs.Prompt {
	prompt := e.Benchmark.Prompt
	in, err := prompt.For(e.Task.Type)
	if err != nil {
		return configs.Prompt{} // nobody reads it
	}
	prompt.Types, prompt.Openings = map[string]configs.Instructions{"": in}, nil // which start has
	return prompt
}

func (e *Episode) newAct(c agent.Chat, in configs.Instructions, start envs.Start) (a agent.Agent, err error) {
	p := &e.Benchmark.Preset
	c.EndsAtRefusal, c.KeepTokens = p.Stop.ContextOverflow == configs.End, p.Name != ""
	c.KeepReasoning = p.Reply.Reasoning == configs.Keep
	if len(p.Agent.Wraps) > 0 {
		c.Completion, c.Added = true, p.Agent.Added
		c.Wrap, err = p.Agent.Wrap(e.Player.Name)
	}
	return agent.NewAct(c, e.Benchmark.Prompt, in, start), err
}

// chat says how the episode's model is asked for that purpose.
func (e *Episode) chat(purpose string) agent.Chat {
	return agent.Chat{
		Model:        e.model,
		Request:      model.Request{Decoding: e.Player.Decoding, Completion: e.Player.Completions},
		ContextLimit: e.Player.ContextLimit, HistoryShare: e.Player.HistoryShare, FoldSystem: e.Player.NoSystemRole,
		StepSeed: func(step int) int64 {
			if seed := e.Benchmark.Preset.Decoding.Seed; seed > 0 {
				return seed
			}
			return e.seed(purpose, step)
		},
	}
}

func (e *Episode) conversation() (m model.Model) {
	m = e.Player.Model
	if f := e.Fleet(); f != nil {
		m = f.Conversation()
	}
	if e.Replies != nil {
		m = newKeeping(m, e.Replies, e.ID, e.Attempt)
	}
	return m
}

// Fleet is the fleet that the episode's player asks; nil if it asks none.
func (e *Episode) Fleet() *fleet.Fleet {
	f, _ := e.Player.Model.(*fleet.Fleet)
	return f
}

// spells reports whether actions take the spelling of the benchmark's own agent: models'
// actions do. The forms of one protocol, but for react and act, send what their parsers read.
func (e *Episode) spells() bool {
	generic := e.Benchmark.Preset.Protocol == "" && slices.Contains(configs.AgentForms(), e.Player.Agent)
	return generic || e.Player.Program != nil || slices.Contains(configs.Agents(), e.Player.Agent)
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

func spend(r *record.Result, u agent.Usage) {
	r.Calls += u.Calls
	r.Requests += u.Requests
	r.Late += u.Late
	if c := u.Counted; c != (record.Usage{}) {
		if r.Continued != nil {
			c = c.Plus(*r.Continued)
		}
		r.Continued = &c
	}
	r.PromptTokens += u.PromptTokens
	r.CompletionTokens += u.CompletionTokens
	r.TokenDetails = r.TokenDetails.Plus(u.TokenDetails)
	r.Trimmed += u.Trimmed
	r.Forgotten += u.Forgotten
	r.ModelSeconds += u.Latency.Seconds()
	note(r, u)
}

func note(r *record.Result, u agent.Usage) {
	if u.Server != "" && !slices.Contains(r.Servers, u.Server) {
		r.Servers = append(r.Servers, u.Server)
	}
	for _, a := range u.Answers {
		r.Answered.Add(a.Model, 1)
		if a.Unlisted {
			r.OtherModel++
		}
		r.CutPrompts += a.Cut
		const limit = 16 // some servers say something else each time
		if i, listed := slices.BinarySearch(r.Fingerprints, a.Fingerprint); !listed && a.Fingerprint != "" &&
			len(r.Fingerprints) < limit {
			r.Fingerprints = slices.Insert(r.Fingerprints, i, a.Fingerprint)
		}
	}
	for _, kind := range u.Leftovers {
		if r.Leftovers == nil {
			r.Leftovers = map[record.Leftover]int{}
		}
		r.Leftovers[kind]++
	}
	for _, field := range u.Dropped {
		if i, found := slices.BinarySearch(r.Dropped, field); !found {
			r.Dropped = slices.Insert(r.Dropped, i, field)
		}
	}
}

// failed returns the outcome of an error: cancelled if the run was stopped, otherwise the given outcome.
func failed(ctx context.Context, otherwise record.Outcome) record.Outcome {
	if ctx.Err() != nil {
		return record.Cancelled
	}
	return otherwise
}

// modelOutcome is the outcome of an agent's error. Agents without a model only
// ask the environment; others ask both.
func modelOutcome(ctx context.Context, m model.Model, err error) record.Outcome {
	switch {
	case errors.As(err, new(*agent.CrashError)):
		return failed(ctx, record.AgentError)
	case errors.As(err, new(*agent.GoneError)):
		return record.Cancelled
	case m == nil, errors.As(err, new(*agent.WorldError)):
		return failed(ctx, record.EnvError)
	case errors.As(err, new(*record.ReplyError)), errors.As(err, new(*model.MachineError)):
		return record.Cancelled
	case errors.As(err, new(*model.ContextError)):
		return failed(ctx, record.ContextExceeded)
	}
	return failed(ctx, record.ModelError)
}

// Owns reports a record that is not of an attempt at the episode.
func (e *Episode) Owns(rec *record.Episode) error {
	want, got := e.Blank().Result, rec.Result
	for _, f := range []struct {
		field     string
		got, want any
	}{
		{"id", got.ID, want.ID}, {"env", got.Env, want.Env}, {"source", got.Source, want.Source},
		{"task", got.Task, want.Task},
		{"task_index", got.TaskIndex, want.TaskIndex}, {"task_type", got.TaskType, want.TaskType},
		{"difficulty", got.Difficulty, want.Difficulty},
		{"model", got.Model, want.Model}, {"agent", got.Agent, want.Agent}, {"seed", got.Seed, want.Seed},
		{"perturbation", got.Perturbation, want.Perturbation}, {"preset", got.Preset, want.Preset},
		{"trial", got.Trial, want.Trial},
	} {
		if f.got != f.want {
			return fmt.Errorf("a worker sent the record of another episode: %s is %#v, want %#v", f.field, f.got,
				f.want)
		}
	}
	if got.Steps > e.Condition.StepLimit {
		return fmt.Errorf("a worker sent a record of %d steps; the step limit is %d", got.Steps, e.Condition.StepLimit)
	}
	return nil
}
