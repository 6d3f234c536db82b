package babyai

import (
	"strconv"
	"strings"

	"heldout/envs/babyai/minigrid"
)

// choice is an action of the table and the primitive actions that it stands for.
type choice struct {
	text  string
	moves []minigrid.Action
}

// table is what can be done now, in order, and what is refused with a reason
// (§5.4).
type table struct {
	choices  []choice
	refusals []refusal
}

// refusal is an action that is refused with a reason.
type refusal struct{ text, reason string }

func (t *table) offer(text string, moves ...minigrid.Action) {
	t.choices = append(t.choices, choice{text, moves})
}

func (t *table) refuse(text, reason string) {
	t.refusals = append(t.refusals, refusal{text, reason})
}

// choice looks up an action.
func (t *table) choice(text string) *choice {
	for i := range t.choices {
		if t.choices[i].text == text {
			return &t.choices[i]
		}
	}
	return nil
}

// reason returns why an action is refused; a later reason replaces an earlier
// one.
func (t *table) reason(text string) string {
	for i := len(t.refusals) - 1; i >= 0; i-- {
		if t.refusals[i].text == text {
			return t.refusals[i].reason
		}
	}
	return notRecognized
}

// list returns the texts of all choices.
func (t *table) list() []string {
	out := make([]string, len(t.choices))
	for i := range t.choices {
		out[i] = t.choices[i].text
	}
	return out
}

const checkActions = "check available actions"

// tableMaker fills a table.
type tableMaker struct {
	table
	things  []thing
	agent   minigrid.Pose
	carried *minigrid.Object // nil if nothing
	paths   paths
}

func (m *tableMaker) fill() {
	m.choices, m.refusals = make([]choice, 0, 2*len(m.things)+6), nil
	m.paths.find(m.agent, m.things)
	m.offer("turn left", minigrid.TurnLeft)
	m.offer("turn right", minigrid.TurnRight)
	if b := barrier(m.things); b == nil || b.distance() > 1 {
		m.offer("move forward", minigrid.Forward)
	} else {
		m.refuse("move forward", "There is a barrier in front of you, you can't move forward.")
	}
	if m.carried == nil {
		m.fillPickup()
	}
	m.fillDrop()
	m.fillDoors()
	m.fillGoTo()
	m.offer(checkActions)
}

// fillPickup and fillGoTo number the things of a name as far as they can be
// reached.
func (m *tableMaker) fillPickup() {
	var reached counter
	for i := range m.things {
		t := &m.things[i]
		if t.Kind == minigrid.Wall || t.Kind == minigrid.Door {
			continue
		}
		if moves, ok := m.paths.facing(t.at); ok {
			m.offer("pickup "+numbered(t.name, reached.next(t.name)), append(moves, minigrid.Pickup)...)
		} else {
			what := numbered(t.name, reached.of(t.name)+1)
			m.refuse("pickup "+what, "You cannot pickup "+what+noPath)
		}
	}
}

func (m *tableMaker) fillGoTo() {
	var reached counter
	for i := range m.things {
		t := &m.things[i]
		if t.Kind == minigrid.Wall {
			continue
		}
		if moves, ok := m.paths.facing(t.at); ok {
			m.offer("go to "+numbered(t.name, reached.next(t.name)), moves...)
		} else {
			what := numbered(t.name, reached.of(t.name)+1)
			m.refuse("go to "+what, "You cannot go to "+what+noPath)
		}
	}
}

const noPath = ", as there is no path leading to it."

func numbered(name string, n int) string { return name + " " + strconv.Itoa(n) }

func (m *tableMaker) fillDrop() {
	if m.carried == nil {
		m.refuse("drop", "You cannot drop the object, as you are not carrying anything.")
		return
	}
	front := m.agent.Front()
	for i := range m.things {
		if t := &m.things[i]; t.at == front && t.blocks() {
			m.refuse("drop", "You cannot drop the object, as there is already an object in front of you.")
			return
		}
	}
	m.offer("drop", minigrid.Drop)
}

func (m *tableMaker) fillDoors() {
	var seen counter
	for i := range m.things {
		t := &m.things[i]
		if t.Kind != minigrid.Door {
			continue
		}
		door := numbered(t.name, seen.next(t.name))
		switch t.State {
		case minigrid.Open:
			if moves, ok := m.paths.onto(t.at); ok {
				m.offer("go through "+door, moves...)
			} else {
				m.refuse("go through "+door, "You cannot go through "+door+noPath)
			}
		case minigrid.Closed:
			m.fillToggle(t, door, seen)
			m.refuse("go through "+door, "You cannot go through "+door+", as it is closed. You should toggle it first.")
		default:
			m.fillLocked(t, door, seen)
		}
	}
}

func (m *tableMaker) fillLocked(t *thing, door string, seen counter) {
	action := "toggle and go through " + door
	switch {
	case m.carried == nil || m.carried.Kind != minigrid.Key:
		m.refuse(action, "You cannot "+action+", as you are not carrying a key.")
	case m.carried.Color != t.Color:
		m.refuse(action, "You cannot "+action+", as the color of the key you are carrying does not match the color of door.")
	default:
		m.fillToggle(t, door, seen)
	}
}

// fillToggle adds what can be done with a door that can be opened.
func (m *tableMaker) fillToggle(t *thing, door string, seen counter) {
	action := "toggle and go through " + door
	moves, ok := m.paths.facing(t.at)
	if !ok {
		// The reference prints its table of counts where the number should be.
		m.refuse(action, "You cannot toggle and go through "+t.name+" "+seen.String()+noPath)
		return
	}
	faced := len(moves) == 0
	m.offer(action, append(moves, minigrid.Toggle, minigrid.Forward)...)
	if faced {
		m.offer("toggle", minigrid.Toggle)
	}
}

// String writes the counts as Python prints a dictionary.
func (c counter) String() string {
	var parts []string
	for _, e := range c {
		parts = append(parts, "'"+e.name+"': "+strconv.Itoa(e.n))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
