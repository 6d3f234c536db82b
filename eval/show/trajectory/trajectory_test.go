package trajectory

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/show/page"
	"heldout/scoring/record"
)

// example is an attempt with steps of every kind.
func example() *record.Episode {
	score, loose := 0.25, true
	return &record.Episode{
		Result: record.Result{
			Schema: record.Schema, ID: "0123456789abcdef0123", Attempt: 1, Env: "boxes", Source: envs.Generated,
			Task: "box/01", TaskType: "box", Difficulty: envs.Hard,
			Model: "vllm:M", Agent: "react", Seed: 7, Perturbation: "P1", Trial: 2, Cut: record.SameStep, Score: &score,
			Loose:   &loose,
			Outcome: record.Failure, Progress: 0.5, Grounding: 1.0 / 3, Steps: 3, FormatErrors: 1,
			Faults:  map[record.Fault]int{record.CutOff: 1},
			Trimmed: 2, Forgotten: 1, Dropped: []string{"top_k"}, PromptTokens: 100, CompletionTokens: 20, Calls: 3,
			Requests: 5, ModelSeconds: 0.125,
			Reflection: &record.Reflection{Text: "I should open the box."},
			Started:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Ended: time.Date(2026, 1, 2, 3, 5, 0, 0, time.UTC),
		},
		Goal: "The box is open.", Observation: "You see a box.",
		Memory: []record.Remembered{{Trial: 1, Text: "Look first."}},
		Trajectory: []record.Step{
			{Thought: "A box.", Action: "open box", Observation: "It is open.", Progress: 0.5, Valid: true,
				PromptTokens: 60, CompletionTokens: 9, ModelSeconds: 1.25},
			{Observation: "What?", Progress: 0.5, FormatError: true, Fault: record.CutOff, FinishReason: "length",
				Reply: "Hm.", Reasoning: "Hm?"},
			{Action: "fly", Observation: "No.", Progress: 0.5},
		},
	}
}

func render(t *testing.T, e EpisodePage) string {
	t.Helper()
	return string(Render(e))
}

// textOf is what a reader sees of HTML, without what scripts and styles are.
func textOf(t *testing.T, source string) string {
	t.Helper()
	root := sharedtest.Must(html.Parse(strings.NewReader(source)))(t)
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "style") {
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return b.String()
}

