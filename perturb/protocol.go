package perturb

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring/table"
)

// anyType returns the perturbation of one of the task types, the same one each time.
func (e *Env) anyType() *Perturbation {
	return e.byType[slices.Sorted(maps.Keys(e.byType))[0]]
}

// WritePreset returns a preset with the actions that its lists leave out as they are written
// now. Its prompt is for WritePrompt.
func (e *Env) WritePreset(in configs.Preset) configs.Preset {
	p, out := e.anyType(), in
	out.ActionsShown.Exclude = table.Each(in.ActionsShown.Exclude, p.WriteAction)
	return out
}

// Wording lists the texts that only some actions have as they are written now: words of
// forms and of things, and what stands in names beside their parts.
func (e *Env) Wording() []string {
	texts := map[string]bool{}
	for _, p := range e.byType {
		for i := range p.forms {
			if f := &p.forms[i]; f.changed() && !f.removed {
				for _, literal := range f.current.literals {
					texts[literal] = true
				}
			}
		}
	}
	for _, part := range slotInLayout.Split(e.rules.Names, -1) {
		texts[part] = true
	}
	for _, word := range e.rules.Words {
		texts[word] = true
	}
	delete(texts, "")
	return slices.Sorted(maps.Keys(texts))
}

// Changes reports whether anything that the environment says or reads differs: a setting may
// lack all that a family is about.
func (e *Env) Changes() bool {
	for _, p := range e.byType {
		r := only(e.rules, p.iface)
		r.Instructions = nil
		if len(r.Actions)+len(r.Replies) > 0 || r.Rewords() {
			return true
		}
	}
	return false
}

// slotInLayout finds the slots of a layout of names.
var slotInLayout = regexp.MustCompile(`\{[^{}]*\}`)

// writeKept returns the rule of a prompt for the actions of its history.
func (p *Perturbation) writeKept(rule string) string {
	if put := p.verbs.say(configs.KeptPut); rule == configs.KeptALFWorld && put != configs.KeptPut {
		return rule + ":" + put
	}
	return rule
}

// Untold says what of the forms that change a prompt leaves in old words, since it tells them in a way that rules
// do not find. WritePrompt has made the prompt; listed says that the model sees the possible actions in every turn.
func (e *Env) Untold(prompt configs.Prompt, listed bool) (faults []string) {
	found := map[string]bool{}
	for taskType, p := range e.byType {
		in, err := prompt.For(taskType)
		if err != nil {
			continue
		}
		for _, fault := range p.untold(toldIn(prompt, in), in.Examples, listed) {
			found[fault] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// toldIn is what a prompt tells beside its examples.
func toldIn(prompt configs.Prompt, in configs.Instructions) string {
	text := in.System + "\n" + in.Instruction + "\n" + prompt.Help + "\n" + prompt.MoreHelp
	if prompt.Template != nil {
		text += "\n" + prompt.Template.First + "\n" + prompt.Template.Next + "\n" + prompt.Template.Possible
	}
	return text
}

// untold is Untold for a task type.
func (p *Perturbation) untold(prompt string, examples []configs.Example, listed bool) (faults []string) {
	changes, stated := 0, listed
	rest := p.withoutForms(prompt)
	actions := p.shownActions(examples)
	for i := range p.forms {
		f := &p.forms[i]
		if !f.changed() && !f.removed {
			continue
		}
		if remnant := f.oldDefinition(rest); remnant != "" {
			faults = append(faults, fmt.Sprintf("%q stays in its instructions, as in %q", f.old.text, remnant))
		}
		if f.removed {
			continue
		}
		changes++
		stated = stated || p.definition(f).MatchString(prompt) ||
			slices.ContainsFunc(actions, func(action string) bool {
				return p.wording(action) == envs.Wording{Form: f.old.text}
			})
	}
	for _, action := range actions {
		if p.wording(action).Old {
			faults = append(faults, fmt.Sprintf("an example has %q", action))
		}
	}
	if changes > 0 && !stated {
		faults = append(faults, "it tells none of the forms that change, so nobody could know them")
	}
	return faults
}

func (p *Perturbation) shownActions(examples []configs.Example) (out []string) {
	for _, e := range examples {
		for _, s := range e.Steps {
			out = append(out, s.Action)
		}
		texts := table.Each(e.Turns, func(t configs.ChatMessage) string { return t.Content })
		for _, text := range append(texts, e.Text) {
			for line := range strings.Lines(text) {
				if k, mark, ok := passageOf(line); ok && k == saidAsAction {
					out = append(out, strings.TrimSpace(line[len(mark):]))
				}
			}
		}
	}
	return out
}

// definition finds the form as instructions write it now, with something that stands for each slot.
func (p *Perturbation) definition(f *form) *regexp.Regexp {
	return regexp.MustCompile("(?i:" + f.current.join(
		func(words string) string { return regexp.QuoteMeta(p.say(words, false)) },
		func(string) string { return "(?:" + placeholder + "|(?-i:[A-Z]{3,}))" }) + ")")
}

// withoutForms is a text without the forms that change, as they are written now: they may hold old ones.
func (p *Perturbation) withoutForms(text string) string {
	for _, f := range p.changedForms {
		text = p.definition(f).ReplaceAllString(text, "")
	}
	return text
}

// oldDefinition returns where instructions explain the form in its old words, if they do:
// before something that stands for a slot, beside another verb, or as an item of a list.
func (f *form) oldDefinition(text string) string {
	first := strings.TrimSpace(f.old.literals[0])
	if first == "" || first == strings.TrimSpace(f.current.literals[0]) {
		return ""
	}
	for _, synonym := range f.synonyms {
		if remnant := synonym.find.FindString(text); remnant != "" {
			return remnant
		}
	}
	words := regexp.QuoteMeta(first)
	find := `(?i:\b` + words + `)(?: (?:[A-Z]{3}\b|[<{(\[])|/[a-z])|(?i:[a-z]/` + words + `\b)`
	switch {
	case strings.HasSuffix(first, "["):
		find = `(?i)\b` + words + `[A-Za-z ]*\]`
	case len(f.old.slots) == 0:
		find = `(?im)(?:^ *(?:- *|[0-9]+\. )?|["'])` + words + ` *(?:["':]|$)`
	}
	return strings.TrimSpace(regexp.MustCompile(find).FindString(text))
}
