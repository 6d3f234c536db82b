package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"heldout/envs"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// once makes values, each once. It is safe for concurrent use.
type once[T any] struct {
	mu   sync.Mutex
	made map[string]func() (T, error)
}

func (o *once[T]) get(key string, value func() (T, error)) (T, error) {
	o.mu.Lock()
	made := o.made[key]
	if made == nil {
		made = sync.OnceValues(value)
		if o.made == nil {
			o.made = map[string]func() (T, error){}
		}
		o.made[key] = made
	}
	o.mu.Unlock()
	return made()
}

// Worlds opens the environments of recorded conditions, each once. It is safe for concurrent use.
type Worlds struct {
	Texts
	opened once[envs.Env]
}

// Open opens the environment of a condition as it was played.
func (w *Worlds) Open(c record.Condition) (envs.Env, error) {
	only := record.Condition{Env: c.Env, Source: c.Source, Settings: c.Settings, Perturbation: c.Perturbation,
		PerturbationHash: c.PerturbationHash, Substitute: c.Substitute, Preset: c.Preset}
	return w.opened.get(only.Key(), func() (envs.Env, error) { return ReopenEnv(c, w.Setup, w.Outside) })
}

// Task opens the environment of a condition and finds a recorded task in it.
func (w *Worlds) Task(c record.Condition, task envs.Task) (envs.Env, envs.Task, error) {
	env, err := w.Open(c)
	if err != nil {
		return nil, task, err
	}
	task, err = SameTask(env, task)
	return env, task, err
}

// Prompts finds out what models were sent in recorded episodes. It is safe for concurrent use.
type Prompts struct {
	*Worlds
	// NoWorlds: no episode is played again in its environment, which takes long.
	NoWorlds bool

	rebuilders once[*episode.Rebuilder]
}

// Rebuilder returns the rebuilder of a condition, which is made once.
func (p *Prompts) Rebuilder(m *record.Manifest, c record.Condition) (*episode.Rebuilder, error) {
	return p.rebuilders.get(c.Key(), func() (*episode.Rebuilder, error) {
		texts, err := p.Find(m, c)
		if err != nil {
			return nil, err
		}
		return episode.NewRebuilder(c, texts.Prompt, texts.Preset, texts.Memory)
	})
}

// NeededEnv is Task if messages depend on the environment; if not, env is nil.
func (p *Prompts) NeededEnv(r *episode.Rebuilder, c record.Condition, t envs.Task) (envs.Env, envs.Task, error) {
	if !r.NeedsWorld() {
		return nil, t, nil
	}
	env, err := p.Open(c)
	if err != nil {
		return nil, t, fmt.Errorf("the messages contain the actions that were possible, so %s has to be played again: "+
			"%w", c.Env, err)
	}
	if p.NoWorlds {
		return nil, t, errors.New("the messages list the actions that were possible, which records do not hold")
	}
	t, err = SameTask(env, t)
	return env, t, err
}

// Sent returns the calls of an attempt at a task, as episode.Rebuilder's Sent does.
func (p *Prompts) Sent(ctx context.Context, m *record.Manifest, c record.Condition, task envs.Task,
	e *record.Episode) ([]episode.Call, error) {
	if c.Decoding == nil {
		return nil, errors.New("heldout sent no messages: a baseline or another program played")
	}
	c.Seed = 0
	r, err := p.Rebuilder(m, c)
	if err != nil {
		return nil, err
	}
	env, task, err := p.NeededEnv(r, c, task)
	if err != nil {
		return nil, err
	}
	return r.Sent(ctx, e, env, task)
}
