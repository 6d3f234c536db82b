package episode

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/agent"
	"heldout/eval/model"
	"heldout/scoring/record"
)

var update = flag.Bool("update", false, "write the transcripts anew")

// house is an environment that answers as ALFWorld does, with banner and arrivals.
type house struct{ typ string }

const houseGoal = "put a mug in the desk."

func (h house) Info() envs.Info {
	return envs.Info{Name: "house", Source: envs.Generated, StepLimit: 9}
}
func (h house) Tasks() []envs.Task {
	return []envs.Task{{ID: "house/1", Type: h.typ, Digest: "digest"}}
}
func (h house) NewWorld(envs.Task) (envs.World, error) { return &houseWorld{}, nil }

type houseWorld struct{ score float64 }

func (*houseWorld) Start(context.Context) (envs.Start, error) {
	return envs.Start{
		Goal: houseGoal,
		Observation: "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. You see a desk 1, and " +
			"a shelf 1.\n\nYour task is to: " + houseGoal}, nil
}

func (w *houseWorld) Step(_ context.Context, action string) (envs.Step, error) {
	switch action {
	case "go to desk 1":
		return envs.Step{Observation: "You arrive at loc 4. On the desk 1, you see a mug 1.", Valid: true}, nil
	case "take mug 1 from desk 1":
		w.score = 0.5
		return envs.Step{Observation: "You pick up the mug 1.", Valid: true, Progress: 0.5}, nil
	case "put mug 1 in/on desk 1":
		w.score = 1
		return envs.Step{Observation: "You put the mug 1 in/on the desk 1.", Valid: true, Progress: 1, Done: true,
			Success: true}, nil
	case "eat mug 1":
		w.score = -1
		return envs.Step{Observation: "You die.", Valid: true, Done: true}, nil
	}
	return envs.Step{Observation: "Nothing happens.", Progress: max(0, w.score)}, nil
}

func (w *houseWorld) Score() float64 { return w.score }
func (*houseWorld) Close() error     { return nil }
func (*houseWorld) Hints(context.Context) (forms, things []string, err error) {
	return []string{"go to OBJ", "take OBJ"}, []string{"desk", "adult's mug", `a "lamp"`}, nil
}
func (*houseWorld) Actions(context.Context) ([]string, error) {
	return []string{"go to desk 1", "help", "put mug 1 in/on desk 1", "take mug 1 from desk 1"}, nil
}

// wellFormed writes an action as the parser of a preset wants it.
func wellFormed(parser, action string, turn int) string {
	switch parser {
	case "react-line", "whole-reply", "agentboard":
		return action
	case "upper-action-line":
		return "THOUGHT: I see.\nACTION: " + action
	case "action-tags", "action-tags-cased":
		return "<think>I see.</think>\n<action>" + action + "</action>"
	case configs.ToolCall:
		return callMark + action
	case "thought-action-i":
		return fmt.Sprintf(" I see.\nAction %d: %s", turn, action)
	}
	return "Thought: I see.\nAction: " + action
}

// callMark precedes the action of a reply that is a call of the preset's function.
const callMark = "\x00call "

// asReply makes a reply of a recorded text.
func asReply(text string, tool model.Tool) model.Reply {
	action, isCall := strings.CutPrefix(text, callMark)
	if !isCall {
		return model.Reply{Text: text, Attempts: 1}
	}
	arguments, err := json.Marshal(map[string]string{tool.Argument: action})
	if err != nil {
		panic(err) // a text is JSON
	}
	return model.Reply{Text: "I see.", Calls: []model.ToolCall{{Name: tool.Name, Arguments: string(arguments)}},
		Attempts: 1}
}

// overflow stands for a reply: the server refuses the prompt as too long.
const overflow = "\x00overflow"

