package babyai

import (
	"cmp"
	"container/heap"

	"heldout/envs/engine/minigrid"
)

// The costs of a path, in primitive actions; estimates if more work is needed.
const (
	costDoor     = 2  // entering a closed door
	costBlocker  = 7  // entering a cell after removing its contents
	costDrop     = 3  // putting down an object that blocks other things
	costLocked   = 40 // entering a locked door whose key is not carried
	unattainable = 10000
)

// approach holds, for every pose of the agent, the cost to reach the nearest of
// some target poses, with objects and doors as they are now.
type approach struct {
	width int
	cost  []int32 // by pose
	// lock is the color of the first locked door on the path that needs a key
	// that is not carried, by pose; AnyColor if there is none.
	lock []minigrid.Color
}

// target is a target pose, the cost to finish there, and the color of a key needed first.
type target struct {
	pose minigrid.Pose
	cost int32
	lock minigrid.Color
}

func (a *approach) index(p minigrid.Pose) int {
	return 4*(p.Y*a.width+p.X) + int(p.Dir)
}

// newApproach searches backwards from the targets (Dijkstra). Locked doors of barred colors count as walls.
func newApproach(w *minigrid.World, targets []target, barred colorSet) *approach {
	width, height := w.Size()
	a := &approach{width: width, cost: make([]int32, 4*width*height), lock: make([]minigrid.Color, 4*width*height)}
	for i := range a.cost {
		a.cost[i] = unattainable
	}
	q := &queue[queued]{compare: func(a, b queued) int { return cmp.Compare(a.cost, b.cost) }}
	reach := func(p minigrid.Pose, cost int32, lock minigrid.Color) {
		if i := a.index(p); cost < a.cost[i] {
			a.cost[i], a.lock[i] = cost, lock
			heap.Push(q, queued{p, cost})
		}
	}
	for _, t := range targets {
		if _, o := w.ObjectAt(t.pose.Point); o.Kind != minigrid.Wall {
			reach(t.pose, t.cost, t.lock)
		}
	}
	key := w.Object(w.Carrying())
	for q.Len() > 0 {
		item := heap.Pop(q).(queued)
		i := a.index(item.pose)
		if item.cost > a.cost[i] {
			continue
		}
		for _, d := range [...]minigrid.Direction{item.pose.Dir.Left(), item.pose.Dir.Right()} {
			reach(minigrid.Pose{Point: item.pose.Point, Dir: d}, item.cost+1, a.lock[i])
		}
		prev := minigrid.Pose{Point: item.pose.Sub(item.pose.Dir.Vector()), Dir: item.pose.Dir}
		if _, o := w.ObjectAt(prev.Point); o.Kind == minigrid.Wall {
			continue
		}
		cost, lock := entering(w, item.pose.Point, key)
		if barred.contains(lock) {
			continue
		}
		if lock == minigrid.AnyColor {
			lock = a.lock[i]
		}
		reach(prev, item.cost+cost, lock)
	}
	return a
}

// entering returns the cost to step into a cell, and the color of the missing key.
func entering(w *minigrid.World, p minigrid.Point, carried minigrid.Object) (cost int32, lock minigrid.Color) {
	_, o := w.ObjectAt(p)
	switch {
	case o.Kind == minigrid.Empty || o.Kind == minigrid.Door && o.State == minigrid.Open:
		return 1, minigrid.AnyColor
	case o.Kind != minigrid.Door && carried.Kind == minigrid.Empty:
		return costBlocker, minigrid.AnyColor
	case o.Kind != minigrid.Door:
		return costBlocker + costDrop, minigrid.AnyColor
	case o.State == minigrid.Closed || carried.Kind == minigrid.Key && carried.Color == o.Color:
		return costDoor, minigrid.AnyColor
	}
	return costLocked, o.Color
}

type colorSet uint8

func (s colorSet) contains(c minigrid.Color) bool { return s&(1<<c) != 0 }

func (s colorSet) add(c minigrid.Color) colorSet { return s | 1<<c }

type queued struct {
	pose minigrid.Pose
	cost int32
}

// queue implements heap.Interface, the least first.
type queue[T any] struct {
	items   []T
	compare func(a, b T) int
}

func (q *queue[T]) Len() int           { return len(q.items) }
func (q *queue[T]) Less(i, j int) bool { return q.compare(q.items[i], q.items[j]) < 0 }
func (q *queue[T]) Swap(i, j int)      { q.items[i], q.items[j] = q.items[j], q.items[i] }
func (q *queue[T]) Push(x any)         { q.items = append(q.items, x.(T)) }
func (q *queue[T]) Pop() any {
	last := len(q.items) - 1
	x := q.items[last]
	q.items = q.items[:last]
	return x
}

// facing are the four poses that face a cell, as targets.
func facing(p minigrid.Point, cost int32, lock minigrid.Color) (out []target) {
	for d := range minigrid.Direction(4) {
		out = append(out, target{minigrid.Pose{Point: p.Sub(d.Vector()), Dir: d}, cost, lock})
	}
	return out
}
