package perturb

import (
	"slices"
	"strings"

	"heldout/envs"
)

// maxTrades bounds how often an action may trade places: forms that grow with
// every rewriting would never end.
const maxTrades = 16

// WriteAction returns how an action of the environment is written now.
func (p *Perturbation) WriteAction(action string) string {
	action = p.normalize(action)
	if written, ok := p.write(action); ok {
		return written
	}
	if p.iface.Open { // the environment itself may understand the new form
		return p.names.inText(action)
	}
	return p.names.inText(p.trade(action, p.read))
}

// ReadAction returns the action of the environment for one as written now. An
// old form comes out as the new one, which means nothing to the environment.
func (p *Perturbation) ReadAction(action string) string {
	normalized := p.normalize(action)
	for _, spelling := range []string{action, normalized} {
		if old, ok := p.read(spelling); ok {
			return old
		}
	}
	if _, old := p.write(normalized); old && p.iface.Open {
		return p.iface.Unknown
	}
	if traded := p.trade(normalized, p.write); traded != normalized {
		return traded
	}
	return p.names.outOfText(action)
}

func (p *Perturbation) normalize(action string) string {
	if p.iface.Normalize == nil {
		return action
	}
	return p.iface.Normalize(action)
}

// write rewrites an action of an old form.
func (p *Perturbation) write(action string) (string, bool) {
	f, written := p.formWritten(action)
	return written, f != nil
}

// read rewrites an action of a new form.
func (p *Perturbation) read(action string) (string, bool) {
	f, old := p.formRead(action)
	return old, f != nil
}

// trade follows an action that has only one of both forms to the other end of
// its chain of rewritings.
func (p *Perturbation) trade(action string, step func(string) (string, bool)) string {
	for range maxTrades {
		next, ok := step(action)
		if !ok || next == action {
			break
		}
		action = next
	}
	return action
}

// WriteObservation returns how an observation reads now.
func (p *Perturbation) WriteObservation(text string) string {
	if reply, ok := p.replies[text]; ok {
		return reply
	}
	return p.parts(text, p.WriteAction, func(text string) string {
		for i := range p.forms {
			if f := &p.forms[i]; f.changed() && len(f.old.slots) > 0 {
				text = f.placeholders.all(text)
			}
		}
		return p.names.inText(text)
	})
}

// ReadObservation undoes WriteObservation.
func (p *Perturbation) ReadObservation(text string) string {
	if reply, ok := p.canonicalReplies[text]; ok {
		return reply
	}
	return p.parts(text, p.ReadAction, func(text string) string {
		for i := range p.forms {
			if f := &p.forms[i]; f.changed() && len(f.old.slots) > 0 {
				text = f.unplaced.all(text)
			}
		}
		return p.names.outOfText(text)
	})
}

// parts rewrites the actions that an observation lists or repeats, and the rest
// of its text.
func (p *Perturbation) parts(text string, action, rest func(string) string) string {
	for _, l := range p.iface.Lists {
		if before, list, after, ok := between(text, l.Prefix, l.Suffix); ok {
			return rest(before) + l.Prefix + p.list(list, l, action) + l.Suffix + rest(after)
		}
	}
	for _, q := range p.iface.Quotes {
		if before, quoted, after, ok := between(text, q.Before, q.After); ok && before == "" {
			return q.Before + action(quoted) + q.After + rest(after)
		}
	}
	return rest(text)
}

// between cuts a text at the first prefix and at the first suffix behind it; an
// empty suffix is at the end.
func between(text, prefix, suffix string) (before, inside, after string, ok bool) {
	before, inside, ok = strings.Cut(text, prefix)
	if ok && suffix != "" {
		inside, after, ok = strings.Cut(inside, suffix)
	}
	return before, inside, after, ok
}

// list rewrites a list of actions.
func (p *Perturbation) list(text string, l envs.ActionList, each func(string) string) string {
	actions := strings.Split(text, l.Separator)
	last := len(actions)
	for last > 0 && slices.Contains(l.Last, actions[last-1]) {
		last--
	}
	p.rewriteList(actions[:last], l, each)
	for i := last; i < len(actions); i++ {
		actions[i] = each(actions[i])
	}
	return strings.Join(actions, l.Separator)
}

// rewriteList rewrites the actions, except for periods and blanks at their ends.
func (p *Perturbation) rewriteList(actions []string, l envs.ActionList, each func(string) string) {
	for i, a := range actions {
		action := strings.TrimRight(a, ". ")
		actions[i] = each(action) + a[len(action):]
	}
	if l.Sorted {
		slices.Sort(actions)
	}
}

// WriteInstruction returns how instructions read now: the forms of actions in
// them, with words in brackets for the slots, and names.
func (p *Perturbation) WriteInstruction(text string) string {
	for i := range p.forms {
		if f := &p.forms[i]; f.changed() {
			text = f.placeholders.all(text)
		}
	}
	return p.names.inText(text)
}
