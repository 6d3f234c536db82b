package hotpotqa

import (
	"strings"

	"heldout/envs/pytext"
)

// pageText makes the text of a page from its blocks, one line per block. It
// drops blocks of one or two words (spec section 1.2, d).
func pageText(blocks []string) string {
	var b strings.Builder
	for _, block := range blocks {
		if strings.Count(block, " ") >= 2 {
			b.WriteString(cleanText(block))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// sentences splits a page as the reference does (spec section 1.2.1): at every
// ". ", whatever the period means. Each piece gets its own period.
func sentences(page string) []string {
	var out []string
	for line := range strings.SplitSeq(page, "\n") {
		for piece := range strings.SplitSeq(pytext.Strip(line), ". ") {
			if piece = pytext.Strip(piece); piece != "" {
				out = append(out, piece+".")
			}
		}
	}
	return out
}

// shownSentences is how many sentences of a page a search shows.
const shownSentences = 5

// summary is the text that a search shows of a page.
func summary(page string) string {
	s := sentences(page)
	return strings.Join(s[:min(shownSentences, len(s))], " ")
}

// containing returns the sentences that contain a text; case does not matter.
func containing(page, text string) []string {
	var out []string
	text = pytext.Lower(text)
	for _, s := range sentences(page) {
		if strings.Contains(pytext.Lower(s), text) {
			out = append(out, s)
		}
	}
	return out
}
