package perturb

import (
	"regexp"
	"slices"
	"strings"

	"heldout/configs"
)

func (p *Perturbation) writeInstructions(in configs.Instructions) configs.Instructions {
	out := configs.Instructions{System: p.writeInstruction(in.System), Instruction: p.writeInstruction(in.Instruction)}
	for _, e := range in.Examples {
		out.Examples = append(out.Examples, p.writeExample(e))
	}
	return out
}

func (p *Perturbation) writeExample(e configs.Example) configs.Example {
	out := configs.Example{
		Goal:        p.writeGoal(e.Goal),
		Observation: p.writeObservation(e.Observation),
		Text:        p.writeTranscript(e.Text, saidByEnv),
	}
	for _, t := range e.Turns {
		first := saidByEnv
		if t.Role == configs.Assistant {
			first = saidAsThought
		}
		out.Turns = append(out.Turns, configs.ChatMessage{Role: t.Role, Content: p.writeTranscript(t.Content, first)})
	}
	for _, s := range e.Steps {
		if p.isRemoved(p.normalize(s.Action)) {
			continue
		}
		out.Steps = append(out.Steps, configs.ExampleStep{
			Thought:     p.tell(p.passed(s.Thought)),
			Action:      p.writeShown(s.Action),
			Observation: p.writeObservation(s.Observation),
		})
	}
	return out
}

// writeInstruction returns how instructions read now: the forms of actions in them, with words in brackets for the
// slots, actions that they show, fixed answers in quotes, names, words and numbers.
func (p *Perturbation) writeInstruction(text string) string {
	text = p.passed(text)
	for _, f := range p.changedForms {
		switch {
		case len(f.old.slots) > 0:
			text = f.placeholders.replaceAll(text, keep)
			for _, synonym := range f.synonyms {
				text = synonym.replaceAll(text, keep)
			}
		default:
			text = inEnumeration(text, f.old.text, f.current.text, p.iface.FoldCase)
		}
	}
	for _, action := range p.iface.PromptActions {
		if current := p.writeAction(action); current != action {
			text = inEnumeration(text, action, current, p.iface.FoldCase)
		}
	}
	for _, old := range p.iface.Replies {
		text = strings.ReplaceAll(text, `"`+old+`"`, `"`+p.replies[old]+`"`)
	}
	return p.tell(text)
}

// tagged is an action that a message shows in the tags that replies have.
var tagged = regexp.MustCompile(`<action>[^<]*[^<\s][^<]*</action>`)

// writeMessage is writeInstruction for a message of a template.
func (p *Perturbation) writeMessage(text string) string {
	return p.writeInstruction(tagged.ReplaceAllStringFunc(text, func(tag string) string {
		action := strings.TrimSuffix(strings.TrimPrefix(tag, "<action>"), "</action>")
		return "<action>" + p.writeAction(action) + "</action>"
	}))
}

// passed replaces the passages of a text that change.
func (p *Perturbation) passed(text string) string {
	for _, passage := range p.passages {
		text = strings.ReplaceAll(text, passage.old, passage.current)
	}
	return text
}

// inEnumeration replaces an action where instructions enumerate or explain actions: at the beginning of a line or
// an item, or behind a mark or "such as", and before a mark. In running text its words may mean something else.
func inEnumeration(text, old, current string, anyCase bool) string {
	literal := newLiterals(anyCase, old)
	if !literal.in(text) {
		return text
	}
	flags := "(?m)"
	if anyCase {
		flags = "(?mi)"
	}
	re := regexp.MustCompile(flags + `(^ *(?:- *|[0-9]+\. )?["']?|[.;:,] ["']?|such as )(` + regexp.QuoteMeta(old) +
		`)(["']?(?:[:.,;]| \(| *$))`)
	replace := func(text string) string {
		return re.ReplaceAllStringFunc(text, func(found string) string {
			match := re.FindStringSubmatchIndex(found)
			return found[:match[4]] + withCapital(found[match[4]:match[5]], current) + found[match[5]:]
		})
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if literal.in(line) {
			line = replace(replace(line)) // a mark between two actions belongs to the first match only
		}
		b.WriteString(line)
	}
	return b.String()
}

