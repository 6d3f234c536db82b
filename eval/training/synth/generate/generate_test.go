package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/eval/training/calls"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
)

// writer is a model that writes what it is told to: replies[item] are the replies to
// the calls of an item, the last one for all further calls.
type writer struct {
	mu      sync.Mutex
	replies map[string][]model.Reply // by persona
	asked   map[string]int
	prompts map[string][]string
	total   int
}

// Chat implements model.Model. The prompt for a script names the persona, that for a
// trajectory has a script that does.
func (w *writer) Chat(_ context.Context, req model.Request) (model.Reply, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	prompt := req.Messages[0].Content
	for persona, replies := range w.replies {
		if strings.Contains(prompt, "Persona: "+persona+"\n") || strings.Contains(prompt, persona+" is glad") {
			n := w.asked[persona]
			w.asked[persona]++
			w.total++
			w.prompts[persona] = append(w.prompts[persona], prompt)
			r := replies[min(n, len(replies)-1)]
			r.Attempts, r.PromptTokens, r.CompletionTokens, r.FinishReason = 1, 100, 10, "stop"
			return r, nil
		}
	}
	return model.Reply{}, &model.RequestError{Status: 400, Message: "no persona", Attempts: 1}
}

func newWriter(replies map[string][]model.Reply) *writer {
	return &writer{replies: replies, asked: map[string]int{}, prompts: map[string][]string{}}
}

func says(texts ...string) (out []model.Reply) {
	for _, t := range texts {
		out = append(out, model.Reply{Text: t})
	}
	return out
}

// shop is a script that names a persona.
func shop(persona string) string {
	return `{"Environment": {"places": {"shop": ["lamp"], "yard": []}}, "Goal": "Help ` + persona +
		`.", "Completion Conditions": ["` + persona + ` is glad"],
	"Available Actions": {"take {item}": {"verification code": "^take (\\w+)$", "parameters": {"item": ["lamp", "rope"]}}, "wait": {"verification code": "^wait$", "parameters": {}}}}`
}

// game writes turns: "take x" is an action, "!p take x" one that the DM answers with
// a parameter error (l for place, o for logic). The last turn succeeds.
func game(actions ...string) []string {
	master := func(n int, observation, flags string) string {
		return fmt.Sprintf(
			`{"turn": %d, "role": "DM", "Thought": "", "Observation": %q, "parameter_error": %v, "place_error": %v, "logic_error": %v}`,
			n, observation, strings.Contains(flags, "p"), strings.Contains(flags, "l"), strings.Contains(flags, "o"))
	}
	out := []string{master(1, "You are in a shop.", "")}
	for i, action := range actions {
		flags := ""
		if rest, ok := strings.CutPrefix(action, "!"); ok {
			flags, action, _ = strings.Cut(rest, " ")
		}
		observation := "Yes."
		switch {
		case flags != "":
			observation = "No."
		case i == len(actions)-1:
			observation = "Task Succeed"
		}
		out = append(out, fmt.Sprintf(`{"turn": %d, "role": "Player", "Thought": "I try %s now.", "Action": %q}`, 2*i+2,
			action, action), master(2*i+3, observation, flags))
	}
	return out
}

func whole(turns []string) string { return "[" + strings.Join(turns, ",\n ") + "]" }

// good is a game that passes.
func good() []string { return game("!p take lmap", "take lamp", "!l take rope", "wait") }

// replaced is a text with one replacement, which must be there.
func replaced(t testing.TB, text, old, with string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q is not in %s", old, text)
	}
	return strings.Replace(text, old, with, 1)
}

func newGenerator(t testing.TB, personas ...string) *Generator {
	t.Helper()
	prompts := sharedtest.Must(configs.LoadSynthesis())(t)
	return &Generator{
		Condition: Setting{Model: "vllm:fake", Decoding: record.Decoding{TopP: 1, MaxTokens: 100},
			MaxCalls: MostCalls, MinErrors: 2, ErrorSignal: "any", SuccessText: "Task Succeed"},
		Prompts: prompts, Personas: personas, Verify: synth.DefaultOptions(),
	}
}

func openBook(t testing.TB, dir string, g *Generator, items int) *calls.Book {
	t.Helper()
	now := time.Unix(0, 0)
	b := sharedtest.Must(calls.Open(dir, calls.Setup{Kind: record.SynthLog, Condition: g.Condition, Planned: items,
		Now: func() time.Time { return now }}))(t)
	return b
}