// scripts are the recorded replies, by episode. A function writes a well-formed reply in the preset's form.
func scripts(parser string) map[string][]string {
	do := func(turn int, action string) string { return wellFormed(parser, action, turn) }
	return map[string][]string{
		"solved": {do(1, "go to desk 1"), do(2, "think: I need the mug."), do(3, "take mug 1 from desk 1"),
			do(4, "put mug 1 in/on desk 1")},
		"repairs": {do(1, "Go to the desk 1."), do(2, "take mug 1 from desk 1"), do(3, "put mug 1 in desk 1"),
			do(4, "put mug 1 on desk 1")},
		"no action": {"I do not know what to do.", do(2, "go to desk 1"), "Nothing of what I see helps me in any way."},
		"odd replies": {
			do(1, "go to desk 1") + "\n" + do(1, "eat mug 1"), do(2, "dance"), do(3, "take mug 1\nfrom desk 1"), "",
			"  ", do(6, ""),
		},
		"repeated": {do(1, "dance"), do(2, "sing"), do(3, "sing"), do(4, "sing"), do(5, "sing")},
		"fatal":    {do(1, "take mug 1 from desk 1"), do(2, "eat mug 1"), do(3, "go to desk 1")},
		"overflow": {do(1, "go to desk 1"), do(2, "take mug 1 from desk 1"), do(3, "dance"), overflow, overflow,
			overflow, overflow, overflow, overflow},
	}
}

// recorder is a model with recorded replies. It writes down what it is sent.
type recorder struct {
	replies []string
	text    strings.Builder
	last    []model.Message
	calls   int
	sent    [][]model.Message // that were answered
}

func (r *recorder) Chat(_ context.Context, req model.Request) (model.Reply, error) {
	r.calls++
	same := 0
	for same < min(len(r.last), len(req.Messages)) && r.last[same] == req.Messages[same] {
		same++
	}
	fmt.Fprintf(&r.text, "\n-- request %d: %d messages, %d as before; completion %v, stop %q\n", r.calls,
		len(req.Messages), same, req.Completion, req.Decoding.Stop)
	for _, m := range req.Messages[same:] {
		fmt.Fprintf(&r.text, "[%s]\n%s\n", m.Role, m.Content)
		if m.Call != (model.ToolCall{}) {
			fmt.Fprintf(&r.text, "(%s %s %s)\n", m.Call.ID, m.Call.Name, m.Call.Arguments)
		}
	}
	r.last = slices.Clone(req.Messages)
	reply := "I stop."
	if r.calls <= len(r.replies) {
		reply = r.replies[r.calls-1]
	}
	if reply == overflow {
		r.text.WriteString("-- refused: too long\n")
		return model.Reply{}, &model.ContextError{Status: 400, Message: "too long", Attempts: 1}
	}
	r.sent = append(r.sent, r.last)
	for _, stop := range req.Decoding.Stop { // as the client does
		reply, _, _ = strings.Cut(reply, stop)
	}
	fmt.Fprintf(&r.text, "-- reply %q\n", reply)
	return asReply(reply, req.Tool), nil
}

// standIn is a prompt with texts of our own for prompts that only users have.
func standIn(p *configs.Preset) configs.Prompt {
	if p.Prompt.BuiltIn != "" {
		if own, err := configs.LoadPrompt(p.Env.Name, p.Prompt.BuiltIn); err == nil && own.Template != nil {
			return own
		}
	}
	if p.Prompt.Template != nil {
		return configs.Prompt{Template: standInTemplate(*p.Prompt.Template)}
	}
	in := configs.Instructions{Instruction: "Do the task.", Examples: []configs.Example{
		{Text: "You see a lamp.\n> use lamp 1\nIt is on.\n"}, {Text: "You see a box.\n> open box 1\nIt is open.\n"},
		{Text: "never shown"},
	}}
	if p.Prompt.Instruction != "" {
		in.Instruction = p.Prompt.Instruction
	}
	if p.Prompt.System != "" {
		in = configs.Instructions{System: p.Prompt.System}
	}
	if p.Agent.Shots.Format == "turns" {
		in.Examples = []configs.Example{{Turns: []configs.ChatMessage{{Role: "user", Content: "You see a lamp."},
			{Role: "assistant", Content: "Action: use lamp 1"}}}}
	}
	return configs.Prompt{React: "Think, then act.", Help: "help", Handover: p.Prompt.Handover,
		Types: map[string]configs.Instructions{"": in},
		Template: &configs.Template{Next: "{turn}: {goal}\n{history}\n{observation}{actions}",
			Pair: "{observation} > {action}", Between: "; "}}
}

