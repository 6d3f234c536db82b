package perturb

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/envs"
)

// lexicon replaces words and phrases in texts of every kind: actions, observations, goals, instructions and
// thoughts. A phrase stands from word edge to word edge, the longest first. What replaces it has its capitals.
type lexicon struct {
	replacements map[string]string // in small letters
	// phrases are the keys of replacements by their first words, the longest first.
	phrases map[string][]string
	old     map[string]bool
	inWord  func(byte) bool
	// anyCase replaces mixtures of small letters and capitals, too.
	anyCase bool
	// articles writes a or an before a word as it fits, if it fitted the old one.
	articles bool
}

func newLexicon(replacements map[string]string, inWord func(byte) bool) lexicon {
	l := lexicon{replacements: replacements, phrases: map[string][]string{}, old: map[string]bool{}, inWord: inWord}
	for _, phrase := range slices.Sorted(maps.Keys(replacements)) {
		first := l.run(phrase)
		l.phrases[first] = append(l.phrases[first], phrase)
		l.old[phrase] = true
	}
	for _, phrases := range l.phrases {
		slices.SortStableFunc(phrases, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	}
	return l
}

// symmetric makes old and new phrases trade places, which undoes itself.
func (l lexicon) symmetric() lexicon {
	replacements := maps.Clone(l.replacements)
	for _, old := range slices.Sorted(maps.Keys(l.replacements)) {
		if _, ok := replacements[l.replacements[old]]; !ok {
			replacements[l.replacements[old]] = old
		}
	}
	out := newLexicon(replacements, l.inWord)
	out.old, out.anyCase, out.articles = l.old, l.anyCase, l.articles
	return out
}

// newWords reads rules about words, which are runs of letters from a to z. Their plurals
// are replaced, too, unless another rule is about them.
func newWords(rules map[string]string, articles bool) (forward lexicon, err error) {
	replacements, partners := map[string]string{}, map[string]string{}
	add := func(old, current string) {
		replacements[old], partners[old], partners[current] = current, current, old
	}
	for _, old := range slices.Sorted(maps.Keys(rules)) {
		current := rules[old]
		for _, word := range []string{old, current} {
			if len(word) < 2 || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
				return lexicon{}, fmt.Errorf("words: %q is not a word of two or more small letters from a to z", word)
			}
			if _, number := numberOfWord(word); number {
				return lexicon{}, fmt.Errorf("words: %q is a number", word)
			}
			if partner, ok := partners[word]; ok {
				return lexicon{}, fmt.Errorf("words: %q trades places with both %q and %q", word, partner, current)
			}
		}
		if old == current {
			return lexicon{}, fmt.Errorf("words: %q stays the same", old)
		}
		add(old, current)
	}
	for _, old := range slices.Sorted(maps.Keys(rules)) {
		oldPlural, newPlural := plural(old), plural(rules[old])
		if partners[oldPlural] == "" && partners[newPlural] == "" && oldPlural != newPlural {
			add(oldPlural, newPlural)
		}
	}
	forward = newLexicon(replacements, isLetter)
	forward.articles = articles
	return forward, nil
}

// plural is the regular plural of a noun. A word in s is one already.
func plural(word string) string {
	ends := func(endings ...string) bool {
		return slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(word, end) })
	}
	switch {
	case ends("ss", "x", "z", "ch", "sh", "tato", "mato"):
		return word + "es"
	case ends("s"):
		return word
	case ends("y") && !ends("ay", "ey", "oy", "uy"):
		return strings.TrimSuffix(word, "y") + "ies"
	case ends("lf", "loaf", "leaf"):
		return strings.TrimSuffix(word, "f") + "ves"
	case ends("ife"):
		return strings.TrimSuffix(word, "fe") + "ves"
	}
	return word + "s"
}

// say replaces the phrases of a text.
func (l lexicon) say(text string) string {
	if len(l.replacements) == 0 {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/4)
	for i := 0; i < len(text); {
		run := l.run(text[i:])
		if run == "" {
			out = append(out, text[i])
			i++
			continue
		}
		old, current := l.phraseAt(text[i:], run)
		if l.articles && current != old {
			out = article(out, old, current)
		}
		out = append(out, current...)
		i += len(old)
	}
	return string(out)
}

// run is the word that a text begins with.
func (l lexicon) run(text string) string {
	end := 0
	for end < len(text) && l.inWord(text[end]) {
		end++
	}
	return text[:end]
}

