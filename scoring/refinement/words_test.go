package refinement

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The words of ASCII texts are those that the definition gives for any letters.
func TestWords(t *testing.T) {
	w := words{numbers: map[string]uint32{}}
	list := func(each func(string, func([]byte)), text string) (out []string) {
		each(text, func(word []byte) { out = append(out, string(word)) })
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("abZQ019'_-. \n\x00\x7fé²"))).Draw(t, "text")
		if want, got := list(eachOfAnyLetters, text), list(w.walk, text); !slices.Equal(want, got) {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

// The words of many episodes take little memory, and known ones keep their numbers.
func TestWordsAreForgotten(t *testing.T) {
	w := words{numbers: map[string]uint32{}}
	w.eachBigram("known thoughts", func(bigram) {})
	w.keep()
	for i := range 4 * mostWords / numberSize {
		w.eachBigram(fmt.Sprintf("known thoughts w%d", i), func(b bigram) {
			if first, second := b>>32, b&math.MaxUint32; second != 2 && (first != 2 || second < 3) {
				t.Fatalf("%v", b)
			}
		})
		w.forget()
		if len(w.numbers) > mostWords/numberSize {
			t.Fatalf("%d words", len(w.numbers))
		}
	}
}