// standInTemplate has texts of our own in place of the source's, in its slots.
func standInTemplate(t configs.Template) *configs.Template {
	shown := "[{admissible_actions}]"
	if t.Possible != "" {
		t.Possible, shown = "{{forms}} {things}", "{available_actions}"
	}
	t.First = "{{ {task_description} }}\n{current_observation}\n" + shown
	t.Next = "{task_description} ({step_count})\n{history_length}: {action_history}\n{current_step}: " +
		"{current_observation}\n" + shown
	return &t
}

// conform plays the recorded replies by a preset and returns what was sent and recorded.
func conform(t *testing.T, p *configs.Preset) string {
	t.Helper()
	typ := houseType(p)
	var out strings.Builder
	all := scripts(p.Reply.Parser)
	names := []string{}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	own := p.Env.Limit
	for _, name := range names {
		m := &recorder{replies: all[name]}
		// The form ends no episode by itself: the limit does, after the script.
		p.Env.Limit = configs.PresetLimit{Steps: len(m.replies), Counts: "replies", Restart: own.Restart}
		rec := playScript(t, p, typ, m)
		fmt.Fprintf(&out, "==== %s%s\n-- ended: %s\n", name, m.text.String(), ending(t, rec))
	}
	p.Env.Limit = own
	m := &recorder{replies: aimless(p)}
	rec := playScript(t, p, typ, m)
	fmt.Fprintf(&out, "==== limit\n-- ended after %d requests: outcome %s, cut %q, %d steps\n", m.calls, rec.Outcome,
		rec.Cut, len(rec.Trajectory))
	return out.String()
}

// aimless are more replies than any preset allows, none of which ends an episode.
func aimless(p *configs.Preset) (replies []string) {
	for i := range 1000 {
		action := "go to desk 1"
		if i%2 > 0 {
			action = fmt.Sprint("dance ", i)
		}
		replies = append(replies, wellFormed(p.Reply.Parser, action, i+1))
	}
	return replies
}

// houseType is a task type that has a step limit.
func houseType(p *configs.Preset) string {
	typ := "pick_and_place_simple"
	for name := range p.Env.Limit.ByType {
		typ = max(typ, name)
	}
	return typ
}

// playScript plays an episode with the replies of a recorder.
func playScript(t *testing.T, p *configs.Preset, typ string, m *recorder) *record.Episode {
	t.Helper()
	return playPrompt(t, p, standIn(p), typ, m)
}

// playPrompt does so with a prompt.
func playPrompt(t *testing.T, p *configs.Preset, prompt configs.Prompt, typ string, m *recorder) *record.Episode {
	t.Helper()
	hash := sharedtest.Must(prompt.Hash())(t)
	b := Benchmark{Env: house{typ}, Tasks: house{typ}.Tasks(), StepLimit: p.Env.Limit.Max(), Prompt: prompt,
		PromptHash: hash, Preset: *p, Named: &record.Preset{Name: p.Name, SHA256: "hash"}}
	name := "m"
	for _, w := range p.Agent.Wraps {
		name = w.Model // the last of them
	}
	player := Player{Name: "vllm:" + name, Agent: p.Agent.Form, Model: m, Decoding: record.Decoding{
		Temperature: p.Decoding.Temperature, TopP: p.Decoding.TopP, MaxTokens: p.Decoding.MaxTokens,
		Stop: p.Decoding.Stop}}
	episodes := planned(t, &b, &player)
	rec, _ := episodes[0].Play(t.Context(), Trusting{}, func(agent.Usage) {})
	return rec
}

// ending writes what a record says of an episode.
func ending(t *testing.T, rec *record.Episode) string {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "outcome %s, cut %q, score %v, format errors %d, repairs %v, faults %v", rec.Outcome, rec.Cut,
		score(rec), rec.FormatErrors, rec.Repairs, rec.Faults)
	for _, s := range rec.Trajectory {
		b := sharedtest.Must(json.Marshal(struct {
			Action, Observation string
			Parsed              string   `json:",omitempty"`
			Repairs             []string `json:",omitempty"`
		}{s.Action, s.Observation, s.Parsed, s.Repairs}))(t)
		fmt.Fprintf(&out, "\n   %s", b)
	}
	return out.String()
}

func score(rec *record.Episode) string {
	if rec.Score == nil {
		return "none"
	}
	return fmt.Sprint(*rec.Score)
}

