package model

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// caller makes calls to one server: it limits the time of each attempt, repeats
// attempts that may succeed later, and converts failures to this package's
// errors.
type caller struct {
	// transport keeps connections for later requests; fresh opens one for each.
	transport, fresh http.RoundTripper
	// headers go with every request. They do not change.
	headers http.Header
	url     string
	// kind is the kind of server, which hints depend on.
	kind func() string
	// proxy is the host of the HTTP proxy that requests go through, "" for none.
	proxy   string
	key     Secret
	timeout time.Duration
	retry   Retry
	// explains makes a call that was to be tried again, but whose context is done, end
	// with a StoppedError.
	explains bool
	now      func() time.Time
	// acquire waits before an attempt, and returns what is called after it; nil for none.
	acquire func(context.Context) (release func(*exchange), err error)
	// budget is the largest total size in bytes of the replies that are being read,
	// inUse their current total size.
	budget int64
	inUse  *atomic.Int64
	// worked: the server has given a reply of the model.
	worked *atomic.Bool
}

// forCall is a caller for the attempt at a request.
func (c *caller) forCall(req *Request) *caller {
	own := *c
	own.timeout <<= min(req.Late, mostDoubled)
	if req.Fresh {
		own.transport = c.fresh
	}
	return &own
}

// mostDoubled is how often the time limit of a reply is doubled.
const mostDoubled = 2

// LongWait is the longest wait that a question to a server about itself obeys. A longer
// one is reported to the caller.
const LongWait = 10 * time.Second

// talk is one exchange with the server. An error means that the reply, if there
// is one, is not usable.
type talk func(context.Context, *exchange) error

// The failures that are tried again here.
func unlessAbsent(f *failure) bool { return !f.absent }
func ifBlank(f *failure) bool      { return f.blank }
func never(*failure) bool          { return false }

// call makes a talk, and repeats it after a failure that is worth it, until it has been tried
// often enough. It returns the number of attempts, and a ContextError, RequestError,
// UnavailableError or the context's own error.
func (c *caller) call(ctx context.Context, again func(*failure) bool, do talk) (int, error) {
	wait := c.retry.Waits()
	last := "" // the last failure before ctx was done
	for attempts := 1; ; attempts++ {
		err := c.attempt(ctx, do)
		f, failed := err.(*failure)
		if ctx.Err() == nil && failed {
			last = f.message
		}
		switch {
		case err == nil:
			return attempts, nil
		case ctx.Err() != nil:
			return attempts, c.stopped(ctx, last)
		case !failed || !again(f) || f.wait > LongWait || attempts == c.retry.Attempts:
			return attempts, finish(err, attempts)
		}
		if Pause(ctx, f.wait+wait.NextBackOff()) != nil {
			return attempts, c.stopped(ctx, last)
		}
	}
}

func (c *caller) stopped(ctx context.Context, last string) error {
	if c.explains && last != "" {
		return &StoppedError{Last: last, Err: ctx.Err()}
	}
	return ctx.Err()
}

// finish converts the last attempt's error to the call's error.
func finish(err error, attempts int) error {
	switch err := err.(type) {
	case *failure:
		return &UnavailableError{URL: err.url, Status: err.status, Message: err.message, Busy: err.busy,
			Wait: err.wait, Attempts: attempts, Limit: err.limit, Unsent: err.absent, gone: err.gone}
	case *RequestError:
		err.Attempts = attempts
	case *ContextError:
		err.Attempts = attempts
	}
	return err
}

// failure is a failed attempt that may succeed if repeated.
type failure struct {
	url     string
	status  int
	message string
	// wait is the wait that the server asked for.
	wait time.Duration
	// busy reports that the server refuses calls for a while.
	busy bool
	// absent reports that no server was reachable.
	absent bool
	// blank reports that the reply holds no message.
	blank bool
	// gone reports that the attempt failed as it does when a server is gone.
	gone bool
	// limit is the time within which no reply came; 0 if the attempt failed otherwise.
	limit time.Duration
}

// Error implements error.
func (f *failure) Error() string { return f.message }

// attempt makes a talk once. A kept connection may have been closed by the server, or by a balancer before
// it, when a request is sent on it: nobody has read that one, so it is sent again on a new connection.
func (c *caller) attempt(ctx context.Context, do talk) error {
	x, err := c.exchange(ctx, c.transport, do)
	if err != nil && x.stale() && ctx.Err() == nil {
		_, err = c.exchange(ctx, c.fresh, do)
	}
	return err
}

// exchange makes a talk on a connection of a transport.
func (c *caller) exchange(ctx context.Context, transport http.RoundTripper, do talk) (*exchange, error) {
	x := &exchange{transport: transport, headers: c.headers, url: c.url, limit: mostReply, budget: c.budget,
		inUse: c.inUse}
	if c.acquire != nil {
		release, err := c.acquire(ctx)
		defer release(x)
		if err != nil {
			return x, err
		}
	}
	limited, cancel := context.WithTimeout(x.watched(ctx), c.timeout)
	defer cancel()
	defer x.release()
	err := do(limited, x)
	if err == nil && x.answered() {
		return x, nil
	}
	return x, c.classify(limited, x, err)
}

// classify converts the error of a talk, whose time a context limits.
func (c *caller) classify(limited context.Context, x *exchange, err error) error {
	switch {
	case x.status != 0 && !x.answered():
		return c.refused(x)
	case limited.Err() != nil:
		f := c.lost(x, fmt.Sprintf("no reply within %v", c.timeout))
		f.limit = c.timeout
		return f
	case errors.Is(x.err, syscall.EMFILE), errors.Is(x.err, syscall.ENFILE):
		return &MachineError{x.err}
	case x.err != nil:
		return c.lost(x, c.viaProxy(withAuthority(x.err)))
	case x.status == 0:
		return unsendable(clean(x.address(), c.key), clean(err.Error(), c.key))
	}
	return c.misread(x, err)
}

