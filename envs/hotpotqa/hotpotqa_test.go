package hotpotqa

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/envs/hotpotqa/wiki"
	"heldout/envs/pytext"
	"heldout/envs/sharedtest"
)

// embedded returns the environment with our own questions.
func embedded(t testing.TB, o Options) *Env {
	t.Helper()
	return sharedtest.Must(NewEmbedded(o, envs.Outside{}))(t)
}

func step(t testing.TB, w envs.World, action string) envs.Step {
	t.Helper()
	return sharedtest.Must(w.Step(t.Context(), action))(t)
}

// world of a task, by its place.
func newWorld(t testing.TB, e *Env, i int) *world {
	t.Helper()
	return sharedtest.Must(e.NewWorld(e.Tasks()[i]))(t).(*world)
}

// playExpert plays a task as the expert does and returns the last step.
func playExpert(t testing.TB, w *world) (last envs.Step, steps int) {
	t.Helper()
	for ; steps < stepLimit && !last.Done; steps++ {
		action := sharedtest.Must(w.ExpertAction(t.Context()))(t)
		if action == "" {
			break
		}
		last = step(t, w, action)
	}
	return last, steps
}

// The set is as large as promised, has both kinds of questions, and some whose titles take a second search.
func TestEmbeddedSet(t *testing.T) {
	e := embedded(t, Options{})
	articles := embeddedArticles()
	if len(e.Tasks()) < 40 || len(articles) < 120 {
		t.Errorf("%d questions over %d articles", len(e.Tasks()), len(articles))
	}
	text := map[string]string{}
	for _, a := range articles {
		if text[a.Title] != "" || len(a.Paragraphs) == 0 {
			t.Errorf("article %q is there twice, or empty", a.Title)
		}
		text[a.Title] = strings.Join(a.Paragraphs, "\n")
	}
	kinds := map[string]int{}
	again := 0
	for _, q := range e.questions {
		kinds[q.kind]++
		if len(q.searches) > len(q.pages) {
			again++
		}
		read := ""
		for _, p := range q.pages {
			if text[p] == "" {
				t.Errorf("%s: there is no article %q", q.id, p)
			}
			read += p + "\n" + text[p] + "\n"
		}
		if yesNo := q.answer == "yes" || q.answer == "no"; !yesNo && !strings.Contains(read, q.answer) {
			t.Errorf("%s: %q is not in the articles that the answer rests on", q.id, q.answer)
		}
		if len(q.pages) < 2 {
			t.Errorf("%s takes one article", q.id)
		}
	}
	if kinds["bridge"] < 20 || kinds["comparison"] < 10 || len(kinds) != 2 || again < 10 {
		t.Errorf("%v questions, %d with a second search", kinds, again)
	}
}

func TestExpertOnEmbeddedSet(t *testing.T) {
	e := embedded(t, Options{})
	for i, task := range e.Tasks() {
		w := newWorld(t, e, i)
		last, steps := playExpert(t, w)
		sharedtest.Equal(t, last, (envs.Step{Observation: "Episode finished, reward = 1\n", Progress: 1, Done: true,
			Success: true, Valid: true}), task.ID, "after", steps, "steps")
		if again := step(t, w, "search[Pluto]"); again.Observation != last.Observation || !again.Done ||
			!again.Success || again.Valid {
			t.Errorf("%s: after the end %+v", task.ID, again)
		}
	}
}

// Every search of the set that is no title's leads to a list that has the next one.
func TestSecondSearches(t *testing.T) {
	e := embedded(t, Options{})
	for i, q := range e.questions {
		w := newWorld(t, e, i)
		for j, query := range q.searches {
			s := step(t, w, "search["+query+"]")
			if listed := strings.HasPrefix(s.Observation, "Could not find "); listed &&
				!strings.Contains(s.Observation, q.searches[j+1]) {
				t.Errorf("%s: search[%s] says %q without %q", q.id, query, s.Observation, q.searches[j+1])
			}
		}
	}
}

