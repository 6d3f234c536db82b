package alfworld

import (
	"slices"
	"strconv"
	"strings"

	"heldout/envs/stream"
)

// What an expert knows.
const (
	knowsAll   = "all"
	knowsShown = "shown" // only what the answers so far have shown
)

// direct is the chance, in per cent, that the expert who knows only what was shown goes where
// a thing is, rather than to any place that could hold it.
const direct = 30

// memory is that of an expert who must find things. The zero value has seen nothing.
type memory struct {
	shown string // the answers so far
	tried []string
}

// note remembers an action and its answer.
func (m *memory) note(action, answer string) {
	m.shown += answer + "\n"
	m.tried = append(m.tried, action)
}

// sees reports whether a thing was shown, by its name: "mug 1" is not in "a mug 12".
func (m *memory) sees(name string) bool {
	for rest := m.shown; ; {
		_, after, found := strings.Cut(rest, name)
		if !found {
			return false
		}
		if after == "" || after[0] < '0' || after[0] > '9' {
			return true
		}
		rest = after
	}
}

// look returns what the expert does to find what comes next in its plan: right if that has been
// shown, else the opening of what is closed here, or the way to a place not visited yet.
func (w *world) look(right string) string {
	g := w.rules.game
	object := g.next(w.guide.Plan())
	if object < 0 || w.search.sees(g.things[object].name) {
		return right
	}
	var ways []string
	for _, command := range w.engine.commands() {
		verb, place, _ := strings.Cut(strings.Replace(command, "go to", "go", 1), " ")
		switch {
		case slices.Contains(w.search.tried, command) || !g.holds(place, object):
		case verb == "open":
			return command
		case verb == "go":
			ways = append(ways, command)
		}
	}
	if !strings.HasPrefix(right, "go to") && !strings.HasPrefix(right, "open") {
		return w.engine.examination(object, right) // it is here, and was not looked at
	}
	rng := stream.New(0, "alfworld search", w.rules.name, strconv.Itoa(w.commands))
	if len(ways) == 0 || rng.IntN(100) < direct {
		return right
	}
	return ways[rng.IntN(len(ways))]
}

// examination is the command that looks at what holds an object; otherwise without one.
func (e *engine) examination(object int, otherwise string) string {
	for _, t := range e.game.things {
		if t.container == nil {
			continue
		}
		for _, c := range t.container.contents {
			if command := "examine " + t.name; c.thing == object && c.inside.in(e.state) && e.find(command) >= 0 {
				return command
			}
		}
	}
	return otherwise
}

// next is the first object that a plan does something with, by its number; -1 without one.
func (g *game) next(plan []int) int {
	for _, i := range plan {
		op := &g.task.Operators[i]
		for _, p := range op.Action.Params {
			if n := g.number(op, p.Name[1:]); n >= 0 && g.things[n].object != nil {
				return n
			}
		}
	}
	return -1
}

// holds reports whether a receptacle, by its name, can ever hold an object, by its number.
func (g *game) holds(receptacle string, object int) bool {
	i := slices.IndexFunc(g.things, func(t thing) bool { return t.container != nil && t.name == receptacle })
	holds := func(c content) bool { return c.thing == object }
	return i >= 0 && slices.ContainsFunc(g.things[i].container.contents, holds)
}
