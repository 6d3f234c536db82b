package episode

import (
	"bytes"
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/agent"
	"heldout/eval/episode/episodetest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// reread is a record as it comes back from its file.
func reread(t *testing.T, rec *record.Episode) *record.Episode {
	t.Helper()
	rec.Attempt = 1
	var line bytes.Buffer
	sharedtest.OK(t, record.Encode(&line, rec))
	return sharedtest.Must(record.Decode(line.Bytes()))(t)
}

// sentBy is what the calls say was sent.
func sentBy(calls []Call) (out [][]model.Message) {
	for _, c := range calls {
		out = append(out, c.Messages)
	}
	return out
}

// The messages that a rebuilder finds are those that were sent, in all presets and forms, odd replies included.
func TestRebuildsWhatPresetsSent(t *testing.T) {
	names := configs.PresetNames()
	own := sharedtest.Must(filepath.Glob("testdata/forms/*.yaml"))(t)
	calls, worlds := 0, 0
	for _, file := range sharedtest.Sample(t, append(names, own...), 14) {
		for _, p := range loadPlays(t, file) {
			c, w := rebuilds(t, &p)
			calls, worlds = calls+c, worlds+w
		}
	}
	if calls < sharedtest.Times(t, 300, 50) || worlds == 0 {
		t.Errorf("compared only %d calls, %d episodes with a list of actions", calls, worlds)
	}
}

// rebuilds compares what a rebuilder finds with what was sent, and counts the calls, and the
// episodes that needed their environment.
func rebuilds(t *testing.T, p *configs.Preset) (calls, worlds int) {
	t.Helper()
	typ := houseType(p)
	for name, replies := range scripts(p.Reply.Parser) {
		m := &recorder{replies: replies}
		rec := playScript(t, p, typ, m)
		hash, _ := standIn(p).Hash()
		c := record.Condition{Model: "vllm:m", Agent: p.Agent.Form, PromptHash: hash, StepLimit: len(replies),
			Preset:   &record.Preset{Name: p.Name, SHA256: "hash"},
			Decoding: &record.Decoding{MaxTokens: 1, Stop: p.Decoding.Stop}}
		r := sharedtest.Must(NewRebuilder(c, standIn(p), *p, ""))(t)
		var env envs.Env
		if r.NeedsWorld() {
			env = house{typ}
			worlds++
		}
		got, err := r.Calls(t.Context(), reread(t, rec), env, house{typ}.Tasks()[0])
		if rec.Trimmed > 0 {
			sharedtest.Fails(t, err, "shortened", p.Name, name)
			continue
		}
		if p.Agent.Think.Ask != "" && len(m.sent)%2 > 0 {
			m.sent = m.sent[:len(m.sent)-1] // a thought whose action was refused is no step
		}
		if rebuilt := sentBy(got); err != nil || !reflect.DeepEqual(m.sent, rebuilt) { // cmp is slow on equal calls
			t.Errorf("%s, %s: %v (-sent +rebuilt):\n%s", p.Name, name, err, cmp.Diff(m.sent, rebuilt))
		}
		calls += len(got)
	}
	return calls, worlds
}

// teller is a model that says one thing after the other, and keeps what it is sent.
type teller struct {
	replies []model.Reply
	sent    [][]model.Message
}

func (m *teller) Chat(_ context.Context, req model.Request) (model.Reply, error) {
	reply := m.replies[len(m.sent)%len(m.replies)]
	m.sent = append(m.sent, req.Messages)
	return reply, nil
}

// The same for react and act, with spelling, a folded system message and reflections.
func TestRebuildsWhatAgentsSent(t *testing.T) {
	replies := []model.Reply{
		{Text: "Thought: I count.\nAction: DOWN"}, {Text: "**Action:** down\nObservation: 1"},
		{Text: "I think about it.", FinishReason: "stop"},
		{Text: "", Substitute: `[{"function":"down"}]`, Fault: record.ToolCalls}, {Text: "  \n", Fault: record.Empty},
		{Text: "Action: Dance"},
		{Text: "Thought: cut of", Fault: record.CutOff, FinishReason: "length"}, {Text: "down"},
		{Text: "", Substitute: "I must not.", Fault: record.Refused},
		{Text: "", Reasoning: "x", Fault: record.OnlyReasoning}, {Text: "", Fault: record.NoContent},
	}
	prompt := configs.Prompt{React: "Answer so.", Help: "help", Types: map[string]configs.Instructions{
		"": {System: "You count.", Instruction: "Count down.", Examples: []configs.Example{{Text: "2 1 0"}}}}}
	corrected := prompt
	corrected.Correction = "Write an action."
	for _, p := range []configs.Prompt{prompt, corrected} {
		rebuildsAgents(t, p, replies)
	}
}

func rebuildsAgents(t *testing.T, prompt configs.Prompt, replies []model.Reply) {
	t.Helper()
	hash := sharedtest.Must(prompt.Hash())(t)
	for _, name := range []string{configs.React, configs.Act} {
		for _, fold := range []bool{false, true} {
			for _, trials := range []*Trials{nil, {Trials: record.Trials{Limit: 3, Memory: 2},
				Prompt: configs.Reflection{Instruction: "plan", Memory: "You know:"}}} {
				m := &teller{replies: replies}
				env := episodetest.Shouting{Countdown: episodetest.NewCountdown(30)}
				player := Player{Name: "vllm:m", Agent: name, Model: m, NoSystemRole: fold, Trials: trials,
					Decoding: record.Decoding{MaxTokens: 9}}
				b := Benchmark{Env: env, Tasks: env.Tasks()[29:], StepLimit: 60, Prompt: prompt, PromptHash: hash}
				e := planned(t, &b, &player)[0]
				if trials != nil {
					e.Trial, e.Reflections = 3, []record.Remembered{
						{Trial: 1, Text: "first"}, {Trial: 2, Text: "second"}}
				}
				rec := sharedtest.Must(e.Play(t.Context(), Trusting{}, func(agent.Usage) {}))(t)
				r := sharedtest.Must(NewRebuilder(*e.Condition, prompt, configs.Preset{}, "You know:"))(t)
				got, err := r.Calls(t.Context(), reread(t, rec), nil, envs.Task{})
				if err != nil || len(got) != 60 {
					t.Fatalf("%s: %d calls, %v", name, len(got), err)
				}
				sharedtest.Same(t, sentBy(got), m.sent, name, fold)
				for i, c := range got[:len(got)-1] {
					next := got[i+1].Messages
					if name == configs.React && prompt.Correction == "" && next[len(next)-2].Content != c.Echo {
						t.Errorf("call %d: said %q, the history has %q", i, c.Echo, next[len(next)-2].Content)
					}
				}
			}
		}
	}
}

// narrow is a teller that refuses long prompts.
type narrow struct {
	teller
	limit int // in bytes
}

func (m *narrow) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	size := 0
	for _, message := range req.Messages {
		size += len(message.Content)
	}
	if size > m.limit {
		return model.Reply{}, &model.ContextError{Status: 400, Message: "too long", Attempts: 1}
	}
	return m.teller.Chat(ctx, req)
}

