package serve

import (
	"bytes"
	"sync/atomic"
)

// crew are goroutines that carry out frames. A few of them stay, because a new
// goroutine spends more time on growing its stack than on a step. There are always
// enough: if all are busy, another one starts, and ends with its job.
type crew struct {
	jobs  chan job
	stays atomic.Int64
	ended chan struct{} // closed when the server ends
}

// job is a socket and the first frame to carry out.
type job struct {
	socket *socket
	frame  *bytes.Buffer
}

// mostStaying is the largest number of goroutines that stay.
const mostStaying = 64

func newCrew() *crew { return &crew{jobs: make(chan job), ended: make(chan struct{})} }

// start has a job done.
func (c *crew) start(j job) {
	select {
	case c.jobs <- j:
	default:
		go c.work(j)
	}
}

// work does a job, and then others if it may stay.
func (c *crew) work(j job) {
	j.socket.work(j.frame)
	if c.stays.Add(1) > mostStaying {
		c.stays.Add(-1)
		return
	}
	defer c.stays.Add(-1)
	for {
		select {
		case j = <-c.jobs:
			j.socket.work(j.frame)
		case <-c.ended:
			return
		}
	}
}
