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
	old, current template
	// write turns a whole action of the old form into one of the new, read the other way.
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
	synonyms               []rewriting
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

func newForm(old, current string, iface envs.Interface, n *names) (form, error) {
	var f form
	var err error
	if f.old, f.current, err = templates(old, current); err != nil {
		return f, err
	}
	oldSlots, newSlots, err := slotPatterns(iface, n)
	if err != nil {
		return f, err
	}
	start, anywhere := "^", ""
	if iface.FoldCase {
		start, anywhere = "(?i)^", "(?i)"
	}
	always := func(pattern string) func(string) string { return func(string) string { return pattern } }
	f.automaton = program(start + f.current.pattern(grouped(always(newSlots))) + "$")
	for _, r := range []struct {
		into           *rewriting
		src, dst       template
		prefix, suffix string
		slot           string
	}{
		{&f.write, f.old, f.current, start, "$", oldSlots},
		{&f.read, f.current, f.old, start, "$", newSlots},
		{&f.placeholders, f.old, f.current, anywhere + bracketEdge(f.old, 0), bracketEdge(f.old, -1),
			f.old.placeholder()},
		{&f.unplaced, f.current, f.old, anywhere + bracketEdge(f.current, 0), bracketEdge(f.current, -1),
			f.current.placeholder()},
	} {
		if *r.into, err = newRewriting(r.src, r.dst, r.prefix, r.suffix, always(r.slot)); err != nil {
			return f, err
		}
	}
	f.placeholders.sentence, f.unplaced.sentence = true, true
	if src, dst, ok := halves(f.old, f.current); ok {
		half, err := newRewriting(src, dst, start, "$", always(oldSlots))
		if err != nil {
			return f, err
		}
		f.half = &half
	}
	for _, alternative := range slices.Sorted(maps.Keys(iface.Synonyms)) {
		if iface.Synonyms[alternative] != old {
			continue
		}
		synonym, err := parseTemplate(alternative)
		if err != nil {
			return f, err
		}
		r, err := newRewriting(synonym, f.current, anywhere+bracketEdge(synonym, 0), bracketEdge(synonym, -1),
			always(synonym.placeholder()))
		if err != nil {
			return f, err
		}
		f.synonyms = append(f.synonyms, r)
	}
	return f, nil
}

// halves returns a form without its last slot and the words before it, as it was and as it is written now: "take
// {obj}" of "take {obj} from {recep}" is "{obj} take" where the form is "from {recep} {obj} take".
func halves(old, current template) (oldHalf, newHalf template, ok bool) {
	n := len(old.slots)
	if n < 2 || old.literals[n] != "" {
		return oldHalf, newHalf, false
	}
	rest := old.literals[n-1] + "{" + old.slots[n-1] + "}"
	head, tail, ok := strings.Cut(current.text, strings.TrimSpace(rest))
	if !ok {
		return oldHalf, newHalf, false
	}
	oldHalf, err := parseTemplate(strings.TrimSuffix(old.text, rest))
	newHalf, errNow := parseTemplate(strings.TrimSpace(strings.TrimSpace(head) + " " + strings.TrimSpace(tail)))
	return oldHalf, newHalf, err == nil && errNow == nil
}

var letter = regexp.MustCompile(`[A-Za-z0-9_]`)

// wordEdge is the pattern of a word boundary at an end of a template, where it
// has a word or a slot there; end is 0 or -1.
func wordEdge(t template, end int) string {
	literal := t.literals[0]
	i := 0
	if end < 0 {
		literal = t.literals[len(t.literals)-1]
		i = len(literal) - 1
	}
	if literal == "" || letter.MatchString(literal[i:i+1]) {
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

func (f *form) changed() bool { return f.old.text != f.current.text }
