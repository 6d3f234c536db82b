package child

import (
	"context"
	"errors"
	"fmt"

	"heldout/envs/outside"
	"heldout/envs/outside/lines"
)

// world is a world of a child.
type world struct {
	provider *Program
	child    *child
	world    int64
}

// ask asks the child about the game.
func (g *world) ask(ctx context.Context, r request) (response, error) {
	r.World = g.world
	a, err := g.child.ask(ctx, r)
	if err == nil {
		err = a.only(r.Ask)
	}
	return a, g.provider.wrong(err)
}

// Step implements outside.Instance.
func (g *world) Step(ctx context.Context, action string) (out outside.StepReply, err error) {
	a, err := g.ask(ctx, request{Head: lines.Head{Ask: askStep}, Action: &action})
	if err != nil {
		return out, err
	}
	if a.Observation == nil {
		return out, g.provider.wrong(errors.New("the answer to step lacks observation"))
	}
	return outside.StepReply{Observation: *a.Observation, Progress: a.Progress, Reward: a.Reward, Done: a.Done,
		Success: a.Success, Valid: a.Valid}, nil
}

// Actions implements outside.Instance.
func (g *world) Actions(ctx context.Context) ([]string, error) {
	a, err := g.ask(ctx, request{Head: lines.Head{Ask: askActions}})
	return a.Actions, err
}

// Advice implements outside.Instance.
func (g *world) Advice(ctx context.Context) (string, error) {
	a, err := g.ask(ctx, request{Head: lines.Head{Ask: askExpert}})
	if err != nil || a.Action == nil {
		return "", err
	}
	return *a.Action, nil
}

// Fork implements outside.Instance. The fork is a world of the same child.
func (g *world) Fork() (outside.Instance, error) {
	fork := g.provider.open(g.child)
	if _, err := g.ask(context.Background(), request{Head: lines.Head{Ask: askFork}, Fork: fork.world}); err != nil {
		return nil, errors.Join(err, fork.Close())
	}
	return fork, nil
}

// StateKey implements outside.Instance.
func (g *world) StateKey() (string, error) {
	a, err := g.ask(context.Background(), request{Head: lines.Head{Ask: askStateKey}})
	return a.StateKey, err
}

// Close implements outside.Instance. Nobody waits for the answer.
func (g *world) Close() error {
	g.child.games.Add(-1)
	late := g.child.Expire(askClose)
	defer late.Stop()
	if g.child.alive() {
		_, _ = g.child.Request(&request{Head: lines.Head{Ask: askClose}, World: g.world}) // the game is over
	}
	return nil
}

// only reports members that belong to the answer to another request.
func (a *response) only(ask string) error {
	begins := a.Goal != ""
	steps := a.Reward != nil || a.Done || a.Success != nil || a.Valid != nil
	tells := a.Observation != nil || a.Progress != nil
	lists, advises, names := a.Actions != nil, a.Action != nil, a.StateKey != ""
	if begins && ask != askStart || steps && ask != askStep || tells && ask != askStart && ask != askStep ||
		lists && ask != askActions || advises && ask != askExpert || names && ask != askStateKey {
		return fmt.Errorf("the answer to %s has members of another answer", ask)
	}
	return nil
}
