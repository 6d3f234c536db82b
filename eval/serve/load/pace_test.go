package load

import (
	"context"
	"testing"
	"time"
)

// Requests are due at even times from when all clients are connected, also those that are
// asked for late.
func TestPace(t *testing.T) {
	start := time.Unix(0, 0)
	times := make(chan time.Time, 100)
	times <- start
	for range cap(times) - 1 {
		times <- start.Add(time.Hour)
	}
	p := &pace{every: time.Second, now: func() time.Time { return <-times }, due: make(chan time.Time)}
	p.clients.Add(1)
	ctx, cancel := context.WithCancel(t.Context())
	kept := make(chan error)
	go func() { kept <- p.keep(ctx) }()
	if len(times) < cap(times) {
		t.Error("the time is asked for before the clients are connected")
	}
	p.clients.Done()
	for i := range 10 {
		if due, ok := p.next(ctx); !ok || !due.Equal(start.Add(time.Duration(i)*time.Second)) {
			t.Errorf("request %d is due at %v, %v", i, due, ok)
		}
	}
	cancel()
	if err := <-kept; err != nil {
		t.Error(err)
	}
	if _, ok := p.next(ctx); ok {
		t.Error("a request is due after the end")
	}
}

// Sleep is not short.
func TestSleeper(t *testing.T) {
	s, err := newSleeper()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, d := range []time.Duration{1, time.Millisecond, 3 * time.Millisecond} {
		start := time.Now()
		if err := s.sleep(d); err != nil || time.Since(start) < d {
			t.Errorf("%v: slept %v, %v", d, time.Since(start), err)
		}
	}
}
