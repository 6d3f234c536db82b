package minigrid

import (
	"testing"

	"heldout/envs/sharedtest"
)

// oneRoomOf returns a world of one room, seven cells by seven, with the agent in
// the middle of the left wall, looking east.
func oneRoomOf(in *Instruction, objects ...Object) *World {
	l := &Level{ID: "test", roomSize: 7, rows: 1, columns: 1}
	b := newBuilder(l, low{}, nil)
	b.agent = Pose{Point{1, 3}, East}
	for _, o := range objects {
		id := b.add(o)
		b.put(id, o.Pos)
	}
	return b.finish(in)
}

func object(k Kind, c Color, x, y int) Object {
	return Object{Code: Code{Kind: k, Color: c}, Pos: Point{x, y}}
}

func door(c Color, s DoorState, x, y int) Object {
	return Object{Code: Code{Door, c, s}, Pos: Point{x, y}}
}

func about(op Op, k Kind, c Color) *Instruction {
	return &Instruction{Op: op, Target: &Descriptor{Kind: k, Color: c}}
}

// run makes steps and returns after which of them the world says that it is
// terminated: "+" with a reward, "-" without, "." not.
func run(w *World, actions ...Action) (said string) {
	for _, a := range actions {
		switch r := w.Step(a); {
		case r.Terminated && r.Reward > 0:
			said += "+"
		case r.Terminated:
			said += "-"
		default:
			said += "."
		}
	}
	return said
}

func TestVerifiers(t *testing.T) {
	strict := func(in *Instruction) *Instruction { in.Strict = true; return in }
	both := func(op Op) *Instruction {
		return &Instruction{Op: op, First: about(OpPickup, Ball, Red), Second: about(OpGoTo, Wall, Grey)}
	}
	nextTo := &Instruction{Op: OpPutNext, Target: &Descriptor{Kind: Ball, Color: Red}, Fixed: &Descriptor{
		Kind: Box, Color: AnyColor}}
	ball, key, box := object(Ball, Red, 2, 3), object(Key, Blue, 2, 3), object(Box, Green, 4, 2)
	for _, c := range []struct {
		name    string
		world   *World
		actions []Action
		want    string
	}{
		{"faced from the start counts after a step", oneRoomOf(about(OpGoTo, Ball, Red), ball),
			[]Action{Done, TurnLeft, TurnRight}, "+.+"},
		{"the place of what was taken away counts", oneRoomOf(about(OpGoTo, Ball, Red), ball),
			[]Action{TurnLeft, TurnRight, Pickup, Forward}, ".++."},
		{"a drop makes it look again", oneRoomOf(about(OpGoTo, Ball, Red), ball),
			[]Action{Pickup, TurnRight, Drop, TurnLeft, TurnRight}, "+.+.+"},
		{"opening", oneRoomOf(about(OpOpen, Door, Red), door(Red, Closed, 2, 3)),
			[]Action{Pickup, Toggle, Toggle, Toggle}, ".+.+"},
		{"opening another", oneRoomOf(about(OpOpen, Door, Blue), door(Red, Closed, 2, 3), door(Blue, Closed, 0, 1)),
			[]Action{Toggle, Toggle}, ".."},
		{"opening another, strictly", oneRoomOf(strict(about(OpOpen, Door, Blue)), door(Red, Closed, 2, 3),
			door(Blue, Closed, 0, 1)), []Action{Toggle, Done, Toggle}, "-.-"},
		{"a locked door without a key", oneRoomOf(about(OpOpen, Door, Red), door(Red, Locked, 2, 3)),
			[]Action{Toggle, Toggle}, ".."},
		{"picking up", oneRoomOf(about(OpPickup, Ball, AnyColor), ball), []Action{Toggle, Pickup, Pickup}, ".+."},
		{"picking up another", oneRoomOf(about(OpPickup, Ball, AnyColor), key, object(Ball, Red, 5, 5)),
			[]Action{Pickup, Pickup}, ".."},
		{"picking up another, strictly", oneRoomOf(strict(about(OpPickup, Ball, AnyColor)), key,
			object(Ball, Red, 5, 5)), []Action{Pickup, Done, Pickup}, "-.-"},
		{"putting beside", oneRoomOf(nextTo, ball, box), []Action{Pickup, Forward, Forward, Drop}, "...+"},
		{"putting elsewhere", oneRoomOf(nextTo.clone(), ball, box), []Action{Pickup, Drop, Drop}, "..."},
		{"both, in either order", oneRoomOf(both(OpAnd), ball),
			[]Action{TurnRight, TurnRight, TurnLeft, TurnLeft, Pickup}, "....+"},
		{"before", oneRoomOf(both(OpBefore), ball), []Action{TurnRight, TurnRight, TurnRight, TurnRight, Pickup,
			TurnLeft, TurnLeft}, "......+"},
		{"after", oneRoomOf(both(OpAfter), ball), []Action{Pickup, TurnLeft, TurnLeft, Drop, TurnLeft, TurnLeft,
			Pickup}, "......."},
		{"after, in order", oneRoomOf(both(OpAfter), ball),
			[]Action{TurnRight, TurnRight, TurnRight, TurnRight, Pickup}, "....+"},
	} {
		sharedtest.Equal(t, run(c.world, c.actions...), c.want, c.name)
	}
}

