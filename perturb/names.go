package perturb

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"heldout/envs"
)

// names rewrites how names are written. The zero one leaves them.
type names struct {
	pattern string // of a name as written now, without groups
	// write and read rewrite names in a text, wholeWrite and wholeRead what is a name from end to end.
	write, read, wholeWrite, wholeRead rewriting
	// spell and unspell change the parts that are spelled otherwise.
	spell, unspell rewriter
	// braces rewrites the layout of names as instructions have it, such as
	// "{thing} {number}", and called is what they call a part now.
	braces rewriting
	called rewriter
}

// spelledSlot is a slot of names with a value spelled otherwise: {number:letters}.
var spelledSlot = regexp.MustCompile(`\{([a-z]+):([a-z]+)\}`)

// newNames reads a layout of names such as "{class}{number}"; an empty one leaves them.
func newNames(layout string, iface envs.Interface) (n names, err error) {
	if layout == "" {
		return n, nil
	}
	if iface.Name == "" {
		return n, fmt.Errorf("the names of the environment have no parts, so they can only stay as they are")
	}
	src, err := parseTemplate(iface.Name)
	if err != nil {
		return n, err
	}
	spelled, err := numberSpelling(layout)
	if err != nil {
		return n, err
	}
	dst, err := parseTemplate(spelledSlot.ReplaceAllString(layout, "{$1}"))
	if err != nil {
		return n, err
	}
	if err := sameSlots(src, dst); err != nil {
		return n, err
	}
	part := func(slot string) string { return iface.Parts[slot] }
	slotPattern := func(slot string) string {
		if spelled != nil && slot == numberPart {
			return spelled.pattern
		}
		return part(slot)
	}
	if example, ok := twoReadings(program(dst.pattern(grouped(slotPattern)))); ok {
		return n, fmt.Errorf("names written as %q cannot be taken apart again, as in %q", layout, example)
	}
	if example, ok := common(program("^"+dst.pattern(slotPattern)+"$"), program(plainWords)); ok {
		return n, fmt.Errorf("names written as %q would look like other words, as in %q; put a mark into them",
			layout, example)
	}
	n = names{pattern: dst.pattern(slotPattern), spell: keep, unspell: keep}
	if spelled != nil {
		n.spell, n.unspell = numbersAlone(spelled.write), numbersAlone(spelled.read)
	}
	for _, r := range []struct {
		into           *rewriting
		src, dst       template
		prefix, suffix string
		part           func(string) string
	}{
		{&n.write, src, dst, "(?i)" + wordEdge(src, 0), wordEdge(src, -1), part},
		{&n.read, dst, src, "(?i)" + wordEdge(dst, 0), wordEdge(dst, -1), slotPattern},
		{&n.wholeWrite, src, dst, `(?i)^`, `$`, part}, {&n.wholeRead, dst, src, `(?i)^`, `$`, slotPattern},
	} {
		if *r.into, err = newRewriting(r.src, r.dst, r.prefix, r.suffix, r.part); err != nil {
			return n, err
		}
		r.into.sentence = true
	}
	n.braces, err = newRewriting(src, dst, "", "", func(slot string) string {
		if slot == numberPart {
			return `(?:\{number\}|<id>)`
		}
		return `(?:\{[a-z ]+\}|<[a-z ]+>)`
	})
	n.called = func(slot, value string) (string, bool) {
		if slot == numberPart && spelled == numberSpellings["letters"] {
			return strings.NewReplacer("number", "letter", "id", "letter").Replace(value), true
		}
		return value, true
	}
	return n, err
}

// numberSpelling is how a layout spells numbers; nil as they are.
func numberSpelling(layout string) (s *spelling, err error) {
	for _, m := range spelledSlot.FindAllStringSubmatch(layout, -1) {
		if s = numberSpellings[m[2]]; s == nil || m[1] != numberPart {
			return nil, fmt.Errorf("%q: only {%s} can be spelled otherwise, as letters or words", m[0], numberPart)
		}
	}
	return s, nil
}

// plainWords are words in a row, as any text has them.
const plainWords = "^[A-Za-z]+(?: [A-Za-z]+)*$"

// numberPart is the part of names that is a number.
const numberPart = "number"

// grouped makes a group of every pattern.
func grouped(pattern func(slot string) string) func(slot string) string {
	return func(slot string) string { return "(" + pattern(slot) + ")" }
}

func (n *names) inText(text string) string {
	return n.write.replaceAll(text, n.spell)
}

// outOfText undoes inText.
func (n *names) outOfText(text string) string {
	return n.read.replaceAll(text, n.unspell)
}

// trade makes old and new spellings in a text trade places.
func (n *names) trade(text string) string { return n.read.replaceAround(text, n.unspell, n.inText) }

// inSlot rewrites what stands in a slot of an action.
func (n *names) inSlot(_, value string) (string, bool) {
	if rewritten, ok := n.wholeWrite.replace(value, n.spell); ok {
		return rewritten, true
	}
	return value, true
}

// outOfSlot undoes inSlot; a name in its old spelling is refused.
func (n *names) outOfSlot(_, value string) (string, bool) {
	if old, ok := n.wholeRead.replace(value, n.unspell); ok {
		return old, true
	}
	_, isOld := n.wholeWrite.replace(value, n.spell)
	return value, !isOld
}

// slotPatterns are the patterns of what may stand in a slot of an action, as written before and now.
func slotPatterns(iface envs.Interface, n *names) (old, current string, err error) {
	if old, err = namePattern(iface); err != nil {
		return "", "", err
	}
	return alternation(old, iface.Slot), alternation(cmp.Or(n.pattern, old), iface.Slot), nil
}

// namePattern is the pattern of the environment's names, without groups; "" without parts.
func namePattern(iface envs.Interface) (string, error) {
	if iface.Name == "" {
		return "", nil
	}
	t, err := parseTemplate(iface.Name)
	return t.pattern(func(slot string) string { return iface.Parts[slot] }), err
}

// alternation matches one of two patterns; an empty pattern matches nothing.
func alternation(a, b string) string {
	switch {
	case a == "":
		return "(?:" + b + ")"
	case b == "":
		return "(?:" + a + ")"
	}
	return "(?:" + a + "|" + b + ")"
}

// spelling is a way to write numbers.
type spelling struct {
	pattern string // RE2, without groups
	// write is the spelling of a number of at least 0, in digits without leading
	// zeros; ok is false if the spelling lacks it. read undoes it.
	write, read func(string) (string, bool)
}

// numbersAlone converts the number among the parts of names.
func numbersAlone(convert func(string) (string, bool)) rewriter {
	return func(slot, value string) (string, bool) {
		if slot != numberPart {
			return value, true
		}
		return convert(value)
	}
}

var numberSpellings = map[string]*spelling{
	"letters": {pattern: "[a-z]{1,2}", write: letterOf, read: numberOfLetter},
	"words":   {pattern: shortWords, write: shortWordOf, read: numberOfWord},
}
