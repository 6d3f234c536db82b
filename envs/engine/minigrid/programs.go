package minigrid

import "slices"

// The level programs (§3.8). Each returns the instruction.

func simple(op Op, d *Descriptor) *Instruction { return &Instruction{Op: op, Target: d} }

func strictly(op Op, d *Descriptor) *Instruction {
	return &Instruction{Op: op, Target: d, Strict: true}
}

// described describes an object by kind and color.
func (b *builder) described(id ID) *Descriptor {
	o := b.objects[id]
	return &Descriptor{Kind: o.Kind, Color: o.Color}
}

func (b *builder) goTo(id ID) *Instruction   { return simple(OpGoTo, b.described(id)) }
func (b *builder) pickup(id ID) *Instruction { return simple(OpPickup, b.described(id)) }
func (b *builder) open(id ID) *Instruction   { return simple(OpOpen, b.described(id)) }

func (b *builder) putNext(moved, fixed ID) *Instruction {
	return &Instruction{Op: OpPutNext, Target: b.described(moved), Fixed: b.described(fixed)}
}

// everyRoom visits the rooms column by column.
func (b *builder) everyRoom(visit func(i, j int)) {
	for i := range b.level.columns {
		for j := range b.level.rows {
			visit(i, j)
		}
	}
}

func redBall(n int, grey bool) func(*builder) *Instruction {
	return func(b *builder) *Instruction {
		b.placeAgentAnywhere()
		ball := b.newObject(0, 0, Ball, Red)
		for _, id := range b.distractorsAnywhere(n, false) {
			if grey {
				b.objects[id].Color = Grey
			}
		}
		b.requireReachable()
		return b.goTo(ball)
	}
}

func oneObject(b *builder) *Instruction {
	b.placeAgentAnywhere()
	return b.goTo(b.distractorsAnywhere(1, true)[0])
}

// reachable asks for one of some objects, in a room or a maze.
func reachable(op Op, n int, maze bool) func(*builder) *Instruction {
	return func(b *builder) *Instruction {
		b.placeAgentAnywhere()
		if maze {
			b.connectAll(colors)
		}
		objects := b.distractorsAnywhere(n, false)
		b.requireReachable()
		return simple(op, b.described(pick(b, objects)))
	}
}

// lockAnyRoom locks a random room and puts the key into another room. This is the reference's intention, but the
// key may end up inside the locked room (§8.1).
func (b *builder) lockAnyRoom() (i, j int, door ID) {
	i, j = b.column(), b.row()
	door = b.addDoorAnywhere(i, j, true)
	ki, kj := b.column(), b.row()
	b.newObject(ki, kj, Key, b.objects[door].Color)
	return i, j, door
}

func goToImplicitUnlock(b *builder) *Instruction {
	i, j, _ := b.lockAnyRoom()
	b.connectAll(colors)
	b.everyRoom(func(i, j int) { b.distractors(2, i, j, false) })
	b.placeAgentOutside(b.room(i, j))
	b.requireReachable()
	return b.goTo(b.distractors(1, i, j, false)[0])
}

func redBlue(b *builder) *Instruction {
	b.placeAgentAnywhere()
	for _, id := range b.distractorsAnywhere(7, false) {
		if o := b.objects[id]; o.Kind == Ball && (o.Color == Red || o.Color == Blue) {
			reject("a second red or blue ball")
		}
	}
	ball := b.newObject(0, 0, Ball, pick(b, []Color{Red, Blue}))
	b.requireReachable()
	return b.goTo(ball)
}

func goToDoor(b *builder) *Instruction {
	var doors []ID
	for range 4 {
		doors = append(doors, b.addAnyDoor(1, 1))
	}
	b.placeAgent(1, 1)
	return b.goTo(pick(b, doors))
}

func goToObjectOrDoor(b *builder) *Instruction {
	b.placeAgent(1, 1)
	objects := b.distractors(8, 1, 1, false)
	for range 4 {
		objects = append(objects, b.addAnyDoor(1, 1))
	}
	b.requireReachable()
	return b.goTo(pick(b, objects))
}