// phraseAt returns the phrase that a text begins with and its new one, or the first word twice.
func (l lexicon) phraseAt(text, run string) (old, current string) {
	for _, phrase := range l.phrases[strings.ToLower(run)] {
		if !l.begins(text, phrase) {
			continue
		}
		old := text[:len(phrase)]
		if current, ok := capitals(old, l.replacements[phrase], l.anyCase); ok {
			return old, current
		}
	}
	return run, run
}

func (l lexicon) begins(text, phrase string) bool {
	n := len(phrase)
	return n <= len(text) && strings.EqualFold(text[:n], phrase) && (n == len(text) || !l.inWord(text[n]))
}

// capitals gives a text the capitals of another one: none, all, or the first. With
// anyCase other mixtures count as none; without, they are not ok.
func capitals(sample, text string, anyCase bool) (out string, ok bool) {
	switch lower := strings.ToLower(sample); {
	case sample == lower:
		return text, true
	case sample == strings.ToUpper(sample) && len(sample) > 1:
		return strings.ToUpper(text), true
	case sample == capitalized(lower):
		return capitalized(text), true
	}
	return text, anyCase
}

// withCapital gives a text the capital that another one begins with.
func withCapital(sample, text string) string {
	if sample != "" && 'A' <= sample[0] && sample[0] <= 'Z' {
		return capitalized(text)
	}
	return text
}

func capitalized(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// article makes the article at the end of a text fit the new word, if there is one and it fitted the old word.
func article(text []byte, old, current string) []byte {
	for _, a := range []string{"a ", "an "} {
		start := len(text) - len(a)
		if start < 0 || !strings.EqualFold(string(text[start:]), a) || start > 0 && isLetter(text[start-1]) {
			continue
		}
		if fitted := vowel(old) == (a == "an "); fitted && vowel(current) != vowel(old) {
			text = text[:start+1] // the letter a, as it is
			if vowel(current) {
				text = append(text, 'n')
			}
			text = append(text, ' ')
		}
		break
	}
	return text
}

// vowel says whether a word is said with a vowel at its beginning.
func vowel(word string) bool {
	word = strings.ToLower(word)
	for _, y := range []string{"ew", "eu", "uni", "use", "uti", "one"} {
		if strings.HasPrefix(word, y) {
			return false
		}
	}
	return word != "" && strings.ContainsRune("aeiou", rune(word[0]))
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// hasOld reports whether a text holds a phrase that is another one now.
func (l lexicon) hasOld(text string) bool {
	for i := 0; i < len(text); {
		run := l.run(text[i:])
		for _, phrase := range l.phrases[strings.ToLower(run)] {
			if l.old[phrase] && l.begins(text[i:], phrase) {
				return true
			}
		}
		i += max(1, len(run))
	}
	return false
}

// newVerbs replaces words in the forms of actions. Words of forms may have digits,
// lines and hyphens in them, as "jack-up".
func newVerbs(rules map[string]string, iface envs.Interface) lexicon {
	l := newLexicon(rules, func(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' || c == '-' })
	l.anyCase = iface.FoldCase
	return l
}

// writeForm returns a form with its words replaced, outside its slots.
func (l lexicon) writeForm(form string) (string, error) {
	if len(l.replacements) == 0 {
		return form, nil
	}
	t, err := parseTemplate(form)
	if err != nil {
		return form, err
	}
	return t.join(l.say, func(slot string) string { return "{" + slot + "}" }), nil
}

func checkVerbs(rules map[string]string, iface envs.Interface) error {
	for _, old := range slices.Sorted(maps.Keys(rules)) {
		if strings.TrimSpace(rules[old]) == "" || strings.ContainsAny(rules[old], "{}\n") {
			return fmt.Errorf("verbs: %q in place of %q is empty or holds braces or a line break", rules[old], old)
		}
		if !hasVerb(old, iface) {
			return fmt.Errorf("verbs: no action of the environment has the words %q; it has: %s", old,
				strings.Join(iface.Actions, "; "))
		}
	}
	return nil
}

// hasVerb reports whether a form of the interface has the words outside its slots.
func hasVerb(phrase string, iface envs.Interface) bool {
	l := newVerbs(map[string]string{phrase: ""}, iface)
	return slices.ContainsFunc(iface.Actions, func(form string) bool {
		t, err := parseTemplate(form)
		return err == nil && slices.ContainsFunc(t.literals, l.hasOld)
	})
}
