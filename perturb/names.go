package perturb

import (
	"fmt"

	"heldout/envs"
)

// names rewrites how names are written. A nil one leaves them.
type names struct {
	pattern string // of a name as written now, without groups
	// write and read rewrite names in a text, wholeWrite and wholeRead what is a
	// name from end to end.
	write, read, wholeWrite, wholeRead rewriting
}

// newNames reads a layout of names such as "{class}{number}"; it is nil if that
// is empty.
func newNames(layout string, iface envs.Interface) (*names, error) {
	if layout == "" {
		return nil, nil
	}
	if iface.Name == "" {
		return nil, fmt.Errorf("the names of the environment have no parts, so they can only stay as they are")
	}
	from, err := parseTemplate(iface.Name)
	if err != nil {
		return nil, err
	}
	to, err := parseTemplate(layout)
	if err != nil {
		return nil, err
	}
	if err := sameSlots(from, to); err != nil {
		return nil, err
	}
	part := func(slot string) string { return iface.Parts[slot] }
	if example, ok := twoReadings(to.pattern(grouped(part))); ok {
		return nil, fmt.Errorf("names written as %q cannot be taken apart again, as in %q", layout, example)
	}
	n := &names{pattern: to.pattern(part)}
	for _, r := range []struct {
		into          *rewriting
		from, to      template
		before, after string
	}{
		{&n.write, from, to, wordEdge(from, 0), wordEdge(from, -1)}, {&n.read, to, from, wordEdge(to, 0), wordEdge(to, -1)},
		{&n.wholeWrite, from, to, `^`, `$`}, {&n.wholeRead, to, from, `^`, `$`},
	} {
		if *r.into, err = newRewriting(r.from, r.to, r.before, r.after, part); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// grouped makes a group of every pattern.
func grouped(pattern func(slot string) string) func(slot string) string {
	return func(slot string) string { return "(" + pattern(slot) + ")" }
}

// inText rewrites the names in a text.
func (n *names) inText(text string) string {
	if n == nil {
		return text
	}
	return n.write.all(text)
}

// outOfText undoes inText.
func (n *names) outOfText(text string) string {
	if n == nil {
		return text
	}
	return n.read.all(text)
}

// inSlot rewrites what stands in a slot of an action.
func (n *names) inSlot(value string) (string, bool) {
	if n == nil {
		return value, true
	}
	if written, ok := n.wholeWrite.whole(value, keep); ok {
		return written, true
	}
	return value, true
}

// outOfSlot undoes inSlot; a name in its old spelling is refused.
func (n *names) outOfSlot(value string) (string, bool) {
	if n == nil {
		return value, true
	}
	if old, ok := n.wholeRead.whole(value, keep); ok {
		return old, true
	}
	_, isOld := n.wholeWrite.whole(value, keep)
	return value, !isOld
}

func keep(value string) (string, bool) { return value, true }

// slotPatterns are the patterns of what may stand in a slot of an action, as
// written before and now.
func slotPatterns(iface envs.Interface, n *names) (old, written string, err error) {
	if iface.Name != "" {
		t, err := parseTemplate(iface.Name)
		if err != nil {
			return "", "", err
		}
		old = t.pattern(func(slot string) string { return iface.Parts[slot] })
	}
	written = old
	if n != nil {
		written = n.pattern
	}
	return either(old, iface.Slot), either(written, iface.Slot), nil
}

// either is the pattern that matches one of two patterns; an empty pattern
// matches nothing.
func either(a, b string) string {
	switch {
	case a == "":
		return "(?:" + b + ")"
	case b == "":
		return "(?:" + a + ")"
	}
	return "(?:" + a + "|" + b + ")"
}
