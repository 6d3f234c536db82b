package main

import (
	"runtime"
	"testing"
)

// Memory grows by a third, by less than five times as much, and otherwise by 32 MiB.
func TestGrowth(t *testing.T) {
	g := garbage{percent: 33, minimum: 32 << 20, limit: 400}
	for _, x := range []struct {
		live int64
		want int
	}{{0, 400}, {4 << 20, 400}, {8 << 20, 400}, {16 << 20, 200}, {32 << 20, 100}, {96 << 20, 33}, {1 << 40, 33}} {
		if got := g.growth(x.live); got != x.want {
			t.Errorf("%d bytes grow by %d percent, want %d", x.live, got, x.want)
		}
	}
}

// Every collection sets how far memory grows and what bounds it, if that has changed.
func TestCollector(t *testing.T) {
	live, read, set := make(chan int64), make(chan bool), make(chan threshold, 1)
	over := make(chan bool)
	defer close(over)
	const last = 2 << 30
	c := &collector{
		garbage: garbage{percent: 33, minimum: 32 << 20, limit: 400, budget: 320 << 20},

		set: func(p threshold) { set <- p },
		live: func() int64 {
			select {
			case read <- true:
				return <-live
			case <-over: // collections after the test
				return last
			}
		},
	}
	go c.adapt()
	for i, x := range []struct {
		live int64
		want threshold // zero if nothing is set
	}{
		{16 << 20, threshold{200, 320 << 20}}, {17 << 20, threshold{}}, {24 << 20, threshold{133, 320 << 20}},
		{1 << 30, threshold{33, 1<<30 + (1<<30)/6}}, {last, threshold{33, last + last/6}},
	} {
		for waiting := true; waiting; { // until the collection has been seen
			select {
			case <-read:
				waiting = false
			default:
				runtime.GC()
			}
		}
		live <- x.live
		if x.want != (threshold{}) {
			if got := <-set; got != x.want {
				t.Errorf("%d: %+v is set, want %+v", i, got, x.want)
			}
		}
	}
	if len(set) > 0 {
		t.Error("what has hardly changed is set again")
	}
}

// A GOGC that the user sets stays in force.
func TestGarbageOfUsers(t *testing.T) {
	s := &system{
		collectAt: func(threshold) { t.Error("it is set") },
		getenv:    func(name string) string { return map[string]string{"GOGC": "200"}[name] },
	}
	s.saveMemory()
	s.spareRequests()
}
