package perturb

import (
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"heldout/envs"
)

// form is one form of actions, before and now.
type form struct {
	old, written template
	// write turns a whole action of the old form into one of the new, read the
	// other way.
	write, read rewriting
	// half is write for an action without its last slot and the words before it. It is nil
	// if the form has no such half.
	half *rewriting
	// automaton matches actions as written now, with a group for every slot.
	automaton *syntax.Prog
	removed   bool
	// placeholders finds the old form with words in brackets for its slots, as
	// instructions and help texts have it, and unplaced the new one. alike finds the old
	// form in other words, so that only what nobody reads back has it.
	placeholders, unplaced rewriting
	alike                  []rewriting
}

// placeholder is what stands for a slot in instructions: {recep}, (receptacle).
// A thing may be followed by its number.
const placeholder = `[({<\[][A-Za-z][A-Za-z0-9_/ -]*[\])}>](?: (?:\{number\}|<id>))?`

// placeholder is what stands for the slots of a template. In a template such as
// search[{text}], which has its own brackets, a word alone is enough.
func (t template) placeholder() string {
	if len(t.slots) == 1 && strings.HasSuffix(t.literals[0], "[") && strings.HasPrefix(t.literals[1], "]") {
		return "(?:" + placeholder + "|[A-Za-z ]*)"
	}
	return placeholder
}

func newForm(old, written string, iface envs.Interface, n *names) (form, error) {
	var f form
	var err error
	if f.old, f.written, err = templates(old, written); err != nil {
		return f, err
	}
	before, now, err := slotPatterns(iface, n)
	if err != nil {
		return f, err
	}
	start, anywhere := "^", ""
	if iface.FoldCase {
		start, anywhere = "(?i)^", "(?i)"
	}
	always := func(pattern string) func(string) string { return func(string) string { return pattern } }
	f.automaton = program(start + f.written.pattern(grouped(always(now))) + "$")
	for _, r := range []struct {
		into          *rewriting
		from, to      template
		before, after string
		slot          string
	}{
		{&f.write, f.old, f.written, start, "$", before},
		{&f.read, f.written, f.old, start, "$", now},
		{&f.placeholders, f.old, f.written, anywhere + bracketEdge(f.old, 0), bracketEdge(f.old, -1),
			f.old.placeholder()},
		{&f.unplaced, f.written, f.old, anywhere + bracketEdge(f.written, 0), bracketEdge(f.written, -1),
			f.written.placeholder()},
	} {
		if *r.into, err = newRewriting(r.from, r.to, r.before, r.after, always(r.slot)); err != nil {
			return f, err
		}
	}
	f.placeholders.sentence, f.unplaced.sentence = true, true
	if from, to, ok := halves(f.old, f.written); ok {
		half, err := newRewriting(from, to, start, "$", always(before))
		if err != nil {
			return f, err
		}
		f.half = &half
	}
	for _, other := range slices.Sorted(maps.Keys(iface.Alike)) {
		if iface.Alike[other] != old {
			continue
		}
		from, err := parseTemplate(other)
		if err != nil {
			return f, err
		}
		r, err := newRewriting(from, f.written, anywhere+bracketEdge(from, 0), bracketEdge(from, -1),
			always(from.placeholder()))
		if err != nil {
			return f, err
		}
		f.alike = append(f.alike, r)
	}
	return f, nil
}

// halves returns a form without its last slot and the words before it, as it was and as it
// is written now: "take {obj}" of "take {obj} from {recep}" is "{obj} take" where the
// form is "from {recep} {obj} take".
func halves(old, written template) (before, now template, ok bool) {
	n := len(old.slots)
	if n < 2 || old.literals[n] != "" {
		return before, now, false
	}
	rest := old.literals[n-1] + "{" + old.slots[n-1] + "}"
	head, tail, ok := strings.Cut(written.text, strings.TrimSpace(rest))
	if !ok {
		return before, now, false
	}
	before, err := parseTemplate(strings.TrimSuffix(old.text, rest))
	now, errNow := parseTemplate(strings.TrimSpace(strings.TrimSpace(head) + " " + strings.TrimSpace(tail)))
	return before, now, err == nil && errNow == nil
}

var letter = regexp.MustCompile(`[A-Za-z0-9_]`)

// wordEdge is the pattern of a word boundary at an end of a template, where it
// has a word or a slot there; end is 0 or -1.
func wordEdge(t template, end int) string {
	literal := t.literals[0]
	at := 0
	if end < 0 {
		literal = t.literals[len(t.literals)-1]
		at = len(literal) - 1
	}
	if literal == "" || letter.MatchString(literal[at:at+1]) {
		return `\b`
	}
	return ""
}

// bracketEdge is wordEdge for a template whose slots are in brackets.
func bracketEdge(t template, end int) string {
	if end == 0 && t.literals[0] == "" || end < 0 && t.literals[len(t.literals)-1] == "" {
		return ""
	}
	return wordEdge(t, end)
}

func (f *form) changed() bool { return f.old.text != f.written.text }
