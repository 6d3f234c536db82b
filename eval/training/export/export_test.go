package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/episode"
	"heldout/eval/episode/episodetest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// hostile is what a model may say to end a string, a line, a page or a terminal.
const hostile = "\"}]\n</script><b>\u2028\x1b[2J\\u0000 é中😀 <|im_end|>x"

// makeRun writes a run of generated tasks of PDDL: an episode for every list of steps.
func makeRun(t testing.TB, change func(*record.Manifest), episodes ...record.Episode) string {
	t.Helper()
	prompt := sharedtest.Must(configs.LoadPrompt("pddl", "v2"))(t)
	hash := sharedtest.Must(prompt.Hash())(t)
	info := envs.Info{Name: "pddl", Source: envs.Generated, StepLimit: 30, Settings: map[string]string{
		"generator-seed": "0"}}
	c := record.Condition{
		Env: "pddl", Source: envs.Generated, Settings: info.Settings, Model: "vllm:m", Agent: configs.React,
		Decoding: &record.Decoding{TopP: 1, MaxTokens: 9}, PromptHash: hash, Perturbation: episode.NoPerturbation,
		StepLimit: 30,
	}
	m := &record.Manifest{Schema: record.Schema, Behaviour: 2, Environments: []record.Environment{
		{Info: info, Total: 60}}, Groups: []record.Group{{Condition: c}}}
	for i := range episodes {
		m.Environments[0].Tasks = append(m.Environments[0].Tasks,
			envs.Task{ID: fmt.Sprintf("gripper/%d", i), Index: i, Type: "gripper", Digest: fmt.Sprint("digest", i)})
	}
	if change != nil {
		change(m)
	}
	dir := t.TempDir()
	s := sharedtest.Must(record.Open(dir))(t)
	g := &m.Groups[0]
	c = g.Condition
	for i, task := range m.Environments[0].Tasks {
		id := sharedtest.Must(record.EpisodeID(m.Behaviour, task, c))(t)
		g.Episodes = append(g.Episodes, id)
		if i >= len(episodes) {
			continue
		}
		e := episodes[i]
		e.Schema, e.ID, e.Attempt = record.Schema, id, max(1, e.Attempt)
		e.Env, e.Source, e.Task, e.TaskIndex, e.TaskType, e.Model, e.Agent, e.Perturbation, e.Seed = c.Env, c.Source,
			task.ID, task.Index, task.Type, c.Model, c.Agent, c.Perturbation, c.Seed
		if e.Outcome == "" {
			e.Outcome = record.Failure
		}
		e.Success = e.Outcome == record.Success
		episodetest.Settle(&e)
		e.Ended = time.Unix(int64(i), 0).UTC()
		sharedtest.OK(t, s.Append(&e))
	}
	sharedtest.OK(t, s.SetManifest(m))
	sharedtest.OK(t, s.Close())
	return dir
}

// The kinds of steps.
func good(n int) record.Step {
	return record.Step{Thought: fmt.Sprint("I think ", n), Action: fmt.Sprint("move ", n),
		Observation: fmt.Sprint("You moved ", n), Valid: true, Progress: 0.1}
}

func invalid() record.Step {
	return record.Step{Action: "dance", Observation: "No. " + hostile, Progress: 0.1}
}

func unreadable() record.Step {
	return record.Step{Reply: hostile, FormatError: true, Fault: record.NoAction,
		Observation: "No action could be read from your reply. Answer with a line that starts with \"Thought:\" and " +
			"then a line that starts with \"Action:\", followed by one action.", Progress: 0.1}
}

func silent() record.Step {
	s := unreadable()
	s.Reply, s.Fault = "", record.Empty
	return s
}

func of(steps ...record.Step) record.Episode {
	return record.Episode{Goal: "the goal", Observation: "the start", Trajectory: steps}
}

// options are the options of a test.
func options(t testing.TB, format Format, sources ...string) Options {
	t.Helper()
	return Options{
		Sources: sources, Format: format, Out: filepath.Join(t.TempDir(), "out"+format.Extension()),
		Mask: []Mark{Unreadable, Invalid}, Duplicates: SameMessages, Labels: ByEnvironment,
		Texts: bench.Texts{Outside: envs.Outside{Now: time.Now}},
	}
}

func export(t testing.TB, o Options) *Account {
	t.Helper()
	return sharedtest.Must(Run(t.Context(), o))(t)
}

