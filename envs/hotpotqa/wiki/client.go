package wiki

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"heldout/envs/address"
)

// Options configure the access to a live Wikipedia.
type Options struct {
	// URL is the address of its script path; empty for DefaultURL.
	URL string
	// Flow is the interface to use.
	Flow Flow
	// UserAgent names the tool and says where to find its operator.
	UserAgent string
	// Now returns the time. It is needed if a server asks to wait until a date.
	Now func() time.Time
	// Proxy finds the proxy for an address; nil for none.
	Proxy func(*url.URL) (*url.URL, error)
	// Transport takes the requests; nil for the network.
	Transport http.RoundTripper
}

// Flow is a way to ask MediaWiki.
type Flow string

const (
	// JSON uses MediaWiki's API.
	JSON Flow = "json"
	// HTML reads the pages that a browser receives, as the reference does.
	HTML Flow = "html"
)

// DefaultURL is English Wikipedia.
const DefaultURL = "https://en.wikipedia.org/w"

// Wikipedia's rules for programs (spec section 3.3): one request at a time, at
// a limited rate, and patience while the server is busy.
const (
	// gap is the least time between the starts of two requests.
	gap = 200 * time.Millisecond
	// attempts is how often a request is sent if it fails for a reason that may
	// be temporary. While Wikipedia is known to be unreachable, it is sent once.
	attempts = 5
	// firstWait doubles with each attempt.
	firstWait = time.Second
	// maxWait is the longest wait that a server may request. If a server
	// requests more, the search fails, and no request is sent before that time.
	maxWait = 2 * time.Minute
	// timeout applies to one request; maxBody limits its answer, in bytes.
	timeout = 30 * time.Second
	maxBody = 32 << 20
)

// Live asks a live Wikipedia, also concurrently, but with one request at a time.
type Live struct {
	o    Options
	http *http.Client
	// turn is held by the sender of a request. It guards the following fields.
	turn chan struct{}
	next time.Time // the earliest time of the next request
	// away: the last request failed in all its attempts.
	away bool
	// refused is the reason why no further request makes sense.
	refused error
}

// NewLive returns a Wikipedia that is asked over the network.
func NewLive(o Options) (*Live, error) {
	o.URL = strings.TrimSuffix(cmp.Or(o.URL, DefaultURL), "/")
	if err := checkURL(o.URL); err != nil {
		return nil, err
	}
	if o.Flow != JSON && o.Flow != HTML {
		return nil, fmt.Errorf("unknown way %q to ask Wikipedia; there are %s and %s", o.Flow, JSON, HTML)
	}
	if o.Transport == nil {
		o.Transport = &http.Transport{Proxy: o.proxy, ResponseHeaderTimeout: timeout, MaxIdleConns: 1,
			IdleConnTimeout: timeout}
	}
	return &Live{o: o, http: &http.Client{Transport: o.Transport, Timeout: timeout}, turn: make(chan struct{}, 1)}, nil
}

// checkURL reports an address that is not the script path of a Wikipedia. The error does not quote parts that may
// be a password or a token, and such parts never enter a record.
func checkURL(script string) error {
	_, rest, found := strings.Cut(script, "://")
	if !found {
		rest = script
	}
	authority, _, _ := strings.Cut(rest, "/")
	u, err := url.Parse(script)
	switch {
	case strings.Contains(authority, "@"):
		return errors.New("the address of Wikipedia holds a user name or password; leave it out")
	case strings.ContainsAny(script, "?#"):
		return errors.New("the address of Wikipedia goes on after its path; leave out everything from the ? or #")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the address of Wikipedia is %q; want one such as %s", script, DefaultURL)
	}
	return nil
}

// Search implements the search box.
func (l *Live) Search(ctx context.Context, query string) (Answer, error) {
	if l.o.Flow == HTML {
		return l.searchHTML(ctx, query)
	}
	return l.searchJSON(ctx, query)
}

// searchHTML reads the page that a browser receives. Unlike the reference, it
// does not treat a page that says "error" as an article.
func (l *Live) searchHTML(ctx context.Context, query string) (Answer, error) {
	var out Answer
	err := l.get(ctx, l.o.URL+"/index.php?search="+quoted(query), func(body io.Reader) error {
		var err error
		if out, err = ParsePage(body); err != nil {
			return err
		}
		if !out.List && len(out.Blocks) == 0 {
			return errors.New("the answer is not a page of Wikipedia: it has no paragraphs")
		}
		return nil
	})
	return out, err
}