func openAny(b *builder) *Instruction {
	b.placeAgentAnywhere()
	b.connectAll(colors)
	b.distractorsAnywhere(18, false)
	b.requireReachable()
	var doors []ID // each twice, once per room
	b.everyRoom(func(i, j int) {
		for _, id := range b.room(i, j).door {
			if id != None {
				doors = append(doors, id)
			}
		}
	})
	return b.open(pick(b, doors))
}

func openRed(b *builder) *Instruction {
	door := b.addDoor(0, 0, East, Red, false)
	b.placeAgent(0, 0)
	return b.open(door)
}

func openByLocation(b *builder) *Instruction {
	for k, c := range subset(b, colors, 4) {
		b.addDoor(1, 1, Direction(k), c, false)
	}
	location := pick(b, locations)
	b.placeAgent(1, 1)
	return simple(OpOpen, &Descriptor{Kind: Door, Color: AnyColor, Location: location})
}

func openTwo(b *builder) *Instruction {
	subset(b, colors, 2) // for unspecified colors; here all colors are specified
	red := b.addDoor(1, 1, West, Red, false)
	blue := b.addDoor(1, 1, East, Blue, false)
	b.placeAgent(1, 1)
	return &Instruction{Op: OpBefore, First: strictly(OpOpen, b.described(red)), Second: b.open(blue)}
}

func openInOrder(b *builder) *Instruction {
	var doors []ID
	for _, c := range subset(b, colors, 4) {
		doors = append(doors, b.addDoor(1, 1, b.freeSide(1, 1), c, false))
	}
	b.placeAgent(1, 1)
	two := subset(b, doors, 2)
	first, second := strictly(OpOpen, b.described(two[0])), strictly(OpOpen, b.described(two[1]))
	switch b.int(0, 3) {
	case 0:
		return first
	case 1:
		return &Instruction{Op: OpBefore, First: first, Second: second}
	default:
		return &Instruction{Op: OpAfter, First: first, Second: second}
	}
}

func unblockPickup(b *builder) *Instruction {
	b.placeAgentAnywhere()
	b.connectAll(colors)
	objects := b.distractorsAnywhere(20, false)
	if _, blocked := b.unreachable(); !blocked {
		reject("all objects reachable")
	}
	return b.pickup(pick(b, objects))
}

func pickupDistinct(b *builder) *Instruction {
	objects := b.distractorsAnywhere(5, true)
	b.placeAgent(0, 0)
	d := b.described(pick(b, objects))
	switch b.int(0, 3) {
	case 0: // by kind
		d.Color = AnyColor
	case 1: // by color
		d.Kind = AnyKind
	}
	return strictly(OpPickup, d)
}

func pickupAbove(b *builder) *Instruction {
	object := b.anyObject(1, 0)
	b.addDoorOfAnyColor(1, 1, North, false)
	b.placeAgent(1, 1)
	b.connectAll(colors)
	return b.pickup(object)
}

func putNextLocal(b *builder) *Instruction {
	b.placeAgentAnywhere()
	objects := b.distractorsAnywhere(4, true)
	b.requireReachable()
	two := subset(b, objects, 2)
	return b.putNext(two[0], two[1])
}

// twoRooms are the objects in two rooms without a wall between them.
func (b *builder) twoRooms(n int) (west, east []ID) {
	b.placeAgent(0, 0)
	west, east = b.distractors(n, 0, 0, true), b.distractors(n, 1, 0, true)
	b.openWall(0, 0, East)
	return west, east
}

// putNextCarrying starts with the object in the agent's hands.
func putNextCarrying(b *builder) *Instruction {
	west, east := b.twoRooms(4)
	moved, fixed := pick(b, west), pick(b, east)
	if b.coin() {
		moved, fixed = fixed, moved
	}
	b.carried = moved
	return b.putNext(moved, fixed)
}

func unlock(b *builder) *Instruction {
	i, j, door := b.lockAnyRoom()
	doorColors := colors
	if b.coin() {
		doorColors = slices.DeleteFunc(slices.Clone(colors), func(c Color) bool { return c == b.objects[door].Color })
	}
	b.connectAll(doorColors)
	b.everyRoom(func(i, j int) { b.distractors(3, i, j, false) })
	b.placeAgentOutside(b.room(i, j))
	b.requireReachable()
	return b.open(door)
}

