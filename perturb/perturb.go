// Package perturb rewrites the interface of an environment and does not change
// its behaviour: a verb gets another name, arguments another order, names another
// spelling, fixed answers other words. A perturbation is data; this package turns
// it into rewriting in both directions, and puts it around any environment that
// describes its interface.
//
// Rewriting is one to one. The environment no longer understands an old form that
// is now written differently: the old form of an action trades places with the
// new one, which means nothing to the environment itself.
package perturb

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
)

// Perturbation rewrites the texts of one interface. It does not change and is
// safe for concurrent use.
type Perturbation struct {
	iface envs.Interface
	names *names // nil where names stay
	// forms are all forms of actions, changed or not.
	forms []form
	// replies maps answers in both directions.
	replies, canonicalReplies map[string]string
}

// New checks the rules against the interface. Rules that do not fit it, or that
// cannot be undone because two actions would be written alike, are errors that
// say so.
func New(rules configs.Perturbation, iface envs.Interface) (*Perturbation, error) {
	p := &Perturbation{iface: iface, replies: map[string]string{}, canonicalReplies: map[string]string{}}
	fail := func(err error) (*Perturbation, error) {
		return nil, fmt.Errorf("perturbation %s: %w", rules.Name, err)
	}
	if err := known(rules, iface); err != nil {
		return nil, err
	}
	var err error
	if p.names, err = newNames(rules.Names, iface); err != nil {
		return fail(err)
	}
	if err := p.addForms(rules.Actions); err != nil {
		return fail(err)
	}
	if err := p.addReplies(rules.Replies); err != nil {
		return fail(err)
	}
	return p, nil
}

// known reports rules about actions and answers that do not exist, and empty
// answers.
func known(rules configs.Perturbation, iface envs.Interface) error {
	for _, old := range slices.Sorted(maps.Keys(rules.Actions)) {
		if !slices.Contains(iface.Actions, old) && !iface.Open {
			return fmt.Errorf("perturbation %s: the environment has no action %q; it has: %s", rules.Name, old, strings.Join(iface.Actions, "; "))
		}
	}
	for _, old := range slices.Sorted(maps.Keys(rules.Replies)) {
		if !slices.Contains(iface.Replies, old) {
			return fmt.Errorf("perturbation %s: the environment has no fixed answer %q; it has: %s", rules.Name, old, strings.Join(iface.Replies, " | "))
		}
		if strings.TrimSpace(rules.Replies[old]) == "" {
			return fmt.Errorf("perturbation %s: the answer in place of %q is empty", rules.Name, old)
		}
	}
	return nil
}

// addForms makes all forms and checks that no text matches two of them.
func (p *Perturbation) addForms(rules map[string]string) error {
	for _, old := range forms(rules, p.iface) {
		written, changed := rules[old]
		if !changed {
			written = old
		}
		f, err := newForm(old, written, p.iface, p.names)
		if err != nil {
			return err
		}
		p.forms = append(p.forms, f)
	}
	for i := range p.forms {
		f := &p.forms[i]
		if example, ok := twoReadings(f.pattern); ok {
			return fmt.Errorf("the form %q can be read in two ways, as in %q; put words between its slots", f.written.text, example)
		}
		for _, g := range p.forms[:i] {
			if example, ok := common(g.pattern, f.pattern); ok {
				return fmt.Errorf("%q and %q would be written alike, as in %q", g.old.text, f.old.text, example)
			}
		}
	}
	return nil
}

// forms returns the forms of the interface and, if the interface is open, those
// of the rules.
func forms(rules map[string]string, iface envs.Interface) []string {
	out := slices.Clone(iface.Actions)
	for _, old := range slices.Sorted(maps.Keys(rules)) {
		if !slices.Contains(out, old) {
			out = append(out, old)
		}
	}
	return out
}

func (p *Perturbation) addReplies(rules map[string]string) error {
	for _, old := range p.iface.Replies {
		written, changed := rules[old]
		if !changed {
			written = old
		}
		if other, taken := p.canonicalReplies[written]; taken {
			return fmt.Errorf("the answers %q and %q would both be %q", other, old, written)
		}
		p.canonicalReplies[written] = old
		p.replies[old] = written
	}
	return nil
}

// Hash identifies the rules: the SHA-256, in hex, of their content, not of the
// text of their file.
func Hash(rules configs.Perturbation) string {
	b, err := json.Marshal(rules)
	if err != nil {
		return err.Error() // strings and maps of them always marshal
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
