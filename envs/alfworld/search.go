package alfworld

import (
	"slices"
	"strings"
)

// What an expert knows.
const (
	knowsAll   = "all"
	knowsShown = "shown" // only what the answers so far have shown
)

// memory is what an expert who must find things remembers. The zero value has seen nothing.
type memory struct {
	answers string // the answers so far
	actions []string
	sought  string // what comes next in the plan and was not shown; "" before the first plan
}

// note remembers an action and its answer.
func (m *memory) note(action, answer string) {
	m.answers += answer + "\n"
	m.actions = append(m.actions, action)
}

// sees reports whether a thing was shown, by its name: "mug 1" is not in "a mug 12".
func (m *memory) sees(name string) bool {
	for rest := m.answers; ; {
		_, tail, found := strings.Cut(rest, name)
		if !found {
			return false
		}
		if tail == "" || tail[0] < '0' || tail[0] > '9' {
			return true
		}
		rest = tail
	}
}

// find returns what the expert does to find what comes next in its plan: the next step of the
// plan if that has been shown, else the opening of what is closed here, or the way to the
// likeliest place not visited yet; of equally likely ones, the first that the room's
// description names. It plans anew only when something of the kind was shown.
func (w *world) find() string {
	m := w.search
	if m.sought == "" || strings.Contains(m.answers, " "+class(m.sought)+" ") {
		right := w.planned()
		object := w.rules.game.next(w.guide.Plan)
		if object < 0 || m.sees(w.rules.game.things[object].name) {
			return right
		}
		m.sought = w.rules.game.things[object].name
	}
	if way := w.way(); way != "" {
		return way
	}
	right := w.planned()
	if strings.HasPrefix(right, "go to") || strings.HasPrefix(right, "open") {
		return right
	}
	return w.engine.examination(m.sought, right) // it is here, and was not looked at
}

// way is the command that leads to the likeliest place for what is sought; "" if all were tried.
func (w *world) way() (best string) {
	chance, highest, first := chances(w.search.sought), -1.0, 0
	room := strings.ReplaceAll(w.loading.room, ".", ",")
	for _, command := range w.engine.commands() {
		verb, place, _ := strings.Cut(strings.Replace(command, "go to", "go", 1), " ")
		switch {
		case slices.Contains(w.search.actions, command) || !w.rules.game.holds(place, w.search.sought):
		case verb == "open":
			return command
		case verb == "go":
			c, position := chance[class(place)], strings.Index(room, " "+place+",")
			if c > highest || c == highest && position < first {
				best, highest, first = command, c, position
			}
		}
	}
	return best
}

// class is the class of a thing, in the letters of its name.
func class(name string) string { return strings.TrimRight(name, " 0123456789") }

// chances are how likely an object lies in a receptacle, by the receptacle's class, for each
// step that a visit takes; relative to each other, from the furnishing of all rooms.
func chances(object string) map[string]float64 {
	out := map[string]float64{}
	for _, r := range furnishing().Rooms {
		i := slices.IndexFunc(r.Objects, func(o objectStat) bool { return strings.EqualFold(o.Class, class(object)) })
		if i < 0 {
			continue
		}
		for _, p := range r.Objects[i].Places {
			for _, c := range r.Receptacles {
				if c.Class == p.Class {
					steps := float64(c.Median) * (1 + float64(c.Opens)/100)
					out[strings.ToLower(c.Class)] += float64(r.Objects[i].Games*p.Share) / steps
				}
			}
		}
	}
	return out
}

// examination is the command that looks at what holds an object; otherwise without one.
func (e *engine) examination(object, otherwise string) string {
	for _, t := range e.game.things {
		if t.container == nil {
			continue
		}
		for _, c := range t.container.contents {
			command := "examine " + t.name
			if e.game.things[c.thing].name == object && c.inside.Holds(e.state) && e.find(command) >= 0 {
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

// holds reports whether a receptacle can ever hold an object, both by their names.
func (g *game) holds(receptacle, object string) bool {
	i := slices.IndexFunc(g.things, func(t thing) bool { return t.container != nil && t.name == receptacle })
	holds := func(c content) bool { return g.things[c.thing].name == object }
	return i >= 0 && slices.ContainsFunc(g.things[i].container.contents, holds)
}
