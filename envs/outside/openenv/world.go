package openenv

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"heldout/envs/outside"
)

// world is an episode in a session of its own.
type world struct {
	outside.Plain // but for Actions
	provider      *Remote
	session       *connection
	lost          error    // why the connection is gone
	progress      *float64 // the last one that was not null
	// taken: the server took an action. rewarded: it gave a reward for one. told: it said whether the task is solved.
	taken, rewarded, told bool
}

// observed is the data of an observation.
type observed struct {
	Observation map[string]any `json:"observation"`
	Reward      any            `json:"reward"`
	Done        bool           `json:"done"`
}

// ask resets or steps the episode.
func (g *world) ask(ctx context.Context, kind, data string) (a outside.StepReply, err error) {
	var o observed
	err = g.session.ask(ctx, kind, data, "observation", &o)
	if err == nil && o.Observation == nil {
		err = errors.New("the answer lacks observation")
	}
	var state any
	if err == nil && g.provider.needsState() {
		err = g.session.ask(ctx, "state", "", "state", &state)
	}
	if err != nil {
		g.lost = err
		return a, err
	}
	find := func(p path) any {
		if p.ofState() {
			return p[1:].value(state)
		}
		return p.value(o.Observation)
	}
	var lines []string
	for _, p := range g.provider.observation {
		if text := quoted(find(p)); text != "" {
			lines = append(lines, text)
		}
	}
	g.taken = g.taken || kind == "step"
	err = errors.Join(g.measure(&a, o.Done, find), g.reward(o.Reward, &a))
	a.Observation, a.Done, a.Unjudged = strings.Join(lines, "\n"), o.Done, g.unjudged()
	return a, err
}

// unjudged reports that something that measures the episode has always been null so far.
func (g *world) unjudged() bool {
	o := &g.provider.options
	return g.taken && (o.bounds != nil && !g.rewarded || o.progress != nil && g.progress == nil ||
		o.success != nil && !g.told)
}

// measure reads success and progress, which is as before where a field is null.
func (g *world) measure(a *outside.StepReply, done bool, find func(path) any) error {
	o := &g.provider.options
	if o.success != nil {
		switch word := find(o.success).(type) {
		case bool:
			a.Success, g.told = &word, true
		case nil:
			if !done {
				a.Success = new(bool)
			}
		default:
			return fmt.Errorf("the field %s of --%s is %s, want true or false", o.success, successName, described(word))
		}
	}
	if o.progress != nil {
		switch share := find(o.progress).(type) {
		case float64:
			g.progress = &share
		case nil:
		default:
			return fmt.Errorf("the field %s of --%s is %s, want a number", o.progress, progressName, described(share))
		}
	}
	g.stay(a)
	return nil
}

// stay has the progress be what it was, and the rewards, too.
func (g *world) stay(a *outside.StepReply) {
	o := &g.provider.options
	if o.progress != nil {
		a.Progress = new(float64)
		if g.progress != nil {
			*a.Progress = *g.progress
		}
	}
	if o.bounds != nil {
		a.Reward = new(float64)
	}
}

// reward reads a reward where one counts. OpenEnv's may be true or false, and null adds nothing.
func (g *world) reward(reward any, a *outside.StepReply) error {
	if a.Reward == nil || reward == nil {
		return nil
	}
	g.rewarded = g.taken
	switch r := reward.(type) {
	case float64:
		*a.Reward = r
	case bool:
		if r {
			*a.Reward = 1
		}
	default:
		return fmt.Errorf("reward is %s, want a number", described(r))
	}
	return nil
}

// needsState reports whether a field of the state is used.
func (d *Remote) needsState() bool {
	for _, p := range append([]path{d.options.success, d.options.progress}, d.observation...) {
		if p.ofState() {
			return true
		}
	}
	return false
}

// Step implements outside.Instance.
func (g *world) Step(ctx context.Context, action string) (outside.StepReply, error) {
	action = strings.ToValidUTF8(action, "\uFFFD")
	text, err := jsonv2.Marshal(action)
	if err != nil {
		return outside.StepReply{}, err
	}
	data := strings.ReplaceAll(g.provider.action, `"`+slot+`"`, string(text))
	a, err := g.ask(ctx, "step", data)
	if r := (*complaint)(nil); errors.As(err, &r) {
		if reason := r.about(action); reason != "" {
			g.lost = nil
			return g.invalid(reason), nil
		}
	}
	return a, g.provider.located(err)
}

// invalid is what follows an action that the server does not take: the episode is as before.
func (g *world) invalid(reason string) outside.StepReply {
	a := outside.StepReply{Observation: reason, Valid: new(bool), Unjudged: g.unjudged()}
	if g.provider.options.success != nil {
		a.Success = new(bool)
	}
	g.stay(&a)
	return a
}

// Actions implements outside.Instance: OpenEnv lists none but the words of its schema.
func (g *world) Actions(context.Context) ([]string, error) {
	return slices.Clone(g.provider.about.Actions), nil
}

// Close implements outside.Instance.
func (g *world) Close() error {
	g.session.close()
	g.provider.leave(g.lost)
	return nil
}
