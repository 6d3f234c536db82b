package serve

import "sync/atomic"

// crew are goroutines that carry out steps. A few of them stay, because a new
// goroutine spends more time on growing its stack than on a step. There are always
// enough: if all are busy, another one starts, and ends with its job.
type crew struct {
	jobs  chan func()
	stays atomic.Int64
	ended chan struct{} // closed when the server ends
}

// mostStaying is the largest number of goroutines that stay.
const mostStaying = 64

func newCrew() *crew { return &crew{jobs: make(chan func()), ended: make(chan struct{})} }

func (c *crew) start(job func()) {
	select {
	case c.jobs <- job:
	default:
		go c.work(job)
	}
}

// work does a job, and then others if it may stay.
func (c *crew) work(job func()) {
	job()
	if c.stays.Add(1) > mostStaying {
		c.stays.Add(-1)
		return
	}
	defer c.stays.Add(-1)
	for {
		select {
		case job = <-c.jobs:
			job()
		case <-c.ended:
			return
		}
	}
}
