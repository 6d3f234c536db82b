package minigrid

// The largest numbers of draws before an attempt is given up.
const (
	maxCells    = 1001
	maxConnects = 5001
	maxDescribe = 101
)

// anyRoom stands for a random column or row of rooms.
const anyRoom = -1

// findCell draws an empty cell of a room, including its walls. If adjacent is
// false, the cell is not beside the agent.
func (b *builder) findCell(r *room, adjacent bool) Point {
	for range maxCells {
		p := Point{
			b.int(r.top.X, min(r.top.X+b.roomSize, b.width)),
			b.int(r.top.Y, min(r.top.Y+b.roomSize, b.height)),
		}
		if b.idAt(p) == None && p != b.agent.Point && (adjacent || p.Distance(b.agent.Point) >= 2) {
			return p
		}
	}
	reject("no place found")
	return nowhere
}

// placeInRoom puts an object at a random place in a room.
func (b *builder) placeInRoom(i, j int, id ID) {
	r := b.room(i, j)
	b.put(id, b.findCell(r, false))
	r.contents = append(r.contents, id)
}

// newObject makes an object and puts it at a random place in a room.
func (b *builder) newObject(i, j int, k Kind, c Color) ID {
	id := b.add(Object{Code: Code{Kind: k, Color: c}})
	b.placeInRoom(i, j, id)
	return id
}

// anyObject draws the kind and color of a new object.
func (b *builder) anyObject(i, j int) ID {
	k := pick(b, kinds)
	return b.newObject(i, j, k, pick(b, colors))
}

// colored draws the color of a new object.
func (b *builder) colored(i, j int, k Kind) ID { return b.newObject(i, j, k, pick(b, colors)) }

// placeAgent puts the agent at a random place in a room, not in front of an object.
func (b *builder) placeAgent(i, j int) {
	if i == anyRoom {
		i = b.column()
	}
	if j == anyRoom {
		j = b.row()
	}
	for {
		b.agent.Point = nowhere
		b.agent.Point = b.findCell(b.room(i, j), true)
		b.agent.Dir = Direction(b.int(0, 4))
		if id := b.idAt(b.agent.Front()); id == None || id == wall {
			return
		}
	}
}

// placeAgentAnywhere also draws the room.
func (b *builder) placeAgentAnywhere() { b.placeAgent(anyRoom, anyRoom) }

// placeAgentOutside puts the agent into any room but one.
func (b *builder) placeAgentOutside(r *room) {
	for {
		b.placeAgentAnywhere()
		if b.room(b.agent.X/(b.roomSize-1), b.agent.Y/(b.roomSize-1)) != r {
			return
		}
	}
}

// connectAll adds doors of the given colors until every room is reachable, through locked doors too.
func (b *builder) connectAll(doorColors []Color) {
	connected := b.connected()
	for range maxConnects {
		if connected {
			return
		}
		i, j, side := b.column(), b.row(), Direction(b.int(0, 4))
		r := b.room(i, j)
		if !r.exists[side] || r.door[side] != None || r.locked || b.room(neighbor(i, j, side)).locked {
			continue
		}
		b.addDoor(i, j, side, pick(b, doorColors), false)
		connected = b.connected()
	}
	reject("the rooms do not connect")
}

// connected reports whether every room is reachable from the agent's room.
func (b *builder) connected() bool {
	reached := map[*room]bool{}
	var visit func(i, j int)
	visit = func(i, j int) {
		r := b.room(i, j)
		if reached[r] {
			return
		}
		reached[r] = true
		for side, id := range r.door {
			if id != None {
				visit(neighbor(i, j, Direction(side)))
			}
		}
	}
	visit(b.agent.X/(b.roomSize-1), b.agent.Y/(b.roomSize-1))
	return len(reached) == len(b.rooms)
}

// distractors adds n objects, in one room or, with anyRoom, in random rooms. If
// they must be unique, no two objects in rooms look the same.
func (b *builder) distractors(n, i, j int, unique bool) []ID {
	type look struct {
		Color
		Kind
	}
	have := map[look]bool{}
	for k := range b.rooms {
		for _, id := range b.rooms[k].contents {
			have[look{b.objects[id].Color, b.objects[id].Kind}] = true
		}
	}
	var out []ID
	for len(out) < n {
		c := pick(b, colors)
		l := look{c, pick(b, kinds)}
		if unique && have[l] {
			continue
		}
		ri, rj := i, j
		if ri == anyRoom {
			ri = b.column()
		}
		if rj == anyRoom {
			rj = b.row()
		}
		out = append(out, b.newObject(ri, rj, l.Kind, l.Color))
		have[l] = true
	}
	return out
}

// distractorsAnywhere adds n objects in random rooms.
func (b *builder) distractorsAnywhere(n int, unique bool) []ID {
	return b.distractors(n, anyRoom, anyRoom, unique)
}

// requireReachable rejects a world in which other objects enclose something.
func (b *builder) requireReachable() {
	if p, ok := b.unreachable(); ok {
		reject("unreachable object at (%d, %d)", p.X, p.Y)
	}
}

// unreachable looks for an object that the agent cannot reach through empty cells and doors of any state.
func (b *builder) unreachable() (Point, bool) {
	visited := make([]bool, len(b.cells))
	queue := []Point{b.agent.Point}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		if !b.inside(p) || visited[p.Y*b.width+p.X] {
			continue
		}
		visited[p.Y*b.width+p.X] = true
		if o := b.cell(p); o.Kind != Empty && o.Kind != Door {
			continue
		}
		for d := range Direction(4) {
			queue = append(queue, p.Add(d.Vector()))
		}
	}
	for k, id := range b.cells {
		if id > wall && !visited[k] {
			return Point{k % b.width, k / b.width}, true
		}
	}
	return Point{}, false
}
