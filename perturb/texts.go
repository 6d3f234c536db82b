package perturb

import (
	"fmt"
	"regexp/syntax"
	"slices"

	"heldout/envs"
)

// stage rewrites texts in both directions. A text on which it cannot be undone
// stays as it is.
type stage struct{ rewrite, restore func(string) string }

func (s stage) write(text string) string {
	if written := s.rewrite(text); s.restore(written) == text {
		return written
	}
	return text
}

// read undoes write.
func (s stage) read(text string) string {
	if old := s.restore(text); s.write(old) == text {
		return old
	}
	return text
}

func newTexts(rules map[string]string, iface envs.Interface) (stage, error) {
	name, err := namePattern(iface)
	if err != nil {
		return stage{}, err
	}
	fill := func(slot string) string {
		if pattern, ok := iface.Fill[slot]; ok {
			return pattern
		}
		return name
	}
	var forward, back []rewriting
	var automata []*syntax.Prog
	for _, old := range iface.Texts {
		written, changed := rules[old]
		if !changed {
			written = old
		}
		from, to, err := templates(old, written)
		if err != nil {
			return stage{}, fmt.Errorf("texts: %w", err)
		}
		own := program("^" + to.pattern(grouped(fill)) + "$")
		if err := checkText(old, to, own, iface.Texts, automata); err != nil {
			return stage{}, err
		}
		automata = append(automata, own)
		if !changed {
			continue
		}
		there, err := newRewriting(from, to, wordEdge(from, 0), wordEdge(from, -1), fill)
		if err != nil {
			return stage{}, err
		}
		again, err := newRewriting(to, from, wordEdge(to, 0), wordEdge(to, -1), fill)
		if err != nil {
			return stage{}, err
		}
		forward, back = append(forward, there), append(back, again)
	}
	slices.Reverse(back)
	return stage{func(text string) string { return through(forward, text) }, func(text string) string {
		return through(back, text)
	}}, nil
}

// checkText reports a text that has two readings, or one in common with the texts
// before it. Automata are given.
func checkText(old string, to template, own *syntax.Prog, texts []string, before []*syntax.Prog) error {
	if example, ok := twoReadings(own); ok {
		return fmt.Errorf("the text %q can be read in two ways, as in %q; put words between its slots", to.text,
			example)
	}
	for i, other := range before {
		if example, ok := common(other, own); ok {
			return fmt.Errorf("the texts %q and %q would be written alike, as in %q", texts[i], old, example)
		}
	}
	return nil
}

func through(rewritings []rewriting, text string) string {
	for _, r := range rewritings {
		text = r.all(text, keep)
	}
	return text
}
