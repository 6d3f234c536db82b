package configs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/envs/pytext"
)

// Template is a message that an agent writes anew at every turn. Slots are names in braces: {goal}, {observation},
// {actions} (the admissible ones), {turn} (counted from 1), {steps} (those so far), {pairs} (in the history),
// {history} and {possible}.
type Template struct {
	Slots string `yaml:"slots" json:",omitempty"` // empty, or PythonSlots
	// First is the message of the first turn, Next each later message. Without First, Next is the message of all.
	First string `yaml:"first"`
	Next  string `yaml:"next"`
	// Pair is how an earlier turn is written in the history, with the slots {turn},
	// {observation}, which is what was seen before the action, {action}, and {result}, which is
	// what was seen after it; Between separates two of them. Older is the same for turns before
	// the window, which are left out if it is empty. {window-turn} is the number that a turn has if
	// the window counts as full: 0 for the only turn of a window of two, which is a slip of EPO's.
	Pair    string `yaml:"pair"`
	Between string `yaml:"between"`
	Older   string `yaml:"older" json:",omitempty"`
	// Possible is what the slot {possible} says of the forms of actions and the things that the
	// environment can name here, with the slots {forms} and {things}: lists as Python prints them.
	Possible string `yaml:"possible" json:",omitempty"`
}

// PythonSlots is the value of Template.Slots for texts that are templates of Python's str.format: {{ and
// }} are braces, and slots may have the names of verl-agent and its descendants.
const PythonSlots = "python"

// messageSlots are the slots of a message, by all their names; historySlots the slots of an earlier turn.
var (
	messageSlots = map[string]string{
		"goal": "goal", "observation": "observation", "actions": "actions", "turn": "turn", "steps": "steps",
		"pairs": "pairs", "history": "history", "possible": "possible",
		"task_description": "goal", "current_observation": "observation", "admissible_actions": "actions",
		"current_step": "turn", "step_count": "steps", "history_length": "pairs", "action_history": "history",
		"available_actions": "possible",
	}
	historySlots = map[string]string{"turn": "turn", "observation": "observation", "action": "action",
		"result": "result", "window-turn": "window-turn"}
)

// Has reports whether the messages have a slot, by heldout's name.
func (t *Template) Has(slot string) bool {
	for name, own := range messageSlots {
		if own == slot && strings.Contains(t.First+t.Next, "{"+name+"}") && (name == own || t.Slots == PythonSlots) {
			return true
		}
	}
	return false
}

// Hints reports whether messages say what the environment can name; nil is no template.
func (t *Template) Hints() bool { return t != nil && t.Possible != "" }

// Check reports a template that cannot be written.
func (t *Template) Check() error {
	var errs Faults
	errs.optional("template.slots", t.Slots, []string{PythonSlots})
	next := Template{Slots: t.Slots, Next: t.Next}
	errs.want(next.Has("observation"), "template.next lacks the slot {observation}")
	errs.want((t.Possible == "") == !t.Has("possible"), "template.possible is for the slot {possible}, and needs it")
	for _, x := range t.formats() {
		err := x.check(x.text)
		errs.want(err == nil, "template.%s: %w", x.key, err)
	}
	return errs.Err()
}

// slotted is a text of a template, with the slots that it may have.
type slotted struct {
	key, text string
	slots     map[string]string
}

// formats are the texts that are formatted as Python formats them.
func (t *Template) formats() []slotted {
	if t.Slots != PythonSlots {
		return nil
	}
	return []slotted{{"first", t.First, messageSlots}, {"next", t.Next, messageSlots}, {"pair", t.Pair, historySlots},
		{"older", t.Older, historySlots}}
}

// check reports what a text has that is none of the slots.
func (s slotted) check(text string) error {
	_, err := pytext.Format(text, s.slots)
	if err != nil {
		err = fmt.Errorf("%w; there are %s", err, strings.Join(slices.Sorted(maps.Keys(s.slots)), ", "))
	}
	return err
}

// CheckText reports a fixed text that the template of a preset cannot fill: it names file and line.
func (p *Preset) CheckText(name, text string) error {
	if p.Prompt.Template == nil {
		return nil
	}
	for _, x := range p.Prompt.Template.formats() {
		if strings.Contains(x.text, "{text:"+name+"}") {
			if err := x.check(text); err != nil {
				return fmt.Errorf("%s:%s: %w", p.Texts[name].File, p.Texts[name].Lines, err)
			}
		}
	}
	return nil
}

// Message writes First or Next with the values of slots, by heldout's names. Check found no fault.
func (t *Template) Message(text string, values map[string]string) string {
	named := map[string]string{}
	for name, own := range messageSlots {
		named[name] = values[own]
	}
	return t.write(text, named, values)
}

// Past writes Pair or Older with the values of slots.
func (t *Template) Past(text string, values map[string]string) string {
	return t.write(text, values, values)
}

func (t *Template) write(text string, named, values map[string]string) string {
	if t.Slots == PythonSlots {
		out, err := pytext.Format(text, named)
		if err != nil {
			panic(fmt.Sprintf("an unchecked template: %v", err))
		}
		return out
	}
	var slots []string
	for name, value := range values {
		slots = append(slots, "{"+name+"}", value)
	}
	return strings.NewReplacer(slots...).Replace(text)
}
