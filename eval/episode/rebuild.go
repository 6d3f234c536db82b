package episode

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/agent"
	"heldout/eval/model"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Call is a model call of a recorded episode.
type Call struct {
	// Step is the index in the trajectory of the step that the call is for.
	Step int
	// Request is what was sent, Messages are its messages.
	Request  model.Request
	Messages []model.Message
	// Reply is the text of the reply; Echo is what later messages hold of it, in forms that repeat replies.
	Reply, Echo string
	// Removed counts the parts that were removed before the call to fit the context.
	Removed int
	// Compared says that the record has the digest of the messages, and Differs that it is another one.
	Compared, Differs bool
}

// Sent returns what the model was sent in an attempt of a run, as bench.Prompts does.
type Sent func(context.Context, *record.Manifest, record.Condition, envs.Task, *record.Episode) ([]Call, error)

// Rebuilder finds out what a model was sent in the recorded episodes of a condition. Records do not hold the
// messages. They follow from the prompt, the replies and the observations: the episode is played again, by the same
// code, with recorded replies and observations.
type Rebuilder struct {
	condition record.Condition
	prompt    configs.Prompt
	preset    configs.Preset
	memory    string
}

// NewRebuilder returns a rebuilder for a condition. Prompt and preset are the condition's. Memory introduces
// reflections on earlier trials; it is empty if the preset has a form of its own for them.
func NewRebuilder(c record.Condition, prompt configs.Prompt, preset configs.Preset, memory string) (*Rebuilder, error) {
	if hash, err := prompt.Hash(); err != nil || hash != c.PromptHash {
		return nil, errors.Join(err, fmt.Errorf("the prompt differs from the run's: its hash is %.8s, want %.8s", hash,
			c.PromptHash))
	}
	return &Rebuilder{c, prompt, preset, memory}, nil
}

// NeedsWorld reports that messages depend on the admissible actions, or on what can be named, which records
// do not hold: the environment has to be played again.
func (r *Rebuilder) NeedsWorld() bool {
	return !slices.Contains(configs.Agents(), r.condition.Agent) &&
		(agent.NeedsActions(r.preset.Play) || r.prompt.Template.Hints())
}

// Calls returns the calls of an episode in order. Env and task are needed only if NeedsWorld says so. It is an
// error if the episode, played again, is not the recorded one: the record is then of another version of heldout, or
// the prompt was shortened to fit a context.
func (r *Rebuilder) Calls(ctx context.Context, rec *record.Episode, env envs.Env, task envs.Task) ([]Call, error) {
	if rec.Trimmed > 0 || rec.Forgotten > 0 {
		return nil, errors.New("messages were shortened to fit the context, and the record does not say which")
	}
	return r.Sent(ctx, rec, env, task)
}

// Sent is Calls for readers: it also takes attempts without a result, and those whose prompts
// were shortened, if the record has the digests of what was sent.
func (r *Rebuilder) Sent(ctx context.Context, rec *record.Episode, env envs.Env, task envs.Task) ([]Call, error) {
	t := r.tape(rec)
	world := &recordedWorld{tape: t}
	if r.NeedsWorld() {
		real, err := r.world(ctx, rec, env, task)
		if err != nil {
			return nil, err
		}
		defer real.Close()
		world.real, world.same, world.thoughts = real, comparer(env), r.preset.Agent.Thoughts != ""
	}
	e := r.episode(rec, world)
	e.Player.Model = t
	replayed, err := e.Play(ctx, Trusting{}, func(agent.Usage) { t.step, t.stepCalls = t.step+1, 0 })
	err = cmp.Or(t.err, err) // t.err, and not what became of it
	if err != nil && (!t.past || rec.Outcome.Final()) {
		return nil, err
	}
	return t.calls, sameSteps(rec.Trajectory, replayed.Trajectory)
}

// episode returns the episode of a record, to be played on a world.
func (r *Rebuilder) episode(rec *record.Episode, world *recordedWorld) *Episode {
	e := &Episode{
		Task: &envs.Task{ID: rec.Task, Index: rec.TaskIndex, Type: rec.TaskType}, Condition: &r.condition,
		Trial:     rec.Trial,
		Benchmark: &Benchmark{Env: recordedEnv{world}, Prompt: r.prompt, Preset: r.preset},
		Player: &Player{
			Name: rec.Model, Agent: r.condition.Agent, NoSystemRole: r.condition.NoSystemRole,
			Completions: r.condition.Completions,
		},
		Reflections: rec.Memory,
	}
	if r.condition.Decoding != nil {
		e.Player.Decoding = *r.condition.Decoding
	}
	if r.condition.Trials != nil {
		// without memory of its own: nothing is reflected on
		e.Player.Trials = &Trials{Prompt: configs.Reflection{Memory: r.memory}, Own: r.memory == ""}
	}
	e.Benchmark.Preset.Env.Limit.Restart = false // the recorded observations are those after it
	return e
}

