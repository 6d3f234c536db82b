package export

import (
	"cmp"
	"fmt"
	"slices"

	"heldout/envs/stream"
	"heldout/scoring"
	"heldout/scoring/record"
)

// Balance says how many episodes are taken of each task and of each kind; 0 for all.
type Balance struct {
	// Best takes the best episodes of each task, by success and then by progress:
	// rejection sampling. Equal ones are drawn.
	Best int `json:"best,omitempty"`
	// PerTask draws episodes of each task.
	PerTask int `json:"per_task,omitempty"`
	// PerKind draws episodes of each kind of task, of as many tasks as there are.
	PerKind int `json:"per_kind,omitempty"`
}

type candidate struct {
	id, task, kind string
	rank           record.Rank
	draw           uint64
}

// better compares the results of two episodes: the better comes first.
func better(a, b record.Rank) int {
	solved := func(r record.Rank) int { return map[bool]int{false: 1}[r.Outcome == record.Success] }
	return cmp.Or(cmp.Compare(solved(a), solved(b)), cmp.Compare(b.Progress, a.Progress))
}

// choose says of the episodes that are not taken why, by id. A task that several runs have is one.
func (x *exporter) choose() {
	x.unchosen = map[string]Reason{}
	if x.Balance == (Balance{}) {
		return
	}
	var candidates []candidate
	added := map[string]bool{}
	for _, s := range x.sources {
		if s.run == nil {
			continue
		}
		for id, rank := range s.run.counts {
			p := s.run.planned[id]
			if added[id] || x.unfit(s.run, p, rank) != "" {
				continue
			}
			added[id] = true
			candidates = append(candidates, candidate{id, x.splitter.root(taskName(p.condition.Env, p.task.ID)),
				p.condition.Env + " " + scoring.KindOf(p.condition.Env, *p.task), rank,
				stream.New(x.Seed, "balance", id).Uint64()})
		}
	}
	candidates = x.limit(candidates, x.Balance.Best, fmt.Sprintf("not among the best %d of its task", x.Balance.Best),
		func(c candidate) string { return c.task }, func(a, b candidate) int { return better(a.rank, b.rank) })
	candidates = x.limit(candidates, x.Balance.PerTask, fmt.Sprintf("beyond %d of its task", x.Balance.PerTask),
		func(c candidate) string { return c.task }, func(a, b candidate) int { return 0 })
	slices.SortFunc(candidates, drawn)
	turn, counts := map[string]int{}, map[string]int{} // how many episodes of its task come before one
	for _, c := range candidates {
		turn[c.id] = counts[c.task]
		counts[c.task]++
	}
	x.limit(candidates, x.Balance.PerKind, fmt.Sprintf("beyond %d of its kind", x.Balance.PerKind),
		func(c candidate) string { return c.kind }, func(a, b candidate) int { return turn[a.id] - turn[b.id] })
}

func drawn(a, b candidate) int { return cmp.Or(cmp.Compare(a.draw, b.draw), cmp.Compare(a.id, b.id)) }

// limit keeps so many candidates of each group, the first in an order, and notes why the
// others are not taken; 0 keeps all.
func (x *exporter) limit(candidates []candidate, limit int, reason string, group func(candidate) string,
	order func(a, b candidate) int) (chosen []candidate) {
	if limit == 0 {
		return candidates
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Or(order(a, b), drawn(a, b)) })
	count := map[string]int{}
	for _, c := range candidates {
		if count[group(c)]++; count[group(c)] > limit {
			x.unchosen[c.id] = Reason(reason)
			continue
		}
		chosen = append(chosen, c)
	}
	return chosen
}
