package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

var reflection = configs.Reflection{
	Instruction: "Write a plan.\n",
	Examples:    []configs.ReflectionExample{{Trial: "Goal: g\nAction: a\n", Reflection: " Do b.\n"}},
	Memory:      "You tried before.",
}

var failed = &record.Episode{
	Goal: start.Goal, Observation: start.Observation,
	Trajectory: []record.Step{
		{Thought: "A box.", Action: "open box", Observation: "It is locked."},
		{FormatError: true, Observation: FormatHelp},
	},
	Memory: []record.Remembered{{Trial: 1, Text: "Find a key."}, {Trial: 2, Text: "Look\nup."}},
}

const reflectionPrompt = `Write a plan.

Here is an example:
Goal: g
Action: a
Status: the task was not completed.
New plan: Do b.

Now this is your failed trial.
Goal: The box is open.
Observation: You see a box.
Thought: A box.
Action: open box
Observation: It is locked.
Observation: ` + FormatHelp + `
Status: the task was not completed.

These were your plans before this trial, the oldest first.
Trial 1: Find a key.
Trial 2: Look
up.

New plan:`

func TestReflect(t *testing.T) {
	m := says("\r\nNew plan: Use the key.\r\nThen open it.\n")
	r, _, err := Reflect(t.Context(), chat(m), reflection, failed)
	if err != nil {
		t.Fatal(err)
	}
	sharedtest.Same(t, contents(m.requests[0].Messages), "user: "+reflectionPrompt, "prompt")
	want := record.Reflection{Text: "Use the key.\nThen open it.", PromptTokens: fakeTokens(m.requests[0].Messages),
		CompletionTokens: 40, Calls: 1, Requests: 1}
	sharedtest.Same(t, r, want, "reflection")
	sharedtest.Equal(t, m.requests[0].Seed, 1000, "seed")
}

// A trial that does not fit loses its oldest steps, then the examples, then the
// oldest plan; the instruction, the task and the last step stay.
func TestReflectWithinContext(t *testing.T) {
	for _, c := range []struct {
		limit, trimmed int
		has, lacks     string
	}{
		{1000, 0, "open box", "nothing"},
		{520, 1, "Here is an example", "open box"},
		{400, 3, "Trial 2", "Trial 1"},
	} {
		refusing := &fakeModel{answer: func(_ int, req model.Request) (model.Reply, error) {
			if fakeTokens(req.Messages) > c.limit {
				return model.Reply{}, &model.ContextError{Status: 400, Message: "too long", Attempts: 1}
			}
			return model.Reply{Text: "plan", Attempts: 1}, nil
		}}
		r, _, err := Reflect(t.Context(), chat(refusing), reflection, failed)
		if err != nil {
			t.Fatal(err)
		}
		prompt := contents(refusing.requests[len(refusing.requests)-1].Messages)
		if r.Trimmed != c.trimmed || !strings.Contains(prompt, c.has) || strings.Contains(prompt, c.lacks) ||
			!strings.Contains(prompt, "You see a box.") {
			t.Errorf("limit %d: trimmed %d, prompt of %d\n%s", c.limit, r.Trimmed, len(prompt), prompt)
		}
	}
	nothing := &fakeModel{answer: func(int, model.Request) (model.Reply, error) {
		return model.Reply{}, &model.ContextError{Status: 400, Message: "too long", Attempts: 1}
	}}
	var tooLong *model.ContextError
	if _, _, err := Reflect(t.Context(), chat(nothing), reflection, failed); !errors.As(err, &tooLong) {
		t.Errorf("error %v", err)
	}
}

// What is wrong with a reflection is noted; its text is limited and remains text.
func TestFlawedReflections(t *testing.T) {
	long := strings.Repeat("é", maxReflection)
	for _, c := range []struct {
		reply model.Reply
		text  string
		fault record.Fault
	}{
		{model.Reply{Text: "part", Fault: record.CutOff}, "part", record.CutOff},
		{model.Reply{Fault: record.Empty}, "", record.Empty},
		{model.Reply{Reasoning: "hm", Fault: record.OnlyReasoning}, "", record.OnlyReasoning},
		{model.Reply{Text: "x" + long}, "x" + long[:maxReflection-2], record.CutOff},
		{model.Reply{Text: "\xff\x00Action: dance"}, "\x00Action: dance", ""},
	} {
		m := &fakeModel{answer: func(int, model.Request) (model.Reply, error) { return c.reply, nil }}
		r, _, err := Reflect(t.Context(), chat(m), reflection, failed)
		if err != nil || r.Text != c.text || r.Fault != c.fault || !utf8.ValidString(r.Text) ||
			r.Reasoning != c.reply.Reasoning {
			t.Errorf("%.20q: error %v, %d bytes, fault %q, reasoning %q", c.reply.Text, err, len(r.Text), r.Fault,
				r.Reasoning)
		}
	}
}

