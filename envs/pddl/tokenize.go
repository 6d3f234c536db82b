package pddl

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"heldout/envs/pytext"
)

// tokenize splits text into sentences and sentences into words, as NLTK's English word_tokenize does for lower-case
// text. Exact words matter: the words that equal the name of an action or an object decide what the agent did.
func tokenize(text string) []string {
	if tokens, ok := plainWords(text); ok {
		return tokens
	}
	return anyWords(text)
}

// plainWords splits text that only the rule about the final period changes: letters, digits and single hyphens,
// with spaces between words and at most one period, at the end. Actions written as they are listed have this form.
// It rejects text that might hold a contraction: contractions without an apostrophe have a doubled m, n or t.
func plainWords(text string) (tokens []string, ok bool) {
	text = strings.TrimRight(text, " ")
	body, period := strings.CutSuffix(text, ".")
	last := byte(0)
	for i := range len(body) {
		c := body[i]
		switch {
		case c == last && (c == 'm' || c == 'n' || c == 't' || c == '-'):
			return nil, false
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == ' ' || c == '-':
		default:
			return nil, false
		}
		last = c
	}
	tokens = make([]string, 0, strings.Count(body, " ")+2)
	for word := range strings.SplitSeq(body, " ") {
		if word != "" {
			tokens = append(tokens, word)
		}
	}
	if period {
		tokens = append(tokens, ".")
	}
	return tokens, true
}

func anyWords(text string) []string {
	var tokens []string
	for _, s := range sentences(text) {
		tokens = append(tokens, words(s)...)
	}
	return tokens
}

// A rewrite is one step of the word rules. The rule can apply only if the text
// contains at least one character of the trigger; most actions contain none.
type rewrite struct {
	trigger     string
	pattern     *regexp.Regexp
	replacement string
}

func (r rewrite) apply(s string) string {
	if !strings.ContainsAny(s, r.trigger) {
		return s
	}
	return r.pattern.ReplaceAllString(s, r.replacement)
}

func rewriting(trigger, pattern, replacement string) rewrite {
	return rewrite{trigger, regexp.MustCompile(pattern), replacement}
}

// The word rules in their order, in groups, with other rules between the
// groups. The numbers come from the tokenizer's description.
var (
	openingQuotes = []rewrite{
		rewriting("«“‘„`", "([«“‘„]|`+)", " $1 "), // 1
		rewriting(`"`, `^"`, "``"),                // 2
		rewriting("`", "(``)", " $1 "),
		rewriting(`"'`, `([ (\[{<])("|'{2})`, "$1 `` "),
	}
	innerMarks = []rewrite{
		rewriting(":,", `([:,])(\P{Nd})`, " $1 $2"), // 5
		rewriting(":,", `([:,])$`, " $1 "),
		rewriting(".", `(\.{2,})`, " $1 "),              // 6
		rewriting(";@#$%&", `([;@#$%&])`, " $1 "),       // 7
		rewriting(".", finalPeriod(`"'`), "$1 $2$3 "),   // 8
		rewriting("?!", `([?!])`, " $1 "),               //
		rewriting("'", `([^'])' `, "$1 ' "),             // 9
		rewriting("*", `(\*)`, " $1 "),                  // 10
		rewriting("[](){}<>", `([\[\](){}<>])`, " $1 "), //
		rewriting("-", `(--)`, " $1 "),                  //
	}
	outerPeriod  = rewriting(".", finalPeriod(`"'»”’ `), "$1 $2 $3 ") // 4
	closingMarks = []rewrite{
		rewriting("»”’", `([»”’])`, " $1 "), // 11
		rewriting("'", `('')`, " $1 "),
		rewriting(`"`, `"`, " '' "),
		rewriting("'", `([^' ])('[smd]|') `, "$1 $2 "), // 12
		rewriting("'", `([^' ])('ll|'re|'ve|n't) `, "$1 $2 "),
	}
)

// finalPeriod matches a text's last period and closing marks: brackets and these.
func finalPeriod(marks string) string {
	return `([^.])(\.)([\])}>` + marks + `]*)` + pySpace + `*$`
}

// pySpace is white space as Python's regular expressions define it.
const pySpace = `[\t-\r\x1c-\x20\x{85}\p{Z}]`

func words(s string) []string {
	for _, r := range openingQuotes {
		s = r.apply(s)
	}
	s = detachQuote(s)
	s = outerPeriod.apply(s)
	for _, r := range innerMarks {
		s = r.apply(s)
	}
	s = " " + s + " "
	for _, r := range closingMarks {
		s = r.apply(s)
	}
	for _, c := range contractions {
		s = c.split(s)
	}
	return pytext.Fields(s)
}