func TestDoorsAndBoxes(t *testing.T) {
	key, content := object(Key, Red, 1, 2), ID(4)
	w := oneRoomOf(about(OpOpen, Door, Red), key, Object{Code: Code{Kind: Box, Color: Grey}, Content: content,
		Pos: Point{2, 3}}, object(Ball, Green, 5, 5), door(Red, Locked, 1, 4))
	w.set(Point{5, 5}, None) // the ball is in the box
	if said := run(w, Toggle); said != "." || w.cell(Point{2, 3}).Kind != Ball {
		t.Errorf("the box holds a %v", w.cell(Point{2, 3}).Kind)
	}
	if said := run(w, TurnRight, Toggle, Forward); said != "..." || w.Agent().Point != (Point{1, 3}) {
		t.Errorf("%s: the agent is at %v", said, w.Agent())
	}
	if said := run(w, TurnLeft, TurnLeft, Pickup, TurnLeft, TurnLeft, Toggle, Drop, Forward,
		Drop); said != ".....+..." || w.Agent().Point != (Point{1, 4}) {
		t.Errorf("%s: the agent is at %v", said, w.Agent())
	}
	sharedtest.Equal(t, w.Object(w.Carrying()).Kind, Empty, "was not put down beyond the door")
}

func TestWords(t *testing.T) {
	red := object(Ball, Red, 2, 3)
	other := object(Ball, Red, 3, 4)
	located := about(OpGoTo, Ball, Red)
	located.Target.Location = OnRight
	for _, c := range []struct {
		in   *Instruction
		want string
	}{
		{about(OpGoTo, Ball, Red), "go to a red ball"},
		{located, "go to the red ball on your right"},
		{about(OpPickup, AnyKind, Red), "pick up a red object"},
		{about(OpPickup, AnyKind, Grey), "pick up a grey object"}, // walls are grey
		{about(OpOpen, Door, AnyColor), "open the door"},
		{&Instruction{Op: OpPutNext, Target: &Descriptor{Kind: Ball, Color: AnyColor},
			Fixed: &Descriptor{Kind: Key, Color: Blue}}, "put a ball next to the blue key"},
		{&Instruction{Op: OpAnd, First: about(OpGoTo, Key, Blue), Second: about(OpOpen, Door, AnyColor)},
			"go to the blue key and open the door"},
		{&Instruction{Op: OpBefore, First: about(OpGoTo, Key, Blue), Second: about(OpOpen, Door, AnyColor)},
			"go to the blue key, then open the door"},
		{&Instruction{Op: OpAfter, First: about(OpGoTo, Key, Blue), Second: about(OpOpen, Door, AnyColor)},
			"go to the blue key after you open the door"},
	} {
		w := oneRoomOf(c.in, red, other, object(Key, Blue, 4, 4), door(Green, Closed, 6, 3))
		sharedtest.Equal(t, w.Mission(), c.want)
	}
}

// Rewards fall with the steps, below nothing in the end.
func TestReward(t *testing.T) {
	w := oneRoomOf(about(OpGoTo, Ball, Red), object(Ball, Red, 2, 3))
	if w.maxSteps != 49 {
		t.Fatalf("%d steps", w.maxSteps)
	}
	for step := 1; step <= 100; step++ {
		r := w.Step(Done)
		want := 1 - 0.9*float64(step)/49
		if d := r.Reward - want; d > 1e-12 || d < -1e-12 || r.Truncated != (step >= 49) {
			t.Fatalf("step %d: %+v, want %v", step, r, want)
		}
	}
}
