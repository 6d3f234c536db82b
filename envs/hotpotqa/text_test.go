package hotpotqa

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/pytext"
	"heldout/envs/sharedtest"
)

// What the records do not show.
func TestUnescape(t *testing.T) {
	for _, c := range []struct{ in, out, exception string }{
		{`\a\b\f\v\r`, "\a\b\f\v\r", ""}, {`\8`, `\8`, ""}, {`\1011`, "A1", ""}, {`\0`, "\x00", ""},
		{`\x4`, "", "UnicodeDecodeError"}, {`\x+1`, "", "UnicodeDecodeError"}, {`\u004`, "", "UnicodeDecodeError"},
		{`\U00110000`, "", "UnicodeDecodeError"}, {`\ud800`, "", "UnicodeEncodeError"},
		{`\u0100 \x`, "", "UnicodeDecodeError"},
		{`\N{DIGIT ONE}`, "1", ""}, {`\N{digit one}`, "1", ""}, {`\N{NO SUCH}`, "", "UnicodeDecodeError"},
		{`\N`, "", "UnicodeDecodeError"}, {`\N{`, "", "UnicodeDecodeError"}, {`\N{}`, "", "UnicodeDecodeError"},
		{"é" + `\n`, "é\n", ""}, {`\400`, "", "UnicodeEncodeError"},
	} {
		got, err := unescape(c.in)
		if got != c.out || pythonError(err) != c.exception {
			t.Errorf("unescape(%q) = %q, %v; want %q, %s", c.in, got, err, c.out, c.exception)
		}
	}
}

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"españa": "españa", "An Officer and a Gentleman": "officer and gentleman", "A.B.C.": "abc", "the-the": "thethe",
		"“The” one’s": "“ ” one’s", "a\u00a0b": "b", "ΟΔΟΣ": "οδος", "The The": "", "a_b": "ab", "ano a2 a": "ano a2",
		"x\x1cy": "x y",
	} {
		sharedtest.Equal(t, normalize(in), want, "normalize", in)
	}
}

func TestScoreLaws(t *testing.T) {
	answers := rapid.StringOfN(rapid.SampledFrom([]rune("ab the AN.,'é ")), 0, 20, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := answers.Draw(t, "a"), answers.Draw(t, "b")
		if n := normalize(a); len(pytext.Fields(n)) > 0 && strings.Join(pytext.Fields(n), " ") != n {
			t.Fatalf("normalize(%q) = %q", a, n)
		}
		a, b = normalize(a), normalize(b)
		ab, p, r := f1(a, b)
		ba, q, s := f1(b, a)
		if ab != ba || p != s || r != q || ab < 0 || ab > 1 {
			t.Fatalf("f1(%q, %q) = %v, %v the other way", a, b, ab, ba)
		}
		if a == b && a != "" && ab != 1 {
			t.Fatalf("%q is %q, and F1 %v", a, b, ab)
		}
	})
}

func TestSentenceLaws(t *testing.T) {
	pages := rapid.StringOfN(rapid.SampledFrom([]rune("aB. \n\t\u00a0é")), 0, 60, -1)
	rapid.Check(t, func(t *rapid.T) {
		page := pages.Draw(t, "page")
		all := sentences(page)
		if diff := cmp.Diff(all, containing(page, "")); diff != "" {
			t.Fatal(diff)
		}
		for _, s := range all {
			if !strings.HasSuffix(s, ".") || s == "." || strings.Contains(s, "\n") {
				t.Fatalf("%q has the sentence %q", page, s)
			}
		}
		if shown := summary(page); !strings.HasPrefix(strings.Join(all, " "), shown) {
			t.Fatalf("%q shows %q", page, shown)
		}
	})
}

// Lookups walk through the page and start again with another text or page.
func TestLookupWalk(t *testing.T) {
	w := newWorld(t, embedded(t, Options{}), 0)
	for _, s := range sharedtest.Cases[struct{ Action, Want string }](t, "lookup-walk.yaml") {
		sharedtest.Equal(t, step(t, w, s.Action).Observation, s.Want, s.Action)
	}
}

func FuzzStep(f *testing.F) {
	e := embedded(f, Options{})
	for _, a := range []string{"search[Mercury]", "lookup[the]", "finish[x]", "think[]", "search[[[x]]]", "search[]",
		"Search[a&b#c%zz\x00]"} {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, action string) {
		if !utf8.ValidString(action) {
			return
		}
		w := newWorld(t, e, 0)
		for _, a := range []string{action, "search[Pluto]", action} {
			s := step(t, w, a)
			if s.Progress < 0 || s.Progress > 1 || s.Done != (w.browser.answer != nil) {
				t.Errorf("%q: %+v", a, s)
			}
		}
	})
}

func FuzzUnescape(f *testing.F) {
	for _, s := range []string{`\x41`, `\N{BULLET}`, `\u`, `a\`, `é\\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if out, err := unescape(s); err == nil && !strings.Contains(s, `\`) && out != s {
			t.Errorf("unescape(%q) = %q", s, out)
		}
		if utf8.ValidString(s) && !utf8.ValidString(cleanText(s)) {
			t.Errorf("cleanText(%q) is not UTF-8", s)
		}
	})
}

func FuzzParseQuestions(f *testing.F) {
	f.Add("x.json", []byte(simplified(2)))
	f.Add("y.json",
		[]byte(
			`[{"_id":"x","question":"q","answer":"a","supporting_facts":[["A",0]]},{"id":"y","dev_index":3,"question":"q","answer":"a","supporting_facts":{"title":["D"]}}]`))
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		all, err := parseQuestions(name, b)
		if err != nil {
			return
		}
		var ids []string
		for _, q := range all {
			ids = append(ids, q.id)
		}
		slices.Sort(ids)
		if len(slices.Compact(ids)) != len(all) || len(all) == 0 {
			t.Errorf("%q has %d questions of names %q", b, len(all), ids)
		}
	})
}

// The example of the prompt is an episode of our own environment, on a question that is not one of its tasks.
func TestPromptExample(t *testing.T) {
	for _, version := range configs.PromptVersions() {
		t.Run(version, func(t *testing.T) { testPromptExample(t, version) })
	}
}

func testPromptExample(t *testing.T, version string) {
	prompt := sharedtest.Must(configs.LoadPrompt(Name, version))(t)
	in := sharedtest.Must(prompt.For("bridge"))(t)
	sharedtest.Equal(t, len(in.Examples), 1, "examples")
	ex := in.Examples[0]
	e := embedded(t, Options{})
	for _, q := range e.questions {
		if q.text == ex.Goal {
			t.Errorf("the example gives away the task %s", q.id)
		}
	}
	w := &world{env: e, question: question{text: ex.Goal, answer: "1894"}, browser: newBrowser(e.wiki)}
	start, err := w.Start(t.Context())
	if want := (envs.Start{Goal: ex.Goal, Observation: ex.Observation}); err != nil || start != want {
		t.Errorf("the example starts with %+v, the environment with %+v, %v", want, start, err)
	}
	for i, want := range ex.Steps {
		got := step(t, w, want.Action)
		last := i == len(ex.Steps)-1
		if got.Observation != want.Observation || got.Done != last || got.Success != last || want.Thought == "" {
			t.Errorf("step %d, %q: the example says %q, the environment %+v", i, want.Action, want.Observation, got)
		}
	}
}
