package perturb

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/envs"
)

// verbRules replaces words in the forms of actions, all at once.
type verbRules struct {
	phrases []string // the longest first
	to      map[string]string
	fold    bool // case does not matter
}

func newVerbs(rules map[string]string, iface envs.Interface) verbRules {
	v := verbRules{slices.Sorted(maps.Keys(rules)), rules, iface.FoldCase}
	slices.SortStableFunc(v.phrases, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return v
}

// both returns rules that make old and new words trade places.
func (v verbRules) both() verbRules {
	to := maps.Clone(v.to)
	for old, written := range v.to {
		if _, ok := to[written]; !ok {
			to[written] = old
		}
	}
	return newVerbs(to, envs.Interface{FoldCase: v.fold})
}

// write returns a form with its words replaced, outside its slots.
func (v verbRules) write(form string) (string, error) {
	if len(v.phrases) == 0 {
		return form, nil
	}
	t, err := parseTemplate(form)
	if err != nil {
		return form, err
	}
	return t.join(v.inLiteral, func(slot string) string { return "{" + slot + "}" }), nil
}

func (v verbRules) inLiteral(literal string) string {
	var b strings.Builder
	for at := 0; at < len(literal); {
		if phrase, ok := v.at(literal, at); ok {
			b.WriteString(v.to[phrase])
			at += len(phrase)
			continue
		}
		b.WriteByte(literal[at])
		at++
	}
	return b.String()
}

// at returns the longest phrase that stands at a place, from word edge to word
// edge.
func (v verbRules) at(text string, at int) (phrase string, ok bool) {
	if at > 0 && inWord(text[at-1]) {
		return "", false
	}
	for _, p := range v.phrases {
		end := at + len(p)
		if end > len(text) || end < len(text) && inWord(text[end]) {
			continue
		}
		if text[at:end] == p || v.fold && strings.EqualFold(text[at:end], p) {
			return p, true
		}
	}
	return "", false
}

// inWord reports whether a byte can belong to a word of a form, such as
// "jack-up".
func inWord(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' || c == '-' }

// checkVerbs reports verbs that no form has.
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
	v := verbRules{[]string{phrase}, map[string]string{phrase: "\x00"}, iface.FoldCase}
	return slices.ContainsFunc(iface.Actions, func(form string) bool {
		written, err := v.write(form)
		return err == nil && strings.Contains(written, "\x00")
	})
}