// world starts the environment as the episode did.
func (r *Rebuilder) world(ctx context.Context, rec *record.Episode, env envs.Env, task envs.Task) (envs.World, error) {
	if env == nil {
		return nil,
			errors.New("the messages contain the admissible actions, and the environment is not there to list them")
	}
	e := &Episode{Task: &task, Benchmark: &Benchmark{Env: env, Preset: r.preset}}
	w, start, err := e.begin(ctx)
	if err != nil {
		return nil, err
	}
	if start.Goal != rec.Goal || start.Observation != rec.Observation {
		return nil, errors.Join(errors.New("the environment begins otherwise than in the record"), w.Close())
	}
	return w, nil
}

// sameSteps reports a step that is not the recorded one.
func sameSteps(recorded, replayed []record.Step) error {
	for i := range recorded {
		if i >= len(replayed) {
			return fmt.Errorf("played again, the episode ends after %d of %d steps", i, len(recorded))
		}
		a, b := &recorded[i], &replayed[i]
		if a.Thought != b.Thought || a.Action != b.Action || a.Parsed != b.Parsed || a.FormatError != b.FormatError ||
			a.Observation != b.Observation || !slices.Equal(a.Repairs, b.Repairs) {
			return fmt.Errorf(
				"step %d: played again, it is %.40q, not %.40q as recorded: another version of heldout read the reply",
				i+1, b.Action, a.Action)
		}
	}
	return nil
}

// tape is a model that gives recorded replies and keeps what it is sent.
type tape struct {
	rec   *record.Episode
	agent string
	// thinks: the first call of a step asks for the thought.
	thinks bool
	// step is the index of the step in progress; stepCalls counts the calls for it.
	step, stepCalls int
	// removed counts the parts that were removed since the last call.
	removed int
	calls   []Call
	// past: there was a call after the last step.
	past bool
	err  error
}

func (r *Rebuilder) tape(rec *record.Episode) *tape {
	return &tape{rec: rec, agent: r.condition.Agent, thinks: r.preset.Agent.Think.Ask != ""}
}

// Chat implements model.Model. A call after the last step is the one whose messages no longer fitted the context.
func (t *tape) Chat(_ context.Context, req model.Request) (model.Reply, error) {
	if t.step >= len(t.rec.Trajectory) && t.rec.Cut == record.ContextOverflow {
		return model.Reply{}, &model.ContextError{Status: 400, Message: "too long"}
	}
	if t.past = t.step >= len(t.rec.Trajectory); t.past {
		t.err = fmt.Errorf("played again, the episode goes on after its %s",
			table.Counted(len(t.rec.Trajectory), "step"))
		return model.Reply{}, t.err
	}
	s := &t.rec.Trajectory[t.step]
	compared := t.stepCalls < len(s.Sent)
	differs := compared && req.Sent != s.Sent[t.stepCalls]
	if t.rec.Trimmed > 0 && (differs || !compared) {
		return model.Reply{}, t.shorten(compared)
	}
	text, err := t.reply(s)
	if err != nil {
		t.err = fmt.Errorf("step %d: %w", t.step+1, err)
		return model.Reply{}, t.err
	}
	if slices.Contains(s.Repairs, agent.SecondCall) {
		first, second := agent.CutSecondCall(text)
		text = []string{first, second}[min(t.stepCalls, 1)]
	}
	if slices.Contains(s.Repairs, agent.AskedAgain) {
		replies := agent.CutAsked(text, s.Repairs)
		text = replies[min(t.stepCalls, len(replies)-1)]
	}
	if t.thinks && t.stepCalls == 0 {
		text = s.Thought
	}
	t.stepCalls++
	echo := text
	if t.agent == configs.React {
		echo = agent.HistoryEntry(text)
	}
	t.calls = append(t.calls, Call{Step: t.step, Request: req, Messages: req.Messages, Reply: text, Echo: echo,
		Removed: t.removed, Compared: compared, Differs: differs})
	t.removed = 0
	if t.agent == configs.ToolCall {
		reply := agent.CalledReply(text)
		reply.FinishReason, reply.Fault = s.FinishReason, s.Fault
		return reply, nil
	}
	return model.Reply{Text: text, FinishReason: s.FinishReason, Fault: s.Fault}, nil
}

