package model

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Limits are what a service allows per minute; 0 sets no limit.
type Limits struct{ Requests, Tokens int }

// pacer sends requests no faster than a service allows, so that it refuses none. It knows
// the limits of the options, and learns from the headers of replies (x-ratelimit-…) what is
// left and until when. It is safe for concurrent use.
type pacer struct {
	requests, tokens bucket
	now              func() time.Time
	tell             func(line string)

	mu sync.Mutex
	// sent counts the requests in flight.
	sent int
	// perByte is the running mean of tokens per byte of a request's texts, its reply included.
	perByte float64
	// notified is when it was said that calls wait.
	notified time.Time
	// asleep are the calls that wait, with the times at which they go on. heard is closed
	// when the service says what is left.
	asleep map[*time.Time]bool
	heard  chan struct{}
	// allowed is what the service says.
	allowed struct{ requests, tokens allowance }
}

// tokensAtMost is what a request takes of what is left, for each token that is expected: expectations are means.
const tokensAtMost = 1.1

// tokensKept is the share of the limit that is not used: what fits last are short requests,
// which take more tokens for each byte than the mean.
const tokensKept = 0.01

func newPacer(l Limits, now func() time.Time, tell func(string)) *pacer {
	return &pacer{requests: newBucket(l.Requests, now()), tokens: newBucket(l.Tokens, now()), now: now, tell: tell,
		perByte: 0.3, asleep: map[*time.Time]bool{}, heard: make(chan struct{})}
}

// A service may count in windows that begin anywhere: what is sent in any minute is at
// most shareSent of its limit and one hundredth that is sent at once.
const shareSent = 0.985

// bucket fills with what may be sent. What is taken before it is there is a debt.
type bucket struct {
	perSecond, capacity, level float64
	updated                    time.Time
}

func newBucket(perMinute int, now time.Time) bucket {
	capacity := max(1, float64(perMinute)/100)
	return bucket{shareSent * float64(perMinute) / 60, capacity, capacity, now}
}

// take takes n, and returns how long to wait until that is there.
func (b *bucket) take(n float64, now time.Time) time.Duration {
	if b.perSecond == 0 {
		return 0
	}
	b.level = min(b.capacity, b.level+b.perSecond*now.Sub(b.updated).Seconds()) - n
	b.updated = now
	return time.Duration(max(0, -b.level/b.perSecond) * float64(time.Second))
}

// wait waits until a request of that many bytes may be sent. It returns the tokens that it is expected to take.
func (p *pacer) wait(ctx context.Context, size int) (expected float64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	expected = p.perByte * float64(size)
	now := p.now()
	paced := now.Add(max(p.requests.take(1, now), p.tokens.take(expected, now)))
	for err == nil {
		tokens := tokensAtMost*expected + tokensKept*p.allowed.tokens.capacity
		until := latest(paced, latest(p.allowed.requests.wait(1, now), p.allowed.tokens.wait(tokens, now)))
		if !until.After(now) {
			break
		}
		p.announce(now, until)
		err = p.sleep(ctx, until)
		now = p.now()
	}
	p.sent++
	p.allowed.requests.inFlight++
	p.allowed.tokens.inFlight += tokensAtMost * expected
	return expected, err
}

// sleep waits until a time or for news. The caller holds the lock.
func (p *pacer) sleep(ctx context.Context, until time.Time) error {
	p.asleep[&until] = true
	heard := p.heard
	p.mu.Unlock()
	var err error
	select {
	case <-time.After(until.Sub(p.now())):
	case <-heard:
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.mu.Lock()
	delete(p.asleep, &until)
	return err
}

// waits returns when the first call goes on, if all wait for the service's limit; else the zero time.
func (p *pacer) waits() (until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sent > 0 {
		return time.Time{}
	}
	for sleeper := range p.asleep {
		if until.IsZero() || sleeper.Before(until) {
			until = *sleeper
		}
	}
	return until
}

// Pause waits, at most until ctx is done, whose error it returns then.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Repeat calls a function at each tick, until the function that it returns is called.
func Repeat(every time.Duration, do func()) (stop func()) {
	var repeating sync.WaitGroup
	done := make(chan struct{})
	repeating.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				do()
			}
		}
	})
	return func() {
		close(done)
		repeating.Wait()
	}
}

// longPause is a wait that is worth a line.
const longPause = 5 * time.Second

// announce says once that calls wait. The caller holds the lock.
func (p *pacer) announce(now, until time.Time) {
	if until.Sub(now) < longPause || p.tell == nil || now.Before(p.notified) {
		return
	}
	p.notified = now.Add(time.Minute)
	p.tell("calls wait for the service's limit, the next one until " + until.Format(time.TimeOnly))
}

// answered notes the tokens that a request took instead of those expected, and what the service says is left.
func (p *pacer) answered(size int, expected float64, reply *Reply, header http.Header) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent--
	p.allowed.requests.inFlight--
	p.allowed.tokens.inFlight -= tokensAtMost * expected
	if took := float64(reply.PromptTokens + reply.CompletionTokens); took > 0 {
		p.tokens.take(took-expected, p.now())
		p.perByte += (took/float64(max(1, size)) - p.perByte) / 16
	}
	requests := p.allowed.requests.hear("requests", header, p.now())
	if p.allowed.tokens.hear("tokens", header, p.now()) || requests {
		close(p.heard)
		p.heard = make(chan struct{})
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// mostPaced is the longest wait for a limit before the service is asked again.
const mostPaced = 10 * time.Minute

// resetAfter parses how long a limit lasts: seconds, or a duration such as 6m0s. It is at
// most mostPaced, and 0 if it is not readable.
func resetAfter(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		if d = number(text, time.Second); d >= 1e6*time.Second { // a date, in one of many forms
			return 0
		}
	}
	return min(max(d, 0), mostPaced)
}

// allowance is what a service says is left of a limit, in requests or tokens. The zero
// value stands for a service that says nothing.
type allowance struct {
	// quota is the least that was left of the limit until it is renewed; capacity is the most
	// that was ever left, which a renewed limit has at least.
	quota, capacity float64
	// until is when the limit is renewed; the zero time if the service has said nothing.
	until time.Time
	// inFlight is what has no reply yet. The service may have counted it or not.
	inFlight float64
}

// window is how long a renewed limit lasts as long as the service says nothing else.
const window = time.Minute

// wait returns when n more may be sent; the zero time means at once.
func (a *allowance) wait(n float64, now time.Time) time.Time {
	if a.until.IsZero() || a.capacity == 0 && !now.Before(a.until) { // gateways may tell it only where nothing is left
		return time.Time{}
	}
	if !now.Before(a.until) {
		a.quota, a.until = a.capacity, now.Add(window)
	}
	if a.quota-a.inFlight >= min(n, max(a.capacity, 1)) { // more than the limit goes alone
		return time.Time{}
	}
	return a.until
}

// renewed is how much later a limit ends than it was said to if it was renewed meanwhile.
// What is said of one limit differs by the time that replies take.
const renewed = 5 * time.Second

// hear reads the headers of the reply to a request. It reports whether they say what is left.
func (a *allowance) hear(unit string, header http.Header, now time.Time) bool {
	value, err := strconv.ParseFloat(header.Get("X-Ratelimit-Remaining-"+unit), 64)
	if err != nil || !(value >= 0) {
		return false
	}
	until := now.Add(resetAfter(header.Get("X-Ratelimit-Reset-" + unit)))
	if until.Sub(a.until) > renewed {
		a.quota = value
	}
	a.quota, a.capacity, a.until = min(a.quota, value), max(a.capacity, value), latest(a.until, until)
	return true
}
