package perturb

import (
	"fmt"
	"regexp/syntax"
	"slices"

	"heldout/envs"
)

// stage rewrites texts in both directions. A text on which it cannot be undone stays as it is.
type stage struct{ rewrite, restore func(string) string }

func (s stage) write(text string) string {
	if rewritten := s.rewrite(text); s.restore(rewritten) == text {
		return rewritten
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
		current, changed := rules[old]
		if !changed {
			current = old
		}
		src, dst, err := templates(old, current)
		if err != nil {
			return stage{}, fmt.Errorf("texts: %w", err)
		}
		own := program("^" + dst.pattern(grouped(fill)) + "$")
		if err := checkText(old, dst, own, iface.Texts, automata); err != nil {
			return stage{}, err
		}
		automata = append(automata, own)
		if !changed {
			continue
		}
		write, err := newRewriting(src, dst, wordEdge(src, 0), wordEdge(src, -1), fill)
		if err != nil {
			return stage{}, err
		}
		read, err := newRewriting(dst, src, wordEdge(dst, 0), wordEdge(dst, -1), fill)
		if err != nil {
			return stage{}, err
		}
		forward, back = append(forward, write), append(back, read)
	}
	slices.Reverse(back)
	return stage{func(text string) string { return through(forward, text) }, func(text string) string {
		return through(back, text)
	}}, nil
}

// checkText reports a text that has two readings, or one in common with the texts before it. Automata are given.
func checkText(old string, dst template, own *syntax.Prog, texts []string, automata []*syntax.Prog) error {
	if example, ok := twoReadings(own); ok {
		return fmt.Errorf("the text %q can be read in two ways, as in %q; put words between its slots", dst.text,
			example)
	}
	for i, other := range automata {
		if example, ok := common(other, own); ok {
			return fmt.Errorf("the texts %q and %q would be written alike, as in %q", texts[i], old, example)
		}
	}
	return nil
}

func through(rewritings []rewriting, text string) string {
	for _, r := range rewritings {
		text = r.replaceAll(text, keep)
	}
	return text
}
