package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
)

// The longest replies that are read, in bytes. The limit of a chat reply depends
// on its largest number of tokens; other replies have a fixed limit. A token is a
// few bytes of JSON; 64 bytes are more than any tokenizer and any escaping need.
const (
	tokenBytes = 64
	leastReply = 256 << 10
	mostReply  = 16 << 20
	// mostInFlight bounds all replies that one client is reading.
	mostInFlight = 512 << 20
)

// exchange is one HTTP request and what came back.
type exchange struct {
	caller    *caller
	transport http.RoundTripper
	limit     int // the longest reply in bytes

	sent   *url.URL // nil before a request
	status int
	header http.Header
	reply  []byte
	// err is why no whole reply came.
	err error
	// reused: the connection had carried a request before.
	reused bool
}

// watched returns a context whose request tells what connection it got.
func (x *exchange) watched(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) { x.reused = c.Reused },
	})
}

// stale reports whether a connection that was kept broke before any answer.
func (x *exchange) stale() bool { return x.reused && x.err != nil && x.status == 0 }

func (x *exchange) address() string {
	if x.sent == nil {
		return x.caller.url
	}
	return x.sent.String()
}

// release returns the reply's share of the client's budget.
func (x *exchange) release() { x.caller.inUse.Add(-int64(cap(x.reply))) }

// post adds a body to a request. It is encoded anew for a second time.
func post(req *http.Request, encode func() ([]byte, error)) error {
	text, err := encode()
	req.Method, req.Body, req.ContentLength = http.MethodPost, passing(text), int64(len(text))
	req.Header.Set("Content-Type", "application/json")
	req.GetBody = func() (io.ReadCloser, error) {
		text, err := encode()
		return passing(text), err
	}
	return err
}

// passing is a body whose memory is free once it is sent, because a server may think for minutes.
func passing(text []byte) io.ReadCloser {
	return io.NopCloser(io.MultiReader(bytes.NewReader(text))) // which drops what has been read
}

// send sends a body or, without one, asks for a page, and reads the whole reply. Unlike an http.Client it follows
// no redirect: the key never goes to another host, and a POST does not turn into a GET.
func (x *exchange) send(ctx context.Context, url string, encode func() ([]byte, error)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	maps.Copy(req.Header, x.caller.headers)
	req.Header.Set("Accept", "application/json")
	if encode != nil {
		if err := post(req, encode); err != nil {
			return err
		}
	}
	x.sent = req.URL
	resp, err := x.transport.RoundTrip(req)
	if err == nil {
		x.status, x.header = resp.StatusCode, resp.Header
		err = x.read(resp.Body, resp.ContentLength)
		_ = resp.Body.Close()
	}
	x.err = err
	return err
}

// fetch reads the JSON that answers a request. A field of an unexpected type is left zero.
func (x *exchange) fetch(ctx context.Context, url string, encode func() ([]byte, error), into any) error {
	if err := x.send(ctx, url, encode); err != nil {
		return err
	}
	return readJSON(x.reply, into)
}

// read reads a reply of the length that the server announced; -1 for none.
func (x *exchange) read(body io.Reader, announced int64) error {
	size := 4 << 10
	if announced >= 0 && announced < int64(x.limit) {
		size = int(announced) + 1 // one more to see the end
	}
	for {
		if len(x.reply) == cap(x.reply) {
			if err := x.grow(max(size, 2*cap(x.reply))); err != nil {
				return err
			}
		}
		n, err := body.Read(x.reply[len(x.reply):cap(x.reply)])
		x.reply = x.reply[:len(x.reply)+n]
		switch {
		case len(x.reply) > x.limit:
			return fmt.Errorf("the reply is longer than %d KiB: more than was asked for", x.limit>>10)
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return errors.New("the reply breaks off")
		case err != nil:
			return err
		}
	}
}

// grow makes room for so many bytes of a reply.
func (x *exchange) grow(size int) error {
	extra := int64(size - cap(x.reply))
	if c := x.caller; c.inUse.Add(extra) > c.budget {
		c.inUse.Add(-extra)
		return fmt.Errorf("the replies that are being read take more than %d KiB together", c.budget>>10)
	}
	x.reply = append(make([]byte, 0, size), x.reply...)
	return nil
}

// answered reports whether the server answered the request, rather than refusing it.
func (x *exchange) answered() bool { return x.status/100 == 2 }

// What a reply with a status of 2xx can be instead of what was asked for.
var (
	errMisread   = errors.New("the reply is not what was asked for")
	errNoMessage = errors.New("the reply holds no message")
	errGaveUp    = errors.New("the server broke the reply off by itself")
)
