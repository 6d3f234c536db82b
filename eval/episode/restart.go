package episode

import (
	"cmp"
	"context"
	"strings"

	"heldout/configs"
	"heldout/envs"
)

// restartLine stands between the end of a game and its next beginning, as TALES has it.
const restartLine = "\n\n-= Restarting =-\n"

// newWorld makes the episode's world. Under some presets the budget of steps is for as many games as it allows.
func (e *Episode) newWorld() (envs.World, error) {
	w, err := e.Benchmark.Env.NewWorld(*e.Task)
	if seeder, ok := envs.As[envs.Seeder](w); ok {
		seeder.SetSeed(e.Condition.Seed)
	}
	p := &e.Benchmark.Preset
	if err != nil || !p.Env.Limit.Restart {
		return w, err
	}
	return &restarting{World: w, observation: p.Observation, newGame: func() (envs.World, error) {
		return e.Benchmark.Env.NewWorld(*e.Task)
	}}, nil
}

// restarting is a world that starts again when its game ends, unless the game was won with the highest score.
type restarting struct {
	envs.World // the game that is played now
	newGame    func() (envs.World, error)
	// observation says how a game begins.
	observation configs.Observation
	// best is the highest score of any game.
	best float64
	// gameOver: the last command ended its game.
	gameOver bool
	// ended is the score of the game that ended with the last step; nil if it goes on.
	ended *float64
}

// Step implements envs.World. The answer to the action that ended a game holds the
// first observation of the next one.
func (r *restarting) Step(ctx context.Context, action string) (envs.Step, error) {
	r.ended = nil
	s, err := r.World.Step(ctx, action)
	if err != nil {
		return s, err
	}
	r.gameOver = s.Done
	score, highest := 0.0, 0.0 // without scores, a success is enough
	if scorer, ok := envs.As[envs.Scorer](r.World); ok {
		score, highest = scorer.Score(), 1
		r.best = max(r.best, score)
	}
	if !s.Done || s.Success && r.best >= highest {
		return s, nil
	}
	s.Done, s.Success, r.ended = false, false, &score
	s.Observation, err = r.restart(ctx, s.Observation)
	return s, err
}

// correct returns the correction that an agent gets in place of an answer. A game whose last command ended
// it starts again even so: the original does not ask whether it has done that already.
func (r *restarting) correct(ctx context.Context, correction string) (string, error) {
	if !r.gameOver {
		return correction, nil
	}
	return r.restart(ctx, correction)
}

// restart begins the next game, and returns a text with its beginning.
func (r *restarting) restart(ctx context.Context, text string) (string, error) {
	next, err := r.newGame()
	if err != nil {
		return text, err
	}
	_ = r.World.Close() // its game is over
	r.World = next
	start, err := next.Start(ctx)
	return text + restartLine + r.beginning(start), err
}

// beginning is the first observation of another game, with the task as the first
// game has it. What follows every observation is left to the agent.
func (r *restarting) beginning(start envs.Start) string {
	text := cmp.Or(strings.TrimSuffix(r.observation.Task, r.observation.Suffix), "{observation}")
	return strings.NewReplacer("{goal}", start.Goal, "{observation}", start.Observation).Replace(text)
}

// Unwrap implements envs.Wrapper.
func (r *restarting) Unwrap() any { return r.World }

// Rewrites implements envs.Wrapper: abilities that are asked for once act on the game that is played at each call.
func (r *restarting) Rewrites() []any {
	return []any{
		func(envs.Lister) envs.Lister { return r },
		func(envs.Expert) envs.Expert { return r },
		func(envs.Scorer) envs.Scorer { return r },
		func(envs.Forker) envs.Forker { return nil },
	}
}

// Actions implements envs.Lister.
func (r *restarting) Actions(ctx context.Context) ([]string, error) {
	list, _ := envs.As[envs.Lister](r.World)
	return list.Actions(ctx)
}

// ExpertAction implements envs.Expert.
func (r *restarting) ExpertAction(ctx context.Context) (string, error) {
	expert, _ := envs.As[envs.Expert](r.World)
	return expert.ExpertAction(ctx)
}

// Score implements envs.Scorer.
func (r *restarting) Score() float64 {
	if r.ended != nil {
		return *r.ended
	}
	scorer, _ := envs.As[envs.Scorer](r.World)
	return scorer.Score()
}