// What was left out to fit a context is found by the digests of what was sent; without them it is an error.
func TestRebuildsShortenedPrompts(t *testing.T) {
	prompt := configs.Prompt{React: "Answer so.", Correction: "Write an action.",
		Types: map[string]configs.Instructions{"": {Instruction: "Count down.",
			Examples: []configs.Example{{Text: "2 1 0"}, {Text: "3 2 1 0"}}}}}
	hash := sharedtest.Must(prompt.Hash())(t)
	for _, name := range []string{configs.React, configs.Act} {
		for _, share := range []int{0, 50} {
			replies := []model.Reply{{Text: "Thought: I count.\nAction: down"}, {Text: "Well."}}
			m := &narrow{teller{replies: replies}, 260}
			env := episodetest.Shouting{Countdown: episodetest.NewCountdown(30)}
			b := Benchmark{Env: env, Tasks: env.Tasks()[29:], StepLimit: 20, Prompt: prompt, PromptHash: hash}
			player := Player{Name: "vllm:m", Agent: name, Model: m, HistoryShare: share,
				Decoding: record.Decoding{MaxTokens: 9}}
			e := planned(t, &b, &player)[0]
			rec, err := e.Play(t.Context(), Trusting{}, func(agent.Usage) {})
			if err != nil || rec.Trimmed < 5 {
				t.Fatalf("%s: shortened %d times, %v", name, rec.Trimmed, err)
			}
			r := sharedtest.Must(NewRebuilder(*e.Condition, prompt, configs.Preset{}, ""))(t)
			got, err := r.Sent(t.Context(), reread(t, rec), nil, envs.Task{})
			if diff := cmp.Diff(m.sent, sentBy(got)); err != nil || diff != "" {
				t.Errorf("%s, share %d: %v (-sent +rebuilt):\n%s", name, share, err, diff)
			}
			removed := 0
			for _, c := range got {
				removed += c.Removed
				if !c.Compared || c.Differs {
					t.Errorf("%s: %+v", name, c)
				}
			}
			sharedtest.Equal(t, removed, rec.Trimmed, name, "parts are removed")
			rec.Trajectory[len(rec.Trajectory)-1].Sent = nil
			sharedtest.Fails(t, sharedtest.Err(r.Sent(t.Context(), rec, nil, envs.Task{})),
				"does not say which")
		}
	}
}

