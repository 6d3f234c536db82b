package alfworld

import (
	"fmt"
	"strings"

	"heldout/envs/engine/planning"
)

// answer describes the effect of an operator, after it was applied.
func (e *engine) answer(op *planning.Operator) string {
	return expand(e.game.forms[op.Action].answer, func(key string) string {
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
	})
}

func (e *engine) see(t *thing) string {
	c := t.container
	if c.openable && !c.opened.Holds(e.state) {
		return "The " + t.name + " is closed."
	}
	var inside []int
	for _, o := range c.contents {
		if o.inside.Holds(e.state) {
			inside = append(inside, o.thing)
		}
	}
	contents := list(article, e.game.namesOf(inside)) + "."
	if c.openable {
		return "The " + t.name + " is open. In it, you see " + contents
	}
	return "On the " + t.name + ", you see " + contents
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
	clean, hot := o.clean.Holds(e.state), o.hot.Holds(e.state)
	cool, sliced := o.cool.Holds(e.state), o.sliced.Holds(e.state)
	var quality string
	switch {
	case o.holder:
		return fmt.Sprintf("This is a normal %s. In it, you see %s.", t.name, list(article, e.game.namesOf(o.inside)))
	case clean && hot:
		quality = "hot and clean"
	case clean && cool:
		quality = "cool and clean"
	case clean:
		quality = "clean"
	case hot:
		quality = "hot"
	case cool && sliced:
		quality = "cool"
	case cool:
		quality = "cold"
	case o.toggleable && o.toggled.Holds(e.state):
		return "This " + t.name + " is on."
	case o.sliceable && sliced:
		return "This is a sliced " + t.name + "."
	default:
		return "There's nothing special about " + t.name + "."
	}
	if sliced {
		quality += " sliced"
	}
	return "This is a " + quality + " " + t.name + "."
}

func (e *engine) inventory() string {
	var carried []string
	for _, t := range e.game.things {
		if t.object != nil && t.object.carried.Holds(e.state) {
			carried = append(carried, t.name)
		}
	}
	if len(carried) == 0 {
		return "You are not carrying anything."
	}
	return "You are carrying: " + list(article, carried) + "."
}

func (e *engine) look() string {
	p := e.place()
	return e.game.lookFrom(p, e.looseObjects(p))
}

// lookFrom describes the view from a place where some objects lie beside the
// containers. In the middle of the room nothing is visible.
func (g *game) lookFrom(p *location, objects []string) string {
	if len(p.containers) == 0 {
		return middle + nothingLying + "."
	}
	return "You are facing the " + list("", g.namesOf(p.containers)) +
		". Next to it, you see " + list(article, objects) + "."
}

// looseObjects names the objects at a place that were taken from a container there
// and not put back, once per such container.
func (e *engine) looseObjects(p *location) []string {
	var names []string
	for _, t := range e.takings {
		for _, c := range p.containers {
			if c == t.container && e.game.lies(t.object, p).Holds(e.state) {
				names = append(names, e.game.things[t.object].name)
			}
		}
	}
	return names
}

// roomFrom describes the room from the player's starting location.
func (g *game) roomFrom(start *location) string {
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
