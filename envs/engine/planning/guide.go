package planning

// Guide follows a plan while the world follows it, and replans when the world
// deviates. The zero value has no plan yet; a copy is an independent guide.
type Guide struct {
	plan []int // operators still to be applied
	from State // where the plan begins; nil before the first question
}

// Next returns the operator to apply in state, as an index into task.Operators;
// ok is false if no plan is found. Every call must pass the same task.
func (g *Guide) Next(task *Task, state State) (operator int, ok bool) {
	if g.from != nil && len(g.plan) > 0 && !g.from.Equal(state) {
		after := g.from.Clone()
		task.Apply(&task.Operators[g.plan[0]], g.from, after)
		g.plan, g.from = g.plan[1:], after
	}
	if g.from == nil || !g.from.Equal(state) {
		g.plan, _ = task.Plan(state)
		g.from = state.Clone()
	}
	if len(g.plan) == 0 {
		return 0, false
	}
	return g.plan[0], true
}
