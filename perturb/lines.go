package perturb

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"heldout/configs"
	"heldout/envs/stream"
)

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
