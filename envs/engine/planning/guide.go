package planning

// Guide follows a plan while the world follows it, and replans when the world
// deviates. The zero value has no plan yet; a copy is an independent guide.
type Guide struct {
	plan  []int // operators still to be applied
	start State // where the plan begins; nil before the first question
}

// Plan is what Next answered last and what follows it, as indices into task.Operators.
func (g *Guide) Plan() []int { return g.plan }

// Next returns the operator to apply in state, as an index into task.Operators;
// ok is false if no plan is found. Every call must pass the same task.
func (g *Guide) Next(task *Task, state State) (operator int, ok bool) {
	if g.start != nil && len(g.plan) > 0 && !g.start.Equal(state) {
		next := g.start.Clone()
		task.Apply(&task.Operators[g.plan[0]], g.start, next)
		g.plan, g.start = g.plan[1:], next
	}
	if g.start == nil || !g.start.Equal(state) {
		if state.Equal(task.Init) {
			g.plan = task.opening()
		} else {
			g.plan, _ = task.Plan(state)
		}
		g.start = state.Clone()
	}
	if len(g.plan) == 0 {
		return 0, false
	}
	return g.plan[0], true
}
