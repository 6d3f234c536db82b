package episode

import (
	"context"
	"strings"

	"heldout/envs"
	"heldout/eval/agent"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Turn is a turn of an episode that is played for a look at it.
type Turn struct {
	// Exchanges are the calls of the model.
	Exchanges []Exchange
	// Move is what the agent read from the reply, and Step what would be recorded; it is empty if nothing would be.
	Move agent.Move
	Step record.Step
	// Bare: no action could be read, and yet the reply is a valid one.
	Bare bool
}

// Exchange is a call of a model with its reply, or its error.
type Exchange struct {
	Request model.Request
	Reply   model.Reply
	Err     error
}

// Opening plays at most limit turns from the beginning of the episode and writes no record.
// A turn that ends with an error is included.
func (e Episode) Opening(ctx context.Context, limit int) (opening []Turn, err error) {
	heard := &listener{Model: e.Player.Model}
	player := *e.Player
	player.Model = heard
	e.Player = &player
	t := e.attempt(Trusting{}, func(agent.Usage) {})
	if _, err := t.start(ctx); err != nil {
		return nil, err
	}
	defer t.close()
	for done := false; err == nil && !done && len(opening) < limit && t.goesOn(t.rec); {
		heard.calls = nil
		done, _, err = t.turn(ctx)
		turn := Turn{Exchanges: heard.calls, Move: t.move}
		if n := len(opening); n < len(t.rec.Trajectory) {
			turn.Step = t.rec.Trajectory[n]
		}
		turn.Bare = err == nil && turn.Move.FormatError && t.takes(ctx, turn.Move.Reply)
		opening = append(opening, turn)
	}
	return opening, err
}

// takes reports whether the environment would take a text for an action, as far as it can be tried.
func (t *turns) takes(ctx context.Context, text string) bool {
	world, ok := envs.As[envs.Forker](t.world)
	if text = strings.TrimSpace(text); !ok || text == "" || strings.Contains(text, "\n") {
		return false
	}
	fork, err := world.Fork()
	if err != nil {
		return false
	}
	defer fork.Close()
	step, err := fork.Step(ctx, text)
	return err == nil && (step.Valid || step.Understood)
}

// listener keeps the calls of a model.
type listener struct {
	model.Model
	calls []Exchange
}

func (l *listener) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	reply, err := l.Model.Chat(ctx, req)
	l.calls = append(l.calls, Exchange{req, reply, err})
	return reply, err
}
