package planning

// rule says that its heads can be true once all literals of its body can be true. It is an effect of an operator
// under the assumption that nothing is ever undone. The operator is -1 for rules of the goal.
type rule struct {
	op    int32
	cost  int32
	body  []Literal
	heads []Literal
}

// relaxedRules returns the rules of operators, in their order. The rules of an operator with conditional effects
// share a literal that says that the precondition is met. Such literals are numbered from next on, and end is the
// first unused number.
func relaxedRules(ops []Operator, next Literal) (rules []rule, end Literal) {
	rules = make([]rule, 0, len(ops)+1) // in most tasks there are no more
	for i := range ops {
		op := &ops[i]
		var met []Literal
		for _, e := range op.Effects {
			if len(e.Condition) == 0 {
				rules = append(rules, rule{int32(i), 1, op.Precondition, e.Literals})
				continue
			}
			if met == nil {
				met = []Literal{next}
				next += 2
				rules = append(rules, rule{int32(i), 0, op.Precondition, met})
			}
			rules = append(rules, rule{int32(i), 1, append(met[:1:1], e.Condition...), e.Literals})
		}
	}
	return rules, next
}

// usesOf returns, for each of n literals, the rules that need it.
func usesOf(rules []rule, n Literal) [][]int32 {
	uses := make([][]int32, n)
	for i, ru := range rules {
		for _, l := range ru.body {
			uses[l] = append(uses[l], int32(i))
		}
	}
	return uses
}

// relaxation estimates distances to the goal on the task without deletions: the FF heuristic, with relaxed plans
// extracted from additive costs (Hoffmann and Nebel 2001; Keyder and Geffner 2008). It belongs to one goroutine.
type relaxation struct {
	rules []rule
	uses  [][]int32 // per literal: the rules that need it
	size  []int32   // per rule: the length of its body
	facts []Literal // literals about facts that some rule needs
	goal  Literal   // stands for the goal; one rule for each way to reach it
	ops   []int32   // the operators that can help to reach the goal, in order

	// The following fields are rebuilt for every state.
	cost      []int32 // per literal; unreached is far
	supporter []int32 // per literal reached: the cheapest rule that makes it true
	needs     []int32 // per rule: literals still unreached
	sum       []int32 // per rule: cost of the literals reached
	buckets   [][]Literal
	round     int32
	marked    []int32 // per literal: the round in which it was seen
	inPlan    []int32 // per operator: the round in which it came into the plan
	length    int32   // of the plan
}

const (
	far = int32(1) << 29 // the cost of unreachable literals
	// dearest bounds the buckets: sums over deep dependencies grow without
	// limit, and costs above this bound are not distinguished.
	dearest = 1 << 12
)

// newRelaxation prepares estimates of the distance to a goal in the form of Task.Goal.
func newRelaxation(t *Task, ways [][]Literal) *relaxation {
	rules, goal := relaxedRules(t.Operators, literal(t.size, false))
	for _, way := range ways {
		rules = append(rules, rule{-1, 0, way, []Literal{goal}})
	}
	n := goal + 2
	r := &relaxation{
		goal: goal, cost: make([]int32, n), supporter: make([]int32, n),
		marked: make([]int32, n), inPlan: make([]int32, len(t.Operators)),
	}
	r.keepRelevant(rules)
	r.uses = usesOf(r.rules, n)
	for l := range literal(t.size, false) {
		if len(r.uses[l]) > 0 {
			r.facts = append(r.facts, l)
		}
	}
	r.needs, r.sum = make([]int32, len(r.rules)), make([]int32, len(r.rules))
	return r
}

// keepRelevant keeps the rules that the goal depends on.
func (r *relaxation) keepRelevant(rules []rule) {
	makers := make([][]int32, len(r.cost)) // per literal: rules that make it true
	for i, ru := range rules {
		for _, h := range ru.heads {
			makers[h] = append(makers[h], int32(i))
		}
	}
	relevant, needed := make([]bool, len(r.cost)), make([]bool, len(rules))
	relevant[r.goal] = true
	for queue := []Literal{r.goal}; len(queue) > 0; queue = queue[1:] {
		for _, i := range makers[queue[0]] {
			needed[i] = true
			for _, l := range rules[i].body {
				if !relevant[l] {
					relevant[l] = true
					queue = append(queue, l)
				}
			}
		}
	}
	for i, ru := range rules {
		if !needed[i] {
			continue
		}
		heads := ru.heads
		ru.heads = nil
		for _, l := range heads {
			if relevant[l] {
				ru.heads = append(ru.heads, l)
			}
		}
		r.rules = append(r.rules, ru)
		r.size = append(r.size, int32(len(ru.body)))
		if last := len(r.ops) - 1; ru.op >= 0 && (last < 0 || r.ops[last] != ru.op) {
			r.ops = append(r.ops, ru.op)
		}
	}
}

// estimate returns the length of a relaxed plan from s, or far if there is
// none. If there is no relaxed plan, there is no real plan either.
func (r *relaxation) estimate(s State) int32 {
	r.explore(s)
	if r.cost[r.goal] == far {
		return far
	}
	r.round++
	r.length = 0
	r.collect(r.goal)
	return r.length
}

// explore computes the additive cost of every literal, cheapest first, up to the goal.
func (r *relaxation) explore(s State) {
	for i := range r.cost {
		r.cost[i] = far
	}
	for i := range r.buckets {
		r.buckets[i] = r.buckets[i][:0]
	}
	copy(r.needs, r.size)
	clear(r.sum)
	for i := range r.size {
		if r.size[i] == 0 {
			r.fire(int32(i))
		}
	}
	for _, l := range r.facts {
		if s.holds(l) {
			r.reach(l, 0, -1)
		}
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
	cost := min(r.sum[rule]+ru.cost, dearest)
	for _, h := range ru.heads {
		r.reach(h, cost, rule)
	}
}

func (r *relaxation) reach(l Literal, cost, supporter int32) {
	if cost >= r.cost[l] {
		return
	}
	r.cost[l], r.supporter[l] = cost, supporter
	for int(cost) >= len(r.buckets) {
		r.buckets = append(r.buckets, nil)
	}
	r.buckets[cost] = append(r.buckets[cost], l)
}

// collect counts the operators that make l true.
func (r *relaxation) collect(l Literal) {
	if r.marked[l] == r.round || r.supporter[l] < 0 {
		return
	}
	r.marked[l] = r.round
	ru := &r.rules[r.supporter[l]]
	for _, b := range ru.body {
		r.collect(b)
	}
	if ru.op >= 0 && r.inPlan[ru.op] != r.round {
		r.inPlan[ru.op] = r.round
		r.length++
	}
}
