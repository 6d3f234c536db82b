package model

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// caller makes calls to one server: it limits the time of each attempt, repeats attempts that may succeed later,
// and converts failures to this package's errors.
type caller struct {
	// transport keeps connections for later requests; fresh opens one for each.
	transport, fresh http.RoundTripper
	// headers go with every request. They do not change.
	headers http.Header
	// url is where the server is, for errors, and list where its list of models is.
	url, list string
	// kind is the kind of server, which hints depend on.
	kind func() string
	// proxy is the host of the proxy that requests go through, "" for none.
	proxy   string
	key     Secret
	timeout time.Duration
	retry   Retry
	// explains makes a call that was to be tried again, but whose context is done, end with a StoppedError.
	explains bool
	now      func() time.Time
	// acquire waits before an attempt, and returns what is called after it; nil for none.
	acquire func(context.Context) (release func(*exchange), err error)
	// pacer keeps calls within the service's limits per minute.
	pacer *pacer
	// budget is the largest total size in bytes of the replies that are being read, inUse their current total size.
	budget int64
	inUse  *atomic.Int64
	// worked: the server has given a reply of the model.
	worked *atomic.Bool
}

// ask makes a call: it sends the fields of a request to an address, in the way that h says. read reads what comes
// back. A reply without a message is one without content, and read says so by errNoMessage.
func (c *caller) ask(ctx context.Context, req *Request, h habit, url string, fields any,
	read func(*exchange, *Reply) (content, error)) (*Reply, error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, unsendable(c.url, clean(err.Error(), c.key))
	}
	reply, blank, own := &Reply{}, 0, *c
	own.timeout <<= min(req.Late, mostDoubled)
	if req.Fresh {
		own.transport = c.fresh
	}
	size := len(body)
	own.acquire = func(ctx context.Context) (func(*exchange), error) {
		expected, err := c.pacer.wait(ctx, size)
		return func(x *exchange) { c.pacer.answered(size, expected, reply, x.header) }, err
	}
	encode := func() (text []byte, err error) {
		if text, body = body, nil; text == nil { // it was sent before
			text, err = json.Marshal(fields)
		}
		return text, err
	}
	repeats := ifBlank
	if req.Once {
		repeats = never
	}
	attempts, err := own.call(ctx, repeats, func(ctx context.Context, x *exchange) error {
		x.limit = h.replyLimit(longest(req.Decoding))
		start := c.now()
		if err := x.send(ctx, url, encode); err != nil {
			return err
		}
		took := c.now().Sub(start)
		sent, err := read(x, reply)
		if x.status == http.StatusInternalServerError && wording("repeats").Match(x.reply) {
			*reply, x.status, err = Reply{FinishReason: repetition}, http.StatusOK, nil
		}
		if err == nil {
			sent, err = sent.forRequest(req)
		}
		if err != nil && err != errNoMessage {
			return err
		}
		reply.Latency = took
		reply.settle(sent, req, stopsOf(req.Decoding), h.sendsStops(req.Decoding), c.key)
		if err != nil {
			if blank++; blank >= min(mostBlank, max(2, c.retry.Attempts)) || req.Once { // the model has nothing to say
				return nil
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.worked.Store(true)
	reply.Attempts = attempts
	return reply, nil
}

// repetition is vLLM's reason for the end of a reply that repeats itself. Ollama has none.
const repetition = "repetition"

// mostDoubled is how often the time limit of a reply is doubled.
const mostDoubled = 2

// mostBlank is the number of replies without a message after which the last one counts as the model's, or two if no
// call is tried more often. Servers in trouble send them, too, but seldom so many in a row.
const mostBlank = 3

// Waits implements backend.
func (c *caller) Waits() time.Time { return c.pacer.waits() }

// aboutTimeout is the longest that an attempt to ask a server about itself may take. No model runs for it.
const aboutTimeout = 30 * time.Second

// about returns a caller for questions about the server itself.
func (c *caller) about() *caller {
	quick := *c
	quick.explains = true
	quick.timeout = min(c.timeout, aboutTimeout)
	return &quick
}

// pingTimeout is the longest that a server may take to answer a ping.
const pingTimeout = 10 * time.Second

// List implements backend, on a connection of its own: those that are kept may all be broken.
func (c *caller) List(ctx context.Context) error {
	quick := *c
	quick.transport = c.fresh
	quick.timeout = min(c.timeout, pingTimeout)
	_, err := quick.get(ctx, never, c.list, &struct{}{})
	return err
}

// get fetches a document of the server, and returns what came with it.
func (c *caller) get(ctx context.Context, retry func(*UnavailableError) bool, url string, into any) (header http.Header,
	err error) {
	_, err = c.call(ctx, retry, func(ctx context.Context, x *exchange) error {
		err := x.fetch(ctx, url, nil, into)
		header = x.header
		return err
	})
	return header, err
}

// LongWait is the longest wait that a question to a server about itself obeys. A longer
// one is reported to the caller.
const LongWait = 10 * time.Second

// talk is one exchange with the server. An error means that the reply, if there is one, is not usable.
type talk func(context.Context, *exchange) error

// The failures that are tried again here.
func unlessAbsent(f *UnavailableError) bool { return !f.Unsent }
func ifBlank(f *UnavailableError) bool      { return f.blank }
func never(*UnavailableError) bool          { return false }

// call makes a talk, and repeats it after a failure that is worth it, until it has been tried often enough. It
// returns the number of attempts, and a ContextError, RequestError, UnavailableError or the context's own error.
func (c *caller) call(ctx context.Context, retry func(*UnavailableError) bool, do talk) (int, error) {
	wait := backoff.ExponentialBackOff{InitialInterval: c.retry.FirstWait, MaxInterval: c.retry.MaxWait, Multiplier: 2,
		RandomizationFactor: 0.5}
	last := "" // the last failure before ctx was done
	for attempts := 1; ; attempts++ {
		err := c.attempt(ctx, do)
		f, failed := err.(*UnavailableError)
		if ctx.Err() == nil && failed {
			last = f.Message
		}
		switch {
		case err == nil:
			return attempts, nil
		case ctx.Err() != nil:
			return attempts, c.stopped(ctx, last)
		case !failed || !retry(f) || f.Wait > LongWait || attempts == c.retry.Attempts:
			if e, ok := err.(failure); ok {
				*e.attempts() = attempts
			}
			return attempts, err
		}
		pause := f.Wait
		if attempts > 1 || !f.blank { // nothing once is an accident
			pause += wait.NextBackOff()
		}
		if Pause(ctx, pause) != nil {
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
	x := &exchange{caller: c, transport: transport, limit: mostReply}
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
		f.Limit = c.timeout
		return f
	case errors.Is(x.err, syscall.EMFILE), errors.Is(x.err, syscall.ENFILE):
		return &MachineError{x.err}
	case x.err != nil:
		return c.lost(x, c.viaProxy(explained(x.err)))
	case x.status == 0:
		return unsendable(clean(x.address(), c.key), clean(err.Error(), c.key))
	}
	return c.misread(x, err)
}

// statusOverloaded is what Anthropic answers where others answer 503.
const statusOverloaded = 529

func (c *caller) failed(x *exchange, message string) *UnavailableError {
	return &UnavailableError{
		URL: clean(x.address(), c.key), Status: x.status, Message: clean(message, c.key), Wait: c.askedWait(x),
		Unsent: x.status == 0 && absent(x.err),
	}
}

// lost is failed for an attempt that fails like this when a server is gone.
func (c *caller) lost(x *exchange, message string) *UnavailableError {
	f := c.failed(x, message)
	f.gone = true
	return f
}

// explained is the text of a transport's error, and what helps where the certificate is a private one or there is none.
func explained(err error) string {
	switch {
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return err.Error() + " (SSL_CERT_FILE names a file with the certificate of a private one)"
	case errors.As(err, new(tls.RecordHeaderError)), errors.Is(err, http.ErrSchemeMismatch):
		return err.Error() + " (a server without certificates has an address with http://)"
	}
	return err.Error()
}

// absent reports whether a transport error means that no usable server is at the address.
func absent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || op.Op == "proxyconnect") || errors.As(err, new(tls.RecordHeaderError)) ||
		errors.As(err, new(*tls.CertificateVerificationError)) || errors.Is(err, http.ErrSchemeMismatch)
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
		f.Busy = true
		return f
	case (status == 400 || status == 413 || status == 422 || status == 424 || status >= 500) && answer.overflow(),
		status == http.StatusRequestEntityTooLarge,
		(status == 400 || status == 422) && remedyFor(c.kind(), status, message) == "" && answer.speaksOfLength():
		return &ContextError{Status: status, Message: cmp.Or(message, http.StatusText(status)), Limit: answer.limit,
			Requested: answer.requested}
	case status == http.StatusConflict, status == http.StatusFailedDependency, status == http.StatusTooEarly,
		status == http.StatusNotFound && c.worked.Load() && !wording("no-model").MatchString(message):
		return c.failed(x, statusLine(status, message))
	case status >= 500 && !wording("mistyped-option").MatchString(message) &&
		remedyFor(c.kind(), status, message) == "":
		f := c.failed(x, statusLine(status, message))
		f.Busy = status == http.StatusServiceUnavailable || status == statusOverloaded
		f.gone = status == http.StatusBadGateway || status == http.StatusServiceUnavailable ||
			status == http.StatusGatewayTimeout
		return f
	}
	refusal := &RequestError{URL: clean(x.address(), c.key), Status: x.status, Message: message,
		flagged: x.status == http.StatusForbidden && wording("flagged").MatchString(message)}
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
		refusal.wantsStream = wording("stream").MatchString(message) && !refusal.refusesUsage
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
	case isError && (answer.overflow() || answer.speaksOfLength()):
		return &ContextError{Status: x.status, Message: message, Limit: answer.limit, Requested: answer.requested}
	case isError:
		return c.failed(x, "it reports an error: "+message)
	case message == "":
		return c.failed(x, "the reply is empty")
	case answer.page && !c.worked.Load(): // else something stands in for the server for a moment
		return &RequestError{URL: clean(x.address(), c.key), Status: x.status, Message: message, remedy: checkAddress}
	}
	f := c.failed(x, fmt.Sprintf("%v: %s", err, answer.text))
	f.blank = errors.Is(err, errNoMessage)
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
