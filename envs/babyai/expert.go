package babyai

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"heldout/envs/engine/minigrid"
)

// The expert knows the whole world, not only what the agent sees. It searches the game itself, on copies. Its plans
// therefore include everything that the text layer does to an action, even success that a later primitive action
// undoes. Estimates of the distance to the next sub-goal guide the search.

// The bounds and weights of the search.
const (
	maxExpanded = 3000 // states expanded before it gives up
	costAction  = 2    // of an action of the text layer, in primitive ones
	costGoal    = 150  // of a remaining sub-goal
	costLost    = 400  // of a sub-goal that cannot be reached any more
)

// node is a state of the game that was reached.
type node struct {
	game     *textGame // nil until it is expanded
	parent   *node
	choice   int // of the parent's table
	actions  int // made since the search began
	priority int32
	order    int // the order in which nodes were reached
}

type search struct {
	seer       seer
	approaches map[string]*approach // by where the objects are, and by aim
	open       queue[*node]         // the most promising first
	visited    map[string]bool      // states
	reached    int                  // nodes so far
	best       *node                // the best end so far, nil if there is none
	reward     float64              // there
}

// plan returns actions that solve the task and reach every sub-goal, or as many
// sub-goals as it can; nil if it finds none.
func plan(start *textGame) []string {
	s := search{seer: seer{places: map[sight][][2]int{}}, approaches: map[string]*approach{},
		visited: map[string]bool{string(start.appendState(nil)): true}}
	s.open.compare = func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.order, b.order))
	}
	heap.Push(&s.open, &node{game: start})
	for range maxExpanded {
		if s.open.Len() == 0 || s.best != nil && (start.goals == nil || s.reward == 1) {
			break
		}
		s.expand(heap.Pop(&s.open).(*node))
	}
	return s.best.path()
}

func (s *search) expand(n *node) {
	if n.game == nil {
		n.game = n.parent.game.clone()
		table := &n.parent.game.table
		n.game.carryOut(table.moves(&table.entries[n.choice]))
	}
	table := &n.game.table
	for i := range table.entries {
		c := &table.entries[i]
		if c.reason != offered || !table.acts(c) {
			continue
		}
		next := n.game.clone()
		next.carryOut(table.moves(c))
		s.reached++
		m := &node{parent: n, choice: i, actions: n.actions + 1, order: s.reached}
		if next.done {
			if s.best == nil || next.reward > s.reward {
				s.best, s.reward = m, next.reward
			}
			continue
		}
		if key := string(next.appendState(nil)); !s.visited[key] {
			s.visited[key] = true
			m.priority = int32(costAction*m.actions) + s.estimate(next)
			heap.Push(&s.open, m)
		}
	}
}

func (n *node) path() (actions []string) {
	for ; n != nil && n.parent != nil; n = n.parent {
		actions = append(actions, n.parent.game.table.entries[n.choice].text())
	}
	slices.Reverse(actions)
	return actions
}

// appendState appends everything that determines how a game continues, except
// the number of steps: with that number, no state would ever recur.
func (g *textGame) appendState(b []byte) []byte {
	a := g.world.Agent()
	b = append(b, byte(a.X), byte(a.Y), byte(a.Dir))
	b = g.world.AppendState(b)
	if g.goals != nil {
		for _, goal := range g.goals.ways[0] {
			b = append(append(b, goal.text...), 0)
		}
	}
	return b
}

// estimate estimates the remaining work, in primitive actions: the distance to the first sub-goal, plus a fixed
// cost for every other sub-goal. Without sub-goals it uses the simple instructions instead.
func (s *search) estimate(g *textGame) int32 {
	if g.goals == nil {
		pending := pendingLeaves(g.world.Instruction(), nil)
		if len(pending) == 0 {
			return 0
		}
		return int32(len(pending))*costGoal + s.cost(g.world, aim{leaf: pending[0]})
	}
	total, aimed := int32(0), false
	for i := range g.goals.ways[0] {
		total += costGoal
		if !s.possible(g, i) {
			total += costLost
		} else if !aimed {
			cost := s.goalCost(g, i)
			aimed = cost < unattainable
			total += min(cost, costLost)
		}
	}
	return total
}

// possible reports whether one of the ways' sub-goals at i can still be reached.
func (s *search) possible(g *textGame, i int) bool {
	return slices.ContainsFunc(g.goals.ways, func(way []pattern) bool { return s.seer.possible(g.world, &way[i]) })
}

// goalCost estimates the cost to reach one of the ways' sub-goals at i.
func (s *search) goalCost(g *textGame, i int) int32 {
	cost := int32(unattainable)
	for _, way := range g.goals.ways {
		cost = min(cost, s.cost(g.world, aim{goal: &way[i]}))
	}
	return cost
}

// pendingLeaves lists the unfulfilled simple instructions, in their order.
func pendingLeaves(in *minigrid.Instruction, out []*minigrid.Instruction) []*minigrid.Instruction {
	if !in.Compound() {
		return append(out, in)
	}
	first, firstDone, second, secondDone := in.First, in.FirstDone, in.Second, in.SecondDone
	if in.Op == minigrid.OpAfter {
		first, firstDone, second, secondDone = second, secondDone, first, firstDone
	}
	if !firstDone {
		out = pendingLeaves(first, out)
	}
	if !secondDone {
		out = pendingLeaves(second, out)
	}
	return out
}

// cost estimates the cost to reach an aim. If a locked door is on the path, the path goes via the key and, if
// needed, via another key for that one. The path to a key does not lead through the door that the key opens.
func (s *search) cost(w *minigrid.World, a aim) int32 {
	if cost, ok := inHand(w, a); ok {
		return cost
	}
	id := string(w.AppendObjects(nil)) + a.String()
	way := s.approach(id, func() *approach { return newApproach(w, s.seer.targets(w, a), 0) })
	agent := way.index(w.Agent())
	var barred colorSet
	for way.lock[agent] != minigrid.AnyColor && way.cost[agent] < unattainable {
		key, rest := way.lock[agent], way
		barred = barred.add(key)
		id += " key " + key.String()
		way = s.approach(id, func() *approach { return newApproach(w, keyTargets(w, key, rest), barred) })
	}
	return way.cost[agent]
}

// approach returns the cached approach, or makes it.
func (s *search) approach(id string, search func() *approach) *approach {
	found, ok := s.approaches[id]
	if !ok {
		found = search()
		s.approaches[id] = found
	}
	return found
}

// ExpertAction implements envs.Expert. It keeps its plan as long as the world does.
func (w *world) ExpertAction(context.Context) (string, error) {
	if w.game.done {
		return "", nil
	}
	return w.expert.action(w.game), nil
}

type expert struct {
	plan     []string
	expected string // the state in which the rest of the plan continues
}

func (e *expert) action(g *textGame) string {
	state := string(g.appendState(nil))
	if len(e.plan) == 0 || state != e.expected {
		e.plan = plan(g.clone())
	}
	if len(e.plan) == 0 {
		return ""
	}
	action := e.plan[0]
	next := g.clone()
	next.carryOut(g.table.moves(g.table.choice(action)))
	e.plan, e.expected = e.plan[1:], string(next.appendState(nil))
	return action
}
