package bleu

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"heldout/envs/sharedtest"
)

// The file holds what NLTK 3.10.4 answers.
func TestSentenceIsNLTKs(t *testing.T) {
	b := sharedtest.Must(os.ReadFile("testdata/nltk.json"))(t)
	var cases []struct {
		Reference, Candidate string
		Bleu                 float64
	}
	if err := json.Unmarshal(b, &cases); err != nil || len(cases) < 50 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		if got := Sentence(c.Reference, c.Candidate); math.Abs(got-c.Bleu) > 1e-12 {
			t.Errorf("%q, %q: %v, want %v", c.Reference, c.Candidate, got, c.Bleu)
		}
	}
}

func TestNearest(t *testing.T) {
	choices := []string{"go to desk 1", "go to desk 2", "look", "take mug 1 from desk 1"}
	for _, c := range []struct {
		text      string
		threshold float64
		want      string
	}{
		{"go to the desk 2", 0.01, "go to desk 2"},
		{"go to the desk", 0.01, "go to desk 1"}, // the first of two
		{"pick up mug 1", 0.01, "take mug 1 from desk 1"},
		{"xyzzy", 0.01, ""},
		{"", 0, ""},
		{"pick up mug 1", 0.9, ""},
	} {
		got, ok := Nearest(c.text, choices, c.threshold)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q over %v: %q, %v, want %q", c.text, c.threshold, got, ok, c.want)
		}
	}
}

// FuzzSentence asks that every text has a similarity in [0,1], 1 to itself.
func FuzzSentence(f *testing.F) {
	f.Add("go to desk 1", "go desk")
	f.Fuzz(func(t *testing.T, a, b string) {
		if s := Sentence(a, b); !(s >= 0 && s <= 1+1e-12) {
			t.Errorf("%v", s)
		}
	})
}
