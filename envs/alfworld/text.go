package alfworld

import (
	"fmt"
	"strings"

	"heldout/envs/engine/planning"
)

// answer describes the effect of an operator, after it was applied.
func (e *engine) answer(op *planning.Operator) string {
	return string(expand(nil, e.game.forms[op.Action].answer, func(key string) string {
		switch key {
		case "look":
			return e.look()
		case "inventory":
			return e.inventory()
		case "help":
			return helpText
		}
		if name, ok := strings.CutPrefix(key, "see "); ok {
			return e.see(e.game.argument(op, name))
		}
		if name, ok := strings.CutPrefix(key, "describe "); ok {
			return e.describe(e.game.argument(op, name))
		}
		return e.game.argument(op, key).name
	}))
}

func (e *engine) see(t *thing) string {
	c := t.container
	if c.openable && !c.opened.in(e.state) {
		return "The " + t.name + " is closed."
	}
	var inside []int
	for _, o := range c.contents {
		if o.inside.in(e.state) {
			inside = append(inside, o.thing)
		}
	}
	seen := list(article, e.game.namesOf(inside)) + "."
	if c.openable {
		return "The " + t.name + " is open. In it, you see " + seen
	}
	return "On the " + t.name + ", you see " + seen
}

func (g *game) namesOf(things []int) []string {
	names := make([]string, len(things))
	for i, n := range things {
		names[i] = g.things[n].name
	}
	return names
}

// describe returns what is special about a held object.
func (e *engine) describe(t *thing) string {
	o := t.object
	clean, hot, cool, sliced := o.clean.in(e.state), o.hot.in(e.state), o.cool.in(e.state), o.sliced.in(e.state)
	var how string
	switch {
	case o.holder:
		return fmt.Sprintf("This is a normal %s. In it, you see %s.", t.name, list(article, e.game.namesOf(o.inside)))
	case clean && hot:
		how = "hot and clean"
	case clean && cool:
		how = "cool and clean"
	case clean && sliced:
		how = "clean"
	case hot:
		how = "hot"
	case cool && sliced:
		how = "cool"
	case clean:
		how = "clean"
	case cool:
		how = "cold"
	case o.toggleable && o.toggled.in(e.state):
		return "This " + t.name + " is on."
	case o.sliceable && sliced:
		return "This is a sliced " + t.name + "."
	default:
		return "There's nothing special about " + t.name + "."
	}
	if sliced {
		how += " sliced"
	}
	return "This is a " + how + " " + t.name + "."
}

func (e *engine) inventory() string {
	var held []string
	for _, t := range e.game.things {
		if t.object != nil && t.object.held.in(e.state) {
			held = append(held, t.name)
		}
	}
	if len(held) == 0 {
		return "You are not carrying anything."
	}
	return "You are carrying: " + list(article, held) + "."
}

func (e *engine) look() string {
	here := e.place()
	return e.game.lookFrom(here, e.beside(here))
}

// lookFrom describes the view from a place where some objects lie beside the
// containers. In the middle of the room nothing is visible.
func (g *game) lookFrom(here *place, beside []string) string {
	if len(here.containers) == 0 {
		return middle + nothingLying + "."
	}
	return "You are facing the " + list("", g.namesOf(here.containers)) +
		". Next to it, you see " + list(article, beside) + "."
}

// beside names the objects at a place that were taken from a container there
// and not put back, once per such container.
func (e *engine) beside(here *place) []string {
	var names []string
	for _, t := range e.taken {
		for _, c := range here.containers {
			if c == t.container && e.isAt(t.object, here) {
				names = append(names, e.game.things[t.object].name)
			}
		}
	}
	return names
}

func (e *engine) isAt(object int, p *place) bool {
	things := e.game.things
	return e.game.task.Holds(e.state, planning.Atom{
		Predicate: "objectatlocation", Args: []string{things[object].id, things[p.thing].id},
	})
}

// roomFrom describes the room from the player's starting location.
func (g *game) roomFrom(start *place) string {
	if len(start.containers) > 0 {
		return g.lookFrom(start, nil)
	}
	var names []string
	for _, t := range g.things {
		if t.container != nil {
			names = append(names, t.name)
		}
	}
	return middle + list(article, names) + "."
}
