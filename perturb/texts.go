package perturb

import (
	"cmp"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/stream"
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
	for i, rule := range automata {
		if example, ok := common(rule, own); ok {
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

// lineAdder adds lines to observations. Which ones follows from the observation, so
// that the same observation always reads the same.
type lineAdder struct {
	*configs.Lines // nil: none
	seed           int64
}

func (l lineAdder) write(text string) string {
	if l.Lines == nil {
		return text
	}
	var b strings.Builder
	b.WriteString(text)
	for _, i := range stream.New(l.seed, "perturbation", "lines", text).Perm(len(l.Of))[:l.Count] {
		b.WriteString("\n" + l.Of[i])
	}
	return b.String()
}

// read undoes write.
func (l lineAdder) read(text string) string {
	if l.Lines == nil {
		return text
	}
	old := text
	for range l.Count {
		i := strings.LastIndexByte(old, '\n')
		if i < 0 {
			return text
		}
		old = old[:i]
	}
	if l.write(old) != text {
		return text
	}
	return old
}

// nothing is a pattern that matches no text.
const nothing = `[^\s\S]`

// checkLines reports lines that look like actions or say something about a thing.
func (p *Perturbation) checkLines() error {
	if p.lines.Lines == nil {
		return nil
	}
	pattern, err := namePattern(p.iface)
	if err != nil {
		return err
	}
	name, err := regexp.Compile(`\b` + cmp.Or(pattern, nothing) + `\b`)
	if err != nil {
		return err
	}
	for _, line := range p.lines.Of {
		if _, ok := p.read(line); ok && !p.iface.Open {
			return fmt.Errorf("the line %q reads like an action", line)
		}
		if name.MatchString(line) {
			return fmt.Errorf("the line %q holds a name, as the environment writes names", line)
		}
	}
	return nil
}
