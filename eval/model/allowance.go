package model

import (
	"net/http"
	"strconv"
	"time"
)

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
	if a.until.IsZero() {
		return a.until
	}
	if !now.Before(a.until) {
		a.quota, a.until = a.capacity, now.Add(window)
	}
	if a.quota-a.inFlight >= min(n, a.capacity) { // more than the limit goes alone
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
	a.quota, a.capacity, a.until = min(a.quota, value), max(a.capacity, value, 1), latest(a.until, until)
	return true
}
