package minigrid

import "fmt"

// builder makes one attempt at a world. The methods draw exactly what the reference draws, in its order (§3.3).
type builder struct {
	*World
	level *Level
	draws Draws
	rooms []room // row by row

	// lastLocked is the corner of the room that an instruction level locked
	// last, in this attempt or an earlier one; nil before the first (§3.4).
	lastLocked *Point
	// unblocking: targets may be behind locked doors (§3.5).
	unblocking bool
	// carried is what the agent carries from the start, or None.
	carried ID
}

// room is one room of the grid of rooms. The arrays are by side: Direction.
type room struct {
	top      Point // its upper left corner
	exists   [4]bool
	slot     [4]Point // possible position of a door
	door     [4]ID    // None if there is none, or openWall
	locked   bool
	contents []ID // the objects placed in it, to check uniqueness
}

// rejected is the panic value that ends an attempt; the start of the attempt recovers it.
type rejected struct{ reason error }

func reject(format string, args ...any) { panic(rejected{fmt.Errorf(format, args...)}) }

// newBuilder makes walls around the rooms, and puts the agent at a provisional place in the middle, which is valid
// until the agent gets its own place (§3.2).
func newBuilder(l *Level, d Draws, lastLocked *Point) *builder {
	inner := l.roomSize - 1
	w := &World{
		width: l.columns*inner + 1, height: l.rows*inner + 1, roomSize: l.roomSize,
		objects: []Object{None: {Code: Code{Kind: Empty}}, wall: {Code: Code{Kind: Wall, Color: Grey}}},
	}
	w.cells = make([]ID, w.width*w.height)
	for y := range w.height {
		for x := range w.width {
			if x%inner == 0 || y%inner == 0 {
				w.set(Point{x, y}, wall)
			}
		}
	}
	w.agent.Point = Point{l.columns/2*inner + l.roomSize/2, l.rows/2*inner + l.roomSize/2}
	return &builder{World: w, level: l, draws: d, rooms: make([]room, l.columns*l.rows), lastLocked: lastLocked}
}

// placeSlots draws the positions of the doors between rooms.
func (b *builder) placeSlots() {
	s := b.roomSize
	for j := range b.level.rows {
		for i := range b.level.columns {
			r := b.room(i, j)
			r.top = Point{i * (s - 1), j * (s - 1)}
			if i+1 < b.level.columns {
				p := Point{r.top.X + s - 1, b.int(r.top.Y+1, r.top.Y+s-1)}
				east := b.room(i+1, j)
				r.exists[East], r.slot[East] = true, p
				east.exists[West], east.slot[West] = true, p
			}
			if j+1 < b.level.rows {
				p := Point{b.int(r.top.X+1, r.top.X+s-1), r.top.Y + s - 1}
				south := b.room(i, j+1)
				r.exists[South], r.slot[South] = true, p
				south.exists[North], south.slot[North] = true, p
			}
		}
	}
}

// int draws a number in [low,high).
func (b *builder) int(low, high int) int {
	return int(b.draws.Integers(int64(low), int64(high)))
}

// coin draws true or false.
func (b *builder) coin() bool { return b.int(0, 2) == 0 }

// pick draws one element of a list.
func pick[T any](b *builder, list []T) T { return list[b.int(0, len(list))] }

// subset draws n elements of a list, without replacement.
func subset[T any](b *builder, list []T, n int) []T {
	rest := append([]T(nil), list...)
	var out []T
	for range n {
		k := b.int(0, len(rest))
		out = append(out, rest[k])
		rest = append(rest[:k], rest[k+1:]...)
	}
	return out
}

// The lists that are picked from (§1.5).
var (
	colors    = []Color{Blue, Green, Grey, Purple, Red, Yellow}
	kinds     = []Kind{Key, Ball, Box}
	locations = []Location{OnLeft, OnRight, InFront, InBack}
)

func (b *builder) room(i, j int) *room { return &b.rooms[j*b.level.columns+i] }

// neighbor returns column and row of the room on one side.
func neighbor(i, j int, side Direction) (int, int) {
	v := side.Vector()
	return i + v.X, j + v.Y
}

// column draws a column of rooms, row a row.
func (b *builder) column() int { return b.int(0, b.level.columns) }

func (b *builder) row() int { return b.int(0, b.level.rows) }

// add makes an object that has no position yet.
func (b *builder) add(o Object) ID {
	o.Pos = nowhere
	b.objects = append(b.objects, o)
	return ID(len(b.objects) - 1)
}

// put puts an object into a cell.
func (b *builder) put(id ID, p Point) {
	b.set(p, id)
	b.objects[id].Pos = p
}

// addDoor puts a closed door on one side of a room.
func (b *builder) addDoor(i, j int, side Direction, c Color, locked bool) ID {
	state := Closed
	if locked {
		state = Locked
	}
	id := b.add(Object{Code: Code{Kind: Door, Color: c, State: state}})
	r := b.room(i, j)
	r.locked = locked // the neighbour's flag stays unchanged
	b.put(id, r.slot[side])
	b.connect(i, j, side, id)
	return id
}

// connect records the connection between a room and its neighbour.
func (b *builder) connect(i, j int, side Direction, id ID) {
	b.room(i, j).door[side] = id
	b.room(neighbor(i, j, side)).door[(side+2)%4] = id
}

// freeSide draws a side of a room that has a neighbour and no door yet.
func (b *builder) freeSide(i, j int) Direction {
	r := b.room(i, j)
	for {
		if k := b.int(0, 4); r.exists[k] && r.door[k] == None {
			return Direction(k)
		}
	}
}

// addDoorOfAnyColor draws the color of a door.
func (b *builder) addDoorOfAnyColor(i, j int, side Direction, locked bool) ID {
	return b.addDoor(i, j, side, pick(b, colors), locked)
}

// addDoorAnywhere draws the side and the color of a door.
func (b *builder) addDoorAnywhere(i, j int, locked bool) ID {
	return b.addDoorOfAnyColor(i, j, b.freeSide(i, j), locked)
}

// addAnyDoor draws all properties of a door.
func (b *builder) addAnyDoor(i, j int) ID {
	side := b.freeSide(i, j)
	c := pick(b, colors)
	return b.addDoor(i, j, side, c, b.coin())
}

// openWall removes the wall on one side of a room.
func (b *builder) openWall(i, j int, side Direction) {
	r := b.room(i, j)
	far := b.roomSize - 1
	for k := 1; k < far; k++ {
		p := map[Direction]Point{East: {far, k}, South: {k, far}, West: {0, k}, North: {k, 0}}[side]
		b.set(r.top.Add(p), None)
	}
	b.connect(i, j, side, openWall)
}