// statusOverloaded is what Anthropic answers where others answer 503.
const statusOverloaded = 529

func (c *caller) failed(x *exchange, message string) *failure {
	return &failure{
		url:     clean(x.address(), c.key),
		status:  x.status,
		message: clean(message, c.key),
		wait:    c.askedWait(x),
		absent:  x.status == 0 && absent(x.err),
	}
}

// lost is failed for an attempt that fails like this when a server is gone.
func (c *caller) lost(x *exchange, message string) *failure {
	f := c.failed(x, message)
	f.gone = true
	return f
}

// withAuthority is the text of a transport's error, and what helps against a certificate of a
// private authority.
func withAuthority(err error) string {
	if errors.As(err, new(x509.UnknownAuthorityError)) {
		return err.Error() + " (SSL_CERT_FILE names a file with the certificate of a private one)"
	}
	return err.Error()
}

// absent reports whether a transport error means that no usable server is at the
// address.
func absent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial" || errors.As(err, new(*tls.CertificateVerificationError)) ||
		errors.As(err, new(tls.RecordHeaderError)) || errors.Is(err, http.ErrSchemeMismatch)
}

// refused classifies a reply with a status outside 2xx.
func (c *caller) refused(x *exchange) error {
	answer, _ := readWords(x.reply)
	message := clean(answer.text, c.key)
	switch x.status {
	case http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		message = c.viaProxy(message)
	}
	if x.status/100 == 3 {
		message = clean("it leads to "+x.header.Get("Location"), c.key)
	}
	switch status := x.status; {
	case status == http.StatusTooManyRequests && answer.spent(c.askedWait(x), x.reply):
		// Waiting does not help.
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout:
		f := c.failed(x, statusLine(status, message))
		f.busy = true
		return f
	case (status == 400 || status == 413 || status == 422 || status >= 500) && answer.overflow(),
		status == http.StatusRequestEntityTooLarge,
		(status == 400 || status == 422) && remedyFor(c.kind(), status, message) == "" && answer.speaksOfLength():
		return &ContextError{Status: status, Message: cmp.Or(message, http.StatusText(status)), Limit: answer.limit,
			Requested: answer.requested}
	case status == http.StatusConflict, status == http.StatusFailedDependency, status == http.StatusTooEarly,
		status == http.StatusNotFound && c.worked.Load() && !noModel().MatchString(message):
		return c.failed(x, statusLine(status, message))
	case status >= 500 && !mistypedOption.MatchString(message) && remedyFor(c.kind(), status, message) == "":
		f := c.failed(x, statusLine(status, message))
		f.busy = status == http.StatusServiceUnavailable || status == statusOverloaded
		f.gone = status == http.StatusBadGateway || status == http.StatusServiceUnavailable ||
			status == http.StatusGatewayTimeout
		return f
	}
	refusal := &RequestError{URL: clean(x.address(), c.key), Status: x.status, Message: message}
	switch {
	case answer.page && (x.status == http.StatusNotFound || x.status == http.StatusMethodNotAllowed):
		refusal.remedy = checkAddress
	case answer.page && x.status == http.StatusForbidden:
		refusal.remedy = checkBetween
	}
	if x.status == 400 || x.status == 422 || x.status >= 500 {
		refusal.remedy = remedyFor(c.kind(), x.status, message)
		refusal.unsupported = answer.unsupported()
		refusal.Field = refusedField(answer.param, message, refusal.unsupported)
		refusal.refusesUsage = strings.Contains(message, "stream_options")
		refusal.wantsStream = streamText().MatchString(message) && !refusal.refusesUsage
	}
	return refusal
}

// misread classifies an unusable reply with a status of 2xx.
func (c *caller) misread(x *exchange, err error) error {
	if full, ok := errors.AsType[*ContextError](err); ok {
		return full
	}
	answer, isError := readWords(x.reply)
	switch message := clean(answer.text, c.key); {
	case isError && answer.overflow():
		return &ContextError{Status: x.status, Message: message, Limit: answer.limit, Requested: answer.requested}
	case isError:
		return c.failed(x, "it reports an error: "+message)
	case message == "":
		return c.failed(x, "the reply is empty")
	case answer.page && !c.worked.Load(): // else something stands in for the server for a moment
		return &RequestError{URL: clean(x.address(), c.key), Status: x.status, Message: message, remedy: checkAddress}
	}
	f := c.failed(x, fmt.Sprintf("%v: %s", err, answer.text))
	f.blank = err == errNoMessage
	return f
}

// askedWait is the wait that the server asks for, in a header or in the words of a refusal; 0 for none.
func (c *caller) askedWait(x *exchange) time.Duration {
	if wait := retryAfter(x.header, c.now()); wait > 0 || x.answered() {
		return wait
	}
	return waitIn(x.reply)
}

// retryAfter parses the wait that the server asks for: a number of milliseconds or seconds, or a
// date. The result is 0 if the server did not ask or the value is invalid.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if wait := number(header.Get("Retry-After-Ms"), time.Millisecond); wait > 0 { // OpenAI and Azure
		return wait
	}
	value := header.Get("Retry-After")
	if date, err := http.ParseTime(value); err == nil {
		return min(max(date.Sub(now), 0), forEver)
	}
	return number(value, time.Second)
}

// forEver is the longest wait that is told.
const forEver = 100 * 365 * 24 * time.Hour

// number parses a time in a unit, at most forEver; 0 if it is none.
func number(text string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || !(n > 0) {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(forEver)))
}
