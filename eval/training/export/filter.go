package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heldout/envs/catalog"
	"heldout/envs/stream"
	"heldout/eval/training/synth"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/refinement"
)

// Filter says which episodes are taken. Empty lists take all.
type Filter struct {
	// Success takes only solved episodes.
	Success  bool    `json:"success,omitempty"`
	Progress float64 `json:"least_progress,omitempty"` // the least progress at the end, in [0,1]
	// Recoveries is the least number of errors that a different valid action follows within 5 steps.
	Recoveries int     `json:"least_recoveries,omitempty"`
	Seeds      []int64 `json:"seeds,omitempty"`
	// Presets are names such as eto-alfworld, with or without version and part.
	Presets []string `json:"presets,omitempty"`
	Envs    []string `json:"environments,omitempty"`
	Players []string `json:"players,omitempty"`
}

// Reason is why an episode is left out.
type Reason string

// The reasons. Others are made of the values of a Filter.
const (
	NoModel      Reason = "no model played"
	Text         Reason = "the model continued a text, not a chat"
	Called       Reason = "the model acted by calls of a function"
	Shortened    Reason = "messages were shortened to fit the context"
	Differs      Reason = "played again, it is not as recorded"
	Nothing      Reason = "no turn to train on"
	Alone        Reason = "no episode of its task to compare with"
	Single       Reason = "calls do not continue each other"
	TooLong      Reason = "no turn fits the window"
	Refused      Reason = "an empty message, which OpenAI refuses"
	Duplicate    Reason = "duplicate"
	Twice        Reason = "the same episode is there twice"
	TestTask     Reason = "a benchmark tests with the task"
	DrawnTest    Reason = "drawn by chance: a benchmark tests with the same puzzle"
	TestQuestion Reason = "its goal is a question that a benchmark tests with"
	NotSolved    Reason = "not solved"
	OtherSeed    Reason = "another seed"
	OtherSet     Reason = "another preset"
	OtherEnv     Reason = "another environment"
	OtherMaker   Reason = "another player"
)

// result says why an episode is left out, as far as its result tells; "" if it is taken.
func (f Filter) result(c *record.Condition, a record.Rank) Reason {
	switch {
	case len(f.Envs) > 0 && !slices.Contains(f.Envs, c.Env):
		return OtherEnv
	case len(f.Players) > 0 && !slices.Contains(f.Players, c.Model):
		return OtherMaker
	case len(f.Seeds) > 0 && !slices.Contains(f.Seeds, c.Seed):
		return OtherSeed
	case len(f.Presets) > 0 && !slices.ContainsFunc(f.Presets, func(name string) bool {
		return c.Preset != nil && slices.Contains(c.Preset.Names(), name)
	}):
		return OtherSet
	case f.Success && a.Outcome != record.Success:
		return NotSolved
	case a.Progress < f.Progress:
		return Reason(fmt.Sprintf("progress below %g", f.Progress))
	}
	return ""
}

// steps says why an episode is left out, as far as its steps tell.
func (f Filter) steps(e *record.Episode) Reason {
	if f.Recoveries == 0 {
		return ""
	}
	counts := refinement.WithoutThoughts(e, nil)
	return f.recovered(int(counts.Recovered[len(counts.Recovered)-1]))
}

func (f Filter) recovered(n int) Reason {
	if n < f.Recoveries {
		return Reason(fmt.Sprintf("fewer than %d recoveries", f.Recoveries))
	}
	return ""
}

// item says why a verified trajectory is left out. It has succeeded, and has neither seed nor preset nor player.
func (f Filter) item(i *synth.Item) Reason {
	switch {
	case len(f.Envs) > 0 && !slices.Contains(f.Envs, Synthetic):
		return OtherEnv
	case len(f.Players) > 0:
		return OtherMaker
	case len(f.Seeds) > 0:
		return OtherSeed
	case len(f.Presets) > 0:
		return OtherSet
	case asks(i.Script.Goal):
		return TestQuestion
	}
	return f.recovered(repaired(i))
}

// mostQuestion is the longest end of a text that asks looks at, in bytes.
const mostQuestion = 2_000

// asks reports whether a text is a question that a benchmark tests with, or ends in one
// after a colon or on a line of its own.
func asks(text string) bool {
	for rest := text[max(0, len(text)-mostQuestion):]; ; {
		if catalog.IsTestQuestion(rest) {
			return true
		}
		i := strings.IndexAny(rest, ":\n")
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
}

// repaired counts the player's wrong turns that a right one follows.
func repaired(i *synth.Item) (n int) {
	wrong := false
	for k, t := range i.Turns {
		if t.Master {
			continue
		}
		if wrong && i.Train[k] {
			n++
		}
		wrong = !i.Train[k]
	}
	return n
}

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
