package pddl

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/envs/pytext"
	"heldout/envs/sharedtest"
)

func TestTokenizeGolden(t *testing.T) {
	var cases []struct {
		Text   string
		Tokens []string `json:"tokens_of_lowercased"`
	}
	sharedtest.JSON(t, "pddl/tokenizer_cases.json", &cases)
	for _, c := range cases {
		got := tokenize(strings.ToLower(c.Text))
		if len(got) == 0 && len(c.Tokens) == 0 {
			continue
		}
		sharedtest.Same(t, got, c.Tokens, c.Text)
	}
}

// The tokens, separated by spaces, of text in lower case.
func TestTokenize(t *testing.T) {
	for _, tt := range sharedtest.Cases[struct{ Text, Want string }](t, "tokens.yaml") {
		sharedtest.Equal(t, strings.Join(tokenize(tt.Text), " "), tt.Want, tt.Text)
	}
}

// The short way for plain text ends where the long one does.
func TestPlainWords(t *testing.T) {
	parts := rapid.SampledFrom([]string{
		"b1", " ", "  ", "-", ".", "_", "'", "a", "1", "cannot", "gonna", "gotta", "lemme", "gimme", "wanna", "n", "m",
		"t", "ball", "pick up", "robb",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(parts, 0, 12).Draw(t, "parts"), "")
		if got, ok := plainWords(text); ok {
			if diff := cmp.Diff(anyWords(text), got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%q: %s", text, diff)
			}
		} else if !strings.ContainsAny(text, "._'") && !strings.Contains(text, "--") && !doubled.MatchString(text) {
			t.Fatalf("%q is plain", text)
		}
	})
}

var doubled = regexp.MustCompile("mm|nn|tt")

// Long texts, as models write them when they loop, are split in linear time.
func TestTokenizeLongText(t *testing.T) {
	for _, part := range []string{"cannot ", "a. ", "...", "'", "`", "b1 b2. ", "? ! ", "\"(", "x", " ", "'twas ",
		".\n", ".'", "1.'", "?'", ".\"", "n't ", "b1.) "} {
		text := strings.Repeat(part, sharedtest.Times(t, 50_000, 10_000)/len(part))
		for _, token := range tokenize(text) {
			if token == "" {
				t.Errorf("an empty token in %q…", text[:10])
			}
		}
	}
}

func FuzzTokenize(f *testing.F) {
	for _, s := range []string{"pick up 'ball1' (at rooma).", "\"b1\" cannot. 'tis b2... \u00e9\u2003", "a. b1?) --'",
		"\xff\xfe b1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := tokenize(pytext.Lower(text))
		for _, token := range tokens {
			if token == "" || strings.ContainsAny(token, " \t\n\r") {
				t.Errorf("token %q", token)
			}
		}
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\"") {
			return
		}
		// Nothing is lost and nothing added but spaces and, for double quotes,
		// other ones.
		squeeze := func(s string) string {
			return strings.Join(strings.FieldsFunc(s, pytext.IsSpace), "")
		}
		got, want := strings.Join(tokens, ""), squeeze(pytext.Lower(text))
		if got != want && !strings.Contains(want, "''") {
			t.Errorf("%q became %q", want, got)
		}
		// A word that stands alone is never changed.
		if words := tokenize("left " + strings.Join(tokens, " ") + " left"); len(words) < 2 || words[0] != "left" ||
			words[len(words)-1] != "left" {
			t.Errorf("%q", words)
		}
		if slices.Contains(tokens, "b1") && !strings.Contains(pytext.Lower(text), "b1") {
			t.Errorf("%q has a token b1", text)
		}
	})
}

// prompted is a request of AgentBoard's agent for open models.
type prompted struct {
	Protocol, Task string
	Request        struct{ Prompt string }
}

// AgentBoard splits an action into NLTK's sentences before it splits it into words, and so
// does heldout: every recorded answer is equal, also to actions of several sentences.
func TestSentences(t *testing.T) {
	e := official(t)
	last := map[string]prompted{}
	for _, p := range sharedtest.Lines[prompted](t, "protocols/agentboard-open-pddl.jsonl.gz") {
		last[p.Protocol+" "+p.Task] = p // each prompt has those before it
	}
	actions, several := 0, 0
	for name, p := range last {
		i := slices.IndexFunc(e.Tasks(), func(task envs.Task) bool { return task.ID == p.Task })
		w := sharedtest.Must(e.NewWorld(e.Tasks()[i]))(t).(*world)
		if _, err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, history, _ := strings.Cut(p.Request.Prompt[strings.LastIndex(p.Request.Prompt, "accomplish the goal"):],
			"\nObservation: ")
		turns := strings.Split(history, "\nAction: ")
		for _, turn := range turns[1 : len(turns)-1] {
			action, want, _ := strings.Cut(turn, "\nObservation: ")
			text := pytext.Lower(action)
			if strings.Contains(text, "check") || strings.Contains(text, lookAction) {
				continue // these change nothing, and are listed in the order of a set
			}
			if got, _ := w.act(tokenize(text)); got != want {
				t.Errorf("%s: %q is answered %q, want %q", name, action, got, want)
			}
			if actions++; !slices.Equal(words(text), tokenize(text)) {
				several++
			}
		}
	}
	t.Logf("%d of %d actions are read otherwise as several sentences", several, actions)
	if several == 0 {
		t.Error("no action has several sentences")
	}
}