func TestScores(t *testing.T) {
	e := embedded(t, Options{})
	for _, c := range []struct {
		answer   string
		progress float64
		success  bool
	}{
		{"the Vistula.", 1, true}, {"Vistula river", 2 * 0.5 / 1.5, false}, {"Rhine", 0, false}, {"", 0, false},
	} {
		w := newWorld(t, e, 0)
		step(t, w, "search[Warsaw]")
		got := step(t, w, "finish["+c.answer+"]")
		want := envs.Step{Observation: "Episode finished, reward = 0\n", Progress: c.progress, Done: true,
			Success: c.success, Valid: true}
		if c.success {
			want.Observation = "Episode finished, reward = 1\n"
		}
		sharedtest.Same(t, got, want, c.answer)
	}
}

// Without an answer an episode has the score of an empty one, which the reference gives in the end.
func TestNoAnswer(t *testing.T) {
	w := newWorld(t, embedded(t, Options{}), 0)
	if s := step(t, w, "search[Pluto]"); s.Success || s.Done || s.Progress != 0 {
		t.Errorf("%+v", s)
	}
	w.question.answer, w.question.own = "The The", false
	if s := step(t, w, "search[Pluto]"); !s.Success || s.Done || s.Progress != 0 {
		t.Errorf("%+v", s)
	}
}

// letters are the letters and digits of a text in lower case.
func letters(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !pytext.IsWord(r) }), "")
}

// Of a user's question, whatever its right answer is: that answer is right, and neither no answer
// nor one with other letters is. An answer that HotpotQA would compare is compared as it does.
func TestOwnAnswers(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"a", "A", "the", "The", "an", " ", ".", "!", "+", "-", "%", "b", "C", "é", "0",
		"yes"})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(pieces, 1, 5).Draw(t, "pieces"), "")
	})
	e := embedded(t, Options{})
	rapid.Check(t, func(rt *rapid.T) {
		gold, other := text.Draw(rt, "gold"), text.Draw(rt, "other")
		if strings.TrimSpace(gold) == "" {
			return
		}
		given := func(answer string) envs.Step {
			w := newWorld(t, e, 0)
			w.question.answer = gold
			return step(t, w, "finish["+answer+"]")
		}
		if s := given(gold); !s.Success || s.Progress != 1 {
			rt.Errorf("finish[%s] of %q: %+v", gold, gold, s)
		}
		if s := given(""); s.Success {
			rt.Errorf("no answer is right where %q is", gold)
		}
		if s := given(other); normalize(gold) != "" && s.Success != (normalize(gold) == normalize(other)) ||
			normalize(gold) == "" && s.Success && (letters(gold) != letters(other) ||
				letters(gold) == "" && strings.Join(strings.Fields(gold), "") != strings.Join(strings.Fields(other),
					"")) {
			rt.Errorf("finish[%s] of %q: success %v", other, gold, s.Success)
		}
	})
}

// A model's first letter may be a capital; the environment itself minds.
func TestSpell(t *testing.T) {
	w := newWorld(t, embedded(t, Options{}), 0)
	for in, want := range map[string]string{"Search[Pluto]": "search[Pluto]", "search[Pluto]": "search[Pluto]", "": "",
		"ÉX": "éX"} {
		sharedtest.Equal(t, w.Spell(in), want, "Spell", in)
	}
	if s := step(t, w, "Search[Pluto]"); s.Valid || s.Observation != "Invalid action: Search[Pluto]" {
		t.Errorf("%+v", s)
	}
}

// fixedWiki answers every search in the same way.
type fixedWiki struct {
	answer wiki.Answer
	err    error
	asked  []string
}

func (s *fixedWiki) Search(_ context.Context, query string) (wiki.Answer, error) {
	s.asked = append(s.asked, query)
	return s.answer, s.err
}

