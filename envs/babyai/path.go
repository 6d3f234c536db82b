package babyai

import "heldout/envs/engine/minigrid"

// reach is the side of the square that holds the cells that paths may use.
const reach = 8

// spans holds, by the agent's direction, the bounds of the allowed cells relative to the agent: what the agent
// sees, and one more line if the reference counts from the other end. The specification (§5.5) lets paths that
// start northward go back three lines; the records do not.
var spans = [4]struct{ low, high minigrid.Point }{
	minigrid.East:  {minigrid.Point{X: -1, Y: -3}, minigrid.Point{X: 6, Y: 3}},
	minigrid.South: {minigrid.Point{X: -4, Y: -1}, minigrid.Point{X: 3, Y: 6}},
	minigrid.West:  {minigrid.Point{X: -6, Y: -4}, minigrid.Point{X: 0, Y: 3}},
	minigrid.North: {minigrid.Point{X: -3, Y: -6}, minigrid.Point{X: 3, Y: 0}},
}

// board is a set of cells of the square: bit reach*y+x.
type board uint64

// The first and the last column.
const (
	firstColumn board = 0x0101010101010101
	lastColumn  board = firstColumn << (reach - 1)
)

// allowedCells are the cells of spans, by the agent's direction, as boards.
var allowedCells = func() (out [4]board) {
	for d, span := range spans {
		size := span.high.Sub(span.low)
		for y := range size.Y + 1 {
			for x := range size.X + 1 {
				out[d] |= 1 << (reach*y + x)
			}
		}
	}
	return out
}()

// moved returns the cells one step from the cells of b, as far as they are in the square.
func (b board) moved(d minigrid.Direction) board {
	switch d {
	case minigrid.East:
		return b &^ lastColumn << 1
	case minigrid.South:
		return b << reach
	case minigrid.West:
		return b &^ firstColumn >> 1
	}
	return b >> reach
}

// poses is a set of poses: a set of cells per direction.
type poses [4]board

func (p *poses) meets(q *poses) bool {
	return p[0]&q[0]|p[1]&q[1]|p[2]&q[2]|p[3]&q[3] != 0
}

// keep removes the poses that are not in another set.
func (p *poses) keep(q *poses) {
	for d := range p {
		p[d] &= q[d]
	}
}

// paths finds ways from the agent around things.
//
// The reference (§5.5) searches breadth-first for every target anew, tries to go forward, to turn left and to turn
// right in that order, lets a pose be queued many times and remembers the parent that queued it last. A move
// changes the parity of x + y + direction, so poses of one distance are never neighbours and all copies of a pose
// are queued, and taken, at one distance: a copy for each of the shortest ways to it, in the lexicographic order of
// these. It follows that
//
//   - of several poses that will do, the reference takes the one with the first of
//     all shortest ways to any of them, since its first copy comes first, and
//   - the way that it finds to a pose is the last of all shortest ways to that
//     pose, since the last copy's parent is remembered.
type paths struct {
	agent   minigrid.Pose
	corner  minigrid.Point
	start   int   // the agent's cell
	allowed board // where paths can lead
	reached board // the cells that paths reach
}

// order holds the moves in the reference's order.
var order = [...]minigrid.Action{minigrid.Forward, minigrid.TurnLeft, minigrid.TurnRight}

// around computes where paths lead from the agent around things.
func (p *paths) around(agent minigrid.Pose, things []thing) {
	p.agent, p.corner = agent, agent.Add(spans[agent.Dir].low)
	p.allowed = allowedCells[agent.Dir]
	for i := range things {
		if t := &things[i]; t.blocks() {
			p.allowed &^= p.cell(t.pos)
		}
	}
	p.start, _ = p.index(agent.Point)
	p.reached = 1 << p.start
	for prev := board(0); prev != p.reached; {
		prev = p.reached
		p.reached |= (prev&^lastColumn<<1 | prev&^firstColumn>>1 | prev<<reach | prev>>reach) & p.allowed
	}
}

