package planning

// relaxation estimates distances to the goal on the task without its
// deletions: the FF heuristic, with relaxed plans read off additive costs
// (Hoffmann and Nebel 2001; Keyder and Geffner 2008). It belongs to one
// goroutine.
type relaxation struct {
	task  *Task
	rules []relaxedRule
	uses  [][]int32 // per literal: the rules that need it
	goal  Literal   // stands for the goal; one rule for each way to reach it

	// What follows is rebuilt for every state.
	cost      []int32 // per literal; unreached is far
	supporter []int32 // per literal: the cheapest rule that makes it true
	needs     []int32 // per rule: literals still unreached
	sum       []int32 // per rule: cost of those reached
	buckets   [][]Literal
	marked    []bool // per literal: seen while a plan was read off
	inPlan    []bool // per operator
	plan      []int32
}

// relaxedRule is one effect of an operator without its deletions; op is -1 for
// the rules of the goal.
type relaxedRule struct {
	op    int32
	cost  int32
	body  []Literal
	heads []Literal
}

const (
	far = int32(1) << 29 // the cost of what cannot be reached
	// dearest bounds the buckets: sums over deep dependencies can grow
	// without limit, and what costs more than this is not told apart.
	dearest = 1 << 12
)

// newRelaxation prepares estimates of the distance to a goal, given as Task.Goal
// is.
func newRelaxation(t *Task, ways [][]Literal) *relaxation {
	goal := literal(len(t.Facts), false)
	r := &relaxation{task: t, goal: goal}
	for i := range t.Operators {
		op := &t.Operators[i]
		for _, e := range op.Effects {
			if body, ok := conjoin(op.Precondition, e.When); ok {
				r.rules = append(r.rules, relaxedRule{op: int32(i), cost: 1, body: body, heads: changes(e)})
			}
		}
	}
	for _, way := range ways {
		r.rules = append(r.rules, relaxedRule{op: -1, body: way, heads: []Literal{goal}})
	}
	n := int(goal) + 2
	r.uses = make([][]int32, n)
	for i, rule := range r.rules {
		for _, l := range rule.body {
			r.uses[l] = append(r.uses[l], int32(i))
		}
	}
	r.cost, r.supporter = make([]int32, n), make([]int32, n)
	r.needs, r.sum = make([]int32, len(r.rules)), make([]int32, len(r.rules))
	r.marked, r.inPlan = make([]bool, n), make([]bool, len(t.Operators))
	return r
}

// estimate returns the length of a relaxed plan from s, or far when there is
// none, and then there is no real one either.
func (r *relaxation) estimate(s State) int32 {
	r.explore(s)
	if r.cost[r.goal] >= far {
		return far
	}
	for _, op := range r.plan {
		r.inPlan[op] = false
	}
	r.plan = r.plan[:0]
	clear(r.marked)
	r.collect(r.goal)
	return int32(len(r.plan))
}

// explore computes the additive cost of every literal, cheapest first, up to
// the goal.
func (r *relaxation) explore(s State) {
	for i := range r.cost {
		r.cost[i] = far
		r.supporter[i] = -1
	}
	for i := range r.buckets {
		r.buckets[i] = r.buckets[i][:0]
	}
	for i := range r.rules {
		r.needs[i] = int32(len(r.rules[i].body))
		r.sum[i] = 0
		if r.needs[i] == 0 {
			r.fire(int32(i))
		}
	}
	for f := range r.task.Facts {
		r.reach(literal(f, !s.Has(f)), 0, -1)
	}
	for c := 0; c < len(r.buckets); c++ {
		for i := 0; i < len(r.buckets[c]); i++ {
			l := r.buckets[c][i]
			if r.cost[l] != int32(c) {
				continue // reached more cheaply since
			}
			if l == r.goal {
				return
			}
			for _, rule := range r.uses[l] {
				r.sum[rule] += int32(c)
				if r.needs[rule]--; r.needs[rule] == 0 {
					r.fire(rule)
				}
			}
		}
	}
}

func (r *relaxation) fire(rule int32) {
	ru := &r.rules[rule]
	for _, h := range ru.heads {
		r.reach(h, r.sum[rule]+ru.cost, rule)
	}
}

func (r *relaxation) reach(l Literal, cost, supporter int32) {
	if cost >= r.cost[l] {
		return
	}
	r.cost[l], r.supporter[l] = cost, supporter
	cost = min(cost, dearest)
	for int(cost) >= len(r.buckets) {
		r.buckets = append(r.buckets, nil)
	}
	r.buckets[cost] = append(r.buckets[cost], l)
}

// collect adds to the plan what makes l true.
func (r *relaxation) collect(l Literal) {
	if r.marked[l] || r.supporter[l] < 0 {
		return
	}
	r.marked[l] = true
	ru := &r.rules[r.supporter[l]]
	for _, b := range ru.body {
		r.collect(b)
	}
	if ru.op >= 0 && !r.inPlan[ru.op] {
		r.inPlan[ru.op] = true
		r.plan = append(r.plan, ru.op)
	}
}
