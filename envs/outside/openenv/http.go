package openenv

import (
	"context"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"heldout/envs/outside"
)

// longestBody is the largest length of an answer over HTTP, in bytes.
const longestBody = 16 << 20

// fetch asks for a route over HTTP; with a body, it posts.
func (d *Remote) fetch(ctx context.Context, route string, body []byte) ([]byte, error) {
	return d.server.Fetch(ctx, d.server.Base.JoinPath(route).String(), body)
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
	if err := outside.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("what it answers at /%s cannot be read: %w", route, err)
	}
	return nil
}
