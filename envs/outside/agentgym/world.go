package agentgym

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"heldout/envs/outside"
)

// patience is how long a server may take to close a game.
const patience = 10 * time.Second

// world is a game of the server, by its number there.
type world struct {
	outside.Plain // but for Actions
	provider      *Gym
	number        int64
	open          bool // it has a number
	broken        bool // it may not be used again
	doubled       bool // another game has its number; guarded by the provider's mu
}

// start creates a game, or takes one that has ended, and resets it to a task.
func (g *world) start(ctx context.Context, task string) (string, error) {
	d := g.provider
	ctx, cancel := context.WithTimeout(ctx, d.options.timeout)
	defer cancel()
	select {
	case d.starting <- struct{}{}:
	case <-ctx.Done():
		return "", fmt.Errorf("it has not begun a game within %v", d.options.timeout)
	}
	defer func() { <-d.starting }()
	if !g.reuse() {
		if err := g.create(ctx); err != nil {
			return "", err
		}
	}
	if err := g.enter(); err != nil {
		return "", err
	}
	g.open, g.broken = true, true
	index, err := strconv.Atoi(strings.TrimPrefix(task, d.kind.Name+"_"))
	if err != nil {
		return "", err
	}
	body, err := g.post(ctx, "reset", map[string]any{d.kind.Index: index})
	if err != nil {
		return "", err
	}
	var text string
	if d.kind.Opening != "" {
		text, err = g.opening(ctx)
	} else {
		text, err = d.kind.observed(body)
	}
	g.broken = err != nil
	return text, err
}

// opening asks for the first observation.
func (g *world) opening(ctx context.Context) (string, error) {
	d := g.provider
	number := url.Values{d.kind.Number: {strconv.FormatInt(g.number, 10)}}
	var body jsontext.Value
	if err := d.server.Ask(ctx, d.route(d.kind.Opening+"?"+number.Encode()), nil, &body); err != nil {
		return "", err
	}
	if err := refused(body); err != nil {
		return "", err
	}
	if body.Kind() == '"' {
		body = jsontext.Value("[" + string(body) + "]")
	}
	var lines []string
	if body.Kind() != '[' || jsonv2.Unmarshal(body, &lines) != nil {
		return "", fmt.Errorf("its answer to /%s is neither a text nor a list of texts", d.kind.Opening)
	}
	return strings.Join(lines, "\n"), nil
}

// reuse takes a game that has ended, if there is one.
func (g *world) reuse() bool {
	g.provider.mu.Lock()
	defer g.provider.mu.Unlock()
	n := len(g.provider.free)
	if n > 0 {
		g.number, g.provider.free = g.provider.free[n-1], g.provider.free[:n-1]
	}
	return n > 0
}

// enter notes that the game is played. If another one with its number is, neither has a result: they would be one.
func (g *world) enter() error {
	g.provider.mu.Lock()
	defer g.provider.mu.Unlock()
	game := g.provider.live[g.number]
	if game != nil {
		game.doubled = true
		return g.shared()
	}
	g.provider.live[g.number] = g
	return nil
}

// leave notes that the game is over.
func (g *world) leave() {
	g.provider.mu.Lock()
	defer g.provider.mu.Unlock()
	delete(g.provider.live, g.number)
}

// shared says that the server has one game for two.
func (g *world) shared() error {
	return fmt.Errorf("it gives the number %d to two games that are played at the same time: actions of each would "+
		"go to both", g.number)
}

// create has the server make a game. Its number is the answer, or the field id of it.
func (g *world) create(ctx context.Context) error {
	var body jsontext.Value
	if err := g.provider.server.Ask(ctx, g.provider.route("create"), struct{}{}, &body); err != nil {
		return err
	}
	if err := refused(body); err != nil {
		return err
	}
	var reply struct {
		ID *int64 `json:"id"`
	}
	if body.Kind() == '0' {
		body = jsontext.Value(`{"id":` + string(body) + `}`)
	}
	if err := jsonv2.Unmarshal(body, &reply); err != nil || reply.ID == nil || *reply.ID < 0 {
		return errors.New("its answer to /create has no number of a game")
	}
	g.number = *reply.ID
	return nil
}

// post asks about the game.
func (g *world) post(ctx context.Context, route string, fields map[string]any) (jsontext.Value, error) {
	fields[g.provider.kind.Number] = g.number
	var body jsontext.Value
	err := g.provider.server.Ask(ctx, g.provider.route(route), fields, &body)
	if err == nil {
		err = refused(body)
	}
	g.provider.mu.Lock()
	defer g.provider.mu.Unlock()
	if g.doubled {
		return nil, g.shared()
	}
	return body, err
}

// Step implements outside.Instance.
func (g *world) Step(ctx context.Context, action string) (outside.StepReply, error) {
	g.broken = true
	body, err := g.post(ctx, "step", map[string]any{"action": action})
	if err != nil {
		return outside.StepReply{}, g.provider.about(err)
	}
	a, err := g.provider.kind.answer(body)
	g.broken = err != nil
	return a, g.provider.about(err)
}

// answer reads the answer to a step. AgentGym's score is the last reward, or their sum, and a success the largest.
func (k *dialect) answer(body jsontext.Value) (a outside.StepReply, err error) {
	var read struct {
		Reward *float64 `json:"reward"`
		Score  *float64 `json:"score"`
		Done   *bool    `json:"done"`
	}
	if err := outside.Unmarshal(body, &read); err != nil {
		return a, fmt.Errorf("in its answer to /step, %w", err)
	}
	score, field := read.Reward, "reward"
	if k.Sums {
		score, field = read.Score, "score"
	}
	if score != nil && read.Done == nil {
		field = "done"
	}
	if score == nil || read.Done == nil {
		return a, fmt.Errorf("its answer to /step has no %s: it is missing, or null", field)
	}
	if a.Observation, err = k.observed(body); err != nil {
		return a, err
	}
	if *score < k.Least || *score > k.Largest && !k.Sums {
		return a, fmt.Errorf("the %s is %g, want a number from %g to %g", field, *score, k.Least, k.Largest)
	}
	progress, success := min(max(*score, 0)/k.Largest, 1), *score == k.Largest
	a.Progress, a.Success, a.Done = &progress, &success, *read.Done
	return a, nil
}

// observed reads the observation in an answer.
func (k *dialect) observed(body jsontext.Value) (string, error) {
	var read map[string]jsontext.Value
	var text *string
	if jsonv2.Unmarshal(body, &read) != nil || jsonv2.Unmarshal(read[k.Text], &text) != nil || text == nil {
		return "", fmt.Errorf("its answer lacks the text %s", k.Text)
	}
	return *text, nil
}

// refused is the error that an answer is.
func refused(body jsontext.Value) error {
	var read struct {
		Error *string `json:"error"`
	}
	if jsonv2.Unmarshal(body, &read) != nil || read.Error == nil {
		return nil // an answer that is no object is no refusal
	}
	return fmt.Errorf("it says: %s", outside.Quoted(*read.Error))
}

// Actions implements outside.Instance.
func (g *world) Actions(ctx context.Context) (list []string, err error) {
	d := g.provider
	return list, d.about(d.server.Ask(ctx, d.route(d.kind.Lists), nil, &list))
}

// Close implements outside.Instance.
func (g *world) Close() error {
	d := g.provider
	if !g.open {
		return nil
	}
	g.open = false
	g.leave()
	switch {
	case d.kind.Closes:
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, _ = g.post(ctx, "close", map[string]any{}) // the game is over
	case !g.broken:
		d.mu.Lock()
		d.free = append(d.free, g.number)
		d.mu.Unlock()
	}
	return nil
}
