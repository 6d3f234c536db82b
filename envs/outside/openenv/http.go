package openenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	jsonv2 "github.com/go-json-experiment/json"

	"heldout/envs/outside"
)

// longestBody is the largest length of an answer over HTTP, in bytes.
const longestBody = 16 << 20

// fetch asks for a route over HTTP; with a body, it posts.
func (d *Remote) fetch(ctx context.Context, route string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, d.options.Timeout)
	defer cancel()
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, method, d.base.JoinPath(route).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = d.header()
	request.Header.Set("Content-Type", "application/json")
	transport := &http.Transport{Proxy: d.proxy, DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the token is for this server alone
	}}
	response, err := client.Do(request)
	if err != nil {
		return nil, d.unreached(ctx, route, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, longestBody+1))
	switch {
	case err != nil:
		return nil, d.unreached(ctx, route, err)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("it answers /%s with the status %s: %s", route, response.Status,
			outside.Quoted(string(answer[:min(len(answer), 300)])))
	case len(answer) > longestBody:
		return nil, fmt.Errorf("its answer at /%s has more than %d bytes", route, longestBody)
	}
	return answer, nil
}

// unreached says why a request over HTTP has no answer.
func (d *Remote) unreached(ctx context.Context, route string, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("it has not answered /%s within %v", route, d.options.Timeout)
	}
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return err
}

func (d *Remote) proxy(r *http.Request) (*url.URL, error) {
	if d.out.Proxy == nil {
		return nil, nil
	}
	return d.out.Proxy(r.URL)
}

// header are those of every request.
func (d *Remote) header() http.Header {
	h := http.Header{}
	if d.out.Tool != "" {
		h.Set("User-Agent", d.out.Tool)
	}
	if d.options.token != "" {
		h.Set("Authorization", "Bearer "+d.options.token)
	}
	return h
}

// post asks about a split.
func (d *Remote) post(ctx context.Context, route, split string, into any) error {
	body, err := jsonv2.Marshal(map[string]string{"split": split})
	if err != nil {
		return fmt.Errorf("--%s is %q: %w", tasksName, split, err)
	}
	answer, err := d.fetch(ctx, route, body)
	if err != nil {
		return err
	}
	if err := jsonv2.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("what it answers at /%s cannot be read: %w", route, err)
	}
	return nil
}
