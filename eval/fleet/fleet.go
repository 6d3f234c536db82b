// Package fleet asks one model that several servers serve. An episode stays with one server, because the server's
// prefix cache makes its next turn cheap. A server that is gone is set aside until it answers again; while all are
// gone, the calls wait.
package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"heldout/eval/model"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Options say which servers there are and how long to wait for them.
type Options struct {
	// Servers are the addresses, at least one; see model.Options.BaseURL.
	Servers []string
	// List returns the addresses that are in force now, for servers that come and
	// go; nil if they are always the same. The fleet asks several times a second, so that
	// a server that is taken away gets few calls. An error leaves the servers as they are.
	List func() ([]string, error)
	// Open prepares to ask the server at an address.
	Open func(address string) (*model.Client, error)
	// Attempts is the largest number of attempts of a call that reach a server. Those
	// on a server that is then set aside count only if the call may be the reason.
	Attempts int
	// SameWeights: the model's root may differ between servers.
	SameWeights bool
	// GiveUpAfter is how long calls wait while no server answers; 0 waits for ever.
	GiveUpAfter time.Duration
	// Tell receives one-line notes about servers that leave and come back. It may be called from many goroutines.
	Tell func(line string)
	// Now tells the time.
	Now func() time.Time
	// Pace is the time between two questions to a server that is gone, by default 1
	// second, and between two looks at List, by default a quarter of one.
	Pace, ListPace time.Duration
}

// Fleet is a model on one or more servers. It is safe for concurrent use.
type Fleet struct {
	o    Options
	stop context.CancelFunc
	ctx  context.Context
	work sync.WaitGroup
	// several: there are several servers, or may be.
	several bool

	mu      sync.Mutex
	servers []*server
	// about is what all servers must agree on; nil until Server has asked.
	about *record.ServerReport
	// changed is closed and replaced when a server comes back or joins, and when the fleet gives up.
	changed chan struct{}
	// gone is when the last server was set aside; zero while one is there. tooLong
	// ends the fleet if none comes back.
	gone    time.Time
	talks   bool // a server answers then, but not as it should
	tooLong *time.Timer
	// onTurn is called when the last server goes and when the first one is back; nil for none.
	onTurn func()
	// toldLate: it was said that a reply took too long.
	toldLate bool
	// lost is why the fleet gave up; nil while it has not.
	lost *LostError
	// completion is the running mean of the tokens of a reply.
	completion float64
}

// LostError reports that no server was of use for too long.
type LostError struct {
	Wait time.Duration
	// Asked: all servers ask for a longer wait. Talks: some server has answered, but not as it should.
	Asked, Talks bool
	// Causes say for every server why it is set aside.
	Causes []string
}

// Error implements error.
func (e *LostError) Error() string {
	causes := strings.Join(e.Causes, "; ")
	switch {
	case e.Asked && len(e.Causes) == 1:
		return fmt.Sprintf("the model server asks for a longer wait than --set give-up-after=%v: %s", e.Wait, causes)
	case e.Asked:
		return fmt.Sprintf("all model servers ask for a longer wait than --set give-up-after=%v: %s", e.Wait, causes)
	case e.Talks:
		return fmt.Sprintf("no usable reply for %v (--set give-up-after): %s", e.Wait, causes)
	}
	return fmt.Sprintf("no model server has answered for %v (--set give-up-after): %s", e.Wait, causes)
}

// Open prepares to ask the servers. It contacts none. Close the fleet when it is done.
func Open(o Options) (*Fleet, error) {
	o.Pace, o.ListPace = cmp.Or(o.Pace, time.Second), cmp.Or(o.ListPace, time.Second/4)
	f := &Fleet{o: o, several: len(o.Servers) > 1 || o.List != nil, changed: make(chan struct{}), completion: 64}
	f.ctx, f.stop = context.WithCancel(context.Background())
	for _, address := range o.Servers {
		client, err := o.Open(address)
		if err != nil {
			f.Close()
			return nil, err
		}
		if f.find(client.URL()) != nil {
			f.Close()
			client.Close()
			return nil, fmt.Errorf("the server %s is given twice", client.URL())
		}
		f.servers = append(f.servers, &server{address: address, client: client})
	}
	if len(f.servers) == 0 {
		return nil, errors.New("no server is named")
	}
	if o.List != nil {
		f.work.Go(f.follow)
	}
	return f, nil
}

// find returns the server at a client's address, nil if there is none.
func (f *Fleet) find(url string) *server {
	for _, s := range f.servers {
		if s.client.URL() == url && !s.removed {
			return s
		}
	}
	return nil
}

// Clients returns the clients of all servers.
func (f *Fleet) Clients() []*model.Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	return table.Each(f.servers, func(s *server) *model.Client { return s.client })
}

// ContextLimit is the smallest context in tokens of the servers; 0 while unknown.
func (f *Fleet) ContextLimit() int {
	smallest := 0
	for _, c := range f.Clients() {
		if n := c.ContextLimit(); n > 0 && (smallest == 0 || n < smallest) {
			smallest = n
		}
	}
	return smallest
}

// Close stops the questions to servers and closes the connections that are not in use.
func (f *Fleet) Close() {
	f.stop()
	f.work.Wait()
	f.mu.Lock()
	f.release()
	f.mu.Unlock()
	for _, c := range f.Clients() {
		c.Close()
	}
}

// notify wakes the calls that wait. The caller holds the lock.
func (f *Fleet) notify() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// present returns the servers that are in use. The caller holds the lock.
func (f *Fleet) present() []*server {
	return slices.DeleteFunc(slices.Clone(f.servers), (*server).isOut)
}
