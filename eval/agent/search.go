package agent

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"heldout/envs"
	"heldout/scoring/record"
)

// The ways to search.
const (
	// BestFirst expands the world with the most progress, and among equals the one that
	// was reached first.
	BestFirst = "best-first"
	// MCTS is Monte Carlo tree search (Coulom 2006) with the bounds of UCT (Kocsis and
	// Szepesvári 2006). As there is one player and no chance, an action counts with the
	// best end that it had as well as with the mean (Schadd et al. 2008).
	MCTS = "mcts"
	// Beam expands, step by step, the worlds that the model thinks most of.
	Beam = "beam"
)

// SearchWays lists the ways to search without a model.
func SearchWays() []string { return []string{BestFirst, MCTS} }

// Searching says how an agent searches.
type Searching struct {
	Way string
	// Budget is the largest number of steps in forks of the world or, if a model proposes,
	// of its replies.
	Budget int
	// Limit is the largest number of steps of the episode.
	Limit int
	// Task tells states of different tasks apart.
	Task envs.Task
	// Random draws actions and rollouts.
	Random *rand.Rand
}

// NewSearch returns an agent without a model that looks ahead in forks of the world. At
// its first move it searches until it has solved the task or its budget is spent; then it
// plays the way to the most progress that it has found. It is an oracle: no agent can take
// actions back. The world must fork, list its actions and write its state, and must not
// have been stepped.
func NewSearch(w envs.World, s Searching) (Agent, error) {
	if !slices.Contains(SearchWays(), s.Way) {
		return nil, fmt.Errorf("there is no search %q; there are %v", s.Way, SearchWays())
	}
	if _, lists := envs.As[envs.Lister](w); !lists || !searchable(w) {
		return nil, errNotSearchable
	}
	return &searcher{world: w, tree: tree{Searching: s, seen: map[string]bool{}}}, nil
}

var errNotSearchable = errors.New("the environment cannot be searched: its worlds do not fork")

// searchable reports whether a world forks and writes its state.
func searchable(w envs.World) bool {
	_, forks := envs.As[envs.Forker](w)
	_, states := envs.As[envs.StateAppender](w)
	return forks && states
}

type searcher struct {
	world envs.World
	tree  tree
	plan  []string // what is left to play; nil before the search
	began bool
}

// Act implements Agent. The first move has the cost of the search.
func (s *searcher) Act(ctx context.Context) (Move, error) {
	var cost Usage
	if !s.began {
		s.began = true
		t := &s.tree
		err := t.grow(ctx, s.world)
		t.close()
		if cost = t.used; err != nil {
			return Move{Usage: cost}, blamed(err)
		}
		cost.SearchEnd = t.end()
		if s.plan = t.plan(); t.asks != nil && cost.Unread == cost.Calls {
			return t.asks.unread(cost), nil
		}
	}
	if len(s.plan) == 0 {
		return Move{GiveUp: true, Usage: cost}, nil
	}
	action := s.plan[0]
	s.plan = s.plan[1:]
	return Move{Action: action, Usage: cost}, nil
}

// Observe implements Agent.
func (*searcher) Observe(observation string) string { return observation }

type tree struct {
	Searching
	asks  *asker          // nil if no model proposes
	used  Usage           // so far
	seen  map[string]bool // keys of states
	nodes []*node
	best  *node // with the most progress; the first of several
}

type node struct {
	world    envs.World // nil once nothing is left to try
	parent   *node
	action   string // that led here
	observed string // what it led to
	depth    int
	order    int     // of arrival
	value    float64 // what is expected of it: the progress, or what the model says
	progress float64
	done     bool
	solved   bool

	untried  []option // the last one is tried first
	children []*node
	visits   int
	sum, top float64 // of what was reached through it
}

type option struct {
	action string
	value  float64 // in [0,1]; of a model
}

