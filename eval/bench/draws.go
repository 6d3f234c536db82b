package bench

import (
	"fmt"
	"strings"

	"heldout/envs"
	"heldout/envs/stream"
)

// draw draws n tasks, each uniformly from all of them, with repetition. The names of
// the second and later draws of a task end in #2, #3, …, so that each is an episode
// of its own.
func draw(tasks []envs.Task, n int, seed int64) (out []envs.Task) {
	if len(tasks) == 0 {
		return nil
	}
	rng := stream.New(seed, "draws")
	drawnBefore := map[string]int{}
	for range n {
		t := tasks[rng.IntN(len(tasks))]
		drawnBefore[t.ID]++
		if k := drawnBefore[t.ID]; k > 1 {
			t.ID = fmt.Sprintf("%s%s%d", t.ID, drawMark, k)
		}
		out = append(out, t)
	}
	return out
}

// drawMark stands between the name of a task and the number of its draw.
const drawMark = "#"

func drawnFrom(name string) string {
	name, _, _ = strings.Cut(name, drawMark)
	return name
}

// drawnEnv is an environment that plays drawn tasks.
type drawnEnv struct{ envs.Env }

// NewWorld implements envs.Env.
func (d drawnEnv) NewWorld(t envs.Task) (envs.World, error) {
	t.ID = drawnFrom(t.ID)
	return d.Env.NewWorld(t)
}

// Unwrap implements envs.Wrapper.
func (d drawnEnv) Unwrap() any { return d.Env }

// Rewrites implements envs.Wrapper.
func (drawnEnv) Rewrites() []any { return nil }
