// Package bleu compares two short texts by BLEU (Papineni et al. 2002) of their
// words, with the fourth smoothing of Chen and Cherry (2014) for sentences.
package bleu

import (
	"math"
	"strings"

	"heldout/envs/pytext"
)

const (
	// order is the length of the longest n-grams; all have the same weight.
	order = 4
	// shrinking is the constant K of the smoothing.
	shrinking = 5
)

// Sentence returns the similarity of a candidate to one reference, in [0,1]. It is
// 0 if they share no word. Words end at white space.
//
// The results agree with NLTK 3.10 (sentence_bleu with SmoothingFunction.method4):
// precisions that stay 0, which a candidate of one word has, do not count.
func Sentence(reference, candidate string) float64 {
	ref, hyp := pytext.Fields(reference), pytext.Fields(candidate)
	var sum float64
	smoothed := 0
	for n := 1; n <= order; n++ {
		matches, total := matching(ref, hyp, n)
		precision := float64(matches) / float64(total)
		switch {
		case matches > 0:
		case n == 1:
			return 0
		case len(hyp) == 1:
			continue
		default:
			smoothed++
			precision = math.Log(float64(len(hyp))) / (math.Exp2(float64(smoothed)) * shrinking) / float64(total)
		}
		sum += math.Log(precision) / order
	}
	return brevity(len(ref), len(hyp)) * math.Exp(sum)
}

// brevity is the penalty of candidates that are shorter than the reference.
func brevity(ref, hyp int) float64 {
	if hyp >= ref {
		return 1
	}
	return math.Exp(1 - float64(ref)/float64(hyp))
}

// matching counts the n-grams of the candidate, at least 1, and how many of them
// the reference has, each at most as often as there.
func matching(ref, hyp []string, n int) (matches, total int) {
	counts := map[string]int{}
	for i := 0; i+n <= len(ref); i++ {
		counts[strings.Join(ref[i:i+n], " ")]++
	}
	for i := 0; i+n <= len(hyp); i++ {
		total++
		if gram := strings.Join(hyp[i:i+n], " "); counts[gram] > 0 {
			counts[gram]--
			matches++
		}
	}
	return matches, max(1, total)
}

// Nearest returns the choice that is most similar to a text, the first of several.
// It returns false if no similarity is above the threshold.
func Nearest(text string, choices []string, threshold float64) (string, bool) {
	best, index := threshold, -1
	for i, c := range choices {
		if s := Sentence(c, text); s > best {
			best, index = s, i
		}
	}
	if index < 0 {
		return "", false
	}
	return choices[index], true
}
