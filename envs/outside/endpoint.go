package outside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"heldout/envs"
)

// Endpoint asks a server of an environment over HTTP. It is safe for concurrent use.
type Endpoint struct {
	// Base is the address, without a slash at its end.
	Base    *url.URL
	header  http.Header
	timeout time.Duration
	longest int64
	client  *http.Client
}

// NewEndpoint returns the server at an address such as http://127.0.0.1:8000. A request and its answer
// take at most timeout, and an answer has at most so many bytes. Records keep the address, so it may not
// have secrets; fallback says in the error where they go.
func NewEndpoint(address, fallback string, out envs.Outside, timeout time.Duration, longest int64) (*Endpoint, error) {
	base, err := url.Parse(strings.TrimRight(address, "/"))
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, errors.New("the address of the server must be such as http://127.0.0.1:8000")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the address of the server has a user, a query or a fragment, which records would keep: " +
			fallback)
	}
	proxy := func(r *http.Request) (*url.URL, error) {
		if out.Proxy == nil {
			return nil, nil
		}
		return out.Proxy(r.URL)
	}
	redirect := func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // another server is not the one that the user named
	}
	// Servers close connections that wait, uvicorn's after 5 s: a step that met the end of one would be lost.
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64, IdleConnTimeout: 2 * time.Second,
		Proxy: proxy}
	s := &Endpoint{Base: base, header: http.Header{"Content-Type": {"application/json"}}, timeout: timeout,
		longest: longest, client: &http.Client{CheckRedirect: redirect, Transport: transport}}
	if out.Tool != "" {
		s.header.Set("User-Agent", out.Tool)
	}
	return s, nil
}

// SetToken has every request show a token.
func (s *Endpoint) SetToken(token string) { s.header.Set("Authorization", "Bearer "+token) }

// Header returns what every request has.
func (s *Endpoint) Header() http.Header { return s.header.Clone() }

// Ask asks for an address at the server, or posts fields there unless they are nil, and reads the answer
// into each value.
func (s *Endpoint) Ask(ctx context.Context, address string, fields any, into ...any) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	method, body := http.MethodGet, []byte(nil)
	var err error
	if fields != nil {
		method = http.MethodPost
		if body, err = jsonv2.Marshal(fields); err != nil {
			return fmt.Errorf("the request cannot be sent: %w", err)
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := s.fetch(request)
	if err != nil {
		return err
	}
	for _, value := range into {
		if err := Unmarshal(answer, value); err != nil {
			return fmt.Errorf("what it answers at %s cannot be read: %w", request.URL.Path, err)
		}
	}
	return nil
}

// fetch makes a request, and returns the answer.
func (s *Endpoint) fetch(request *http.Request) ([]byte, error) {
	request.Header = s.Header()
	response, err := s.client.Do(request)
	if err != nil {
		return nil, s.Unreached(request.Context(), request.URL.Path, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, s.longest+1))
	switch {
	case err != nil:
		return nil, s.Unreached(request.Context(), request.URL.Path, err)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("it answers %s with the status %s: %s", request.URL.Path, response.Status,
			Quoted(string(answer[:min(len(answer), 300)])))
	case int64(len(answer)) > s.longest:
		return nil, fmt.Errorf("its answer at %s has more than %d bytes", request.URL.Path, s.longest)
	}
	return answer, nil
}

// Unreached says why a request for a path has no answer.
func (s *Endpoint) Unreached(ctx context.Context, path string, err error) error {
	for _, closed := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, closed) {
			return fmt.Errorf("it closed the connection before it had answered %s: %w", path, closed)
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("it has not answered %s within %v", path, s.timeout)
	}
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		return fmt.Errorf("%w; when it runs again, the same command plays what is missing", failed.Err)
	}
	return err
}

// Close closes connections that wait for another request; a nil Endpoint has none.
func (s *Endpoint) Close() error {
	if s != nil {
		s.client.CloseIdleConnections()
	}
	return nil
}
