package agent

import (
	"context"

	"heldout/envs"
	"heldout/scoring/record"
)

// ByHeart is an agent that plays what the expert does in the world as it is, without a perturbation.
type ByHeart struct {
	// Open makes that world, and starts it.
	Open  func(context.Context) (envs.World, envs.Start, error)
	Limit int // on steps
	// Reads: it knows the texts of the expert's episode as well, and gives up at the first one that it does not know.
	// Start is what its own episode begins with; Strange says that it does not know the prompt.
	Reads   bool
	Start   envs.Start
	Strange bool

	script []foreseen // what is left; nil before the first action
	began  bool
	next   string // observation that it knows
}

// Act implements Agent.
func (b *ByHeart) Act(ctx context.Context) (Move, error) {
	if !b.began {
		b.began = true
		if err := b.learn(ctx); err != nil {
			return Move{}, err
		}
	}
	if len(b.script) == 0 || b.Reads && b.Strange {
		return Move{GiveUp: true}, nil
	}
	now := b.script[0]
	b.script, b.next = b.script[1:], now.observation
	return Move{Step: record.Step{Action: now.action}}, nil
}

// Observe implements Agent.
func (b *ByHeart) Observe(observation string) string {
	b.Strange = b.Strange || observation != b.next
	return observation
}

// learn plays the known world with its expert.
func (b *ByHeart) learn(ctx context.Context) error {
	w, start, err := b.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }() // nothing is left to be done with it
	if _, err := envs.Need[envs.Expert](w, "has no expert"); err != nil {
		return err
	}
	b.Strange = b.Strange || start.Goal != b.Start.Goal || start.Observation != b.Start.Observation
	b.script, err = path(ctx, w, b.Limit)
	return err
}
