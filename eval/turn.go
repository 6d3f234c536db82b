package eval

import (
	"context"

	"heldout/envs"
	"heldout/eval/agent"
	"heldout/eval/model"
)

// Turn is the first turn of an episode.
type Turn struct {
	Task string
	// Reply is the model's reply, Move is what the agent parsed from it, and Step is
	// the environment's answer, which is empty after a format error.
	Reply model.Reply
	Move  agent.Move
	Step  envs.Step
}

// FirstTurn plays the first step of the plan's first episode, just as Run would,
// and records nothing.
func (p *Plan) FirstTurn(ctx context.Context) (Turn, error) {
	e := p.Episodes[0]
	t := Turn{Task: e.Task.ID}
	player := *e.player
	player.Model = listener{player.Model, &t.Reply}
	e.player = &player
	world, err := e.newWorld()
	if err != nil {
		return t, err
	}
	defer world.Close() // an error here no longer matters
	start, err := world.Start(ctx)
	if err != nil {
		return t, err
	}
	a, err := e.newAgent(world, start)
	if err != nil {
		return t, err
	}
	if t.Move, err = a.Act(ctx); err != nil || t.Move.FormatError {
		return t, err
	}
	e.spell(world, &t.Move)
	t.Step, err = world.Step(ctx, t.Move.Action)
	return t, err
}

// listener keeps a model's last reply.
type listener struct {
	model.Model
	last *model.Reply
}

func (l listener) Chat(ctx context.Context, req model.Request) (reply model.Reply, err error) {
	*l.last, err = l.Model.Chat(ctx, req)
	return *l.last, err
}
