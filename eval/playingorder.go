package eval

import (
	"cmp"
	"slices"

	"heldout/envs"
	"heldout/envs/stream"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// InPlayingOrder returns the episodes in the order in which they are played: first one of each environment, player
// and perturbation, then another one of each, then the others. The first two rounds show early what is wrong with
// each and how long each takes. The second one no longer has to load the data that all share. The rest is balanced:
// however far a run comes, about the same share of every environment, type and difficulty of tasks is played, by
// all players and under all perturbations, so that its rates are a smaller run's and not the first tasks'.
// Only what is slow falls behind, because it holds no more than its share of the places; see fairest.
func InPlayingOrder(episodes []*episode.Episode) []*episode.Episode {
	begun := map[EpisodeKind]int{}
	var rounds [3][]*episode.Episode
	for _, i := range balanced(episodes) {
		e := episodes[i]
		k := NewEpisodeKind(e.Condition)
		round := min(begun[k], len(rounds)-1)
		begun[k]++
		rounds[round] = append(rounds[round], e)
	}
	return slices.Concat(rounds[:]...)
}

// balanced returns the indices of episodes in balanced order: all of the first seed, then all of the next one;
// within a seed by the place of the task among its environment's tasks, and episodes of one task as planned.
func balanced(episodes []*episode.Episode) []int {
	shares := newShares(episodes)
	keys := make([]struct {
		seed  int
		share float64
	}, len(episodes))
	order := make([]int, len(episodes))
	for i, e := range episodes {
		keys[i].seed, keys[i].share = shares.seeds[e.Condition.Seed], shares.byTask[taskOf(e)]
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(keys[a].seed, keys[b].seed), cmp.Compare(keys[a].share, keys[b].share))
	})
	return order
}

// FirstTasks returns n tasks of an environment in the order of tasks, or all of them if n is 0: about the same share
// of every type and difficulty. Fewer tasks are always some of those that more would be.
func FirstTasks(env string, tasks []envs.Task, n int) []envs.Task {
	if n == 0 || n >= len(tasks) {
		return tasks
	}
	episodes := make([]*episode.Episode, len(tasks))
	for i := range tasks {
		episodes[i] = &episode.Episode{Task: &tasks[i], Condition: &record.Condition{Env: env}}
	}
	chosen := balanced(episodes)[:n]
	slices.Sort(chosen)
	first := make([]envs.Task, n)
	for i, task := range chosen {
		first[i] = tasks[task]
	}
	return first
}

// envTask is a task of an environment, whoever plays it.
type envTask struct{ env, preset, id string }

func taskOf(e *episode.Episode) envTask {
	return envTask{e.Condition.Env, e.Condition.Preset.Key(), e.Task.ID}
}

// shares say what share of the tasks of its environment a task comes after, from 0 to 1,
// and which seed a number is, from 0.
type shares struct {
	byTask map[envTask]float64
	seeds  map[int64]int
}

// newShares spreads the tasks of each type and difficulty of an environment evenly, in an order that is drawn.
func newShares(episodes []*episode.Episode) shares {
	type kind struct {
		env, preset, task string
		difficulty        envs.Difficulty
	}
	var kinds []kind
	byKind := map[kind][]envTask{}
	s := shares{map[envTask]float64{}, map[int64]int{}}
	for _, e := range episodes {
		c, t := e.Condition, taskOf(e)
		if _, ok := s.seeds[c.Seed]; !ok {
			s.seeds[c.Seed] = len(s.seeds)
		}
		if _, ok := s.byTask[t]; ok {
			continue
		}
		s.byTask[t] = 0
		k := kind{t.env, t.preset, e.Task.Type, e.Task.Difficulty}
		if byKind[k] == nil {
			kinds = append(kinds, k)
		}
		byKind[k] = append(byKind[k], t)
	}
	for _, k := range kinds {
		r := stream.New(0, "playing order", k.env, k.preset, k.task, string(k.difficulty))
		first := r.Float64()
		for place, task := range r.Perm(len(byKind[k])) {
			s.byTask[byKind[k][task]] = (float64(place) + first) / float64(len(byKind[k]))
		}
	}
	return s
}
