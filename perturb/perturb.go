// Package perturb rewrites the interface of an environment and does not change its behaviour: a verb gets another
// name, arguments another order, names another spelling, fixed answers other words. A perturbation is data; this
// package turns it into rewriting in both directions, and puts it around any environment that describes its
// interface.
//
// Rewriting is one to one. The environment no longer understands an old form that is now written differently: the
// old form of an action trades places with the new one, which means nothing to the environment itself.
package perturb

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring/table"
)

// Perturbation rewrites the texts of one interface. It is safe for concurrent use.
type Perturbation struct {
	iface envs.Interface
	names names
	// forms are all forms of actions, changed or not.
	forms []form
	// changedForms are the changed forms, the longest first: a form may stand in another one.
	changedForms []*form
	// verbs are the words of forms that change, in both directions, and turned says that some form has its slots in
	// another order; both only where the environment reads freely.
	verbs  lexicon
	turned bool
	// replies maps answers in both directions.
	replies, canonicalReplies map[string]string
	// series and texts rewrite observations, in this order; texts also goals.
	series []stage
	texts  stage
	// passages are the passages of prompts that change, before and now.
	passages []passage
	order    listOrder
	numbers  bool // as words
	// ownNumbers are numbers that goals have as words by themselves.
	ownNumbers map[string]bool
	// words makes old and new words trade places, typed does so whatever their capitals,
	// and prose has new words for old ones in prompts.
	words, typed, prose lexicon
	lines               lineAdder
	// sorted sorts lists of actions. The perturbations of files have done so from the
	// start, which decides what a random player does.
	sorted bool
}

// New checks the rules against the interface. Rules that do not fit it, or that cannot be undone because two
// actions would be written alike, are errors that say so.
func New(rules configs.Perturbation, iface envs.Interface) (*Perturbation, error) {
	p := &Perturbation{
		iface: iface, replies: map[string]string{}, canonicalReplies: map[string]string{},
		numbers: rules.Numbers == configs.NumberWords,
		order:   listOrder{rules.Order, rules.Seed}, lines: lineAdder{rules.Lines, rules.Seed},
		passages: passages(rules.Instructions),
		sorted:   rules.Parts == nil,
	}
	if err := p.add(rules); err != nil {
		return nil, fmt.Errorf("perturbation %s: %w", rules.Name, err)
	}
	return p, nil
}

func (p *Perturbation) add(rules configs.Perturbation) error {
	if err := checkRules(rules, p.iface); err != nil {
		return err
	}
	var err error
	if p.names, err = newNames(rules.Names, p.iface); err != nil {
		return err
	}
	for _, add := range []func(configs.Perturbation) error{p.addWords, p.addForms, p.addReplies, p.addTexts} {
		if err := add(rules); err != nil {
			return err
		}
	}
	return p.checkLines()
}

// passage is a part of a prompt, before and now.
type passage struct{ old, current string }

// passages lists the rules about passages, the longest first. A shorter one may be about what a longer one becomes.
func passages(rules map[string]string) []passage {
	names := slices.Sorted(maps.Keys(rules))
	out := table.Each(names, func(old string) passage { return passage{old, rules[old]} })
	slices.SortStableFunc(out, func(a, b passage) int { return cmp.Compare(len(b.old), len(a.old)) })
	return out
}

// checkRules reports rules about actions, answers and texts that do not exist, and empty answers.
func checkRules(rules configs.Perturbation, iface envs.Interface) error {
	for _, old := range append(slices.Sorted(maps.Keys(rules.Actions)), rules.Without...) {
		if !slices.Contains(iface.Actions, old) && !iface.Open {
			return fmt.Errorf("the environment has no action %q; it has: %s", old, strings.Join(iface.Actions, "; "))
		}
	}
	for _, old := range slices.Sorted(maps.Keys(rules.Replies)) {
		if !slices.Contains(iface.Replies, old) {
			return fmt.Errorf("the environment has no fixed answer %q; it has: %s", old,
				strings.Join(iface.Replies, " | "))
		}
		if strings.TrimSpace(rules.Replies[old]) == "" {
			return fmt.Errorf("the answer in place of %q is empty", old)
		}
	}
	if err := checkVerbs(rules.Verbs, iface); err != nil {
		return err
	}
	if len(rules.Without) > 0 && iface.Unknown == "" {
		return errors.New("no action of this environment can be taken away")
	}
	for _, old := range slices.Sorted(maps.Keys(rules.Texts)) {
		if !slices.Contains(iface.Texts, old) {
			return fmt.Errorf("the environment has no text %q; it has: %s", old, strings.Join(iface.Texts, " | "))
		}
	}
	return nil
}