func read(t testing.TB, file string) string {
	t.Helper()
	b := sharedtest.Must(os.ReadFile(file))(t)
	return string(b)
}

// lines decodes the examples of a file.
func lines[T any](t testing.TB, file string) (out []T) {
	t.Helper()
	for line := range strings.Lines(read(t, file)) {
		var x T
		sharedtest.OK(t, json.Unmarshal([]byte(line), &x))
		out = append(out, x)
	}
	return out
}

// Wrong turns stay in the conversation and are not trained on; it ends with the last turn that is.
func TestMasks(t *testing.T) {
	dir := makeRun(t, nil, of(good(1), invalid(), unreadable(), silent(), good(1), good(2), invalid(), good(2),
		invalid()))
	for _, c := range []struct {
		mask, want string
		trained    int
	}{
		{"unreadable,invalid", "+---++-+", 4},
		{"none", "+++-+++++", 8}, // silence is never trained on
		{"invalid", "+-+-++-+", 5},
		{"unreadable,invalid,no-progress", "+----+", 2},
		{"no-progress", "+++--+", 4},
	} {
		o := options(t, Axolotl, dir)
		o.Mask = sharedtest.Must(ParseMask(c.mask))(t)
		r := export(t, o)
		examples := lines[axolotlExample](t, o.Out)
		got := ""
		for _, m := range examples[0].Messages {
			if m.Role == model.Assistant {
				got += map[bool]string{true: "+", false: "-"}[m.Train]
			} else if m.Train {
				t.Errorf("%s is trained on", m.Role)
			}
		}
		if len(examples) != 1 || got != c.want || r.Trained != c.trained || r.Turns != 9 ||
			r.Trained+sum(r.Masked) != 9 {
			t.Errorf("%s: %s, want %s; %+v", c.mask, got, c.want, r)
		}
		last := examples[0].Messages[len(examples[0].Messages)-1]
		if last.Role != model.Assistant || !last.Train {
			t.Errorf("%s: it ends with %+v", c.mask, last)
		}
	}
}

