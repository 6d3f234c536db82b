package episode

import (
	"context"

	"heldout/eval/agent"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// FirstTurn is the first turn of an episode.
type FirstTurn struct {
	Task string
	// Reply is the model's reply, Move is what the agent parsed from it, and Step is
	// what is recorded; it is empty if nothing is.
	Reply model.Reply
	Move  agent.Move
	Step  record.Step
}

// FirstTurn plays the first turn of the episode, and records nothing on disk.
func (e Episode) FirstTurn(ctx context.Context) (FirstTurn, error) {
	turn := FirstTurn{Task: e.Task.ID}
	player := *e.Player
	player.Model = listener{player.Model, &turn.Reply}
	e.Player = &player
	t := e.attempt(Trusting{}, func(agent.Usage) {})
	if _, err := t.start(ctx); err != nil {
		return turn, err
	}
	defer t.close()
	_, _, err := t.turn(ctx)
	turn.Move = t.move
	if n := len(t.rec.Trajectory); n > 0 {
		turn.Step = t.rec.Trajectory[0]
	}
	return turn, err
}

type listener struct {
	model.Model
	last *model.Reply
}

func (l listener) Chat(ctx context.Context, req model.Request) (reply model.Reply, err error) {
	*l.last, err = l.Model.Chat(ctx, req)
	return *l.last, err
}