// mention returns a fixed answer as written now, without sentences on removed actions.
func (p *Perturbation) mention(reply string) string {
	for _, action := range append(p.mentioned(), p.iface.PromptActions...) {
		re := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(action) + `\b`)
		switch normal := p.normalize(action); {
		case !re.MatchString(reply):
		case p.isRemoved(normal):
			sentences := slices.DeleteFunc(strings.SplitAfter(reply, ". "), re.MatchString)
			reply = strings.TrimSpace(strings.Join(sentences, ""))
		default:
			if current := p.writeAction(action); current != action {
				reply = re.ReplaceAllStringFunc(reply, func(found string) string { return withCapital(found, current) })
			}
		}
	}
	return reply
}

// mentioned are the actions without slots.
func (p *Perturbation) mentioned() (out []string) {
	for i := range p.forms {
		if f := &p.forms[i]; len(f.old.slots) == 0 {
			out = append(out, f.old.text)
		}
	}
	return out
}

// writeHelp returns the actions that the act agent names for help, without removed ones.
func (p *Perturbation) writeHelp(help string) string {
	var out []string
	for _, action := range strings.Split(help, ", ") {
		if action != "" && !p.isRemoved(p.normalize(action)) {
			out = append(out, p.WriteAction(action))
		}
	}
	return strings.Join(out, ", ")
}

// writeShown returns how an action of an example is written now. Half an action, which the environment refuses, is
// half of the form as written now. One of no form gets the new words of the forms.
func (p *Perturbation) writeShown(action string) string {
	normal := p.normalize(action)
	if _, ok := p.write(normal); ok {
		return p.WriteAction(action)
	}
	for _, f := range p.changedForms {
		if f.half == nil {
			continue
		}
		if current, ok := f.half.replace(normal, p.names.inSlot); ok {
			return p.say(current, false)
		}
	}
	if len(p.verbs.replacements) == 0 {
		return p.WriteAction(action)
	}
	return p.say(p.names.inText(p.verbs.say(normal)), false)
}

// passageKind is what a passage of a transcript is.
type passageKind int

const (
	saidByEnv passageKind = iota
	saidAsThought
	saidAsAction
)

// passageMarks begin the lines with which passages of a transcript begin, as the prompts of
// protocols have them: "Action: ", "Action 3: ", " ACTION: " or "> ", and so on. A thought
// that is sent to the game comes before other actions.
var passageMarks = []struct {
	kind passageKind
	find *regexp.Regexp
}{
	{saidAsThought, regexp.MustCompile(`^(?:Thought(?: \d+)?:|THOUGHT:|(?:> ?)?think:) ?`)},
	{saidAsAction, regexp.MustCompile(`^(?: ?ACTION: ?|Action(?: \d+)?: ?|> ?)`)},
	{saidByEnv, regexp.MustCompile(`^Observation(?: \d+)?: ?`)},
}

// passageOf returns what begins with a line, and its mark; ok is false if none does.
func passageOf(line string) (k passageKind, mark string, ok bool) {
	for _, m := range passageMarks {
		if mark = m.find.FindString(line); mark != "" {
			return m.kind, mark, true
		}
	}
	return saidByEnv, "", false
}

// writeTranscript rewrites an example that is given as text, or a turn of one, that begins
// with a passage of some kind. An action is one line. What follows it without a mark is
// what the environment says. An action that is taken away goes with its answer.
func (p *Perturbation) writeTranscript(text string, first passageKind) string {
	var b, passage strings.Builder
	now, label, removed := first, "", false
	flush := func() {
		if now != saidByEnv {
			removed = now == saidAsAction && p.isRemoved(p.normalize(strings.TrimSpace(passage.String())))
		}
		if !removed { // which leaves out the answer, too
			b.WriteString(label + p.writePassage(passage.String(), now))
		}
		passage.Reset()
	}
	for line := range strings.Lines(text) {
		next, mark, ok := passageOf(line)
		if ok || now == saidAsAction && strings.TrimSpace(passage.String()) != "" {
			flush()
			now, label = next, mark
		}
		passage.WriteString(line[len(mark):])
	}
	flush()
	return b.String()
}

// writePassage rewrites a passage without its mark, but not the white space around it.
func (p *Perturbation) writePassage(text string, k passageKind) string {
	body := strings.TrimSpace(text)
	if body == "" {
		return text
	}
	head, tail, _ := strings.Cut(text, body)
	switch k {
	case saidAsAction:
		body = p.writeShown(body)
	case saidAsThought:
		body = p.tell(p.passed(body))
	default:
		body = p.writeObservation(body)
	}
	return head + body + tail
}