// made makes items with a model and collects them.
func made(t testing.TB, g *Generator, m model.Model, items, concurrency int, dir string) *Collection {
	t.Helper()
	b := openBook(t, dir, g, items)
	defer b.End()
	g.Ask = func(ctx context.Context, q calls.Question) (*calls.Call, error) { return b.Ask(ctx, m, q) }
	sharedtest.OK(t, sharedtest.Err(b.Work(t.Context(), items, concurrency, func(ctx context.Context, i int) error {
		_, err := g.Make(ctx, i)
		return err
	})))
	sharedtest.OK(t, b.Reread())
	g.Ask = func(ctx context.Context, q calls.Question) (*calls.Call, error) { return b.Ask(ctx, nil, q) }
	return sharedtest.Must(Collect(t.Context(), b, g, items, 0.7))(t)
}

// The examples in the prompts pass their own rules.
func TestExamplesPass(t *testing.T) {
	p := sharedtest.Must(configs.LoadSynthesis())(t)
	sharedtest.Equal(t, len(p.Script.Examples), 3, "there are examples of scripts, the paper has 3")
	for _, ex := range append(p.Script.Examples, configs.ScriptExample{
		Persona: "trajectory", Script: p.Trajectory.Example.Script}) {
		s, err := synth.ParseScript([]byte(ex.Script))
		if err != nil {
			t.Fatalf("%s: %v", ex.Persona, err)
		}
		if err := s.Check(); err != nil || len(s.Unsupported()) > 0 {
			t.Errorf("%s: %v %v", ex.Persona, err, s.Unsupported())
		}
	}
	s := sharedtest.Must(synth.ParseScript([]byte(p.Trajectory.Example.Script)))(t)
	if v := synth.Verify(s, []byte(p.Trajectory.Example.Trajectory), synth.DefaultOptions()); v.Reason != "" ||
		v.Repaired != 2 {
		t.Errorf("%+v", v)
	}
}

