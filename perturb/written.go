package perturb

import (
	"slices"
	"strings"

	"heldout/envs"
)

// wording says whether an action has a form that is written differently now, and whether it is written in the old
// or in the new way. A name in its old spelling makes an action old, whatever else is new about it. An action of a
// form that stays as it is, or of no form, has the zero value.
func (p *Perturbation) wording(action string) envs.Wording {
	phrase := p.say(action, p.iface.FoldCase)
	normalized := p.normalize(phrase)
	old := p.hasOld(action)
	for _, spelling := range p.spellings(phrase, normalized) {
		if f, reading := p.formRead(spelling); f != nil {
			return writtenAs(f, old || f.removed || !strings.EqualFold(reading, p.normalize(action)), old || f.removed)
		}
	}
	// Old words and numbers do not belong to forms that are read in new ones, so the
	// action is also tried as it stands.
	for _, text := range []string{normalized, p.normalize(action)} {
		if f, differs := p.oldOrMixed(text); f != nil {
			return writtenAs(f, old || differs, true)
		}
	}
	return envs.Wording{}
}

// oldOrMixed returns the form of an action that is written in the old way, or that
// mixes new words with old names or old words with new names.
func (p *Perturbation) oldOrMixed(text string) (f *form, differs bool) {
	if f, current := p.formWritten(text); f != nil {
		return f, !strings.EqualFold(current, text)
	}
	if f, _ := p.formRead(p.names.inText(text)); f != nil {
		return f, true
	}
	f, _ = p.formWritten(p.names.outOfText(text))
	return f, f != nil
}

// hasOld reports whether an action has a word or number that is written otherwise now.
func (p *Perturbation) hasOld(action string) bool {
	return p.words.hasOld(action) || p.numbers && hasNumber(action)
}

func writtenAs(f *form, differs, old bool) envs.Wording {
	if !differs {
		return envs.Wording{}
	}
	return envs.Wording{Form: f.old.text, Old: old}
}

// formRead returns the form of an action as written now, and the environment's action.
func (p *Perturbation) formRead(action string) (*form, string) {
	for i := range p.forms {
		f := &p.forms[i]
		if old, ok := f.read.replace(action, p.names.outOfSlot); ok && !p.otherCommand(f, action) {
			return f, old
		}
	}
	return nil, ""
}

// ends are words with which no name of a thing ends.
var ends = map[string]bool{"at": true, "to": true, "with": true, "from": true, "into": true}

// otherCommand reports whether an action only looks like a form that begins with its slot:
// of an open interface not all forms are known. "throw book at light" does not light "throw
// book at", and "look around light" not "look around".
func (p *Perturbation) otherCommand(f *form, action string) bool {
	if !p.iface.Open || !f.changed() || f.current.literals[0] != "" {
		return false
	}
	verb := f.current.literals[len(f.current.literals)-1]
	if len(action) <= len(verb) {
		return false
	}
	words := strings.Fields(strings.ToLower(action[:len(action)-len(verb)]))
	return len(words) > 1 && (ends[words[len(words)-1]] || slices.Contains(p.iface.Actions, words[0]))
}

// formWritten returns the form of an environment's action, and how it is written now.
func (p *Perturbation) formWritten(action string) (*form, string) {
	for i := range p.forms {
		if current, ok := p.forms[i].write.replace(action, p.names.inSlot); ok {
			return &p.forms[i], current
		}
	}
	return nil, ""
}

// Forms lists the environment's forms of actions that are written differently, be it
// in their words or in the names in them.
func (p *Perturbation) Forms() (forms []string) {
	named := p.names.pattern != "" || p.numbers || len(p.words.replacements) > 0
	for i := range p.forms {
		if f := &p.forms[i]; f.changed() || f.removed || named && len(f.old.slots) > 0 {
			forms = append(forms, f.old.text)
		}
	}
	return forms
}
