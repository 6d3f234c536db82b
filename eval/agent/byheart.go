package agent

import (
	"context"
	"fmt"

	"heldout/envs"
)

// byHeart plays what the expert does in the world as it is, without a perturbation.
type byHeart struct {
	// open makes that world, and starts it.
	open  func(context.Context) (envs.World, envs.Start, error)
	limit int // on steps
	// reads: it stops at the first text that is not the one of that world. The goal and
	// the first observation are in start; strange says that the prompt is another one.
	reads   bool
	start   envs.Start
	strange bool

	script []foreseen // what is left; nil before the first action
	began  bool
	next   string // observation that it knows
}

// NewMemoriser returns a player that plays the actions of the expert of a world that open
// starts, whatever it reads.
func NewMemoriser(open func(context.Context) (envs.World, envs.Start, error), limit int) Agent {
	return &byHeart{open: open, limit: limit}
}

// NewReciter returns a player that knows the texts of the expert's episode as well. It
// gives up at the first text that it does not know: samePrompt says that the prompt is the
// one it knows, and start is what the episode begins with.
func NewReciter(open func(context.Context) (envs.World, envs.Start, error), limit int, start envs.Start,
	samePrompt bool) Agent {
	return &byHeart{open: open, limit: limit, reads: true, start: start, strange: !samePrompt}
}

// Act implements Agent.
func (b *byHeart) Act(ctx context.Context) (Move, error) {
	if !b.began {
		b.began = true
		if err := b.learn(ctx); err != nil {
			return Move{}, err
		}
	}
	if len(b.script) == 0 || b.reads && b.strange {
		return Move{GiveUp: true}, nil
	}
	now := b.script[0]
	b.script, b.next = b.script[1:], now.observation
	return acting(now.action), nil
}

// Observe implements Agent.
func (b *byHeart) Observe(observation string) string {
	b.strange = b.strange || observation != b.next
	return observation
}

// learn plays the known world with its expert.
func (b *byHeart) learn(ctx context.Context) error {
	w, start, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }() // nothing is left to be done with it
	if _, ok := envs.As[envs.Expert](w); !ok {
		return fmt.Errorf("the environment has no expert")
	}
	b.strange = b.strange || start.Goal != b.start.Goal || start.Observation != b.start.Observation
	b.script, err = path(ctx, w, b.limit)
	return err
}