// An attempt that was interrupted has the calls of its steps.
func TestRebuildsInterruptedAttempt(t *testing.T) {
	prompt := configs.Prompt{React: "Answer so.", Types: map[string]configs.Instructions{"": {Instruction: "Count."}}}
	hash, _ := prompt.Hash()
	c := record.Condition{Agent: configs.React, PromptHash: hash, StepLimit: 9}
	r := sharedtest.Must(NewRebuilder(c, prompt, configs.Preset{}, ""))(t)
	rec := record.Episode{Goal: "g", Observation: "o", Trajectory: []record.Step{{Thought: "t", Action: "a",
		Observation: "p", Valid: true}, {FormatError: true, Fault: record.NoAction, Reply: "Well.",
		Observation: agent.FormatHelp}}}
	rec.Outcome = record.Cancelled
	sharedtest.Equal(t, len(sharedtest.Must(r.Sent(t.Context(), &rec, nil, envs.Task{}))(t)), 2)
	rec.Outcome = record.Failure
	if _, err := r.Sent(t.Context(), &rec, nil, envs.Task{}); err == nil {
		t.Error("an episode that goes on has a result")
	}
}

// What is not what was sent is an error.
func TestRebuilderRefuses(t *testing.T) {
	prompt := configs.Prompt{React: "Answer so.", Help: "help", Types: map[string]configs.Instructions{
		"": {Instruction: "Count."}}}
	hash, _ := prompt.Hash()
	c := record.Condition{Agent: configs.React, PromptHash: hash, StepLimit: 3}
	other := record.Condition{PromptHash: "another"}
	sharedtest.Fails(t, sharedtest.Err(NewRebuilder(other, prompt, configs.Preset{}, "")), "differs from the run's")
	r := sharedtest.Must(NewRebuilder(c, prompt, configs.Preset{}, ""))(t)
	good := record.Episode{Goal: "g", Observation: "o", Trajectory: []record.Step{
		{Thought: "t", Action: "a", Observation: "p", Valid: true}, {Action: "b", Observation: "q"}}}
	if calls, err := r.Calls(t.Context(), &good, nil, envs.Task{}); err != nil || len(calls) != 2 ||
		calls[1].Reply != "Action: b" {
		t.Errorf("%+v, %v", calls, err)
	}
	for want, change := range map[string]func(*record.Episode){
		"shortened":            func(e *record.Episode) { e.Trimmed = 1 },
		"step 1: played again": func(e *record.Episode) { e.Trajectory[0].Reply = "Action: another" },
		"as recorded":          func(e *record.Episode) { e.Trajectory[0].Action = "two\nlines" },
		"something in its place": func(e *record.Episode) {
			e.Trajectory[1] = record.Step{FormatError: true, Fault: record.Refused, FinishReason: "content_filter",
				Reply: "no"}
		},
	} {
		e := good
		e.Trajectory = append([]record.Step(nil), good.Trajectory...)
		change(&e)
		sharedtest.Fails(t, sharedtest.Err(r.Calls(t.Context(), &e, nil, envs.Task{})), want)
	}
	c.StepLimit = 1
	r = sharedtest.Must(NewRebuilder(c, prompt, configs.Preset{}, ""))(t)
	sharedtest.Fails(t, sharedtest.Err(r.Calls(t.Context(), &good, nil, envs.Task{})), "ends after 1 of 2 steps")
}

// A record of a stranger gives its calls or an error. Every step has a call then, and
// the first messages are the prompt and the task.
func FuzzRebuild(f *testing.F) {
	prompt := configs.Prompt{React: "Answer so.", Help: "help", Types: map[string]configs.Instructions{
		"": {System: "You count.", Instruction: "Count."}}}
	hash := sharedtest.Must(prompt.Hash())(f)
	f.Add("Thought: a\nAction: b", "no", "text", false, true, 0)
	f.Add("", "\x00", "action: c\nAction: d", true, false, 1)
	f.Add("[]", "think: x", "", true, true, 2)
	f.Fuzz(func(t *testing.T, reply, action, thought string, formatError, valid bool, fault int) {
		step := record.Step{Reply: reply, Action: action, Thought: thought, FormatError: formatError, Valid: valid &&
			!formatError, Observation: action}
		if formatError {
			step.Fault = record.Faults()[max(0, fault)%len(record.Faults())]
		}
		rec := record.Episode{Goal: reply, Observation: action, Trajectory: []record.Step{
			step, {Action: "end", Valid: true}}}
		for _, name := range []string{configs.React, configs.Act} {
			c := record.Condition{Agent: name, PromptHash: hash, StepLimit: 2}
			r := sharedtest.Must(NewRebuilder(c, prompt, configs.Preset{}, ""))(t)
			calls, err := r.Calls(t.Context(), &rec, nil, envs.Task{})
			if err == nil && (len(calls) != 2 || calls[0].Step != 0 || calls[1].Step != 1 ||
				len(calls[0].Messages) != 2) {
				t.Errorf("%s: %+v", name, calls)
			}
		}
	})
}