// Each kind of mistake is rejected with its reason, and repaired on the next call or given up after four.
func TestMistakes(t *testing.T) {
	const who = "Ada the miller"
	script := shop(who)
	full := whole(good())
	from := func(n int) string { return whole(good()[n:]) } // the turns after n verified ones
	trajectory := func(reason synth.Reason, turn, kept int) ItemCall {
		return ItemCall{Kind: TrajectoryCall, Reason: reason, Turn: turn, Verified: kept}
	}
	scripted := func(reason synth.Reason) ItemCall { return ItemCall{Kind: ScriptCall, Reason: reason} }
	ok := ItemCall{Kind: ScriptCall}
	done := ItemCall{Kind: TrajectoryCall}
	for name, c := range map[string]struct {
		replies []model.Reply
		want    []ItemCall // without messages
		message string     // in the prompt after the first rejection
	}{
		"no mistake": {says(script, full), []ItemCall{ok, done}, ""},
		"script is prose": {says("I would rather not.", script, full), []ItemCall{scripted(BadScript), ok, done},
			"the reply has no JSON object"},
		"script is broken": {says(script[:200], script, full), []ItemCall{scripted(BadScript), ok, done},
			"the reply ends before the JSON does\nThis was rejected:\n{\"Environment\""},
		"script lacks a key": {says(replaced(t, script, `"Goal"`, `"Aim"`), script, full),
			[]ItemCall{scripted(BadScript), ok, done}, `the script has no "Goal"`},
		"code misses a value": {says(replaced(t, script, `"rope"`, `"long rope"`), script, full),
			[]ItemCall{scripted(BadCode), ok, done}, `does not match "take long rope"`},
		"code looks around": {says(replaced(t, script, `^wait$`, `^(?!x)wait$`), script, full),
			[]ItemCall{scripted(synth.Unsupported), ok, done}, "cannot be used"},
		"script is cut off": {append([]model.Reply{{Text: script[:99], Fault: record.CutOff}}, says(script, full)...),
			[]ItemCall{scripted("cut_off"), ok, done}, "the reply was cut off by the length limit"},
		"script in a fence": {says("Here it is:\n```json\n"+script+"\n```\nEnjoy!", full),
			[]ItemCall{{Kind: ScriptCall, Mended: true}, done}, ""},
		"never a script": {says("no"), []ItemCall{scripted(BadScript), scripted(BadScript), scripted(BadScript),
			scripted(BadScript)}, ""},

		"turns are prose": {says(script, "It went well.", full), []ItemCall{ok, trajectory(synth.Format, 0, 0),
			done}, "An earlier game for this script was rejected: the reply has no JSON list"},
		"turns are cut off": {[]model.Reply{{Text: script}, {Text: full[:300], Fault: record.CutOff},
			{Text: full}}, []ItemCall{ok, trajectory("cut_off", 2, 1),
			{Kind: TrajectoryCall, Repeated: 1}}, "turn 2: the reply was cut off by the length limit"},
		"a comma is missing": {says(script, replaced(t, full, "},\n {\"turn\": 4", "}\n {\"turn\": 4"), from(3)),
			[]ItemCall{ok, trajectory(synth.Format, 4, 3), done},
			"What followed was rejected: turn 4: the JSON has a " +
				"fault where >>> stands (invalid character '{' after array element (expecting ',' or ']')): …"},
		"a quotation mark ends a string": {says(script,
			replaced(t, full, "I try take rope now.", "I try \"take\" rope."),
			from(5)), []ItemCall{ok, trajectory(synth.Format, 6, 5), done},
			`"Thought": "I try ">>>take" rope.", "Action"`},
		"an action is unknown": {says(script, replaced(t, full, `"Action": "take lamp"`, `"Action": "steal lamp"`),
			from(3)), []ItemCall{ok, trajectory(synth.BadAction, 4, 3), done},
			`"steal lamp" matches none of the available actions, but the DM reports no error` + "\nThis was rejected:\n" +
				`{"turn":4,"role":"Player","Thought":"I try take lamp now.","Action":"steal lamp"}` + "\n" + `{"turn":5,`},
		"there are too few errors": {says(script, whole(game("!p take lmap", "wait")), full),
			[]ItemCall{ok, trajectory(synth.TooFewErrors, 5, 0), done},
			"the number of error turns is 1, want at least 2\n" +
				"This was rejected:\n[{\"turn\":1,"},
		"a continuation is unreadable": {says(script,
			replaced(t, full, `"Action": "take lamp"`, `"Action": "steal lamp"`), "no", from(3)),
			[]ItemCall{ok, trajectory(synth.BadAction, 4, 3), trajectory(synth.Format, 0, 3), done}, ""},
		"a continuation repeats": {says(script, replaced(t, full, `"Action": "take lamp"`, `"Action": "steal lamp"`),
			full),
			[]ItemCall{ok, trajectory(synth.BadAction, 4, 3), {Kind: TrajectoryCall, Repeated: 3}}, ""},
		"the same mistake again and again": {says(script, replaced(t, full, `"Action": "take lamp"`,
			`"Action": "steal lamp"`), whole(game("wait")[1:]), whole(game("wait")[1:])),
			[]ItemCall{ok, trajectory(synth.BadAction, 4, 3),
				{Kind: TrajectoryCall, Reason: synth.TooFewErrors, Turn: 3, Repeated: 2},
				trajectory(synth.Order, 1, 0)}, ""},
		"repaired on the last call": {says("no", "no", script, full),
			[]ItemCall{scripted(BadScript), scripted(BadScript), ok, done}, ""},
		"a script too late": {says("no", "no", "no", script),
			[]ItemCall{scripted(BadScript), scripted(BadScript), scripted(BadScript), ok}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newWriter(map[string][]model.Reply{who: c.replies})
			g := newGenerator(t, who)
			b := openBook(t, t.TempDir(), g, 1)
			defer b.End()
			g.Ask = func(ctx context.Context, q calls.Question) (*calls.Call, error) { return b.Ask(ctx, m, q) }
			it := sharedtest.Must(g.Make(t.Context(), 0))(t)
			got := append([]ItemCall(nil), it.Attempts...)
			first := -1
			for i := range got {
				if got[i].Reason != "" && first < 0 {
					first = i
				}
				if got[i].Message != "" && got[i].Reason == "" {
					t.Errorf("call %d has a message but no reason: %s", i+1, got[i].Message)
				}
				got[i].Message = ""
				if got[i].Reason == "" {
					got[i].Verified = 0
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Fatalf("(-want +got):\n%s\n%+v", diff, it.Attempts)
			}
			if len(it.Attempts) != m.total || m.total > MostCalls {
				t.Errorf("%d attempts, %d calls", len(it.Attempts), m.total)
			}
			last := c.want[len(c.want)-1]
			sharedtest.Equal(t, it.Passed, (last.Kind == TrajectoryCall && last.Reason == ""), "passed")
			if first >= 0 && first+1 < m.total && !strings.Contains(m.prompts[who][first+1], c.message) {
				t.Errorf("the prompt after the rejection has no %q:\n%s", c.message,
					m.prompts[who][first+1][len(m.prompts[who][0])-200:])
			}
			if it.Passed {
				s := sharedtest.Must(synth.ParseScript(it.Script))(t)
				if v := synth.Verify(s, list(it.Trajectory), g.Verify); v.Reason != "" {
					t.Errorf("what passed does not verify: %+v", v)
				}
			}
		})
	}
}

