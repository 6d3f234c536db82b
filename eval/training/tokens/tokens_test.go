package tokens

import (
	"encoding/json"
	"os"
	"testing"

	"heldout/envs/sharedtest"
)

// The counts come from the library tokenizers for Python, by which the files were made:
// the divisions of GPT-2, of Qwen with its normal form, and of Llama 3.
func TestCounts(t *testing.T) {
	b := sharedtest.Must(os.ReadFile("testdata/counts.json"))(t)
	var want map[string][]struct {
		Text   string
		Tokens int
	}
	if err := json.Unmarshal(b, &want); err != nil || len(want) != 3 {
		t.Fatal(len(want), err)
	}
	for name, samples := range want {
		c := sharedtest.Must(Load("testdata/" + name + ".json"))(t)
		for range 2 { // counted, then known
			for _, s := range samples {
				sharedtest.Equal(t, sharedtest.Must(c.Count(s.Text))(t), s.Tokens, name, s.Text, "has")
			}
		}
	}
}

// Tokenizers of other kinds are refused.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{": "not a tokenizer.json",
		`{"model":{"type":"WordPiece","vocab":{}},"pre_tokenizer":{"type":"ByteLevel"}}`:                             "not a byte-level BPE",
		`{"model":{"type":"BPE","vocab":{}}}`:                                                                        "not a byte-level BPE",
		`{"model":{"type":"BPE","vocab":{}},"pre_tokenizer":{"type":"ByteLevel"}}`:                                   "ids up to -1",
		`{"model":{"type":"BPE","vocab":{"a":99999999}},"pre_tokenizer":{"type":"ByteLevel"}}`:                       "ids up to 99999999",
		`{"model":{"type":"BPE","vocab":{"a":0},"merges":[7]},"pre_tokenizer":{"type":"ByteLevel"}}`:                 "not pairs",
		`{"model":{"vocab":{"a":0}},"normalizer":{"type":"Lowercase"},"pre_tokenizer":{"type":"ByteLevel"}}`:         "not a byte-level BPE",
		`{"model":{"vocab":{"a":0}},"pre_tokenizer":{"type":"Split","behavior":"Isolated","pattern":{"Regex":"("}}}`: "parsing regexp",
	} {
		sharedtest.Fails(t, sharedtest.Err(parse([]byte(text))), want, text)
	}
}

// No file of a user makes the reader panic.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"own", "split", "digits"} {
		b := sharedtest.Must(os.ReadFile("testdata/" + name + ".json"))(f)
		f.Add(b, "Hello 12 中\n")
	}
	f.Add([]byte(`{"model":{"vocab":{"a":0}},"pre_tokenizer":{"type":"ByteLevel"},"added_tokens":[{"id":3,"content":""}]}`), "a")
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		if c, err := parse(b); err == nil {
			_, _ = c.Count(text)
		}
	})
}
