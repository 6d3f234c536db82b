package perturb

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/envs"
)

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
