package agentgym

import (
	"context"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"heldout/envs/outside"
)

// longestBody is the largest length of an answer, in bytes.
const longestBody = 1 << 20

// get asks for an address, and reads the answer.
func (d *Gym) get(ctx context.Context, address string, into any) error {
	return d.ask(ctx, address, nil, into)
}

// post sends the fields to a route, and reads the answer.
func (d *Gym) post(ctx context.Context, route string, fields, into any) error {
	body, err := jsonv2.Marshal(fields)
	if err != nil {
		return fmt.Errorf("the action cannot be sent: %w", err)
	}
	return d.ask(ctx, d.route(route), body, into)
}

// route is the address of a route.
func (d *Gym) route(name string) string { return d.server.Base.String() + "/" + name }

func (d *Gym) ask(ctx context.Context, address string, body []byte, into any) error {
	answer, err := d.server.Fetch(ctx, address, body)
	if err != nil {
		return err
	}
	if err := outside.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("its answer to %s cannot be read: %w", address, err)
	}
	return nil
}