func sum[K comparable](counts map[K]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// Every format says the same: the same messages, and the same turns to train on.
func TestFormatsAgree(t *testing.T) {
	dir := makeRun(t, nil, of(good(1), invalid(), unreadable(), good(2), invalid()), of(unreadable(), good(3)),
		of(good(4)))
	o := options(t, Axolotl, dir)
	export(t, o)
	whole := lines[axolotlExample](t, o.Out)
	var prefixes [][]Message
	for _, e := range whole {
		for i, m := range e.Messages {
			if m.Train {
				prefixes = append(prefixes, e.Messages[:i+1])
			}
		}
	}
	if len(whole) != 3 || len(prefixes) != 4 {
		t.Fatalf("%d conversations with %d trained turns", len(whole), len(prefixes))
	}

	o = options(t, OpenAI, dir)
	export(t, o)
	for i, e := range lines[openAIExample](t, o.Out) {
		for j, m := range e.Messages {
			want := whole[i].Messages[j]
			if m.Role != want.Role || m.Content != want.Content || (m.Weight != nil) != (m.Role == model.Assistant) ||
				m.Weight != nil && (*m.Weight == 1) != want.Train {
				t.Errorf("openai: %+v, want %+v", m, want)
			}
		}
	}
	o = options(t, AgentGym, dir)
	export(t, o)
	var list []agentGymExample
	if err := json.Unmarshal([]byte(read(t, o.Out)), &list); err != nil || len(list) != 3 {
		t.Fatal(len(list), err)
	}
	for i, e := range list {
		for j, m := range e.Conversations {
			want := whole[i].Messages[j]
			if m.Role != speaker(want.Role) || m.Value != want.Content || (m.Loss != nil) != (m.Role == "gpt") ||
				m.Loss != nil && *m.Loss != want.Train {
				t.Errorf("agentgym: %+v, want %+v", m, want)
			}
		}
	}
	o = options(t, TRL, dir)
	export(t, o)
	for i, e := range lines[trlExample](t, o.Out) {
		got := append(e.Prompt, e.Completion...)
		if len(e.Completion) != 1 || len(got) != len(prefixes[i]) {
			t.Fatalf("trl: %+v", e)
		}
		for j, m := range got {
			if m.Role != prefixes[i][j].Role || m.Content != prefixes[i][j].Content {
				t.Errorf("trl: %+v, want %+v", m, prefixes[i][j])
			}
		}
	}
	o = options(t, ShareGPT, dir)
	export(t, o)
	examples := lines[shareGPTExample](t, o.Out)
	for i, e := range examples {
		for j, m := range e.Conversations {
			if m.Role != speaker(prefixes[i][j].Role) || m.Value != prefixes[i][j].Content ||
				(m.Role == "gpt") != (j%2 == 1) {
				t.Errorf("sharegpt: %+v, want %+v", m, prefixes[i][j])
			}
		}
	}
	if len(examples) != 4 || examples[1].Turn != 2 {
		t.Errorf("%+v", examples)
	}
}

// What a model wrote is text in JSON, and nothing else.
func TestHostileTextStaysText(t *testing.T) {
	dir := makeRun(t, nil, of(unreadable(), invalid(), good(1)))
	o := options(t, Axolotl, dir)
	export(t, o)
	text := read(t, o.Out)
	if strings.Count(text, "\n") != 1 || strings.ContainsAny(text, "\x1b\u2028") {
		t.Errorf("%q", text)
	}
	messages := lines[axolotlExample](t, o.Out)[0].Messages
	sharedtest.Equal(t, messages[1].Content, strings.TrimSpace(hostile))
}

// left is the report of an export, also if it leaves nothing.
func left(t *testing.T, o Options) *Account {
	t.Helper()
	r, err := Run(t.Context(), o)
	if nothing, ok := errors.AsType[*NothingError](err); ok {
		return nothing.Report
	}
	sharedtest.OK(t, err)
	return r
}

// Filters and what cannot be exported are counted by reason.
func TestReasons(t *testing.T) {
	won := of(good(1), invalid(), good(2))
	won.Outcome = record.Success
	shortened := of(good(3))
	shortened.Trimmed = 1
	other := good(4)
	other.Reply = "Action: something else"
	broken := of(good(5))
	broken.Outcome, broken.Error = record.ModelError, "no"
	dir := makeRun(t, nil, won, shortened, of(other), broken, of(invalid()), of(good(6)), of(good(6)))
	r := export(t, options(t, TRL, dir))
	want := map[Reason]int{Shortened: 1, Differs: 1, Nothing: 1, Duplicate: 1}
	if diff := cmp.Diff(want, r.Omitted); diff != "" || r.Episodes != 6 || r.Used != 2 || r.Unfinished != 1 ||
		len(r.Different) != 1 {
		t.Errorf("%+v\n%s", r, diff)
	}
	for reason, change := range map[Reason]func(*Options){
		NotSolved:                 func(o *Options) { o.Filter.Success = true },
		"progress below 0.5":      func(o *Options) { o.Filter.Progress = 0.5 },
		"fewer than 1 recoveries": func(o *Options) { o.Filter.Recoveries = 1 },
		OtherSeed:                 func(o *Options) { o.Filter.Seeds = []int64{1} },
		OtherEnv:                  func(o *Options) { o.Filter.Envs = []string{"alfworld"} },
		OtherMaker:                func(o *Options) { o.Filter.Players = []string{"vllm:other"} },
		OtherSet:                  func(o *Options) { o.Filter.Presets = []string{"agentrefine"} },
		Twice:                     func(o *Options) { o.Sources = append(o.Sources, makeRun(t, nil, won)) },
		Duplicate:                 func(o *Options) { o.Duplicates = SameActions },
	} {
		o := options(t, TRL, dir)
		change(&o)
		r := left(t, o)
		// Same actions are a duplicate only in the same task.
		if want := 1; reason != Duplicate && r.Omitted[reason] < want || reason == Duplicate && r.Omitted[reason] != 0 {
			t.Errorf("%s: %+v", reason, r.Omitted)
		}
	}
}

// Of several attempts, the first result counts, wherever its line is.
func TestAttempts(t *testing.T) {
	second := of(good(9))
	second.Attempt = 2
	dir := makeRun(t, nil, second)
	name := filepath.Join(dir, "episodes.jsonl")
	line := sharedtest.Must(record.Decode([]byte(read(t, name))))(t)
	line.Attempt, line.Trajectory[0] = 1, good(8)
	lines := bytes.NewBufferString(read(t, name))
	sharedtest.OK(t, errors.Join(record.Encode(lines, line), record.Encode(lines, line),
		os.WriteFile(name, lines.Bytes(), 0o644)))
	o := options(t, TRL, dir)
	r := export(t, o)
	if text := read(t, o.Out); r.Used != 1 || !strings.Contains(text, "move 8") || strings.Contains(text, "move 9") {
		t.Errorf("%+v\n%s", r, text)
	}
}

// Tasks for tests are refused, or marked. Filters come first.
func TestTestTasks(t *testing.T) {
	dir := makeRun(t, func(m *record.Manifest) {
		m.Environments[0].Source, m.Groups[0].Condition.Source = envs.Official, envs.Official
	}, of(good(1)), of(good(2)))
	o := options(t, OpenAI, dir)
	_, err := Run(t.Context(), o)
	var refused *TestTasksError
	if !errors.As(err, &refused) || refused.Episodes != 2 {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(o.Out), "*")); len(left) > 0 {
		t.Errorf("there is %q", left)
	}
	o.TestTasks = true
	r := export(t, o)
	if r.TestEpisodes != 2 || r.Parts[0].File != "out.with-test-tasks.jsonl" {
		t.Errorf("%+v", r)
	}
	o = options(t, TRL, dir)
	o.TestTasks = true
	export(t, o)
	if text := read(t, o.Out); strings.Count(text, `"benchmark_use":"test"`) != 2 {
		t.Error(text)
	}
	o.Filter.Envs, o.Force = []string{"alfworld"}, true
	o.TestTasks = false
	var nothing *NothingError
	if _, err := Run(t.Context(), o); !errors.As(err, &nothing) {
		t.Error(err)
	}
}

