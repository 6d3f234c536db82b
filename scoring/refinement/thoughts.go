package refinement

import (
	"compress/flate"
	"slices"
	"strings"

	"heldout/scoring/record"
)

// Thoughts measures how varied an episode's thoughts are, without a model.
type Thoughts struct {
	// Bigrams counts pairs of consecutive words of a thought, Distinct the
	// different pairs, and Familiar the pairs that also occur in the known thoughts.
	Bigrams, Distinct, Familiar int32
	// Bytes is the size of all thoughts. Compressed is their compressed size.
	// Informed is their size after compression with the known thoughts as
	// dictionary.
	Bytes, Compressed, Informed int32
}

// dictionarySize is how much of the known thoughts DEFLATE can look back on.
const dictionarySize = 32 << 10

// textCounter measures thoughts.
type textCounter struct {
	words            words
	text             []byte          // of the episode that is counted
	familiar         map[bigram]bool // nil without known thoughts
	bigrams          []bigram        // of the episode that is counted
	plain, informed  *flate.Writer
	plainN, informdN counting
}

// counting counts what is written.
type counting int32

func (c *counting) Write(p []byte) (int, error) {
	*c += counting(len(p))
	return len(p), nil
}

func newTextCounter(thoughts []string) textCounter {
	t := textCounter{words: words{numbers: map[string]uint32{}}}
	t.plain, _ = flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	if len(thoughts) == 0 {
		return t
	}
	t.familiar = map[bigram]bool{}
	for _, thought := range thoughts {
		t.words.eachBigram(thought, func(b bigram) { t.familiar[b] = true })
	}
	t.words.keep()
	text := []byte(strings.Join(thoughts, "\n"))
	t.informed, _ = flate.NewWriterDict(nil, flate.DefaultCompression, text[max(0, len(text)-dictionarySize):])
	return t
}

// count measures the thoughts of an episode.
func (t *textCounter) count(steps []record.Step) (out Thoughts) {
	t.text, t.bigrams = t.text[:0], t.bigrams[:0]
	for _, s := range steps {
		t.text = append(t.text, s.Thought...)
		t.words.eachBigram(s.Thought, func(b bigram) {
			t.bigrams = append(t.bigrams, b)
			if t.familiar[b] {
				out.Familiar++
			}
		})
	}
	out.Bigrams = int32(len(t.bigrams))
	slices.Sort(t.bigrams)
	out.Distinct = int32(len(slices.Compact(t.bigrams)))
	t.words.forget()
	if out.Bytes = int32(len(t.text)); out.Bytes == 0 {
		return out
	}
	out.Compressed = compressed(t.plain, &t.plainN, t.text)
	if t.informed != nil {
		out.Informed = compressed(t.informed, &t.informdN, t.text)
	}
	return out
}

// compressed returns the size of a text after compression.
func compressed(w *flate.Writer, n *counting, text []byte) int32 {
	*n = 0
	w.Reset(n)
	_, _ = w.Write(text) // counting never fails
	_ = w.Close()
	return int32(*n)
}