// Every message that is sent under a preset, and what is recorded, is as in a
// transcript. The replies are recorded ones of our own.
func TestConformance(t *testing.T) {
	names := configs.PresetNames()
	own, err := filepath.Glob("testdata/forms/*.yaml")
	if err != nil || len(own) == 0 {
		t.Fatal(own, err)
	}
	for _, file := range append(names, own...) {
		for i, p := range loadPlays(t, file) {
			name := p.Name
			if i > 0 {
				name += "-" + p.Env.Part
			}
			t.Run(name, func(t *testing.T) { compareTranscript(t, name, conform(t, &p)) })
		}
	}
}

// compareTranscript compares what was sent with the transcript of that name.
func compareTranscript(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", "conformance", name+".txt")
	if *update {
		sharedtest.OK(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	sharedtest.Same(t, strings.Split(got, "\n"), strings.Split(string(want), "\n"))
}

// loadPlays reads a preset as loadAny does, and its further parts that play otherwise than the first.
func loadPlays(t *testing.T, file string) []configs.Preset {
	t.Helper()
	all := []configs.Preset{loadAny(t, file)}
	if strings.HasSuffix(file, ".yaml") {
		return all
	}
	whole := sharedtest.Must(configs.LoadPreset(file))(t)
	parts := sharedtest.Must(whole.Split())(t)
	for _, part := range parts[1:] {
		if !reflect.DeepEqual(part.Play, parts[0].Play) {
			all = append(all, part)
		}
	}
	return all
}

// loadAny reads an embedded preset, or one of the forms that no preset has.
func loadAny(t *testing.T, file string) configs.Preset {
	t.Helper()
	if !strings.HasSuffix(file, ".yaml") {
		p := sharedtest.Must(configs.LoadPreset(file))(t)
		if parts := p.PartNames(); len(parts) > 0 {
			p = sharedtest.Must(p.Select(parts[0]))(t)
		}
		for i := range p.Agent.Wraps { // stand-ins
			p.Agent.Wraps[i].Text = " " + p.Agent.Wraps[i].Model + ":\n{system_prompt}\n{prompt}\n"
		}
		return p
	}
	b := sharedtest.Must(os.ReadFile(file))(t)
	p := sharedtest.Must(configs.ParsePreset(file, b))(t)
	if add := rulesOfForms[p.Name]; add != nil {
		add(&p)
	}
	return p
}

// rulesOfForms are rules of the forms of tests that only forms in Go can have.
var rulesOfForms = map[string]func(*configs.Preset){
	"form-every": func(p *configs.Preset) {
		p.ActionsShown.Item, p.ActionsShown.Suffix, p.ActionsShown.Exclude = "<{action}>", "]", []string{"help"}
	},
	"form-first": func(p *configs.Preset) { p.Stop.InvalidRunning = 3 },
	"form-restart": func(p *configs.Preset) {
		p.ActionsShown.Suffix, p.Stop.SameReply, p.Stop.Start, p.Env.Limit.Restart = ")", 2, 4, true
	},
	"form-single": func(p *configs.Preset) { p.ActionsShown.Suffix = ")" },
	"form-tell": func(p *configs.Preset) {
		p.Observation.Prefix = "Observation: "
		p.Reply.Normalise, p.Stop.SameAction = []string{"lower"}, 3
	},
	"form-tool-call": func(p *configs.Preset) { p.Reply.Normalise, p.Stop.SameReply = []string{"lower"}, 4 },
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// planned are the episodes of a benchmark with seed 1.
func planned(t testing.TB, b *Benchmark, p *Player) []Episode {
	t.Helper()
	info := envs.Info{}
	if b.Env != nil {
		info = b.Env.Info()
	}
	c := b.Condition(info, p, 1)
	return sharedtest.Must(b.Episodes(p, &c))(t)
}

// The scripts that compare requests with the originals' have tests of their own.
func TestOriginals(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		sharedtest.Absent(t, "python3", "needs Python 3, in which the scripts are written: apt-get install python3")
	}
	c := exec.CommandContext(t.Context(), python, "-B", "-W", "error", "-m", "unittest")
	c.Dir = "testdata/conformance/originals"
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
