package perturb

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// template is text with slots in braces: literals[0], slots[0], literals[1], …
type template struct {
	text            string
	literals, slots []string
}

var slotPattern = regexp.MustCompile(`\{([a-z]+)\}`)

func parseTemplate(text string) (template, error) {
	t := template{text: text}
	start := 0
	for _, span := range slotPattern.FindAllStringSubmatchIndex(text, -1) {
		t.literals = append(t.literals, text[start:span[0]])
		t.slots = append(t.slots, text[span[2]:span[3]])
		start = span[1]
	}
	t.literals = append(t.literals, text[start:])
	sorted := slices.Sorted(slices.Values(t.slots))
	switch {
	case text == "" || text != strings.TrimSpace(text):
		return t, fmt.Errorf("%q is empty or has blanks at an end", text)
	case strings.ContainsAny(strings.Join(t.literals, ""), "{}\n"):
		return t, fmt.Errorf("%q: braces hold the name of a slot in small letters, without line breaks", text)
	case len(slices.Compact(sorted)) < len(t.slots):
		return t, fmt.Errorf("%q has a slot twice", text)
	}
	return t, nil
}

// templates reads two templates with the same slots.
func templates(old, current string) (src, dst template, err error) {
	if src, err = parseTemplate(old); err == nil {
		dst, err = parseTemplate(current)
	}
	if err == nil {
		err = sameSlots(src, dst)
	}
	return src, dst, err
}

func sameSlots(a, b template) error {
	if !slices.Equal(slices.Sorted(slices.Values(a.slots)), slices.Sorted(slices.Values(b.slots))) {
		return fmt.Errorf("%q and %q have not the same slots", a.text, b.text)
	}
	return nil
}

func (t template) fill(value func(slot string) string) string {
	return t.join(func(literal string) string { return literal }, value)
}

// pattern is the template's regular expression, with one expression per slot.
func (t template) pattern(value func(slot string) string) string {
	return t.join(regexp.QuoteMeta, value)
}

func (t template) join(literal, value func(string) string) string {
	var b strings.Builder
	for i, l := range t.literals {
		b.WriteString(literal(l))
		if i < len(t.slots) {
			b.WriteString(value(t.slots[i]))
		}
	}
	return b.String()
}

// rewriting turns what is written like one template into another with the same slots. The zero one finds nothing.
type rewriting struct {
	find *regexp.Regexp
	// literals stand in every match, in this order.
	literals literals
	dst      template
	// sentence keeps a capital at the beginning, as in a sentence.
	sentence bool
}

// newRewriting takes patterns without groups: of slots, and of what stands around.
func newRewriting(src, dst template, prefix, suffix string, value func(slot string) string) (rewriting, error) {
	re, err := regexp.Compile(prefix + src.pattern(func(slot string) string {
		return "(?P<" + slot + ">" + value(slot) + ")"
	}) + suffix)
	return rewriting{find: re, literals: newLiterals(strings.HasPrefix(prefix, "(?i)"), src.literals...), dst: dst}, err
}

// rewriter returns what a slot holds after a rewriting; ok is false if it does not fit.
type rewriter func(slot, value string) (changed string, ok bool)

// replaceAll rewrites every place in a text where each slot fits.
func (r rewriting) replaceAll(text string, edit rewriter) string {
	return r.replaceAround(text, edit, func(rest string) string { return rest })
}

// replaceAround also rewrites what stands around the matches, by another rule.
func (r rewriting) replaceAround(text string, edit rewriter, around func(string) string) string {
	if r.find == nil || !r.literals.in(text) {
		return around(text)
	}
	var b strings.Builder
	start := 0
	for _, span := range r.find.FindAllStringSubmatchIndex(text, -1) {
		if rewritten, ok := r.fill(text, span, edit); ok {
			b.WriteString(around(text[start:span[0]]))
			b.WriteString(rewritten)
			start = span[1]
		}
	}
	b.WriteString(around(text[start:]))
	return b.String()
}

// replace rewrites a text that is written like the template from end to end; each
// changes what stands in the slots, or refuses it.
func (r rewriting) replace(text string, edit rewriter) (rewritten string, ok bool) {
	if r.find == nil {
		return "", false
	}
	loc := r.find.FindStringSubmatchIndex(text)
	if loc == nil {
		return "", false
	}
	return r.fill(text, loc, edit)
}

func (r rewriting) fill(text string, loc []int, edit rewriter) (rewritten string, ok bool) {
	match := text[loc[0]:loc[1]]
	lower := strings.ToLower(match)
	if r.sentence && match != lower && match == capitalized(lower) {
		if rewritten, ok = r.join(match, lower, loc, edit); ok && isLetter(rewritten[0]) {
			return capitalized(rewritten), true
		}
	}
	return r.join(match, match, loc, edit)
}

// join is fill for a match with the letters of spelled.
func (r rewriting) join(match, spelled string, loc []int, edit rewriter) (rewritten string, ok bool) {
	if len(spelled) != len(match) { // a letter whose small one is longer
		return "", false
	}
	ok = true
	rewritten = r.dst.fill(func(slot string) string {
		group := r.find.SubexpIndex(slot)
		value, fits := edit(slot, spelled[loc[2*group]-loc[0]:loc[2*group+1]-loc[0]])
		ok = ok && fits
		return value
	})
	return rewritten, ok
}

// keep leaves a slot as it is.
func keep(_, value string) (string, bool) { return value, true }

// literals are the fixed parts of a pattern. To find them takes a fraction of the time
// that the pattern takes to find nothing.
type literals struct {
	parts   []string
	anyCase bool
}

func newLiterals(anyCase bool, parts ...string) literals {
	out := literals{anyCase: anyCase}
	for _, part := range parts {
		if anyCase {
			part = folded(part)
		}
		out.parts = append(out.parts, part)
	}
	return out
}

// in reports whether all parts stand in a text, one after the other.
func (l literals) in(text string) bool {
	if l.anyCase {
		text = folded(text)
	}
	for _, part := range l.parts {
		_, rest, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

// folded gives letters that differ in case alone one case, as regexp compares them.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		first := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			first = min(first, next)
		}
		return first
	}, text)
}