// get requests an address until read can use the answer or asking is pointless.
func (l *Live) get(ctx context.Context, page string, read func(io.Reader) error) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if l.refused != nil {
		return l.refused
	}
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.Multiplier, wait.MaxInterval = firstWait, 2, maxWait
	tries := uint(attempts)
	if l.away {
		tries = 1
	}
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := l.once(ctx, page, read)
		l.away = err != nil && !isPermanent(err) && ctx.Err() == nil
		return struct{}{}, err
	}, backoff.WithBackOff(wait), backoff.WithMaxTries(tries), backoff.WithMaxElapsedTime(0))
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// isPermanent reports whether a repeated request would give the same error.
func isPermanent(err error) bool {
	return errors.As(err, new(*backoff.PermanentError))
}

// once sends a request when it is due.
func (l *Live) once(ctx context.Context, page string, read func(io.Reader) error) error {
	if err := l.await(ctx); err != nil {
		return backoff.Permanent(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return backoff.Permanent(fmt.Errorf("the query makes no address: %s", address.Plain(err.Error())))
	}
	req.Header.Set("User-Agent", l.o.UserAgent)
	resp, err := l.http.Do(req) // the client requests gzip and unpacks it
	if err != nil {
		var long *url.Error // url.Error contains the whole address
		if errors.As(err, &long) {
			err = long.Err
		}
		// Not wrapped: the error quotes the target of a redirect.
		return fmt.Errorf("%s does not answer: %s", l.o.URL, address.Plain(err.Error()))
	}
	defer resp.Body.Close()
	l.pause(resp.Header.Get("Retry-After"))
	if err := l.checkStatus(resp); err != nil {
		return err
	}
	body := &io.LimitedReader{R: resp.Body, N: maxBody + 1}
	if err := read(body); isPermanent(err) {
		return err
	} else if err != nil {
		return fmt.Errorf("%s: %w", l.o.URL, err)
	}
	if body.N <= 0 {
		return backoff.Permanent(fmt.Errorf("%s: the answer has more than %d bytes", l.o.URL, maxBody))
	}
	return nil
}

// await waits until the next request is allowed.
func (l *Live) await(ctx context.Context) error {
	wait := l.next.Sub(l.o.Now())
	if wait > maxWait {
		return fmt.Errorf("%s asks for no requests for another %v; run again then, and the run resumes", l.o.URL,
			wait.Round(time.Second))
	}
	if wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	l.next = l.o.Now().Add(gap)
	return nil
}

// pause delays the next request as a server asks: for seconds or until a date.
func (l *Live) pause(retryAfter string) {
	until := l.next
	if seconds, err := strconv.Atoi(strings.TrimSpace(retryAfter)); err == nil && seconds > 0 {
		until = l.o.Now().Add(time.Duration(min(seconds, 1<<30)) * time.Second)
	} else if date, err := http.ParseTime(retryAfter); err == nil {
		until = date
	}
	if until.After(l.next) {
		l.next = until
	}
}

// checkStatus reports what is wrong with an answer: a fault that may pass, or one that stays.
func (l *Live) checkStatus(resp *http.Response) error {
	switch status := resp.StatusCode; {
	case status == http.StatusOK:
		return nil
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		return fmt.Errorf("%s: %s", l.o.URL, resp.Status)
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		l.refused = fmt.Errorf(
			"%s refuses us: %s; we say that we are %q, and Wikipedia wants to know whom to write to, see --wiki-contact", l.o.URL, resp.Status, l.o.UserAgent)
		return backoff.Permanent(l.refused)
	default:
		return backoff.Permanent(fmt.Errorf("%s: %s", l.o.URL, resp.Status))
	}
}

// proxy adapts Proxy to http.Transport.
func (o Options) proxy(r *http.Request) (*url.URL, error) {
	if o.Proxy == nil {
		return nil, nil
	}
	return o.Proxy(r.URL)
}

// quoted is what is sent after "search=" for a query. Like the reference, it makes plus signs of spaces (spec
// section 1.2) and, like the reference's HTTP library, it escapes characters that are illegal in an address. An
// ampersand or a number sign ends the query, and an existing escape is kept.
func quoted(query string) string {
	query, _, _ = strings.Cut(strings.ReplaceAll(query, " ", "+"), "#") // the rest is a fragment
	return escaped.ReplaceAllStringFunc(query, func(found string) string {
		if len(found) == len("%41") && found[0] == '%' {
			return found
		}
		return strings.ReplaceAll(fmt.Sprintf(" % X", found), " ", "%")
	})
}

// escaped matches an escape, or a character that the query of an address may not have (RFC 3986, 3.4).
var escaped = regexp.MustCompile(`%[0-9A-Fa-f]{2}|[^-.~!$&'()*+,;=:@/?\w]`)
