package pddl

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTokenizeGolden(t *testing.T) {
	b, err := os.ReadFile("../../../shared/golden/pddl/tokenizer_cases.json")
	if err != nil {
		t.Skip(err)
	}
	var cases []struct {
		Text   string
		Tokens []string `json:"tokens_of_lowercased"`
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		got := tokenize(strings.ToLower(c.Text))
		if len(got) == 0 && len(c.Tokens) == 0 {
			continue
		}
		if diff := cmp.Diff(c.Tokens, got); diff != "" {
			t.Errorf("%q: %s", c.Text, diff)
		}
	}
}