// detachQuote puts a space between a quote and a single letter after it, as in
// 'a', unless the letter could be a contraction (rule 3).
func detachQuote(s string) string {
	if !strings.Contains(s, "'") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		b.WriteRune(r)
		if r != '\'' {
			continue
		}
		letter, n := utf8.DecodeRuneInString(s[i+1:])
		next, _ := utf8.DecodeRuneInString(s[i+1+n:])
		if pytext.IsWord(letter) && !pytext.IsWord(next) && !strings.ContainsRune("mtsdn", letter) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// contraction is a word that stands for two words; the first has cut bytes.
type contraction struct {
	word string
	cut  int
	// Without spaceBefore or spaceAfter, a word boundary is enough at that end.
	spaceBefore, spaceAfter bool
}

// contractions are the contractions of rule 13, in order.
var contractions = []contraction{
	{word: "cannot", cut: 3},
	{word: "d'ye", cut: 1},
	{word: "gimme", cut: 3},
	{word: "gonna", cut: 3},
	{word: "gotta", cut: 3},
	{word: "lemme", cut: 3},
	{word: "more'n", cut: 4},
	{word: "wanna", cut: 3, spaceAfter: true},
	{word: "'tis", cut: 2, spaceBefore: true},
	{word: "'twas", cut: 2, spaceBefore: true},
}

func (c contraction) split(s string) string {
	if !strings.Contains(s, c.word) {
		return s
	}
	var b strings.Builder
	done := 0 // s is written up to there
	for i := 0; ; {
		n := strings.Index(s[i:], c.word)
		if n < 0 {
			break
		}
		start := i + n
		i = start + len(c.word)
		prev, _ := utf8.DecodeLastRuneInString(s[:start])
		next, _ := utf8.DecodeRuneInString(s[i:])
		if pytext.IsWord(next) || c.spaceAfter && !pytext.IsSpace(next) {
			continue
		}
		if c.spaceBefore && prev != ' ' || !c.spaceBefore && pytext.IsWord(prev) {
			continue
		}
		b.WriteString(s[done:start] + " " + c.word[:c.cut] + " " + c.word[c.cut:] + " ")
		done = i
	}
	b.WriteString(s[done:])
	return b.String()
}

// sentences splits text into sentences as NLTK's Punkt does with its model of English, as recorded. A
// stretch without white space holds at most one end of a sentence: the last
// ".", "?" or "!" that is followed by a mark, or by white space and more text.
func sentences(text string) []string {
	var out []string
	start := 0
	for i := 0; i < len(text); {
		n := strings.IndexFunc(text[i:], pytext.IsSpace)
		if n < 0 {
			n = len(text) - i
		}
		if end := lastEnd(text, i, i+n); end > 0 {
			end += closing(text[end:])
			out = append(out, strings.TrimRightFunc(text[start:end], pytext.IsSpace))
			start = len(text) - len(strings.TrimLeftFunc(text[end:], pytext.IsSpace))
		}
		_, width := utf8.DecodeRuneInString(text[i+n:])
		i += n + width
	}
	return append(out, strings.TrimRightFunc(text[start:], pytext.IsSpace))
}

// lastEnd returns where a sentence ends in text[start:end], a single word; 0 if it ends at none.
func lastEnd(text string, start, end int) int {
	last, ends := 0, false
	for i := start; i < end; i++ {
		if !strings.ContainsRune(".?!", rune(text[i])) {
			continue
		}
		next := strings.TrimLeftFunc(text[i+1:], pytext.IsSpace)
		if next == "" || i+1 < end && !strings.ContainsRune(marks, rune(next[0])) {
			continue
		}
		last = i + 1
		ends = ends || text[i] != '.' || periodEnds(text[start:i], next)
	}
	if !ends {
		return 0
	}
	return last
}

// marks are the characters that can follow the end of a sentence directly.
const marks = `)";}]*:@'({[!?`

// periodEnds reports whether a period between word and next ends a sentence.
// The last of several periods does not. A period after a number or a single
// letter, or anything else that is \w, does not if the text continues in lower case.
func periodEnds(word, next string) bool {
	if strings.HasSuffix(word, ".") {
		return false
	}
	word = strings.TrimLeft(word[strings.LastIndexAny(word, `)";}]*:@({[!?,`)+1:], "'")
	first, _ := utf8.DecodeRuneInString(next)
	return !ordinal.MatchString(word) || !pytext.IsLower(first) && !strings.ContainsRune(";:,.!?", first)
}

// ordinal matches what with a period may number what follows: "1.", "a.".
var ordinal = regexp.MustCompile(`^(-?[.,]?\p{Nd}[\p{Nd},.-]*|[\p{L}\p{N}_])$`)

// closing returns the size of closing marks at the start and white space behind them.
func closing(text string) int {
	rest := strings.TrimLeftFunc(text, pytext.IsSpace)
	tail := strings.TrimLeft(rest, "\"')]}")
	if len(tail) == len(rest) {
		return 0
	}
	if spaced := strings.TrimLeftFunc(tail, pytext.IsSpace); len(spaced) < len(tail) || tail == "" ||
		strings.HasPrefix(tail, "--") {
		return len(text) - len(spaced)
	}
	return 0
}
