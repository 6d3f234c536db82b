package perturb

import (
	"slices"
	"strings"

	"heldout/envs"
	"heldout/scoring/table"
)

// maxTrades bounds how often an action may trade places: forms that grow with every rewriting would never end.
const maxTrades = 16

// WriteAction returns how an action of the environment is written now.
func (p *Perturbation) WriteAction(action string) string { return p.say(p.writeAction(action), false) }

// writeAction is WriteAction before the rules about words and numbers. An action that stays has the spelling that
// it had; one that changes keeps its capital and, where they mean nothing, the periods and blanks at its end.
func (p *Perturbation) writeAction(action string) string {
	normal := p.normalize(action)
	current := p.writeNormal(normal)
	if current == normal || current == "" {
		return action
	}
	current = withCapital(action, current)
	end := action[len(strings.TrimRight(action, ". ")):]
	if !strings.HasSuffix(normal, end) && p.normalize(current+end) == p.normalize(current) {
		current += end
	}
	return current
}

// writeNormal is writeAction for an action in the spelling of the forms.
func (p *Perturbation) writeNormal(action string) string {
	if current, ok := p.write(action); ok {
		return current
	}
	switch {
	case p.iface.Open: // the environment itself may understand the new form
		return p.names.inText(action)
	case p.iface.Free:
		return p.names.trade(p.verbs.say(action))
	}
	return p.names.inText(p.trade(action, p.read))
}

// ReadAction returns the action of the environment for one as written now. An
// old form comes out as the new one, which means nothing to the environment.
func (p *Perturbation) ReadAction(action string) string {
	if p.iface.Open && p.words.hasOld(action) { // the environment may understand the new word
		return p.iface.Unknown
	}
	return p.readAction(p.say(action, p.iface.FoldCase))
}

// readAction undoes writeAction.
func (p *Perturbation) readAction(action string) string {
	normalized := p.normalize(action)
	for _, spelling := range p.spellings(action, normalized) {
		if old, ok := p.read(spelling); ok {
			if p.isRemoved(old) || p.isOld(old, spelling) {
				return p.iface.Unknown
			}
			return old
		}
	}
	_, old := p.write(normalized)
	switch {
	case old && (p.iface.Open || p.iface.Free), p.iface.Free && p.turned:
		return p.iface.Unknown
	case p.iface.Free:
		return p.names.trade(p.verbs.say(action))
	}
	if traded := p.trade(normalized, p.write); traded != normalized {
		return traded
	}
	return p.names.outOfText(action)
}

func (p *Perturbation) spellings(action, normalized string) []string {
	out := []string{action, normalized}
	if p.iface.Spellings != nil {
		out = append(out, p.iface.Spellings(normalized)...)
	}
	return out
}

// isOld reports whether an action of the environment is written otherwise than it
// was typed: a form of an open interface may be a part of another one.
func (p *Perturbation) isOld(action, typed string) bool {
	if !p.iface.Open {
		return false
	}
	current, ok := p.write(action)
	return ok && !strings.EqualFold(current, typed)
}

// isRemoved reports whether an action of the environment is taken away.
func (p *Perturbation) isRemoved(action string) bool {
	for i := range p.forms {
		if p.forms[i].removed && p.forms[i].write.find.MatchString(action) {
			return true
		}
	}
	return false
}

// tell rewrites the words, names and numbers in a text of a prompt, which nobody reads
// back: numbers that are words already stay, and so do words that happen to be new ones.
func (p *Perturbation) tell(text string) string {
	text = p.names.braces.replaceAll(p.names.inText(text), p.names.called) // a prompt shows the layout of names, too
	if p.numbers {
		text = tellNumbers(text)
	}
	return p.prose.say(text)
}

// say rewrites the words and numbers in a text. It undoes itself.
func (p *Perturbation) say(text string, anyCase bool) string {
	if p.numbers {
		text = swapNumbers(text, anyCase, nil)
	}
	if anyCase {
		return p.typed.say(text)
	}
	return p.words.say(text)
}

func (p *Perturbation) normalize(action string) string {
	if p.iface.Normalize == nil {
		return action
	}
	return p.iface.Normalize(action)
}

// write rewrites an action of an old form.
func (p *Perturbation) write(action string) (string, bool) {
	f, current := p.formWritten(action)
	return current, f != nil
}

// read rewrites an action of a new form.
func (p *Perturbation) read(action string) (string, bool) {
	f, old := p.formRead(action)
	return old, f != nil
}

// trade follows an action that has only one of both forms to the other end of its chain of rewritings.
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

func (p *Perturbation) writeObservation(text string) string {
	return p.lines.write(p.say(p.writeText(text), false))
}

func (p *Perturbation) readObservation(text string) string {
	return p.readText(p.say(p.lines.read(text), false))
}

func (p *Perturbation) writeGoal(goal string) string {
	return p.sayGoal(p.names.inText(p.texts.write(goal)))
}

func (p *Perturbation) readGoal(goal string) string {
	return p.texts.read(p.names.outOfText(p.sayGoal(goal)))
}

// sayGoal is say for goals, whose own words for numbers stay.
func (p *Perturbation) sayGoal(goal string) string {
	if p.numbers {
		goal = swapNumbers(goal, false, p.ownNumbers)
	}
	return p.words.say(goal)
}

