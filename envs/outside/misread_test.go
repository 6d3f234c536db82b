package outside_test

import (
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"heldout/envs/outside"
	"heldout/envs/sharedtest"
)

// answer has a member of each type that answers have.
type answer struct {
	ID      int64       `json:"id"`
	Text    *string     `json:"observation"`
	Number  *float64    `json:"reward"`
	Done    bool        `json:"done"`
	List    []string    `json:"actions"`
	Any     any         `json:"any"`
	Of      *answer     `json:"of"`
	Return  *[2]float64 `json:"return"`
	Numbers map[string]float64
}

// What is wrong with JSON is told in the words of its authors: which field, which value, and what is wanted.
func TestMisread(t *testing.T) {
	table := sharedtest.Table[string](t, "misread.yaml")
	table["{\"observation\": \"a\xff\"}"] = "observation has bytes that are not UTF-8"
	for text, want := range table {
		var into answer
		err := outside.Unmarshal([]byte(text), &into, jsonv2.RejectUnknownMembers(true))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzMisread looks for JSON whose error is long, unprintable or in the parser's own words.
func FuzzMisread(f *testing.F) {
	for _, seed := range []string{`{"id": 4, "reward": NaN}`, `{"of": {"of": {"done": 1}}}`, "[\xff", `{"a`, `-`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var into answer
		err := outside.Unmarshal(text, &into)
		if err == nil {
			return
		}
		said := err.Error()
		if len(said) > 500 || strings.ContainsAny(said, "\x1b\n\r") || strings.Contains(said, "jsontext") ||
			strings.Contains(said, "Go type") || strings.Contains(said, "offset") {
			t.Errorf("%q: %s", text, said)
		}
	})
}