// drawn is a model whose reply is a function of the request.
type drawn struct{ calls atomic.Int64 }

// Chat implements model.Model.
func (d *drawn) Chat(_ context.Context, req model.Request) (model.Reply, error) {
	d.calls.Add(1)
	prompt := req.Messages[0].Content
	text := "no"
	switch pick := req.Seed % 5; {
	case strings.HasSuffix(prompt, "Script:") && pick > 0:
		before, _, _ := strings.Cut(prompt[strings.LastIndex(prompt, "Persona: ")+9:], "\n")
		text = shop(fmt.Sprintf("%s %d", before, req.Seed))
	case strings.HasSuffix(prompt, "Script:"):
	case strings.Contains(prompt, "are verified:"):
		text = whole(good()[3:])
	case pick == 1:
		text = strings.Replace(whole(good()), `"Action": "take lamp"`, `"Action": "steal lamp"`, 1)
	case pick == 2:
		text = whole(game("wait"))
	case pick > 2:
		n := req.Seed
		text = whole(game("!p x", fmt.Sprintf("!o word%d and%d more%d then%d so%d", n, n, n, n, n), "wait", "wait"))
	}
	return model.Reply{Text: text, Attempts: 1}, nil
}

// What is written depends on the replies alone: not on the concurrency, and not on how often the work was stopped.
func TestOrderDoesNotMatter(t *testing.T) {
	var personas []string
	for i := range 30 {
		personas = append(personas, fmt.Sprintf("Persona-%02d-", i))
	}
	read := func(dir string) string {
		var all bytes.Buffer
		for _, f := range []string{record.TrajectoriesFile, record.ItemsFile} {
			b := sharedtest.Must(os.ReadFile(filepath.Join(dir, f)))(t)
			all.Write(b)
		}
		return all.String()
	}
	dir := t.TempDir()
	made(t, newGenerator(t, personas...), &drawn{}, 40, 1, dir)
	want := read(dir)
	for _, concurrency := range sharedtest.Sample(t, []int{2, 16}, 1) {
		dir := t.TempDir()
		g := newGenerator(t, personas...)
		made(t, g, &drawn{}, 10, concurrency, dir) // a smaller plan first
		m := &drawn{}
		made(t, g, m, 40, concurrency, dir)
		if got := read(dir); got != want {
			t.Errorf("concurrency %d: %s", concurrency, cmp.Diff(want, got))
		}
		before := m.calls.Load()
		made(t, g, m, 40, concurrency, dir)
		if again := m.calls.Load() - before; again > 0 {
			t.Errorf("%d calls were made again", again)
		}
	}
}