func (p *Perturbation) writeText(text string) string {
	if reply, ok := p.replies[text]; ok {
		return reply
	}
	return p.parts(text, p.writeAction, p.writeList, p.writeText, func(text string) string {
		for _, s := range p.series {
			text = s.write(text)
		}
		text = p.texts.write(text)
		for _, f := range p.changedForms {
			if len(f.old.slots) > 0 {
				text = f.placeholders.replaceAll(text, keep)
			} else {
				text = explained(text, f.old, f.current)
			}
		}
		return p.names.inText(text)
	})
}

func (p *Perturbation) readText(text string) string {
	if reply, ok := p.canonicalReplies[text]; ok {
		return reply
	}
	return p.parts(text, p.readAction, p.readList, p.readText, func(text string) string {
		text = p.names.outOfText(text)
		for _, f := range slices.Backward(p.changedForms) {
			if len(f.old.slots) > 0 {
				text = f.unplaced.replaceAll(text, keep)
			} else {
				text = explained(text, f.current, f.old)
			}
		}
		text = p.texts.read(text)
		for _, s := range slices.Backward(p.series) {
			text = s.read(text)
		}
		return text
	})
}

// explained replaces an action that a help text explains on its own line: "  look: ".
func explained(text string, src, dst template) string {
	return strings.ReplaceAll(text, "\n  "+src.text+": ", "\n  "+dst.text+": ")
}

// parts rewrites the actions that an observation lists or repeats, and the rest
// of its text. Around a list stand texts of their own, such as an answer.
func (p *Perturbation) parts(text string, action func(string) string, list func(string, envs.ActionList) string,
	outer, rest func(string) string) string {
	for _, l := range p.iface.Lists {
		head, inside, tail, ok := enclosed(text, l.Prefix, l.Suffix)
		if !ok {
			continue
		}
		if l.Suffix == "" {
			inside, tail = p.beforeList(inside)
		}
		return outer(head) + l.Prefix + list(inside, l) + l.Suffix + outer(tail)
	}
	for _, q := range p.iface.Quotes {
		if head, quoted, tail, ok := enclosed(text, q.Prefix, q.Suffix); ok && head == "" {
			return q.Prefix + action(quoted) + q.Suffix + rest(tail)
		}
	}
	return rest(text)
}

// beforeList cuts a text where a list begins.
func (p *Perturbation) beforeList(text string) (head, tail string) {
	head = text
	for _, l := range p.iface.Lists {
		head, _, _ = strings.Cut(head, l.Prefix)
	}
	return head, text[len(head):]
}

// enclosed cuts a text at the first prefix and the next suffix; an empty one is at the end.
func enclosed(text, prefix, suffix string) (head, inside, tail string, ok bool) {
	head, inside, ok = strings.Cut(text, prefix)
	if ok && suffix != "" {
		inside, tail, ok = strings.Cut(inside, suffix)
	}
	return head, inside, tail, ok
}

func (p *Perturbation) writeList(text string, l envs.ActionList) string {
	for _, action := range p.leftOut() {
		text = strings.TrimSuffix(text, l.Separator+action)
	}
	actions, last := cutList(text, l)
	rewriteList(actions[:last], l, p.writeAction)
	if l.Mark == "" {
		copy(actions, p.order.write(actions[:last]))
	}
	for i := last; i < len(actions); i++ {
		actions[i] = p.writeAction(actions[i])
	}
	return strings.Join(actions, l.Separator)
}

func (p *Perturbation) readList(text string, l envs.ActionList) string {
	current := l
	current.Last = table.Each(l.Last, p.writeAction)
	actions, last := cutList(text, current)
	if l.Mark == "" {
		copy(actions, p.order.read(actions[:last]))
	}
	rewriteList(actions[:last], l, p.readAction)
	for i := last; i < len(actions); i++ {
		actions[i] = p.readAction(actions[i])
	}
	return strings.Join(append(actions, p.leftOut()...), l.Separator)
}

// leftOut lists the actions that are taken away, with which lists ended.
func (p *Perturbation) leftOut() (actions []string) {
	for i := range p.forms {
		if f := &p.forms[i]; f.removed && len(f.old.slots) == 0 && !p.iface.Open {
			actions = append(actions, f.old.text)
		}
	}
	return actions
}

// cutList returns the actions of a list; those from last on may have any order.
func cutList(text string, l envs.ActionList) (actions []string, last int) {
	actions = strings.Split(text, l.Separator)
	last = len(actions)
	for last > 0 && slices.Contains(l.Last, actions[last-1]) {
		last--
	}
	return actions, last
}

// rewriteList rewrites actions, but no marks before them nor periods and blanks behind.
func rewriteList(actions []string, l envs.ActionList, rewrite func(string) string) {
	for i, a := range actions {
		start := 0
		if mark := strings.Index(a, l.Mark); mark >= 0 {
			start = mark + len(l.Mark)
		}
		action := strings.TrimRight(a[start:], ". ")
		actions[i] = a[:start] + rewrite(action) + a[start+len(action):]
	}
	if l.Sorted {
		slices.Sort(actions)
	}
}