// grow searches from the present state of a world.
func (t *tree) grow(ctx context.Context, w envs.World) error {
	f, _ := envs.As[envs.Forker](w)
	fork, err := f.Fork()
	if err != nil {
		return err
	}
	root := &node{world: fork}
	if err := t.reach(ctx, root); err != nil {
		return err
	}
	switch t.Way {
	case BestFirst:
		return t.bestFirst(ctx, root)
	case Beam:
		return t.beam(ctx, root)
	}
	return t.monteCarlo(ctx, root)
}

// reach notes a node whose state is new.
func (t *tree) reach(ctx context.Context, n *node) error {
	n.order = len(t.nodes)
	t.nodes = append(t.nodes, n)
	if t.best == nil || n.solved && !t.best.solved || n.solved == t.best.solved && n.progress > t.best.progress {
		t.best = n
	}
	key, err := envs.StateKey(t.Task, n.world)
	if err != nil {
		return err
	}
	t.seen[key] = true
	if n.done || n.depth == t.Limit || t.asks != nil {
		return nil
	}
	actions, err := listed(ctx, n.world)
	for _, at := range t.Random.Perm(len(actions)) {
		n.untried = append(n.untried, option{action: actions[at]})
	}
	return err
}

func listed(ctx context.Context, w envs.World) ([]string, error) {
	l, _ := envs.As[envs.Lister](w)
	return l.Actions(ctx)
}

// over reports whether the search is at its end. What a model has proposed is tried even so.
func (t *tree) over() bool { return t.best.solved || t.asks == nil && t.used.WorldSteps >= t.Budget }

func (t *tree) end() record.SearchEnd {
	switch {
	case t.best.solved:
		return record.SearchSolved
	case t.asks == nil && t.used.WorldSteps >= t.Budget, t.asks != nil && t.used.Calls >= t.Budget:
		return record.SearchBudget
	}
	return record.SearchExhausted
}

// try takes the next action that was not tried at a node. It returns nil if that leads to
// a state that was seen.
func (t *tree) try(ctx context.Context, n *node) (*node, error) {
	if err := ctx.Err(); err != nil { // worlds do not look
		return nil, err
	}
	last := len(n.untried) - 1
	o := n.untried[last]
	n.untried = n.untried[:last]
	f, _ := envs.As[envs.Forker](n.world)
	w, err := f.Fork()
	if err != nil {
		return nil, err
	}
	step, err := w.Step(ctx, o.action)
	if t.used.WorldSteps++; err != nil {
		return nil, err
	}
	if len(n.untried) == 0 {
		err = n.leave()
	}
	child := &node{world: w, parent: n, action: o.action, observed: step.Observation, depth: n.depth + 1,
		value: step.Progress, progress: step.Progress, done: step.Done, solved: step.Success}
	if t.asks != nil {
		child.value = o.value
	}
	key, keyErr := envs.StateKey(t.Task, w)
	if err := errors.Join(err, keyErr); err != nil {
		return nil, err
	}
	if t.seen[key] && !child.solved {
		return nil, child.leave()
	}
	if err := t.reach(ctx, child); err != nil {
		return nil, err
	}
	n.children = append(n.children, child)
	return child, nil
}

func (n *node) leave() error {
	w := n.world
	if n.world = nil; w == nil {
		return nil
	}
	return w.Close()
}

func (t *tree) close() {
	for _, n := range t.nodes {
		_ = n.leave() // nothing is left to be done with it
	}
}

func (t *tree) plan() (actions []string) {
	for n := t.best; n.parent != nil; n = n.parent {
		actions = append(actions, n.action)
	}
	slices.Reverse(actions)
	return actions
}

// frontier holds the nodes to be expanded, the best first.
type frontier []*node

func (f frontier) Len() int { return len(f) }
func (f frontier) Less(i, j int) bool {
	return before(f[i], f[j]) < 0
}
func (f frontier) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)   { *f = append(*f, x.(*node)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	n := (*f)[last]
	*f = (*f)[:last]
	return n
}

// before orders nodes: by what is expected of them, by their progress, by their arrival.
func before(a, b *node) int {
	return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(b.progress, a.progress), cmp.Compare(a.order, b.order))
}