// shorten refuses a prompt that is not the recorded one, so that the agent removes its oldest part as it did then.
func (t *tape) shorten(compared bool) error {
	if t.removed++; !compared {
		t.err = fmt.Errorf("step %d: messages were shortened to fit the context, and the record does not say which",
			t.step+1)
		return t.err
	}
	if t.removed > t.rec.Trimmed {
		t.err = fmt.Errorf("step %d: none of the shortened prompts is the one that was sent", t.step+1)
		return t.err
	}
	return &model.ContextError{Status: 400, Message: "not what was sent"}
}

// reply returns the text of a recorded reply, which is empty if the record holds what came in its place.
func (t *tape) reply(s *record.Step) (string, error) {
	switch {
	case t.agent == configs.ToolCall:
		return s.Reply, nil
	case s.Reply == "" && s.FormatError:
		return "", nil
	case s.Reply == "" && t.agent == configs.React:
		return agent.Canonical(s.Thought, read(*s)), nil
	case s.Reply == "" && t.agent == configs.Act:
		return read(*s), nil
	case !s.FormatError || s.Fault == record.NoAction || s.Fault == record.Empty:
		return s.Reply, nil
	case s.Fault == record.ToolCalls, s.Fault == record.OnlyReasoning, s.Fault == record.NoContent,
		s.Fault == record.Refused && !model.RefusedBy(s.FinishReason):
		return "", nil
	case s.Fault == record.Refused, json.Valid([]byte(s.Reply)):
		return "", errors.New("the record does not say if the model wrote a text, or if the server sent something in " +
			"its place")
	}
	return s.Reply, nil
}

type recordedEnv struct{ world *recordedWorld }

func (recordedEnv) Info() envs.Info                          { return envs.Info{} }
func (recordedEnv) Tasks() []envs.Task                       { return nil }
func (e recordedEnv) NewWorld(envs.Task) (envs.World, error) { return e.world, nil }

// recordedWorld answers with recorded observations. It lists the actions of the real
// world, which takes the same steps.
type recordedWorld struct {
	tape *tape
	real envs.World // nil if no message needs it
	same func(action, recorded, ours string) bool
	// thoughts: the answer to a thought is the preset's, not the real world's.
	thoughts bool
}

func (w *recordedWorld) thinks(action string) bool {
	return w.thoughts && strings.HasPrefix(action, agent.ThoughtAction)
}

// now is the step in progress. The model has been asked.
func (w *recordedWorld) now() (*record.Step, error) {
	if i := w.tape.step - 1; i >= 0 && i < len(w.tape.rec.Trajectory) {
		return &w.tape.rec.Trajectory[i], nil
	}
	return nil, errors.New("the record has fewer steps")
}

// Start implements envs.World.
func (w *recordedWorld) Start(context.Context) (envs.Start, error) {
	return envs.Start{Goal: w.tape.rec.Goal, Observation: w.tape.rec.Observation}, nil
}

// Step implements envs.World. The last step ends the episode.
func (w *recordedWorld) Step(ctx context.Context, action string) (envs.Step, error) {
	s, err := w.now()
	if err != nil {
		return envs.Step{}, err
	}
	if w.real != nil {
		got, err := w.real.Step(ctx, action)
		if err != nil {
			return envs.Step{}, err
		}
		if got.Progress != s.Progress || !w.thinks(action) && !w.same(action, s.Observation, got.Observation) {
			return envs.Step{}, fmt.Errorf("step %d: the environment answers %.40q, and the record has %.40q",
				w.tape.step, got.Observation, s.Observation)
		}
	}
	return envs.Step{
		Observation: s.Observation, Progress: s.Progress, Valid: s.Valid, Understood: s.Understood,
		Done: w.tape.step == len(w.tape.rec.Trajectory),
	}, nil
}

// Actions implements envs.Lister.
func (w *recordedWorld) Actions(ctx context.Context) ([]string, error) {
	lister, err := able[envs.Lister](w)
	if err != nil {
		return nil, err
	}
	return lister.Actions(ctx)
}

// Hints implements envs.Hinter.
func (w *recordedWorld) Hints(ctx context.Context) (forms, things []string, err error) {
	hinter, err := able[envs.Hinter](w)
	if err != nil {
		return nil, nil, err
	}
	return hinter.Hints(ctx)
}

// able is the real environment, asked for lists.
func able[A any](w *recordedWorld) (ability A, err error) {
	if w.real == nil {
		return ability, errors.New("the environment is not there to list its actions")
	}
	return envs.Need[A](w.real, "cannot list its actions")
}

// Spell implements envs.Speller: the spelling is the recorded one.
func (w *recordedWorld) Spell(action string) string {
	if s, err := w.now(); err == nil && s.Parsed == action {
		return s.Action
	}
	return action
}

// Close implements envs.World.
func (w *recordedWorld) Close() error { return nil }
