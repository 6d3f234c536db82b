package perturb

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// template is text with slots in braces: literals[0], slots[0], literals[1], …
type template struct {
	text            string
	literals, slots []string
}

var slotPattern = regexp.MustCompile(`\{([a-z]+)\}`)

func parseTemplate(text string) (template, error) {
	t := template{text: text}
	from := 0
	for _, at := range slotPattern.FindAllStringSubmatchIndex(text, -1) {
		t.literals = append(t.literals, text[from:at[0]])
		t.slots = append(t.slots, text[at[2]:at[3]])
		from = at[1]
	}
	t.literals = append(t.literals, text[from:])
	sorted := slices.Sorted(slices.Values(t.slots))
	switch {
	case text == "" || text != strings.TrimSpace(text):
		return t, fmt.Errorf("%q is empty or has blanks at an end", text)
	case strings.ContainsAny(strings.Join(t.literals, ""), "{}\n"):
		return t, fmt.Errorf("%q: braces hold the name of a slot in small letters, and there are no line breaks", text)
	case len(slices.Compact(sorted)) < len(t.slots):
		return t, fmt.Errorf("%q has a slot twice", text)
	}
	return t, nil
}

// templates reads two templates with the same slots.
func templates(old, written string) (from, to template, err error) {
	if from, err = parseTemplate(old); err == nil {
		to, err = parseTemplate(written)
	}
	if err == nil {
		err = sameSlots(from, to)
	}
	return from, to, err
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

// rewriting turns what is written like one template into another with the same slots.
type rewriting struct {
	find *regexp.Regexp
	to   template
	// sentence keeps a capital at the beginning, as that of a sentence.
	sentence bool
}

// newRewriting takes patterns without groups: of slots, and of what stands around.
func newRewriting(from, to template, before, after string, value func(slot string) string) (rewriting, error) {
	re, err := regexp.Compile(before + from.pattern(func(slot string) string {
		return "(?P<" + slot + ">" + value(slot) + ")"
	}) + after)
	return rewriting{find: re, to: to}, err
}

// change returns what a slot holds after a rewriting; ok is false if it does not fit.
type change func(slot, value string) (changed string, ok bool)

// all rewrites every place in a text where each slot fits.
func (r rewriting) all(text string, each change) string {
	var b strings.Builder
	from := 0
	for _, at := range r.find.FindAllStringSubmatchIndex(text, -1) {
		if written, ok := r.fill(text, at, each); ok {
			b.WriteString(text[from:at[0]])
			b.WriteString(written)
			from = at[1]
		}
	}
	b.WriteString(text[from:])
	return b.String()
}

// whole rewrites a text that is written like the template from end to end; each
// changes what stands in the slots, or refuses it.
func (r rewriting) whole(text string, each change) (written string, ok bool) {
	at := r.find.FindStringSubmatchIndex(text)
	if at == nil {
		return "", false
	}
	return r.fill(text, at, each)
}

func (r rewriting) fill(text string, at []int, each change) (written string, ok bool) {
	match := text[at[0]:at[1]]
	lower := strings.ToLower(match)
	if r.sentence && match != lower && match == capitalized(lower) {
		if written, ok = r.join(match, lower, at, each); ok && isLetter(written[0]) {
			return capitalized(written), true
		}
	}
	return r.join(match, match, at, each)
}

// join is fill for a match whose letters are those of spelled.
func (r rewriting) join(match, spelled string, at []int, each change) (written string, ok bool) {
	if len(spelled) != len(match) { // a letter whose small one is longer
		return "", false
	}
	ok = true
	written = r.to.fill(func(slot string) string {
		group := r.find.SubexpIndex(slot)
		value, fits := each(slot, spelled[at[2*group]-at[0]:at[2*group+1]-at[0]])
		ok = ok && fits
		return value
	})
	return written, ok
}

// keep leaves a slot as it is.
func keep(_, value string) (string, bool) { return value, true }