// drawnTest is the content of a test task that the generator of PDDL draws, too.
func drawnTest(t *testing.T) string {
	t.Helper()
	for seed := range int64(20) {
		one := envs.GeneratorSeeds{First: seed, Last: seed}
		e := sharedtest.Must(catalog.Open("pddl", envs.Setup{GeneratorSeed: one}, envs.Outside{}))(t)
		for _, task := range e.Tasks() {
			if catalog.ByChance(e.Info(), task) {
				return task.Content
			}
		}
	}
	t.Fatal("none of the generated tasks is a test task")
	return ""
}

// Generated tasks that are test tasks but for names are left out and counted.
func TestDrawnByChance(t *testing.T) {
	dir := makeRun(t, func(m *record.Manifest) {
		m.Environments[0].Tasks[1].Content = drawnTest(t)
	}, of(good(1)), of(good(2)), of(good(3)))
	o := options(t, TRL, dir)
	if r := export(t, o); r.Used != 2 || r.Omitted[DrawnTest] != 1 || r.TestEpisodes != 0 {
		t.Errorf("%+v", r)
	}
	o.Force, o.TestTasks = true, true
	if r := export(t, o); r.Used != 3 || r.TestEpisodes != 1 {
		t.Errorf("%+v", r)
	}
}

// devQuestion is a question of HotpotQA's development set.
func devQuestion(t *testing.T) string {
	t.Helper()
	var all []struct {
		Question string `json:"question"`
	}
	const file = "agentboard/hotpotqa/hotpot_dev_v1_simplified.json"
	sharedtest.JSON(t, sharedtest.Data(t, file, "HotpotQA's questions"), &all)
	return all[len(all)/2].Question
}

// A question of the development set is refused if its file has the name of the training
// set, dropped if that is wanted, and left out where it is the goal of a script.
func TestQuestionsUnderAnotherName(t *testing.T) {
	question := devQuestion(t)
	dir := makeRun(t, func(m *record.Manifest) {
		e := &m.Environments[0]
		e.Name, e.Source = "hotpotqa", envs.Official
		e.Settings = map[string]string{"questions": "hotpot_train_v1.1.json"}
		c := &m.Groups[0].Condition
		c.Env, c.Source, c.Settings = "hotpotqa", envs.Official, e.Settings
		e.Tasks[0].Content = envs.TextContent("Who wrote the tests of this package?")
		e.Tasks[1].Content = envs.TextContent(strings.ToUpper(question) + " ")
	}, of(good(1)), of(good(2)))
	o := options(t, TRL, dir)
	var refused *TestTasksError
	if _, err := Run(t.Context(), o); !errors.As(err, &refused) || refused.Episodes != 1 {
		t.Fatal(err)
	}
	o.DropTests = true
	r := left(t, o) // the records are PDDL's, so the other one differs
	sharedtest.Equal(t, r.Omitted[TestTask], 1, r)
	o.TestTasks = true
	sharedtest.Fails(t, sharedtest.Err(Run(t.Context(), o)), "both allowed and dropped")
	for _, goal := range []string{question, "Answer the question: " + strings.ToLower(question), "Read and answer.\n" +
		question} {
		if !asks(goal) {
			t.Errorf("%q is not recognised", goal)
		}
	}
	if asks("Sell the lamp: now?") {
		t.Error("a goal is taken for a question")
	}
}

