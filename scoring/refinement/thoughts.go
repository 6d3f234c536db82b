package refinement

import (
	"compress/flate"
	"strings"
	"unicode"

	"heldout/eval/record"
)

// Thoughts measures how varied an episode's thoughts are, without a model.
type Thoughts struct {
	// Bigrams counts pairs of consecutive words of a thought, Distinct the
	// different pairs, and Known the pairs that also occur in the known thoughts.
	Bigrams, Distinct, Known int32
	// Bytes is the size of all thoughts. Compressed is their compressed size.
	// Informed is their size after compression with the known thoughts as
	// dictionary.
	Bytes, Compressed, Informed int32
}

// dictionarySize is how much of the known thoughts DEFLATE can look back on.
const dictionarySize = 32 << 10

// textCounter measures thoughts.
type textCounter struct {
	known            map[bigram]bool // nil without known thoughts
	seen             map[bigram]bool // of the episode that is counted
	plain, informed  *flate.Writer
	plainN, informdN counting
}

type bigram struct{ first, second string }

// counting counts what is written.
type counting int32

func (c *counting) Write(p []byte) (int, error) {
	*c += counting(len(p))
	return len(p), nil
}

func newTextCounter(known []string) textCounter {
	t := textCounter{seen: map[bigram]bool{}}
	t.plain, _ = flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	if len(known) == 0 {
		return t
	}
	t.known = map[bigram]bool{}
	for _, thought := range known {
		eachBigram(thought, func(b bigram) { t.known[bigram{strings.Clone(b.first), strings.Clone(b.second)}] = true })
	}
	text := []byte(strings.Join(known, "\n"))
	t.informed, _ = flate.NewWriterDict(nil, flate.DefaultCompression, text[max(0, len(text)-dictionarySize):])
	return t
}

// count measures the thoughts of an episode.
func (t *textCounter) count(steps []record.Step) (out Thoughts) {
	defer clear(t.seen) // its keys are parts of the thoughts
	for _, s := range steps {
		out.Bytes += int32(len(s.Thought))
		eachBigram(s.Thought, func(b bigram) {
			out.Bigrams++
			t.seen[b] = true
			if t.known[b] {
				out.Known++
			}
		})
	}
	out.Distinct = int32(len(t.seen))
	if out.Bytes == 0 {
		return out
	}
	out.Compressed = compressed(t.plain, &t.plainN, steps)
	if t.informed != nil {
		out.Informed = compressed(t.informed, &t.informdN, steps)
	}
	return out
}

// compressed returns the size of all thoughts as one DEFLATE stream.
func compressed(w *flate.Writer, n *counting, steps []record.Step) int32 {
	*n = 0
	w.Reset(n)
	for _, s := range steps {
		_, _ = w.Write([]byte(s.Thought)) // counting never fails
	}
	_ = w.Close()
	return int32(*n)
}

// eachBigram visits the pairs of consecutive words, in lower case and without
// punctuation.
func eachBigram(text string, visit func(bigram)) {
	previous := ""
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\'' }) {
		if previous != "" {
			visit(bigram{previous, word})
		}
		previous = word
	}
}