// Outcomes, reasons and duplicates are counted, and every item has one line.
func TestCollect(t *testing.T) {
	m := newWriter(map[string][]model.Reply{
		"Ann": says(shop("Ann"), whole(good())),
		"Bob": says(shop("Bob"), whole(good())), // only the goal differs
		"Cem": says(replaced(t, shop("Cem"), "Help Cem", "Help: Ann!"), whole(game("!p a", "!o b", "wait"))),
		"Dan": says("no"),
		"Eve": says(shop("Eve"), whole(game("!p jump over it", "!p fly to the moon", "!o rope lamp swap", "take rope",
			"wait"))),
	})
	g := newGenerator(t, "Ann", "Bob", "Cem", "Dan", "Eve")
	dir := t.TempDir()
	c := made(t, g, m, 5, 1, dir)
	want := map[Outcome]int{Included: 2, Removed: 2, GivenUp: 1}
	sharedtest.Same(t, c.Outcomes, want, "outcomes")
	if c.Rules[SameTask] != 1 || c.Rules[NearText] != 1 || c.ByCalls[2] != 4 ||
		c.Rejected[Rejection{ScriptCall, BadScript}] != 4 || c.Rejecting[Rejection{ScriptCall, BadScript}] != 1 {
		t.Errorf("%+v", c)
	}
	var lines []ItemLine
	content := sharedtest.Must(os.ReadFile(filepath.Join(dir, record.ItemsFile)))(t)
	for text := range strings.Lines(string(content)) {
		var l ItemLine
		sharedtest.OK(t, json.Unmarshal([]byte(text), &l))
		lines = append(lines, l)
	}
	if len(lines) != 5 || lines[1].Duplicate == nil || lines[1].Duplicate.Original != lines[0].ID ||
		lines[2].Duplicate.Rule != SameTask || lines[2].Duplicate.Original != lines[0].ID {
		t.Errorf("%s", content)
	}
	f := sharedtest.Must(os.Open(filepath.Join(dir, record.TrajectoriesFile)))(t)
	defer f.Close()
	n := 0
	if err := synth.VerifyLines("lines", f, g.Verify, false, func(c synth.Checked) error {
		n++
		if c.Reason != "" || c.Script != "" {
			t.Errorf("%+v", c)
		}
		return nil
	}); err != nil || n != 2 {
		t.Errorf("%d lines, %v", n, err)
	}
	sharedtest.Same(t, c.Diversity.Varieties(), []Variety{{Goals, 2, 2}, {Places, 4, 2}, {Actions, 4, 2}, {Verbs, 4, 2},
		{Moves, 9, 7}, {Thoughts, 9, 7}, {Words, 47, 16}, {Pairs, 38, 23}})
}

// textItem is an item whose text is its goal.
func textItem(text string) *synth.Script { return &synth.Script{Goal: text} }

// The index finds what a comparison of all pairs finds.
func TestNearFindsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		threshold := rapid.SampledFrom([]float64{0.05, 0.3, 0.5, 0.7, 0.9, 1}).Draw(t, "threshold")
		word := rapid.SampledFrom([]string{"a", "b", "c"})
		index := newNear(threshold)
		var kept [][]uint32
		var tasks, ids []string
		scripts := make([]*synth.Script, rapid.IntRange(1, 25).Draw(t, "items"))
		for i := range scripts {
			scripts[i] = textItem(strings.Join(rapid.SliceOfN(word, 0, 25).Draw(t, "words"), " "))
			index.see(scripts[i], nil)
		}
		for i, script := range scripts {
			set, task := shingles(textOf(script, nil)), taskOf(script)
			var want *Duplicate
			if j := slices.Index(tasks, task); j >= 0 {
				want = &Duplicate{SameTask, ids[j], jaccard(set, kept[j])}
			} else {
				best := -1.0
				for j := range kept {
					if s := jaccard(set, kept[j]); s >= threshold && s > best {
						best, want = s, &Duplicate{NearText, ids[j], s}
					}
				}
			}
			id := fmt.Sprint(i)
			got := index.add(id, script, nil)
			if (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Fatalf("item %d: %+v, want %+v", i, got, want)
			}
			if want == nil {
				kept, tasks, ids = append(kept, set), append(tasks, task), append(ids, id)
			}
		}
	})
}

func TestShingles(t *testing.T) {
	sharedtest.Equal(t, len(shingles(words("One, two; THREE four - five six!"))), 2, "shingles of six words")
	sharedtest.Equal(t, len(shingles(words("one two"))), 1, "shingles of two words")
	a, b := shingles(words("a b c d e f g h i j")), shingles(words("a b c d e f g h i k"))
	if j := jaccard(a, b); math.Abs(j-5.0/7) > 1e-9 { // five of six on each side are common
		t.Errorf("similarity %v", j)
	}
	sharedtest.Equal(t, taskOf(textItem("Find the LAMP!")), "find the lamp")
}