// No task is in two parts, whatever run it comes from; the parts are the same in any
// order of the runs, and the bytes are the same each time.
func TestParts(t *testing.T) {
	var a, b []record.Episode
	for i := range 60 {
		a, b = append(a, of(good(i))), append(b, of(good(i), good(i+1)))
	}
	one := makeRun(t, nil, a...)
	two := makeRun(t, func(m *record.Manifest) {
		m.Groups[0].Condition.Seed = 1
		for i := range m.Environments[0].Tasks {
			m.Environments[0].Tasks[i].ID = fmt.Sprintf("gripper/another%d", i) // with the same content
		}
	}, b...)
	var first map[string]string
	for n, sources := range [][]string{{one, two}, {one, two}, {two, one}} {
		o := options(t, Axolotl, sources...)
		o.Seed = 5
		o.Parts = sharedtest.Must(ParseParts("train=0.8,val=0.2"))(t)
		r := export(t, o)
		in := map[string]string{}
		files := map[string]string{}
		for _, p := range r.Parts {
			file := filepath.Join(filepath.Dir(o.Out), p.File)
			files[p.Name] = read(t, file)
			for _, e := range lines[axolotlExample](t, file) {
				key := strings.TrimPrefix(strings.TrimPrefix(e.Task, "gripper/"), "another")
				if in[key] != "" && in[key] != p.Name {
					t.Errorf("%s is in %s and %s", key, in[key], p.Name)
				}
				in[key] = p.Name
			}
			if p.Episodes != p.Examples || p.Tasks*2 != p.Episodes {
				t.Errorf("%+v", p)
			}
		}
		if share := float64(r.Parts[1].Tasks) / 60; len(in) != 60 || share < 0.05 || share > 0.4 {
			t.Errorf("%d tasks, %g of them for validation", len(in), share)
		}
		if n == 0 {
			first = files
		} else if n == 1 && (files["train"] != first["train"] || files["val"] != first["val"]) {
			t.Error("other bytes")
		}
	}
	for text, want := range map[string]string{
		"train=0.9": "add up to 0.9", "a=0.5,a=0.5": "twice", "a=0,b=1": "such as", "a=x": "such as", "=1": "such as",
		"a=0.5,A=0.5": "twice", "../x=1": "such as", "a=NaN": "such as", "a=0.5,,b=0.5": "such as",
	} {
		sharedtest.Fails(t, sharedtest.Err(ParseParts(text)), want, text)
	}
}

// A part of a task that is drawn stays the same as tasks are added.
func TestPartsStay(t *testing.T) {
	parts := []Division{{"a", 0.5}, {"b", 0.5}}
	s := newSplitter(parts, 1)
	before := map[string]int{}
	for i := range 100 {
		task := envs.Task{ID: fmt.Sprint(i), Digest: fmt.Sprint("d", i)}
		s.add("e", task)
		before[task.ID] = s.part(taskName("e", task.ID))
	}
	for i := range 100 {
		s.add("e", envs.Task{ID: fmt.Sprint("new", i), Digest: fmt.Sprint("n", i)})
	}
	for id, part := range before {
		sharedtest.Equal(t, s.part(taskName("e", id)), part, id, "moved")
	}
	s.add("e", envs.Task{ID: "x", Digest: "d1"})
	s.add("e", envs.Task{ID: "x", Digest: "d2"})
	sharedtest.Equal(t, s.root(taskName("e", "1")), s.root(taskName("e", "2")), "1 and 2 have the content of one task")
}