// remembering are the agents with two plans, by name. Every form of an agent must be among them.
func remembering(c Chat) map[string]Agent {
	c.Memory = Memory{Intro: "You tried before.\n", Plans: failed.Memory}
	script := c
	script.Completion = true
	agents := map[string]Agent{
		"react":       NewReact(c, instructions, "format", start),
		"act":         NewAct(c, configs.Prompt{Help: "help"}, instructions, start),
		"completions": NewReact(script, instructions, "format", start),
	}
	for _, form := range []string{configs.Chat, configs.Single, configs.Completion, configs.Text} {
		p := Protocol{Instructions: configs.Instructions{Instruction: "Open the box."}, Template: &configs.Template{
			Next: "{goal} {observation}"}}
		p.Agent.Form, p.Reply.Parser, p.ActionsShown.Timing = form, "agentrefine", configs.Never
		p.Instructions.Examples = []configs.Example{{Text: "Observation: You see a jar.\nAction: open jar"}}
		p.Agent.Shots = configs.Shots{Format: "text", Count: 1}
		a, err := NewProtocol(c, p, nil, start)
		if err != nil {
			panic(err) // the protocol is complete
		}
		agents[form] = a
	}
	return agents
}

// Plans stand after the examples and before the task, once.
func TestPlansInPrompts(t *testing.T) {
	const plans = "You tried before.\nTrial 1: Find a key.\nTrial 2: Look\nup.\n"
	m := says("Thought: t\nAction: wait")
	for name, a := range remembering(chat(m)) {
		m.requests = nil
		move(t, a)
		a.Observe("nothing")
		move(t, a)
		for _, req := range m.requests {
			prompt := contents(req.Messages)
			at, example, task := strings.Index(prompt, plans), strings.Index(prompt, "open jar"),
				strings.LastIndex(prompt, "The box is open.")
			if at < example || at > task || strings.Count(prompt, "You tried before.") != 1 {
				t.Errorf("%s: plans at %d, example at %d, task at %d in\n%s", name, at, example, task, prompt)
			}
		}
	}
}

// If the rest of the prompt is too long without history and examples, plans go, the oldest first, and are counted.
func TestPlansGiveWay(t *testing.T) {
	m := &fakeModel{}
	m.answer = func(_ int, req model.Request) (model.Reply, error) {
		if strings.Contains(contents(req.Messages), "Trial 1:") {
			return model.Reply{}, &model.ContextError{Status: 400, Message: "too long", Attempts: 1}
		}
		return model.Reply{Text: "Thought: t\nAction: wait", Attempts: 1}, nil
	}
	for name, a := range remembering(chat(m)) {
		got, err := a.Act(context.Background())
		if err != nil || got.Usage.Forgotten != 1 || got.Usage.Trimmed < 1 || got.Usage.Trimmed > 3 {
			t.Errorf("%s: error %v, usage %+v", name, err, got.Usage)
		}
		if prompt := contents(m.requests[len(m.requests)-1].Messages); !strings.Contains(prompt, "Trial 2:") {
			t.Errorf("%s: the newest plan is gone:\n%s", name, prompt)
		}
	}
}

// A preset's own call has the failed trial as the agent was shown it, and the plans of that
// trial. The plan is kept as it came.
func TestReflectAsThePreset(t *testing.T) {
	play := againPlay()
	play.Observation = configs.Observation{Task: "{observation}", Banner: configs.Strip, Arrive: configs.Strip}
	play.Agent.Reflection = configs.ReflectionForm{Intro: "Plan. ", Middle: "\nFAIL", End: "\nNew:",
		Plans: configs.MemoryForm{Intro: "\nOld:", Item: " #{number} {plan};"}}
	failed := &record.Episode{
		Observation: "Hello.\n\n You see a box.\n\nOpen it.",
		Trajectory: []record.Step{
			{Action: "go", Reply: " go ", Observation: "You arrive at loc 3. A box."},
			{FormatError: true, Observation: "Nothing."},
		},
		Memory: []record.Remembered{{Trial: 2, Text: "\n a "}, {Trial: 3}},
	}
	m := says("\n New plan: open it. ")
	got, used, err := ReflectAs(t.Context(), chat(m), play, "", failed)
	if err != nil || got.Text != "\n New plan: open it. " || used.Calls != 1 {
		t.Fatalf("%+v, %+v, %v", got, used, err)
	}
	const want = "Plan. You see a box.\nOpen it.\n> go\nA box.\n> \nNothing.\nFAIL\nOld: #0 \n a ; #1 ;\nNew:"
	if text := m.requests[0].Messages[0].Content; text != want || !m.requests[0].Completion {
		t.Errorf("%q, want %q", text, want)
	}
	_, _, err = ReflectAs(t.Context(), chat(m), play, "\nA\n", failed) // which an observation repeats
	text := m.requests[1].Messages[0].Content
	sharedtest.OK(t, err)
	sharedtest.Same(t, text, "Plan. box.\n> \nNothing.\nFAIL\nOld: #0 \n a ; #1 ;\nNew:", "")
}