// An episode shows everything that its record knows.
func TestEpisodeShowsItsRecord(t *testing.T) {
	got := textOf(t, render(t, EpisodePage{Episode: example(), Run: "runs/a"}))
	for _, want := range []string{
		"vllm:M, seed 7, P1, trial 2", "failure", "box/01", "boxes (generated)", "hard", "same_step", "0.250",
		"Loose successtrue", "Valid actions33.3 %", "Cut off1",
		"History shortened2 times", "Reflections left out1", "top_k", "100 prompt + 20 reply",
		"5 for 3 replies, 125 ms", "2026-01-02 03:04:05 UTC", "55 s", "runs/a",
		"The box is open.", "You see a box.", "Reflection on trial 1", "Look first.", "I should open the box.",
		"First error: step 2, 2 in all",
		"Step 1", "50.0 % (more)", "60 + 9 tokens, 1.2 s", "format error", "cut off", "ended by length",
		"invalid action", "Hm.", "Hm?", "What?", "fly",
	} {
		sharedtest.Contains(t, got, want, "the episode")
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestEpisodeWithoutErrors(t *testing.T) {
	e := example()
	e.Trajectory = e.Trajectory[:1]
	got := textOf(t, render(t, EpisodePage{Episode: e}))
	if !strings.Contains(got, "No errors.") || strings.Contains(got, "First error") {
		t.Error(got)
	}
}

// Hostile is text that tries to be more than text.
const hostile = "<script>alert(1)</script></script><img src=x onerror=alert(2)>\x1b[31mred\x00 \u202etxt.exe\u2066 \xff\xfe 'a' \"b\" `c` {{.}} ]]> -->"

// hostileEpisode has it in every field, and a long line.
func hostileEpisode() *record.Episode {
	e := example()
	long := hostile + strings.Repeat("x", 200_000) + hostile
	e.Env, e.Task, e.TaskType, e.Model, e.Agent, e.Perturbation, e.Preset = hostile, hostile, hostile, hostile, hostile,
		hostile, hostile
	e.ID, e.Source, e.Difficulty, e.Outcome, e.Cut = hostile, hostile, hostile, hostile, hostile
	e.Error, e.Goal, e.Observation, e.Dropped = long, long, long, []string{hostile}
	e.Reflection, e.Memory = &record.Reflection{Text: long}, []record.Remembered{{Trial: 1, Text: long}}
	for i := range e.Trajectory {
		e.Trajectory[i] = record.Step{Thought: long, Action: long, Observation: long, Reply: long, Reasoning: long,
			FinishReason: hostile, Fault: hostile}
	}
	return e
}

// Nothing of a record becomes markup, and what does not print is written out.
func TestHostileText(t *testing.T) {
	e := hostileEpisode()
	pictures := []envs.Picture{{Rows: [][]envs.Glyph{{{Text: hostile, Color: hostile, Lit: true}}},
		Legend: []string{hostile}}}
	list := List{Filter: Filter{Text: hostile, Env: hostile}, Count: hostile,
		Rows: []AttemptRow{{Result: &e.Result, Run: hostile, Href: "javascript:alert(1)"},
			{Result: &example().Result}}}.Render()
	for name, source := range map[string]string{"episode": render(t,
		EpisodePage{Episode: e, Run: hostile, Pictures: pictures}), "list": string(list)} {
		checkHarmless(t, name, source)
		if n := strings.Count(textOf(t, source), `\x1b[31mred\x00 \u202etxt.exe\u2066`); n < 5 {
			t.Errorf("the %s shows the text %d times", name, n)
		}
	}
}

// checkHarmless reports elements and attributes that templates do not have, and characters that do not print.
func checkHarmless(t *testing.T, name, source string) {
	t.Helper()
	root := sharedtest.Must(html.Parse(strings.NewReader(source)))(t)
	for n := range root.Descendants() {
		if n.Type == html.TextNode && strings.ContainsAny(n.Data, "\x00\x1b\u202e\u2066") {
			t.Errorf("the %s has characters that do not print: %.80q", name, n.Data)
		}
		if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "img") {
			t.Errorf("the %s has an element %s", name, n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "href" &&
				strings.HasPrefix(a.Val, "javascript") {
				t.Errorf("the %s has an attribute %s=%q", name, a.Key, a.Val)
			}
		}
	}
}

// A bundle gives back what was added, compressed.
func TestBundle(t *testing.T) {
	b := NewBundle(1000)
	want := map[string]string{}
	for i := range 50 {
		e := example()
		e.ID, e.Task, e.Observation = fmt.Sprintf("%020d", i), fmt.Sprintf("box/%d", i), strings.Repeat(hostile, 300)
		add(t, b, "a", e)
		want["a/"+e.ID] = render(t, EpisodePage{Episode: e, Run: "a", Sent: NewPrompts(e, nil, errUnsent).Sent})
	}
	s := section(t, b)
	if len(s.Data) < 3 {
		t.Errorf("%d pieces of data", len(s.Data))
	}
	got := map[string]string{}
	for _, d := range s.Data {
		got[d.ID] = unpack(t, d)
	}
	var rows []struct {
		Key, HTML    string
		Chunk, Place int
	}
	reasons := map[string]string{}
	if err := json.Unmarshal([]byte(got["prompts"]), &reasons); err != nil ||
		!slices.Equal(slices.Collect(maps.Values(reasons)), []string{errUnsent.Error()}) {
		t.Errorf("prompts are %q, %v", reasons, err)
	}
	if err := json.Unmarshal([]byte(got["rows"]), &rows); err != nil || len(rows) != len(want) {
		t.Errorf("%d rows: %v", len(rows), err)
	}
	for _, row := range rows {
		chunk := strings.Split(got[fmt.Sprintf("episodes-%d", row.Chunk)], separator)
		if chunk[row.Place] != want[row.Key] || !strings.Contains(string(s.Body), row.HTML) {
			t.Errorf("the bundle lacks %s", row.Key)
		}
	}
	sharedtest.Contains(t, string(s.Body), "50 episodes", "the list")
}

func unpack(t *testing.T, d page.Data) string {
	t.Helper()
	z := sharedtest.Must(gzip.NewReader(bytes.NewReader(d.Content)))(t)
	text := sharedtest.Must(io.ReadAll(z))(t)
	return string(text)
}

// A bundle that cannot hold all takes whole tasks and says so.
func TestBundleChooses(t *testing.T) {
	b := NewBundle(10 * ratio * maxBundle) // room for a tenth
	tasks := map[string]int{}
	for i := range 1000 {
		for _, model := range []string{"m", "n"} {
			e := example()
			e.ID, e.Task, e.Model = fmt.Sprint(i, model), fmt.Sprintf("box/%d", i), model
			add(t, b, "a", e)
		}
	}
	for _, r := range b.rows {
		tasks[r.Task]++
	}
	for task, n := range tasks {
		sharedtest.Equal(t, n, 2, "task has episodes", task)
	}
	if len(tasks) < 60 || len(tasks) > 140 {
		t.Errorf("%d tasks of 1000", len(tasks))
	}
	s := section(t, b)
	want := fmt.Sprintf("%d of 2000 episodes: all attempts at about 10.0 %% of the tasks", len(b.rows))
	sharedtest.Contains(t, textOf(t, string(s.Body)), want, "the page")
}

func TestFilter(t *testing.T) {
	e := example()
	for _, c := range []struct {
		filter Filter
		want   bool
	}{
		{Filter{}, true}, {Filter{Env: "boxes", Type: "box", Model: "vllm:M", Outcome: "failure"}, true},
		{Filter{Env: "box"}, false}, {Filter{Outcome: "success"}, false},
		{Filter{Text: "OPEN THE BOX"}, true}, {Filter{Text: "hm?"}, true}, {Filter{Text: "look first"}, true},
		{Filter{Text: "vllm"}, false},
		{Filter{Task: "BOX/0", Seed: "7", MinSteps: "3", MaxSteps: "3"}, true}, {Filter{Task: "box/2"}, false},
		{Filter{MinSteps: "4"}, false}, {Filter{MaxSteps: "2"}, false},
		{Filter{MinSteps: "-1", MaxSteps: "many"}, true},
		{Filter{Reason: "unreadable replies"}, true}, {Filter{Reason: "loops"}, false},
		{Filter{Reason: "unreadable replies", Text: "what?"}, true}, {Filter{Reason: "nonsense"}, false},
	} {
		_, found := c.filter.Choose(Attempts{Count: 1, Result: func(int) record.Result { return e.Result },
			Reason: func(int) Reason { return unreadable }})
		sharedtest.Equal(t, len(found) == 1 && (c.filter.Text == "" || c.filter.Hit(e) != nil), c.want, c.filter)
	}
}

// Types are listed by environment.
func TestTypesByEnvironment(t *testing.T) {
	kinds := [][2]string{{"pddl", "barman"}, {"alfworld", "look"}, {"pddl", "blockworld"}, {"alfworld", "barman"}}
	c, _ := Filter{}.Choose(Attempts{Count: len(kinds), Result: func(i int) record.Result {
		return record.Result{Env: kinds[i][0], TaskType: kinds[i][1]}
	}})
	got := string(List{Choices: c, Filter: Filter{Type: "look"}}.Render())
	want := `<select name="type"><option value="">all</option><optgroup label="ALFWorld"><option value="barman">` +
		`barman</option><option value="look" selected>look</option></optgroup><optgroup label="PDDL">` +
		`<option value="barman">barman</option><option value="blockworld">blockworld</option></optgroup></select>`
	sharedtest.Contains(t, got, want)
}

// A hit is the first passage with the text, as the episode writes it, on one line.
func TestHit(t *testing.T) {
	long := strings.Repeat("é", 100)
	e := example()
	e.Trajectory[0].Thought = long + " A\nBox<b>\x1b " + long
	e.Trajectory[1].Thought = long + " " + strings.Repeat("ab ", 20) + "needle" + strings.Repeat(" cd", 40)
	for text, want := range map[string]*Hit{
		"box/01": {Step: -1, Part: "task", Text: "box/01"},
		"SEE A":  {Part: "observation", Before: "You ", Text: "see a", After: " box."},
		"box<B>": {Step: 1, Part: "thought", Before: "…" + strings.Repeat("é", 38) + " A ", Text: "Box<b>",
			After: `\x1b ` + strings.Repeat("é", 39) + "…"},
		"needle": {Step: 2, Part: "thought", Before: "…" + strings.Repeat("ab ", 20), Text: "needle",
			After: strings.Repeat(" cd", 26) + "…"},
		"fly":       {Step: 3, Part: "action", Text: "fly"},
		"no such x": nil,
	} {
		got := Filter{Text: text}.Hit(e)
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	e.Goal = "İ " + e.Goal // longer in lower case
	if got := (Filter{Text: "the box is"}).Hit(e); got == nil || *got != (Hit{Step: -1, Part: "goal"}) {
		t.Errorf("%+v", got)
	}
}

// TestBehaviour: an episode says what its agent did with its errors.
func TestBehaviour(t *testing.T) {
	text := strings.Join(strings.Fields(textOf(t, render(t, EpisodePage{Episode: example()}))), " ")
	for _, want := range []string{"Errors2, longest run 2", "Repeated errors0", "Recovered within 3 steps0 of 2 errors",
		"No more progress after step1"} {
		sharedtest.Contains(t, text, want)
	}
	e := example()
	e.Trajectory, e.Success = e.Trajectory[:1], true
	if text := textOf(t, render(t, EpisodePage{Episode: e})); strings.Contains(text, "Repeated errors") ||
		strings.Contains(text, "No more progress") {
		t.Errorf("an episode without errors has some: %.900s", text)
	}
}

var errUnsent = errors.New("a baseline played")

// add adds an attempt to a bundle.
func add(t testing.TB, b *Bundle, run string, e *record.Episode) {
	t.Helper()
	if !b.Takes(&e.Result) {
		b.Omit()
		return
	}
	sharedtest.OK(t, b.Add(run, &e.Result, Reason(1+e.TaskIndex%len(Reasons())), b.Render(run, e, nil, errUnsent)))
}

// section closes a bundle.
func section(t testing.TB, b *Bundle) Section {
	t.Helper()
	sharedtest.OK(t, b.Close())
	return b.Section()
}

// Steps are numbered from 1, the first bad one is named, and loops are told.
func TestStepsOfAnArticle(t *testing.T) {
	e := example()
	e.Trajectory = []record.Step{{Action: "a", Valid: true}, {Action: "b", Observation: "No."}, {Action: "c"}}
	var pictures []envs.Picture
	for range 4 {
		pictures = append(pictures, envs.Picture{Legend: []string{fmt.Sprint("before step ", len(pictures)+1)}})
	}
	got := render(t, EpisodePage{Episode: e, Pictures: pictures})
	for i, part := range strings.Split(got, `<section class="step`)[1:] {
		if want := fmt.Sprint("before step ", i+1, "\n"); !strings.Contains(part, want) {
			t.Errorf("step %d lacks the state %q: %s", i, want, part)
		}
		if want := fmt.Sprintf(`id="%s-%d"`, e.ID, i); !strings.Contains(part, want) {
			t.Errorf("step %d lacks %s: %s", i, want, part)
		}
	}
	for _, want := range []string{`href="#` + e.ID + `-2">First error: step 2</a>, 2 in all`, "3 steps",
		`class="wrong" d="M1 15h1v5h-1zM2 15h1v5h-1z"`} {
		sharedtest.Contains(t, got, want, "the episode")
	}
	e.Trajectory = nil
	for range 12 {
		e.Trajectory = append(e.Trajectory, record.Step{Action: "go", Observation: "You go.", Valid: true})
	}
	if facts := behaviour(EpisodePage{Episode: e}); !slices.ContainsFunc(facts, func(f fact) bool {
		return f.Name == "Steps in loops" && f.Value != "0"
	}) {
		t.Errorf("no loop is told: %+v", facts)
	}
}

// What html/template makes of a text, markup makes of it: of all characters and broken bytes, and of pairs of them.
func TestMarkupIsThatOfTemplates(t *testing.T) {
	parsed := template.Must(template.New("").Parse(`<b title="{{.}}">{{.}}</b>`))
	check := func(s string) {
		var want strings.Builder
		sharedtest.OK(t, parsed.Execute(&want, visible(s)))
		m := markup{}
		m.raw(`<b title="`)
		m.text(s)
		m.raw(`">`)
		m.text(s)
		m.raw("</b>")
		sharedtest.Equal(t, string(m.html), want.String(), s)
	}
	var special []string
	for r := range rune(0x3000) {
		check(string(r))
		if r < 0x80 && (r < ' ' || strings.ContainsRune("<>&\"'+`=\x7f", r)) {
			special = append(special, string(r))
		}
	}
	for _, r := range []rune{0xd7ff, 0xe000, 0xfeff, 0xfffd, 0x1f600, 0xe0001, 0x10ffff} {
		special = append(special, string(r))
	}
	special = append(special, "\xff", "\xc0\x80", "\xed\xa0\x80", "a", hostile)
	for _, a := range special {
		for _, b := range special {
			check(a + b)
		}
	}
}

// A long text folds what follows its beginning, and loses nothing.
func TestLongTexts(t *testing.T) {
	for n := range 40 {
		text := strings.Repeat("é<", n)
		m := markup{}
		m.long(text, 16)
		got := textOf(t, string(m.html))
		_, rest, folded := strings.Cut(got, " more characters")
		if folded != (len(text) > 20) || !folded && got != text || folded && !strings.HasSuffix(text, rest) {
			t.Errorf("%d: %q", n, got)
		}
	}
}

// Addresses with a scheme are left out.
func TestAddresses(t *testing.T) {
	for href, want := range map[string]string{"../a/b": "../a/b", "#a:b": "#a:b", "?a=x:y&b": "?a=x:y&b",
		"javascript:alert(1)": "", "JaVa\nscript:alert(1)": "", "data:text/html,x": "", "a/b:c": "a/b:c"} {
		sharedtest.Equal(t, relative(href), want, href)
	}
}