// Nothing half-written has a name: not after an error, not when the export is stopped.
func TestAllOrNothing(t *testing.T) {
	dir := makeRun(t, nil, of(good(1)), of(good(2)))
	o := options(t, Axolotl, dir)
	empty := func(why string) {
		t.Helper()
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(o.Out), "*")); len(left) > 0 {
			t.Errorf("%s: there is %q", why, left)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	empty("stopped")
	damaged := makeRun(t, nil, of(good(1)), of(good(2)))
	name := filepath.Join(damaged, "episodes.jsonl")
	text := strings.Replace(read(t, name), "move 2", "move 3", 1)
	sharedtest.OK(t, os.WriteFile(name, []byte(text), 0o644))
	o.Sources = []string{dir, damaged}
	sharedtest.Fails(t, sharedtest.Err(Run(t.Context(), o)), "checksum")
	empty("damaged")
	// The manifest is in the way.
	o.Sources = []string{dir}
	sharedtest.OK(t, os.Mkdir(o.ManifestFile(), 0o755))
	sharedtest.Fails(t, sharedtest.Err(Run(t.Context(), o)), "not a regular file")
	if _, err := os.Stat(o.Out); err == nil {
		t.Error("there is a file without a manifest")
	}
}

// A folder that is not there is named, not the unfinished file in it.
func TestNoFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "sft")
	_, err := Create(filepath.Join(folder, "x.jsonl"), false)
	if err == nil || !strings.HasSuffix(err.Error(), "the folder "+folder+" does not exist: make it first") {
		t.Error(err)
	}
}

// What a killed process left is written over; what another one writes is not.
func TestPartialFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.jsonl")
	sharedtest.OK(t, os.Mkdir(name+record.Unfinished, 0o755))
	left := filepath.Join(name+record.Unfinished, "file")
	sharedtest.OK(t, os.WriteFile(left, bytes.Repeat([]byte("old"), 99), 0o644))
	f := sharedtest.Must(Create(name, false))(t)
	sharedtest.Fails(t, sharedtest.Err(Create(name, false)), "another process writes it")
	sharedtest.OK(t, sharedtest.Err(f.Write([]byte("new"))))
	if err := f.Commit(); err != nil || read(t, name) != "new" {
		t.Errorf("%q, %v", read(t, name), err)
	}
	sharedtest.Fails(t, sharedtest.Err(Create(name, false)), "exists")
	f = sharedtest.Must(Create(name, true))(t)
	f.Abort()
	sharedtest.Equal(t, read(t, name), "new", "the old file is gone")
	if _, err := os.Stat(name + record.Unfinished); err == nil {
		t.Error("something is left")
	}
}

// Baselines, texts and calls of functions are no conversations. They are left out, and
// are no reason to refuse test tasks.
func TestNoChat(t *testing.T) {
	for reason, change := range map[Reason]func(*record.Condition){
		NoModel: func(c *record.Condition) { c.Model, c.Agent, c.Decoding, c.PromptHash = "random", "random", nil, "" },
		Text:    func(c *record.Condition) { c.Completions = true },
		Called:  func(c *record.Condition) { c.Agent = configs.ToolCall },
	} {
		dir := makeRun(t, func(m *record.Manifest) {
			m.Environments[0].Source, m.Groups[0].Condition.Source = envs.Official, envs.Official
			change(&m.Groups[0].Condition)
		}, of(good(1)))
		_, err := Run(t.Context(), options(t, TRL, dir))
		var nothing *NothingError
		if !errors.As(err, &nothing) || nothing.Report.Omitted[reason] != 1 {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// Calls that do not continue each other are examples of their own, of which those that are masked are left out.
func TestCallsThatStandAlone(t *testing.T) {
	call := func(step int, text, reply string) episode.Call {
		return episode.Call{Step: step, Messages: []model.Message{{Role: model.User, Content: text}}, Reply: reply,
			Echo: reply}
	}
	got := conversations([]episode.Call{call(0, "a", "one"), call(1, "b", "two"), call(2, "c", " "),
		call(3, "d", "four")}, []Mark{"", Invalid, "", ""})
	want := []Conversation{
		{[]Message{{model.User, "a", false}, {model.Assistant, "one", true}}, 1},
		{[]Message{{model.User, "d", false}, {model.Assistant, "four", true}}, 4},
	}
	sharedtest.Equal(t, cmp.Diff(want, got), "")
	// OpenAI takes no empty message, also where it is not trained on.
	x := &exporter{Options: Options{Format: OpenAI}, report: newReport(Options{})}
	empty := []Conversation{{[]Message{{model.User, "a", false}, {model.Assistant, "", false}, {model.User, "b", false},
		{model.Assistant, "x", true}}, 1}}
	if taken, err := x.take(empty, about{}, nil); taken || err != nil || x.report.Omitted[Refused] != 1 {
		t.Error(taken, err)
	}
}
