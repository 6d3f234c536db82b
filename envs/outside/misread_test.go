package outside_test

import (
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"heldout/envs/outside"
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
	for text, want := range map[string]string{
		`{"id": 4, "reward": NaN, "done": true}`: "reward is NaN, want a number",
		`{"reward": -Infinity}`:                  "reward is -Infinity, want a number",
		`{"reward":nan}`:                         "reward is nan, want a number",
		`{"of": {"reward": Infinity}}`:           "of.reward is Infinity, want a number",
		`{"return": [1, NaN]}`:                   "return.1 is NaN, want a number",
		`{"reward": "0.5"}`:                      `reward is the text "0.5", want a number`,
		`{"reward": true}`:                       "reward is true, want a number",
		`{"reward": [1]}`:                        "reward is a list, want a number",
		`{"reward": {}}`:                         "reward is an object, want a number",
		`{"reward": 1e999}`:                      "reward is 1e999, which is too large",
		`{"any": -1e999}`:                        "any is -1e999, which is too large",
		`{"done": 1}`:                            "done is 1, want true or false",
		`{"done": True}`:                         "done is no JSON at True}",
		`{"actions": ["a", 3]}`:                  "actions.1 is 3, want a text",
		`{"actions": "a"}`:                       `actions is the text "a", want a list`,
		`{"id": 1.5}`:                            "id is 1.5, want a whole number",
		"{\"observation\": \"a\xff\"}":           "observation has bytes that are not UTF-8",
		`{"observation": "a\ud83d"}`:             "observation has half of a surrogate pair, which no text has",
		`{"done": true, "done": false}`:          "done is there twice",
		`{"dune": true}`:                         "dune is not a field that heldout knows",
		`{"return": [1]}`:                        "return has too few array elements",
		`hello`:                                  "it is no JSON at hello",
		``:                                       "it is empty",
		`{"done": `:                              "done ends in the middle",
		`{"id":1} x`:                             "it is followed by x",
		`[1]`:                                    "it is a list, want an object",
		"{\"reward\": \x1b[31m}":                 `reward is no JSON at "\x1b[31m}"`,
	} {
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
