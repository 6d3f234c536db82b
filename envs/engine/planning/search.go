package planning

import (
	"math"
	"slices"
)

// Bounds of the search. A narrow beam finds shortest plans for nearly all of
// the published PDDL games; the wider beams are for the games that it misses.
const (
	narrowBeam     = 30
	wideBeam       = narrowBeam * 64
	maxSerialGoals = 3 // up to this many goals are also tried one after another
	// maxSearch limits the work of one call of Plan to a few seconds, and so its
	// memory. The published games take at most a seventh of it.
	maxSearch = 1 << 28
	// stateWork is the work of storing a state, whatever its size.
	stateWork = 256
)

// Plan looks for a short plan from a state to the goal and returns the indices of its operators. It is
// deterministic. It guarantees neither the shortest plan nor that it finds an existing one. If ok is false and
// there is no plan, the search found none.
func (t *Task) Plan(start State) (plan []int, ok bool) {
	return t.plan(start, maxSearch)
}

func (t *Task) plan(start State, work int) (plan []int, ok bool) {
	s := search{task: t, budget: work}
	enough := 2*int(newRelaxation(t, t.Goal).estimate(start)) + 10
	limit := math.MaxInt
	keep := func(found []int) {
		if found != nil && (plan == nil || len(found) < len(plan)) {
			plan, limit = found, len(found)-1
		}
	}
	for width := narrowBeam; width <= wideBeam; width *= 4 {
		found, complete := s.beam(start, t.Goal, width, limit)
		if keep(found); complete {
			break
		}
		if keep(s.serial(start, width)); plan != nil && len(plan) <= enough {
			break
		}
	}
	return plan, plan != nil
}

// search is one call of Plan.
type search struct {
	task   *Task
	budget int // the remaining work
}

// serial reaches the open goals one after the other, in every order, and returns the shortest plan; nil if there is
// none or the goal has another form. It helps where tools must be made ready again between two goals, which an
// estimate without deletions cannot see.
func (s *search) serial(start State, width int) []int {
	t := s.task
	if len(t.Goal) != 1 {
		return nil
	}
	var open []Literal
	for _, l := range t.Goal[0] {
		if !start.holds(l) {
			open = append(open, l)
		}
	}
	if len(open) < 2 || len(open) > maxSerialGoals {
		return nil
	}
	var best []int
	var extend func(state State, done []int, goals []Literal)
	extend = func(state State, done []int, goals []Literal) {
		if state.Satisfies(t.Goal[0]) {
			if best == nil || len(done) < len(best) {
				best = done
			}
			return
		}
		for i, l := range goals {
			part, _ := s.beam(state, [][]Literal{{l}}, width, math.MaxInt)
			if part == nil {
				continue
			}
			rest := slices.Concat(goals[:i], goals[i+1:])
			extend(t.follow(state, part), slices.Concat(done, part), rest)
		}
	}
	extend(start, nil, open)
	return best
}

// follow returns the state that a plan leads to.
func (t *Task) follow(s State, plan []int) State {
	s = s.Clone()
	next := s.Clone()
	for _, op := range plan {
		t.Apply(&t.Operators[op], s, next)
		s, next = next, s
	}
	return s
}

// reached is a state that a beam visited, and the path to it.
type reached struct {
	state    State
	parent   int // index of the previous state, -1 at the start
	operator int
	estimate int32
}

// beam searches breadth first for plans of at most limit steps. In every layer it keeps the width states that look
// closest to the goal. The plan is empty at the goal and nil if none was found; complete reports that the search
// dropped no state.
func (s *search) beam(start State, goal [][]Literal, width, limit int) (plan []int, complete bool) {
	if start.satisfiesAny(goal) {
		return []int{}, true
	}
	t, r := s.task, newRelaxation(s.task, goal)
	met := []reached{{state: start, parent: -1, estimate: r.estimate(start)}}
	if met[0].estimate == far {
		return nil, true
	}
	visited := map[string]bool{string(start.Append(nil)): true}
	complete = true
	next := start.Clone()
	var key []byte
	for layer := []int{0}; len(layer) > 0; limit-- {
		if limit == 0 {
			return nil, false
		}
		var found []int
		for _, parent := range layer {
			state := met[parent].state
			if s.budget -= len(r.ops); s.budget < 0 {
				return nil, false
			}
			for _, i := range r.ops {
				op := &t.Operators[i]
				if !state.Satisfies(op.Precondition) {
					continue
				}
				t.Apply(op, state, next)
				key = next.Append(key[:0])
				if visited[string(key)] {
					continue
				}
				visited[string(key)] = true
				if s.budget -= stateWork + len(r.rules) + len(r.facts) + 2*len(next); s.budget < 0 {
					return nil, false
				}
				h := r.estimate(next)
				if h == far {
					continue
				}
				met = append(met, reached{next.Clone(), parent, int(i), h})
				if h == 0 {
					return trace(met), complete
				}
				found = append(found, len(met)-1)
			}
		}
		if len(found) > width {
			slices.SortStableFunc(found, func(i, j int) int { return int(met[i].estimate - met[j].estimate) })
			found, complete = found[:width], false
		}
		layer = found
	}
	return nil, complete
}

// trace returns the operators that lead to the last state.
func trace(met []reached) []int {
	var plan []int
	for i := len(met) - 1; met[i].parent >= 0; i = met[i].parent {
		plan = append(plan, met[i].operator)
	}
	slices.Reverse(plan)
	return plan
}

// Guide follows a plan while the world follows it, and replans when the world
// deviates. The zero value has no plan yet; a copy is an independent guide.
type Guide struct {
	// Plan is what Next answered last and what follows it, as indices into task.Operators.
	Plan  []int
	start State // where the plan begins; nil before the first question
}

// Next returns the operator to apply in state, as an index into task.Operators;
// ok is false if no plan is found. Every call must pass the same task.
func (g *Guide) Next(task *Task, state State) (operator int, ok bool) {
	if g.start != nil && len(g.Plan) > 0 && !g.start.Equal(state) {
		next := g.start.Clone()
		task.Apply(&task.Operators[g.Plan[0]], g.start, next)
		g.Plan, g.start = g.Plan[1:], next
	}
	if g.start == nil || !g.start.Equal(state) {
		if state.Equal(task.Init) {
			g.Plan = task.opening()
		} else {
			g.Plan, _ = task.Plan(state)
		}
		g.start = state.Clone()
	}
	if len(g.Plan) == 0 {
		return 0, false
	}
	return g.Plan[0], true
}
