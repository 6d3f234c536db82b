package refinement

import (
	"compress/flate"
	"iter"
	"strings"
	"sync"
	"unicode"

	"heldout/scoring/record"
)

// Thoughts measures how varied an episode's thoughts are, without a model.
type Thoughts struct {
	// Bigrams counts pairs of consecutive words of a thought, Distinct the
	// different pairs, and Familiar the pairs that also occur in the known thoughts.
	Bigrams, Distinct, Familiar int32
	// Bytes is the size of all thoughts. Compressed is their compressed size. Informed is their size after
	// compression with the known thoughts as dictionary.
	Bytes, Compressed, Informed int32
}

// dictionarySize is how much of the known thoughts DEFLATE can look back on.
const dictionarySize = 32 << 10

// Counter counts episodes.
type Counter struct {
	familiar        map[bigram]bool // nil without known thoughts
	plain, informed sync.Pool       // of *flate.Writer, which are large
}

// NewCounter returns a counter that compares episodes' thoughts with the given ones, such
// as the training format's, if any.
func NewCounter(thoughts []string) *Counter {
	var c Counter
	c.plain.New = func() any {
		w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is valid
		return w
	}
	if len(thoughts) == 0 {
		return &c
	}
	c.familiar = map[bigram]bool{}
	for _, thought := range thoughts {
		for b := range bigrams(thought) {
			c.familiar[b] = true
		}
	}
	text := []byte(strings.Join(thoughts, "\n"))
	c.informed.New = func() any {
		w, _ := flate.NewWriterDict(nil, flate.DefaultCompression, text[max(0, len(text)-dictionarySize):])
		return w
	}
	return &c
}

// thoughts measures the thoughts of an episode.
func (c *Counter) thoughts(steps []record.Step) (out Thoughts) {
	var text []byte
	distinct := map[bigram]bool{}
	for _, s := range steps {
		text = append(text, s.Thought...)
		for b := range bigrams(s.Thought) {
			out.Bigrams++
			distinct[b] = true
			if c.familiar[b] {
				out.Familiar++
			}
		}
	}
	out.Distinct = int32(len(distinct))
	if out.Bytes = int32(len(text)); out.Bytes == 0 {
		return out
	}
	out.Compressed = compressed(&c.plain, text)
	if c.familiar != nil {
		out.Informed = compressed(&c.informed, text)
	}
	return out
}

// bigram is two consecutive words.
type bigram [2]string

// bigrams are the pairs of consecutive words of a text, in lower case. A word is letters, digits and apostrophes.
func bigrams(text string) iter.Seq[bigram] {
	return func(yield func(bigram) bool) {
		previous := ""
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\''
		}) {
			if previous != "" && !yield(bigram{previous, word}) {
				return
			}
			previous = word
		}
	}
}

// counting counts what is written.
type counting int32

func (c *counting) Write(p []byte) (int, error) {
	*c += counting(len(p))
	return len(p), nil
}

// compressed returns the size of a text after compression by a writer of a pool.
func compressed(pool *sync.Pool, text []byte) int32 {
	w := pool.Get().(*flate.Writer)
	defer pool.Put(w)
	var n counting
	w.Reset(&n)
	_, _ = w.Write(text) // counting never fails
	_ = w.Close()
	return int32(n)
}
