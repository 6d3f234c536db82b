package eval

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"heldout/envs"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

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