func unlockLocal(b *builder) *Instruction {
	door := b.addDoorAnywhere(1, 1, true)
	b.newObject(1, 1, Key, b.objects[door].Color)
	b.distractors(3, 1, 1, true)
	b.placeAgent(1, 1)
	return simple(OpOpen, &Descriptor{Kind: Door, Color: AnyColor})
}

func keyInBox(b *builder) *Instruction {
	door := b.addDoorAnywhere(1, 1, true)
	key := b.add(Object{Code: Code{Kind: Key, Color: b.objects[door].Color}})
	box := b.add(Object{Code: Code{Kind: Box, Color: pick(b, colors)}, Content: key})
	b.placeInRoom(1, 1, box)
	b.placeAgent(1, 1)
	return simple(OpOpen, &Descriptor{Kind: Door, Color: AnyColor})
}

func unlockPickup(b *builder) *Instruction {
	box := b.colored(1, 0, Box)
	door := b.addDoorOfAnyColor(0, 0, East, true)
	b.newObject(0, 0, Key, b.objects[door].Color)
	b.distractorsAnywhere(4, true)
	b.placeAgent(0, 0)
	return b.pickup(box)
}

func blockedUnlockPickup(b *builder) *Instruction {
	b.colored(1, 0, Box)
	door := b.addDoorOfAnyColor(0, 0, East, true)
	ball := b.add(Object{Code: Code{Kind: Ball, Color: pick(b, colors)}})
	b.put(ball, b.objects[door].Pos.Add(West.Vector()))
	b.newObject(0, 0, Key, b.objects[door].Color)
	b.placeAgent(0, 0)
	return simple(OpPickup, &Descriptor{Kind: Box, Color: AnyColor})
}

func unlockToUnlock(b *builder) *Instruction {
	two := subset(b, colors, 2)
	b.addDoor(0, 0, East, two[0], true)
	b.newObject(2, 0, Key, two[0])
	b.addDoor(1, 0, East, two[1], true)
	b.newObject(1, 0, Key, two[1])
	b.colored(0, 0, Ball)
	b.placeAgent(1, 0)
	return simple(OpPickup, &Descriptor{Kind: Ball, Color: AnyColor})
}

func actionObjectOrDoor(b *builder) *Instruction {
	objects := b.distractors(5, 1, 1, true)
	for range 4 {
		objects = append(objects, b.addDoorAnywhere(1, 1, false))
	}
	b.placeAgent(1, 1)
	id := pick(b, objects)
	switch {
	case b.coin():
		return b.goTo(id)
	case b.objects[id].Kind == Door:
		return b.open(id)
	}
	return b.pickup(id)
}

func findObject(b *builder) *Instruction {
	i, j := b.row(), b.column() // the reference draws the column from the number of rows
	kind := b.objects[b.anyObject(i, j)].Kind
	b.placeAgent(1, 1)
	b.connectAll(colors)
	return simple(OpPickup, &Descriptor{Kind: kind, Color: AnyColor})
}

func keyCorridor(b *builder) *Instruction {
	for j := 1; j < b.level.rows; j++ {
		b.openWall(1, j, North)
	}
	row := b.row()
	door := b.addDoorOfAnyColor(2, row, West, true)
	b.colored(2, row, Ball)
	b.newObject(0, b.row(), Key, b.objects[door].Color)
	b.placeAgent(1, b.level.rows/2)
	b.connectAll(colors)
	return simple(OpPickup, &Descriptor{Kind: Ball, Color: AnyColor})
}

func oneRoom(b *builder) *Instruction {
	b.colored(0, 0, Ball)
	b.placeAgentAnywhere()
	return simple(OpPickup, &Descriptor{Kind: Ball, Color: AnyColor})
}

func moveTwoAcross(b *builder) *Instruction {
	west, east := b.twoRooms(9)
	l, r := subset(b, west, 2), subset(b, east, 2)
	return &Instruction{Op: OpBefore, First: b.putNext(l[0], r[0]), Second: b.putNext(r[1], l[1])}
}
