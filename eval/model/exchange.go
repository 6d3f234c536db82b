package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxReply is the longest reply that is read, in bytes. No chat completion
// comes near it.
const maxReply = 64 << 20

// exchange is one HTTP request and what came back. It lies as the transport
// under the client libraries, which neither let us say exactly what is sent nor
// show all that comes back.
type exchange struct {
	transport http.RoundTripper
	key       Secret
	// body is what is sent in place of the library's; nil leaves that as it is.
	body []byte

	url    string
	status int
	header http.Header
	reply  []byte
	// err is why no whole reply came.
	err error
}

// client returns an HTTP client for this exchange. It follows no redirect: the
// key never goes to another host, and a POST does not turn into a GET.
func (x *exchange) client() *http.Client {
	return &http.Client{
		Transport:     x,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// RoundTrip implements http.RoundTripper. It reads the whole reply.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	x.url = req.URL.String()
	if x.body != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		req.ContentLength = int64(len(x.body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
		req.Body, _ = req.GetBody()
	}
	if key := x.key.reveal(); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}

	resp, err := x.transport.RoundTrip(req)
	if err != nil {
		x.err = err
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	x.status, x.header = resp.StatusCode, resp.Header
	x.reply, x.err = readReply(resp.Body)
	if x.err != nil {
		return nil, x.err
	}
	resp.Body = io.NopCloser(bytes.NewReader(x.reply))
	return resp, nil
}

func readReply(body io.Reader) ([]byte, error) {
	reply, err := io.ReadAll(io.LimitReader(body, maxReply+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return reply, errors.New("the reply breaks off")
	case err != nil:
		return reply, err
	case len(reply) > maxReply:
		return nil, fmt.Errorf("the reply is longer than %d MiB", maxReply>>20)
	}
	return reply, nil
}

// answered reports whether the server answered the request, rather than
// refusing it.
func (x *exchange) answered() bool { return x.status/100 == 2 }

// What a reply with a status of 2xx can be instead of what was asked for.
var (
	errMisread   = errors.New("the reply is not what was asked for")
	errNoMessage = errors.New("the reply holds no message")
)

// misread replaces what a library says of a reply that it could not read, which
// may repeat the whole of it.
func (x *exchange) misread(err error) error {
	if x.answered() && x.err == nil {
		return errMisread
	}
	return err
}
