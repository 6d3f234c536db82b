package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// gym plays over AgentGym's HTTP protocol. What its three servers call an action
// list and an index differs.
type gym struct {
	d  *dialer
	id int
}

func (d *dialer) dialGym(ctx context.Context) (*gym, error) {
	reply, err := d.post(ctx, "/create", nil)
	if err != nil {
		return nil, err
	}
	var created struct {
		ID *int `json:"id"`
	}
	if err := json.Unmarshal(reply, &created); err != nil || created.ID == nil {
		return nil, fmt.Errorf("/create answers %.300s, want an id", reply)
	}
	return &gym{d: d, id: *created.ID}, nil
}

func (g *gym) do(ctx context.Context, requests []request, done []bool) error {
	reply, err := g.exchange(ctx, requests[0])
	done[0] = bytes.Contains(reply, []byte(`"done":true`))
	return err
}

// exchange sends one request and returns the reply, which is no error.
func (g *gym) exchange(ctx context.Context, q request) ([]byte, error) {
	path, body := "/step", fmt.Appendf(nil, `{"id":%d,"action":%s}`, g.id, q.action)
	if q.reset {
		path, body = "/reset", fmt.Appendf(nil, `{"id":%d,"game":%d,"world_type":"Text","data_idx":%d}`, g.id, q.task,
			q.task)
	}
	reply, err := g.d.post(ctx, path, body)
	if err == nil && bytes.HasPrefix(reply, []byte(`{"error":`)) {
		err = fmt.Errorf("the server answers %.300s", reply)
	}
	return reply, err
}

func (g *gym) close(drop bool) {
	if !drop {
		// ALFWorld's original has no such route; the server ends idle sessions itself.
		_, _ = g.d.post(context.Background(), "/close", fmt.Appendf(nil, `{"id":%d}`, g.id))
	}
}

// everywhere are actions that ScienceWorld, whose replies list none, understands in
// every task.
var everywhere = []string{"look around", "inventory", "task", "open door to kitchen", "go to kitchen", "wait1"}

// valid returns listed actions, or ones that are valid anywhere.
func (g *gym) valid(ctx context.Context, q request) ([]string, error) {
	reply, err := g.exchange(ctx, q)
	if err != nil {
		return nil, err
	}
	var step struct {
		Observation string
		Available   []string `json:"available_actions"`
		Done        bool
	}
	if err := json.Unmarshal(reply, &step); err != nil || step.Done {
		return nil, err
	}
	actions := step.Available
	if _, list, ok := strings.Cut(step.Observation, "Available actions: "); ok &&
		json.Unmarshal([]byte(list), &actions) != nil {
		return nil, fmt.Errorf("the list of actions cannot be read: %.300s", list)
	}
	if len(actions) == 0 {
		actions = everywhere
	}
	return actions, nil
}