// index returns the number of a cell; ok is false outside the square.
func (p *paths) index(pos minigrid.Point) (n int, ok bool) {
	d := pos.Sub(p.corner)
	return reach*d.Y + d.X, uint(d.X) < reach && uint(d.Y) < reach
}

// cell returns a cell as a set, empty if it is outside the square.
func (p *paths) cell(pos minigrid.Point) board {
	if n, ok := p.index(pos); ok {
		return 1 << n
	}
	return 0
}

// toEnter reports whether a path leads into a cell.
func (p *paths) toEnter(target minigrid.Point) bool { return p.cell(target)&p.reached != 0 }

// toFace reports whether a path leads to a pose that faces a cell.
func (p *paths) toFace(target minigrid.Point) bool {
	for d := range minigrid.Direction(4) {
		if p.toEnter(target.Sub(d.Vector())) {
			return true
		}
	}
	return false
}

// facing returns the moves to face a cell; nil if there is no way.
func (p *paths) facing(target minigrid.Point) []minigrid.Action {
	var goals poses
	for d := range minigrid.Direction(4) {
		goals[d] = p.cell(target.Sub(d.Vector()))
	}
	return p.route(&goals)
}

// entering returns the moves into a cell; nil if there is no way.
func (p *paths) entering(target minigrid.Point) []minigrid.Action {
	cell := p.cell(target)
	return p.route(&poses{cell, cell, cell, cell})
}

// route returns the reference's path to one of some poses; nil if there is none.
func (p *paths) route(goals *poses) []minigrid.Action {
	var space [32]poses
	layers := p.layers(goals, space[:0])
	if layers == nil {
		return nil
	}
	last := len(layers) - 1
	layers[last].keep(goals)
	retrace(layers)
	moves := make([]minigrid.Action, last, last+2)
	layers[last] = p.walk(layers, moves, false)
	retrace(layers)
	p.walk(layers, moves, true)
	return moves
}

// layers appends, for every distance up to the nearest goals, the poses
// at that distance; it returns nil if no goal can be reached.
func (p *paths) layers(goals *poses, layers []poses) []poses {
	var now poses
	now[p.agent.Dir] = 1 << p.start
	visited := now
	for layers = append(layers, now); !now.meets(goals); layers = append(layers, now) {
		var next poses
		for d := range minigrid.Direction(4) {
			next[d] = (now[d].moved(d)&p.allowed | now[d.Left()] | now[d.Right()]) &^ visited[d]
		}
		if next == (poses{}) {
			return nil
		}
		now = next
		for d := range visited {
			visited[d] |= now[d]
		}
	}
	return layers
}

// retrace keeps, in every layer, the poses with a path to one in the last layer.
func retrace(layers []poses) {
	for k := len(layers) - 2; k >= 0; k-- {
		next := layers[k+1]
		for d := range minigrid.Direction(4) {
			layers[k][d] &= next[d].moved((d+2)%4) | next[d.Left()] | next[d.Right()]
		}
	}
}

// walk writes the first or the last of the paths through the layers into moves.
// It returns the end of the path: a set of one pose.
func (p *paths) walk(layers []poses, moves []minigrid.Action, lastOne bool) (end poses) {
	cell, d := board(1)<<p.start, p.agent.Dir
	for k := range moves {
		for i := range order {
			m := order[i]
			if lastOne {
				m = order[len(order)-1-i]
			}
			dest, toward := advance(cell, d, m)
			if layers[k+1][toward]&dest != 0 {
				cell, d, moves[k] = dest, toward, m
				break
			}
		}
	}
	end[d] = cell
	return end
}

// advance returns the pose after a move; no cell if it is outside the square.
func advance(cell board, d minigrid.Direction, m minigrid.Action) (board, minigrid.Direction) {
	switch m {
	case minigrid.TurnLeft:
		return cell, d.Left()
	case minigrid.TurnRight:
		return cell, d.Right()
	}
	return cell.moved(d), d
}