// bestFirst expands nodes in the order of the frontier.
func (t *tree) bestFirst(ctx context.Context, root *node) error {
	open := &frontier{root}
	for open.Len() > 0 {
		children, goesOn, err := t.expand(ctx, heap.Pop(open).(*node))
		if !goesOn || err != nil {
			return err
		}
		for _, child := range children {
			heap.Push(open, child)
		}
	}
	return nil
}

// expand tries what is proposed for a node and returns what came of it, and whether the
// search goes on.
func (t *tree) expand(ctx context.Context, n *node) (children []*node, goesOn bool, _ error) {
	if goesOn, err := t.propose(ctx, n); !goesOn || err != nil {
		return nil, false, err
	}
	for len(n.untried) > 0 && !t.over() {
		if _, err := t.try(ctx, n); err != nil {
			return nil, false, err
		}
	}
	return n.children, !t.over(), nil
}

const (
	// exploration is the constant of UCT, for values in [0,1].
	exploration = 0.4
	// rolloutSteps is the largest number of random steps after a new node.
	rolloutSteps = 12
)

// monteCarlo adds a node at a time where the bounds lead, and plays on from it at random.
func (t *tree) monteCarlo(ctx context.Context, root *node) error {
	for !t.over() {
		n := root
		for len(n.untried) == 0 && len(n.children) > 0 {
			n = n.choose()
		}
		if len(n.untried) == 0 {
			if n == root {
				return nil // everything was seen
			}
			n.parent.children = slices.DeleteFunc(n.parent.children, func(c *node) bool { return c == n })
			continue
		}
		child, err := t.try(ctx, n)
		if err != nil {
			return err
		}
		if child == nil {
			continue
		}
		value, err := t.rollout(ctx, child)
		if err != nil {
			return err
		}
		for at := child; at != nil; at = at.parent {
			at.visits++
			at.sum += value
			at.top = max(at.top, value)
		}
	}
	return nil
}

func (n *node) choose() *node {
	return slices.MaxFunc(n.children, func(a, b *node) int { return cmp.Compare(a.bound(n), b.bound(n)) })
}

func (n *node) bound(parent *node) float64 {
	visits := float64(max(1, n.visits))
	mean := n.sum / visits
	return (mean+n.top)/2 + exploration*math.Sqrt(math.Log(float64(parent.visits+1))/visits)
}

// rollout plays at random from a node, and returns the most progress that it sees. What
// it sees later counts a little less. A way that solves the task is added to the tree.
func (t *tree) rollout(ctx context.Context, n *node) (float64, error) {
	best := n.progress
	if n.done || len(n.untried) == 0 {
		return best, nil
	}
	f, _ := envs.As[envs.Forker](n.world)
	w, err := f.Fork()
	if err != nil {
		return 0, err
	}
	defer func() { _ = w.Close() }()
	var way []string
	for i := 1; i <= rolloutSteps && n.depth+i <= t.Limit && t.used.WorldSteps < t.Budget; i++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		actions, err := listed(ctx, w)
		if err != nil || len(actions) == 0 {
			return best, err
		}
		way = append(way, actions[t.Random.IntN(len(actions))])
		step, err := w.Step(ctx, way[len(way)-1])
		if t.used.WorldSteps++; err != nil {
			return 0, err
		}
		best = max(best, step.Progress*math.Pow(0.99, float64(i)))
		if step.Progress > t.best.progress || step.Success {
			t.best = n.along(way, step)
		}
		if step.Done {
			break
		}
	}
	return best, nil
}

// along is the end of a way from a node. It has no world: nobody goes on from it.
func (n *node) along(way []string, last envs.Step) *node {
	for _, action := range way {
		n = &node{parent: n, action: action, depth: n.depth + 1}
	}
	n.progress, n.done, n.solved = last.Progress, last.Done, last.Success
	return n
}