func TestPagesThatFail(t *testing.T) {
	e := embedded(t, Options{})
	gone := errors.New("gone")
	for name, s := range map[string]*fixedWiki{
		"no answer": {err: gone}, "always ambiguous": {
			answer: wiki.Answer{Blocks: []string{"It may refer to: everything"}}},
	} {
		e.wiki = s
		if _, err := newWorld(t, e, 0).Step(t.Context(), "search[x]"); err == nil || s.err != nil &&
			!errors.Is(err, s.err) {
			t.Errorf("%s: %v", name, err)
		}
		if len(s.asked) > maxAmbiguous {
			t.Errorf("%s: asked for %q", name, s.asked)
		}
	}
}

// The expert has no answer where a page that it needs is not there.
func TestExpertWithoutPages(t *testing.T) {
	e := embedded(t, Options{})
	e.wiki = &fixedWiki{answer: wiki.Answer{List: true}}
	w := newWorld(t, e, 0)
	if last, steps := playExpert(t, w); last.Done || steps != len(w.question.searches) {
		t.Errorf("%d steps, %+v", steps, last)
	}
	e.wiki = &fixedWiki{answer: wiki.Answer{Blocks: []string{"a b c"}}}
	if last, _ := playExpert(t, newWorld(t, e, 0)); !last.Success {
		t.Errorf("%+v", last)
	}
}

func TestSettings(t *testing.T) {
	cache := t.TempDir()
	if err := os.WriteFile(filepath.Join(cache, "wiki.json"), []byte(`{"version":1,"url":"http://w/x","flow":"html"}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{"RECORDED": cache, "EMPTY": t.TempDir()}
	for _, c := range sharedtest.Cases[struct {
		Options  Options
		Settings map[string]string
	}](t, "settings.yaml") {
		pages := &c.Options.Pages
		pages.Cache = cmp.Or(folders[pages.Cache], pages.Cache)
		pages.Index = cmp.Or(folders[pages.Index], pages.Index)
		e, err := NewEmbedded(c.Options, envs.Outside{})
		sharedtest.Equal(t, err != nil, c.Settings == nil, c.Options, err)
		if err != nil {
			continue
		}
		want := envs.Info{Name: "hotpotqa", Source: envs.Generated, StepLimit: 7, SuccessName: "EM", ProgressName: "F1",
			Settings: c.Settings}
		sharedtest.Same(t, e.Info(), want, c.Options)
	}
}

func TestForeignTask(t *testing.T) {
	e := embedded(t, Options{})
	task := e.Tasks()[0]
	task.Digest = "other"
	sharedtest.Fails(t, sharedtest.Err(e.NewWorld(task)), "", "a task of another environment is played")
}

func TestNames(t *testing.T) {
	got := names(`Which of "Marie Curie", Pierre (Curie) and É. Zola was in New York's 2nd Bar?`)
	sharedtest.Same(t, got, []string{"Which", "Marie Curie", "Pierre Curie", "É", "Zola", "New York's", "Bar"})
}

// Every listed action is valid, whatever was done before, and after the end there is none.
func TestActions(t *testing.T) {
	e := embedded(t, Options{})
	for _, first := range []string{"", "search[Titan]", "search[Warsaw]", "lookup[x]", "nonsense"} {
		w := newWorld(t, e, 0)
		if first != "" {
			step(t, w, first)
		}
		actions, err := w.Actions(t.Context())
		if err != nil || !slices.IsSorted(actions) || !slices.Contains(actions, "search[Marie Curie]") {
			t.Errorf("after %q: %q, %v", first, actions, err)
		}
		for _, a := range actions {
			w := newWorld(t, e, 0)
			step(t, w, "search[Pluto]")
			if s := step(t, w, a); !s.Valid {
				t.Errorf("%q is listed and not valid", a)
			}
			if left, err := w.Actions(t.Context()); err != nil || (left == nil) != (w.browser.answer != nil) {
				t.Errorf("after %q: %q, %v", a, left, err)
			}
		}
	}
}