func (p *Perturbation) addWords(rules configs.Perturbation) (err error) {
	p.prose, err = newWords(rules.Words, true)
	p.words = p.prose.symmetric()
	p.words.articles = p.iface.Articles
	p.typed = p.words
	p.typed.anyCase = true
	p.ownNumbers = map[string]bool{}
	for _, text := range p.iface.Texts {
		for _, word := range strings.Fields(text) {
			if _, number := numberOfWord(word); number {
				p.ownNumbers[word] = true
			}
		}
	}
	return err
}

func (p *Perturbation) addForms(rules configs.Perturbation) error {
	v := newVerbs(rules.Verbs, p.iface)
	p.verbs = v.symmetric()
	for _, old := range forms(rules, p.iface) {
		current, changed := rules.Actions[old]
		if !changed {
			current = old
		}
		current, err := v.writeForm(current)
		if err != nil {
			return err
		}
		f, err := newForm(old, current, p.iface, &p.names)
		if err != nil {
			return err
		}
		f.removed = slices.Contains(rules.Without, old)
		p.turned = p.turned || !slices.Equal(f.old.slots, f.current.slots)
		p.forms = append(p.forms, f)
	}
	for i := range p.forms {
		if f := &p.forms[i]; f.changed() {
			p.changedForms = append(p.changedForms, f)
		}
	}
	slices.SortStableFunc(p.changedForms, func(a, b *form) int { return cmp.Compare(len(b.old.text), len(a.old.text)) })
	return p.checkForms()
}

// checkForms reports forms that two actions could have.
func (p *Perturbation) checkForms() error {
	for i := range p.forms {
		f := &p.forms[i]
		if example, ok := twoReadings(f.automaton); ok {
			return fmt.Errorf("the form %q can be read in two ways, as in %q; put words between its slots",
				f.current.text, example)
		}
		for _, g := range p.forms[:i] {
			if example, ok := common(g.automaton, f.automaton); ok {
				return fmt.Errorf("%q and %q would be written alike, as in %q", g.old.text, f.old.text, example)
			}
		}
	}
	return nil
}

// forms returns the forms of the interface and, if the interface is open, the forms of the rules.
func forms(rules configs.Perturbation, iface envs.Interface) []string {
	var out []string
	for _, old := range append(slices.Sorted(maps.Keys(rules.Actions)), rules.Without...) {
		if !slices.Contains(iface.Actions, old) && !slices.Contains(out, old) {
			out = append(out, old)
		}
	}
	return append(out, iface.Actions...) // a rule of its own may be about a part of a form
}

func (p *Perturbation) addReplies(rules configs.Perturbation) error {
	for _, old := range p.iface.Replies {
		reply := p.mention(cmp.Or(rules.Replies[old], old))
		if clash, ok := p.canonicalReplies[reply]; ok {
			return fmt.Errorf("the answers %q and %q would both be %q", clash, old, reply)
		}
		p.canonicalReplies[reply] = old
		p.replies[old] = reply
	}
	return nil
}

func (p *Perturbation) addTexts(rules configs.Perturbation) (err error) {
	for _, s := range p.iface.Series {
		stages, err := newSeries(s, p.order, rules.Layout)
		if err != nil {
			return err
		}
		p.series = append(p.series, stages...)
	}
	p.texts, err = newTexts(rules.Texts, p.iface)
	return err
}

// version counts how the same rules have been understood. It is part of the hashes of all
// rules but those about whole forms and answers alone, which are understood as ever.
const version = 3

// Hash identifies the rules and what they mean: the SHA-256, in hex, of their content, not
// of the text of their file.
func Hash(rules configs.Perturbation) string {
	content := any(rules)
	if rules.Parts != nil || rules.Rewords() {
		content = struct {
			Version int
			configs.Perturbation
		}{version, rules}
	}
	b, err := json.Marshal(content)
	if err != nil {
		return err.Error() // strings and maps of them always marshal
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}
