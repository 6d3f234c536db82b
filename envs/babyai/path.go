package babyai

import (
	"slices"

	"heldout/envs/babyai/minigrid"
)

// reach is the side of the square that holds the cells that paths may use.
const reach = 8

// spans holds, by the agent's direction, where the allowed cells begin and end,
// seen from the agent: what it sees, and a line more where the reference counts
// from the other end. The specification (§5.5) lets paths that start northward go
// back three lines; the records do not.
var spans = [4]struct{ from, to minigrid.Point }{
	minigrid.East:  {minigrid.Point{X: -1, Y: -3}, minigrid.Point{X: 6, Y: 3}},
	minigrid.South: {minigrid.Point{X: -4, Y: -1}, minigrid.Point{X: 3, Y: 6}},
	minigrid.West:  {minigrid.Point{X: -6, Y: -4}, minigrid.Point{X: 0, Y: 3}},
	minigrid.North: {minigrid.Point{X: -3, Y: -6}, minigrid.Point{X: 3, Y: 0}},
}

// pose is a cell of the square and a direction: 4 * (reach * y + x) + direction.
type pose uint8

const poses = 4 * reach * reach

// paths finds the way from the agent to everything at once. It gives the very
// paths of the reference (§5.5), which searches breadth-first from the start for
// every target anew, lets a pose be queued many times and remembers the parent
// that queued it last.
//
// A move changes the parity of x + y + direction. So poses of one distance are
// never neighbours, all copies of a pose are queued and taken at one distance,
// and the parent is the neighbour, one step nearer, whose last copy is taken
// last. It is enough to know the order in which the poses of a distance are
// first taken, which decides between targets, and that in which they are last
// taken, which decides between parents.
type paths struct {
	corner  minigrid.Point
	from    pose
	allowed [reach * reach]bool
	rank    [poses]int16 // in which order poses are first taken, from 1; 0 if never
	parent  [poses]pose
	move    [poses]minigrid.Action
}

// find searches all paths from the agent around things.
func (p *paths) find(agent minigrid.Pose, things []thing) {
	*p = paths{}
	span := spans[agent.Dir]
	p.corner = agent.Add(span.from)
	size := span.to.Sub(span.from)
	for y := range size.Y + 1 {
		for x := range size.X + 1 {
			p.allowed[reach*y+x] = true
		}
	}
	for i := range things {
		if t := &things[i]; t.blocks() {
			if cell, ok := p.cell(t.at); ok {
				p.allowed[cell] = false
			}
		}
	}
	start, _ := p.cell(agent.Point)
	p.from = pose(4*start) + pose(agent.Dir)
	p.search()
}

// cell returns the number of a cell in the square.
func (p *paths) cell(at minigrid.Point) (int, bool) {
	d := at.Sub(p.corner)
	return reach*d.Y + d.X, uint(d.X) < reach && uint(d.Y) < reach
}

// search takes the poses, distance after distance.
func (p *paths) search() {
	var buffers [4][poses]pose
	first, last := append(buffers[0][:0], p.from), append(buffers[1][:0], p.from)
	nextFirst, nextLast := buffers[2][:0], buffers[3][:0]
	taken := int16(0)
	var queued, parented [poses]bool
	queued[p.from], parented[p.from] = true, true
	for len(first) > 0 {
		nextFirst, nextLast = nextFirst[:0], nextLast[:0]
		for _, at := range first {
			taken++
			p.rank[at] = taken
			for _, m := range [...]minigrid.Action{minigrid.Forward, minigrid.TurnLeft, minigrid.TurnRight} {
				if to, ok := p.after(at, m); ok && !queued[to] {
					queued[to] = true
					nextFirst = append(nextFirst, to)
				}
			}
		}
		for _, at := range slices.Backward(last) {
			for _, m := range [...]minigrid.Action{minigrid.TurnRight, minigrid.TurnLeft, minigrid.Forward} {
				if to, ok := p.after(at, m); ok && !parented[to] {
					parented[to] = true
					p.parent[to], p.move[to] = at, m
					nextLast = append(nextLast, to)
				}
			}
		}
		slices.Reverse(nextLast)
		first, nextFirst = nextFirst, first
		last, nextLast = nextLast, last
	}
}

// after returns the pose that a move leads to.
func (p *paths) after(at pose, m minigrid.Action) (pose, bool) {
	switch m {
	case minigrid.TurnLeft:
		return at&^3 | (at-1)&3, true
	case minigrid.TurnRight:
		return at&^3 | (at+1)&3, true
	}
	cell := int(at >> 2)
	v := minigrid.Direction(at & 3).Vector()
	x, y := cell%reach+v.X, cell/reach+v.Y
	if uint(x) >= reach || uint(y) >= reach || !p.allowed[reach*y+x] {
		return 0, false
	}
	return pose(4*(reach*y+x)) | at&3, true
}

// facing returns the moves after which the agent faces a cell.
func (p *paths) facing(target minigrid.Point) ([]minigrid.Action, bool) {
	return p.nearest(func(d minigrid.Direction) minigrid.Point { return target.Sub(d.Vector()) })
}

// onto returns the moves after which the agent is in a cell.
func (p *paths) onto(target minigrid.Point) ([]minigrid.Action, bool) {
	return p.nearest(func(minigrid.Direction) minigrid.Point { return target })
}

// nearest returns the moves to the pose that is taken first of four, one for
// each direction.
func (p *paths) nearest(in func(minigrid.Direction) minigrid.Point) ([]minigrid.Action, bool) {
	best, end := int16(0), pose(0)
	for d := range minigrid.Direction(4) {
		cell, ok := p.cell(in(d))
		if !ok {
			continue
		}
		at := pose(4*cell) + pose(d)
		if r := p.rank[at]; r > 0 && (best == 0 || r < best) {
			best, end = r, at
		}
	}
	if best == 0 {
		return nil, false
	}
	n := 0
	for at := end; at != p.from; at = p.parent[at] {
		n++
	}
	moves := make([]minigrid.Action, n, n+2)
	for at := end; at != p.from; at = p.parent[at] {
		n--
		moves[n] = p.move[at]
	}
	return moves, true
}
