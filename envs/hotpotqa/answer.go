package hotpotqa

import (
	"slices"
	"strings"

	"heldout/envs/pytext"
)

// punctuation are the characters that do not matter in an answer: ASCII only.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// normalize is HotpotQA's normal form of an answer (spec section 1.6): lower
// case, without punctuation and articles, single spaces.
func normalize(answer string) string {
	return strings.Join(pytext.Fields(withoutArticles(withoutPunctuation(pytext.Lower(answer)))), " ")
}

func withoutPunctuation(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(punctuation, r) {
			return -1
		}
		return r
	}, s)
}

// formFor returns the form in which answers are compared with the right one of a user's
// question: the normal form, or one with articles, or one with punctuation too, whichever is
// the first in which something is left of the right answer.
func formFor(gold string) func(string) string {
	withArticles := func(s string) string {
		return strings.Join(pytext.Fields(withoutPunctuation(pytext.Lower(s))), " ")
	}
	switch {
	case normalize(gold) != "":
		return normalize
	case withArticles(gold) != "":
		return withArticles
	}
	return func(s string) string { return strings.Join(pytext.Fields(pytext.Lower(s)), " ") }
}

func withoutArticles(s string) string {
	var b strings.Builder
	for s != "" {
		end := strings.IndexFunc(s, func(r rune) bool { return !pytext.IsWord(r) })
		if end < 0 {
			end = len(s)
		}
		switch word := s[:end]; word {
		case "a", "an", "the":
			b.WriteByte(' ')
		default:
			b.WriteString(word)
		}
		s = s[end:]
		start := strings.IndexFunc(s, pytext.IsWord)
		if start < 0 {
			start = len(s)
		}
		b.WriteString(s[:start])
		s = s[start:]
	}
	return b.String()
}

// f1 is HotpotQA's F1 over the words of an answer in its normal form, with its precision
// and recall: fractions in [0,1]. "yes", "no" and "noanswer" are right or wrong,
// never partly right. Two empty answers have F1 0 although they match exactly.
func f1(answer, gold string) (f1, precision, recall float64) {
	for _, word := range []string{"yes", "no", "noanswer"} {
		if (answer == word || gold == word) && answer != gold {
			return 0, 0, 0
		}
	}
	got, want := pytext.Fields(answer), pytext.Fields(gold)
	remaining := slices.Clone(want)
	common := 0
	for _, w := range got {
		if i := slices.Index(remaining, w); i >= 0 {
			remaining = slices.Delete(remaining, i, i+1)
			common++
		}
	}
	if common == 0 {
		return 0, 0, 0
	}
	precision = float64(common) / float64(len(got))
	recall = float64(common) / float64(len(want))
	return 2 * precision * recall / (precision + recall), precision, recall
}
