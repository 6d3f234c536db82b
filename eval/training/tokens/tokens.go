// Package tokens counts the tokens of texts by the tokenizer.json of a model.
package tokens

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/dlclark/regexp2"
	"github.com/ollama/ollama/tokenizer"
	"golang.org/x/text/unicode/norm"

	"heldout/envs/datafile"
)

// maxFile is the largest tokenizer file that is read, in bytes; mostTokens bounds its vocabulary.
const (
	maxFile    = 256 << 20
	mostTokens = 4 << 20
)

// mostKnown bounds the texts whose counts are kept: many examples share messages.
const mostKnown = 4096

// Counter counts tokens. It is for one goroutine.
type Counter struct {
	bpe   tokenizer.BytePairEncoding
	nfc   bool
	cache map[string]int
}

// Load reads a tokenizer of byte-level BPE, the kind of Llama 3, Qwen, GPT and most others
// since. Other kinds are an error.
func Load(file string) (*Counter, error) {
	b, err := datafile.Read(file, maxFile)
	if err != nil {
		return nil, err
	}
	c, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// definition is the part of a tokenizer.json that decides how texts are divided.
type definition struct {
	Normalizer *struct {
		Type        string `json:"type"`
		Normalizers []struct {
			Type string `json:"type"`
		} `json:"normalizers"`
	} `json:"normalizer"`
	PreTokenizer *splitter `json:"pre_tokenizer"`
	Model        struct {
		Type   string            `json:"type"`
		Vocab  json.RawMessage   `json:"vocab"`
		Merges []json.RawMessage `json:"merges"`
	} `json:"model"`
	Added []struct {
		ID      int    `json:"id"`
		Content string `json:"content"`
	} `json:"added_tokens"`
}

// splitter is a step of dividing a text before merging.
type splitter struct {
	Type           string `json:"type"`
	AddPrefixSpace bool   `json:"add_prefix_space"`
	UseRegex       *bool  `json:"use_regex"`
	Behavior       string `json:"behavior"`
	Invert         bool   `json:"invert"`
	Individual     bool   `json:"individual_digits"`
	Pattern        struct {
		Regex  string `json:"Regex"`
		String string `json:"String"`
	} `json:"pattern"`
	Steps []splitter `json:"pretokenizers"`
}

// bytePattern is how byte-level BPE divides a text by itself.
const bytePattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

var errKind = errors.New("it is not a byte-level BPE as counted here; leave --set tokenizer out to count by characters")

func parse(b []byte) (*Counter, error) {
	var d definition
	if err := datafile.Unmarshal(b, &d, datafile.Lenient); err != nil {
		return nil, fmt.Errorf("it is not a tokenizer.json: %w", err)
	}
	if d.Model.Type != "BPE" && d.Model.Type != "" || d.PreTokenizer == nil {
		return nil, errKind
	}
	c := &Counter{cache: map[string]int{}}
	if n := d.Normalizer; n != nil {
		plain := n.Type == "Sequence" && len(n.Normalizers) == 0
		if c.nfc = n.Type == "NFC"; !c.nfc && !plain {
			return nil, errKind
		}
	}
	patterns, bytes, err := d.PreTokenizer.patterns()
	if err != nil || !bytes {
		return nil, errors.Join(err, errKind)
	}
	v, err := d.vocabulary()
	if err != nil {
		return nil, err
	}
	c.bpe = tokenizer.NewBytePairEncoding(v, patterns...)
	return c, nil
}

// patterns are the patterns by which a text is divided; bytes says that its bytes are then merged.
func (s *splitter) patterns() (out []string, bytes bool, err error) {
	switch s.Type {
	case "Sequence":
		for i := range s.Steps {
			patterns, isBytes, err := s.Steps[i].patterns()
			if err != nil {
				return nil, false, err
			}
			out, bytes = append(out, patterns...), bytes || isBytes
		}
		return out, bytes, nil
	case "ByteLevel":
		if s.AddPrefixSpace {
			return nil, false, errKind
		}
		if s.UseRegex == nil || *s.UseRegex {
			out = []string{bytePattern}
		}
		return out, true, nil
	case "Digits":
		pattern := `\p{N}+|[^\p{N}]+`
		if s.Individual {
			pattern = `\p{N}|[^\p{N}]+`
		}
		return []string{pattern}, false, nil
	case "Split":
		pattern := s.Pattern.Regex
		matches := s.Behavior == "Isolated" || s.Behavior == "Removed" && s.Invert
		if pattern == "" || !matches {
			return nil, false, errKind
		}
		if _, err := regexp2.Compile(pattern, regexp2.RE2); err != nil {
			return nil, false, err
		}
		return []string{pattern}, false, nil
	}
	return nil, false, errKind
}

// vocabulary is what the merging needs.
func (d *definition) vocabulary() (*tokenizer.Vocabulary, error) {
	var ids map[string]int
	if err := json.Unmarshal(d.Model.Vocab, &ids); err != nil || ids == nil {
		return nil, errors.Join(errors.New("the vocabulary is not an object"), err)
	}
	for _, a := range d.Added {
		if a.Content == "" {
			return nil, errors.New("an added token is empty")
		}
		ids[a.Content] = a.ID
	}
	highest := -1
	for _, id := range ids {
		highest = max(highest, id)
	}
	if highest < 0 || highest >= mostTokens || slices.Min(slices.Collect(maps.Values(ids))) < 0 {
		return nil, fmt.Errorf("the vocabulary has ids up to %d, want 0 to %d", highest, mostTokens-1)
	}
	v := &tokenizer.Vocabulary{Values: make([]string, highest+1), Types: make([]int32, highest+1)}
	for text, id := range ids {
		v.Values[id], v.Types[id] = text, tokenizer.TOKEN_TYPE_NORMAL
	}
	for _, a := range d.Added {
		v.Types[a.ID] = tokenizer.TOKEN_TYPE_CONTROL
	}
	for _, m := range d.Model.Merges {
		var pair []string
		var text string
		if json.Unmarshal(m, &text) != nil {
			if err := json.Unmarshal(m, &pair); err != nil || len(pair) != 2 {
				return nil, errors.New("the merges are not pairs of texts")
			}
			text = pair[0] + " " + pair[1]
		}
		v.Merges = append(v.Merges, text)
	}
	return v, nil
}

// Count returns the number of tokens of a text, without those that begin and end one.
func (c *Counter) Count(text string) (int, error) {
	if n, ok := c.cache[text]; ok {
		return n, nil
	}
	normal := text
	if c.nfc {
		normal = norm.NFC.String(text)
	}
	ids, err := c.bpe.Encode(normal, false)
	if err != nil {
		return 0, err
	}
	if len(c.cache) >= mostKnown {
		clear(c.cache)
	}
	c.cache[text] = len(ids)
	return len(ids), nil
}
