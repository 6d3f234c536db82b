package agentgym

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

// longestBody is the largest length of an answer, in bytes.
const longestBody = 1 << 20

// ask makes a request, and reads the answer.
func (d *Gym) ask(ctx context.Context, method, address string, fields, into any) error {
	ctx, cancel := context.WithTimeout(ctx, d.options.timeout)
	defer cancel()
	body, err := jsonv2.Marshal(fields)
	if err != nil {
		return fmt.Errorf("the action cannot be sent: %w", err)
	}
	if fields == nil {
		body = nil
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", d.tool)
	answer, err := d.fetch(request)
	if err != nil {
		return d.unreached(ctx, request, err)
	}
	if err := jsonv2.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("its answer to %s cannot be read: %s", request.URL.Path, outside.Quoted(err.Error()))
	}
	return nil
}

func (d *Gym) fetch(request *http.Request) ([]byte, error) {
	response, err := d.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, longestBody+1))
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("it answers %s with the status %d: %s", request.URL.Path, response.StatusCode,
			outside.Quoted(string(answer[:min(len(answer), 300)])))
	case len(answer) > longestBody:
		return nil, fmt.Errorf("its answer to %s has more than %d bytes", request.URL.Path, longestBody)
	}
	return answer, nil
}

// unreached says why there is no answer.
func (d *Gym) unreached(ctx context.Context, request *http.Request, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("it has not answered %s within %v", request.URL.Path, d.options.timeout)
	}
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		return fmt.Errorf("%w; when it runs again, the same command plays what is missing", failed.Err)
	}
	return err
}
