package eval

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// planOf plans tasks of two types in two environments, for two models and some seeds.
func planOf(sizes map[string]int, seeds int) (planned []*episode.Episode) {
	for _, env := range []string{"a", "b"} {
		var tasks []envs.Task
		for _, kind := range []string{"x", "y"} {
			for i := range sizes[env+kind] {
				tasks = append(tasks, envs.Task{ID: fmt.Sprint(kind, i), Type: kind})
			}
		}
		for _, model := range []string{"m", "n"} {
			for seed := range seeds {
				c := &record.Condition{Env: env, Model: model, Seed: int64(seed)}
				for i := range tasks {
					planned = append(planned, &episode.Episode{ID: fmt.Sprint(env, model, seed, tasks[i].ID),
						Task: &tasks[i], Condition: c})
				}
			}
		}
	}
	return planned
}

// The first round has one of each environment and model, the second another.
func TestInPlayingOrder(t *testing.T) {
	planned := planOf(map[string]int{"ax": 3, "bx": 1, "by": 2}, 1)
	var got []string
	for _, e := range InPlayingOrder(planned) {
		got = append(got, e.Condition.Env+e.Condition.Model)
	}
	want := []string{"am", "an", "bm", "bn", "am", "an", "bm", "bn"}
	slices.Sort(got[:4])
	slices.Sort(got[4:8])
	sharedtest.Equal(t, cmp.Diff(want, got[:8]), "")
	sharedtest.Equal(t, len(got), len(planned), "of episodes")
}

// However far a run comes, the share that is played is about the same for every type of
// every environment and for both models, and no second seed is played before the first.
func TestBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(0, 40)
		sizes := map[string]int{"ax": size.Draw(t, "ax"), "ay": size.Draw(t, "ay"), "bx": size.Draw(t, "bx"),
			"by": size.Draw(t, "by")}
		planned := planOf(sizes, 2)
		order := balanced(planned)
		total := len(planned) / 4 // of one model and one seed
		done := map[string]int{}
		var second bool
		for n, i := range order {
			e := planned[i]
			if second = second || e.Condition.Seed == 1; second != (e.Condition.Seed == 1) {
				t.Fatal("a first seed comes after a second one")
			}
			if second {
				break
			}
			done[e.Condition.Model+e.Condition.Env+e.Task.Type]++
			share := float64(n+1) / float64(2*total)
			for k, size := range sizes {
				for _, model := range []string{"m", "n"} {
					if off := math.Abs(float64(done[model+k]) - share*float64(size)); off > 3 {
						t.Fatalf("after %d of %d: %d of %d of %s by %s", n+1, 2*total, done[model+k], size, k, model)
					}
				}
			}
		}
		sorted := slices.Clone(order)
		slices.Sort(sorted)
		for i, at := range sorted {
			if i != at {
				t.Fatal("an episode is missing, or there twice")
			}
		}
	})
}

// A limit selects n tasks in their order, among them all that a smaller one selects, and about the same share of every
// kind: the shares of any two kinds would be equal after a task more of one and a task less of the other.
func TestFirstTasks(t *testing.T) {
	kind := func(t envs.Task) string { return t.Type + string(t.Difficulty) }
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 1, 60).Draw(t, "kinds")
		hard := rapid.SampledFrom([]envs.Difficulty{envs.Easy, envs.Hard})
		var tasks []envs.Task
		all := map[string]int{}
		for i, name := range kinds {
			tasks = append(tasks, envs.Task{ID: fmt.Sprint(i), Index: i, Type: name, Difficulty: hard.Draw(t, "hard")})
			all[kind(tasks[i])]++
		}
		smaller := FirstTasks("env", tasks, 1)
		for n := 1; n <= len(tasks); n++ {
			got, count := FirstTasks("env", tasks, n), map[string]int{}
			for _, task := range got {
				count[kind(task)]++
			}
			for a, allA := range all {
				for b, allB := range all {
					if (count[a]-1)*allB >= (count[b]+1)*allA {
						t.Fatalf("%d of %d %s, but %d of %d %s", count[a], allA, a, count[b], allB, b)
					}
				}
			}
			byIndex := func(a, b envs.Task) int { return a.Index - b.Index }
			if len(got) != n || !slices.IsSortedFunc(got, byIndex) {
				t.Fatalf("%d tasks of %d: %v", len(got), n, got)
			}
			if slices.ContainsFunc(smaller, func(task envs.Task) bool { return !slices.Contains(got, task) }) {
				t.Fatalf("%v lacks some of %v", got, smaller)
			}
			smaller = got
		}
	})
}

// fourByTwo plans so many tasks in each of four environments, for two models.
func fourByTwo(tasks int) (planned []*episode.Episode) {
	for _, env := range []string{"a", "b", "c", "d"} {
		for _, model := range []string{"m", "n"} {
			for i := range tasks {
				planned = append(planned, &episode.Episode{Task: &envs.Task{ID: fmt.Sprint(i)},
					Player: &episode.Player{Name: model}, Condition: &record.Condition{Env: env, Model: model}})
			}
		}
	}
	return InPlayingOrder(planned)
}

// tally counts the episodes in flight and those that are over, and of both the slow ones.
type tally struct{ inFlight, over, slowInFlight, slowOver int }

// crowd plays episodes.
type crowd struct {
	sync.Mutex
	tally
}

// count adds episodes that began and ended, and returns the tally.
func (c *crowd) count(begun, ended, slow int) tally {
	c.Lock()
	defer c.Unlock()
	c.inFlight += begun - ended
	c.over += ended
	c.slowInFlight += slow * (begun - ended)
	c.slowOver += slow * ended
	return c.tally
}

// play takes a minute for an episode, and a hundred for one of that environment or model. Each
// takes a little longer than the one begun before it: of two that end at the same moment, the
// scheduler would draw which frees its place first.
func (c *crowd) play(a *agenda, slow string) {
	var little time.Duration
	for e := a.take(); e != nil; e = a.take() {
		little += time.Microsecond
		took := time.Minute + little
		n := 0
		if e.Condition.Env == slow || e.Condition.Model == slow {
			n = 1
			took = 100*time.Minute + little
		}
		c.count(1, 0, n)
		go func() {
			time.Sleep(took)
			c.count(0, 1, n)
			a.release(e)
			a.done()
		}()
	}
}

// An environment or model that is a hundred times as slow as the others holds only its share of
// the places while others wait, so that those end as if it had a machine of its own. No place is
// idle before the last episode begins.
func TestSlowOnesLeavePlaces(t *testing.T) {
	const places, tasks, total = 16, 40, 40 * 4 * 2
	for slow, share := range map[string]int{"a": places / 4, "m": places / 2} {
		synctest.Test(t, func(t *testing.T) {
			var c crowd
			go c.play(newAgenda(fourByTwo(tasks), places), slow)
			others := total - total*share/places
			time.Sleep(time.Second) // beyond all that is little
			for minute := range others / (places - share) {
				time.Sleep(time.Minute)
				synctest.Wait()
				now := c.count(0, 0, 0)
				if now.over-now.slowOver < others && now.slowInFlight > share || now.inFlight != places {
					t.Errorf("after %d minutes %d places are taken, %d of them by %s", minute+1, now.inFlight,
						now.slowInFlight, slow)
				}
			}
			if now := c.count(0, 0, 0); now.over-now.slowOver != others {
				t.Errorf("%d of %d episodes are over that are not of %s", now.over-now.slowOver, others, slow)
			}
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			if now := c.count(0, 0, 0); now.over != total {
				t.Errorf("%d of %d episodes are over", now.over, total)
			}
		})
	}
}
