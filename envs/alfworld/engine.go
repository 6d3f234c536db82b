package alfworld

import (
	"cmp"
	"encoding/binary"
	"slices"

	"heldout/envs/engine/planning"
	"heldout/envs/pytext"
)

// The fixed texts of the engine.
const (
	banner       = "-= Welcome to TextWorld, ALFRED! =-"
	rejected     = "Nothing happens."
	goalPrefix   = "Your task is to: "
	middle       = "You are in the middle of a room. Looking quickly around you, you see "
	article      = "a "
	nothingLying = "nothing"
)

// engine is the text game without the layer of a benchmark: the reference's
// "raw engine". It also accepts commands after a win.
type engine struct {
	game  *game
	state planning.State
	spare planning.State // scratch for the next state
	// takings are the pairs of an object and the container that it was taken from and has not returned to, in the
	// order of their numbers. Only the text depends on it.
	takings []taking
}

// taking says that an object was taken from a container; both are numbers of things.
type taking struct{ object, container int }

func newEngine(g *game) *engine {
	return &engine{game: g, state: g.task.Init.Clone(), spare: g.task.Init.Clone()}
}

func intro(room, goal string) string {
	return banner + "\n\n" + room + "\n\n" + goalPrefix + goal
}

func (e *engine) won() bool { return e.game.task.Reached(e.state) }

func (e *engine) do(command string) string {
	command = pytext.Strip(command)
	i := e.find(command)
	if i < 0 {
		return rejected
	}
	op := &e.game.task.Operators[i]
	e.game.task.Apply(op, e.state, e.spare)
	e.state, e.spare = e.spare, e.state
	if name := op.Action.Name; name == "pickupobject" || name == "putobject" {
		e.move(taking{e.game.number(op, "o"), e.game.number(op, "r")}, name == "pickupobject")
	}
	return e.answer(op)
}

func (e *engine) place() *location {
	i := slices.IndexFunc(e.game.places, func(p *location) bool { return p.visited.Holds(e.state) })
	return e.game.places[i]
}

func (e *engine) applicable(operator int32) bool {
	return e.state.Satisfies(e.game.task.Operators[operator].Precondition)
}

// find returns the operator that a command currently stands for, or -1.
func (e *engine) find(command string) int {
	ops := e.place().commands
	i, _ := slices.BinarySearchFunc(ops, command, func(op int32, text string) int {
		return cmp.Compare(e.game.texts[op], text)
	})
	for ; i < len(ops) && e.game.texts[ops[i]] == command; i++ {
		if e.applicable(ops[i]) {
			return int(ops[i])
		}
	}
	return -1
}

func (e *engine) commands() []string {
	var out []string
	for _, op := range e.place().commands {
		if e.applicable(op) {
			if text := e.game.texts[op]; len(out) == 0 || out[len(out)-1] != text {
				out = append(out, text)
			}
		}
	}
	return out
}

// move keeps in mind that a thing was taken or has returned.
func (e *engine) move(t taking, picked bool) {
	e.takings = slices.DeleteFunc(e.takings, func(x taking) bool { return x == t })
	if picked {
		e.takings = append(e.takings, t)
		slices.SortFunc(e.takings, func(a, b taking) int {
			return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.container, b.container))
		})
	}
}

// clone returns a copy that shares no mutable state.
func (e *engine) clone() *engine {
	return &engine{game: e.game, state: e.state.Clone(), spare: e.spare.Clone(), takings: slices.Clone(e.takings)}
}

func (e *engine) appendState(b []byte) []byte {
	b = e.state.Append(b)
	for _, t := range e.takings {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(t.object)), int64(t.container))
	}
	return b
}
