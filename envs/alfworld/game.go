package alfworld

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heldout/envs/engine/planning"
)

// game is a ground game with everything that its engines need to read and write
// text quickly. It is immutable and all engines share it.
type game struct {
	task *planning.Task
	goal string // the sentence, with its period
	room string // what is seen at the start
	// things are the things that occur in facts, in the order of their ids. Every list uses this order.
	things []thing
	places []*location
	// numbers maps an object of the task to its thing; -1 for none.
	numbers []int
	// forms and texts say how each operator is typed and answered. Operators
	// that are not in the dialect have the empty text.
	forms map[*planning.Action]actionForm
	texts []string // by operator
}

// thing is something that a game can refer to: at most one of the pointers is set.
type thing struct {
	name      string // as players see it
	place     *location
	container *container
	object    *movable
}

// location is a location of the scene.
type location struct {
	thing      int
	visited    planning.Fact // the player is here
	containers []int         // the receptacles at this place
	// commands are the operators that apply only here, or anywhere, in the order of texts.
	commands []int32
}

type container struct {
	openable bool
	opened   planning.Fact
	contents []content // what it can ever hold
}

// content is an object that can be in a container.
type content struct {
	thing  int
	inside planning.Fact
}

// movable is a thing that is not a receptacle.
type movable struct {
	carried, clean, hot, cool, sliced, toggled planning.Fact

	sliceable, toggleable bool
	holder                bool                  // made to hold other objects
	inside                []int                 // the objects that lie in this one
	lying                 map[int]planning.Fact // that it is at the location of a number
}

// lies is the fact that an object is at a location.
func (g *game) lies(object int, p *location) planning.Fact {
	if f, ok := g.things[object].object.lying[p.thing]; ok {
		return f
	}
	return planning.Never
}

// reading is a game that is read, not grounded. It knows what the player sees at first.
type reading struct {
	game    *game
	problem *planning.Problem
	numbers map[string]int // the things by id
}

// readGame checks a problem. The goal is the sentence that states it.
func readGame(p *planning.Problem, goal string) (*reading, error) {
	if err := check(p); err != nil {
		return nil, err
	}
	g := &game{goal: goal, forms: map[*planning.Action]actionForm{}}
	r := &reading{g, p, g.addThings(p)}
	var start *location
	for _, a := range p.Init {
		switch a.Predicate {
		case "atlocation":
			start = g.things[r.numbers[a.Args[1]]].place
		case "receptacleatlocation": // which no action changes
			location := g.things[r.numbers[a.Args[1]]].place
			location.containers = append(location.containers, r.numbers[a.Args[0]])
		}
	}
	for _, p := range g.places {
		slices.Sort(p.containers)
	}
	g.room = g.roomFrom(start)
	return r, nil
}

// ground finishes a game. It is called once.
func (r *reading) ground(d dialect) (*game, error) {
	task, err := planning.Ground(r.problem)
	if err != nil {
		return nil, err
	}
	if len(task.Goal) == 0 {
		return nil, fmt.Errorf("the goal cannot be reached: the game is unsolvable")
	}
	g := r.game
	g.task = task
	for i, a := range task.Facts {
		g.addFact(r.numbers, a, planning.Fact(i))
	}
	for _, a := range task.Constant {
		g.addFact(r.numbers, a, planning.Always)
	}
	for _, t := range g.things {
		if t.container != nil {
			slices.SortFunc(t.container.contents, func(a, b content) int { return cmp.Compare(a.thing, b.thing) })
		}
		if t.object != nil {
			slices.Sort(t.object.inside)
		}
	}
	task.Facts, task.Constant = nil, nil // most of what a task holds, and they are numbered
	g.addCommands(r.problem.Domain, d)
	return g, nil
}

// addThings numbers and names the things in facts, and returns their numbers by id.
func (g *game) addThings(p *planning.Problem) map[string]int {
	var ids []string
	for _, a := range p.Init {
		ids = append(ids, a.Args...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	index := make(map[string]int, len(ids))
	for i, name := range displayNames(ids) {
		index[ids[i]] = i
		g.things = append(g.things, thing{name: name})
	}
	for _, o := range p.Objects {
		n, ok := index[o.Name]
		if !ok {
			g.numbers = append(g.numbers, -1)
			continue
		}
		g.numbers = append(g.numbers, n)
		switch t := &g.things[n]; o.Type {
		case "location":
			t.place = &location{thing: n, visited: planning.Never}
			g.places = append(g.places, t.place)
		case "receptacle":
			t.container = &container{opened: planning.Never}
		case "object":
			const never = planning.Never
			t.object = &movable{carried: never, clean: never, hot: never, cool: never, sliced: never, toggled: never,
				lying: map[int]planning.Fact{}}
		}
	}
	return index
}

func (g *game) addFact(index map[string]int, a planning.Atom, f planning.Fact) {
	arg := func(i int) *thing { return &g.things[index[a.Args[i]]] }
	switch a.Predicate {
	case "atlocation":
		arg(1).place.visited = f
	case "openable":
		arg(0).container.openable = true
	case "opened":
		arg(0).container.opened = f
	case "inreceptacle":
		c := arg(1).container
		c.contents = append(c.contents, content{index[a.Args[0]], f})
	case "inreceptacleobject":
		outer := arg(1).object
		outer.inside = append(outer.inside, index[a.Args[0]])
	case "objectatlocation":
		arg(0).object.lying[index[a.Args[1]]] = f
	case "isreceptacleobject":
		arg(0).object.holder = true
	case "sliceable":
		arg(0).object.sliceable = true
	case "toggleable":
		arg(0).object.toggleable = true
	case "holds":
		arg(1).object.carried = f
	case "isclean":
		arg(0).object.clean = f
	case "ishot":
		arg(0).object.hot = f
	case "iscool":
		arg(0).object.cool = f
	case "issliced":
		arg(0).object.sliced = f
	case "istoggled":
		arg(0).object.toggled = f
	}
}

// addCommands writes the commands and records where each of them applies.
func (g *game) addCommands(d *planning.Domain, speech dialect) {
	for _, f := range speech.forms() {
		for i := range d.Actions {
			if d.Actions[i].Name == f.action {
				g.forms[&d.Actions[i]] = f
			}
		}
	}
	byFact := map[planning.Fact]*location{}
	for _, p := range g.places {
		byFact[p.visited] = p
	}
	g.texts = make([]string, len(g.task.Operators))
	for i := range g.task.Operators {
		op := &g.task.Operators[i]
		f, ok := g.forms[op.Action]
		if !ok {
			continue
		}
		g.texts[i] = expand(f.command, func(key string) string { return g.argument(op, key).name })
		places := g.places
		for _, l := range op.Precondition {
			if p, ok := byFact[l.Fact()]; ok && !l.Negated() {
				places = []*location{p}
			}
		}
		for _, p := range places {
			p.commands = append(p.commands, int32(i))
		}
	}
	for _, p := range g.places {
		p.commands = slices.Clone(p.commands) // without room to grow
		slices.SortStableFunc(p.commands, func(a, b int32) int { return strings.Compare(g.texts[a], g.texts[b]) })
	}
}

func (g *game) argument(op *planning.Operator, key string) *thing {
	return &g.things[g.number(op, key)]
}

func (g *game) number(op *planning.Operator, key string) int {
	i := slices.IndexFunc(op.Action.Params, func(p planning.Object) bool { return p.Name[1:] == key })
	return g.numbers[op.Args[i]]
}
