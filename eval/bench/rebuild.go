package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"heldout/envs"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// Rebuilder returns a rebuilder for a condition. Env is the condition's environment if messages
// depend on it, else nil.
func (x Texts) Rebuilder(m *record.Manifest, c record.Condition) (r *episode.Rebuilder, env envs.Env, err error) {
	texts, err := x.Find(m, c)
	if err != nil {
		return nil, nil, err
	}
	if r, err = episode.NewRebuilder(c, texts.Prompt, texts.Preset, texts.Memory); err != nil || !r.NeedsWorld() {
		return r, nil, err
	}
	if env, err = ReopenEnv(c, x.Setup, x.Outside); err != nil {
		return nil, nil, fmt.Errorf("the messages contain the actions that were possible, so %s has to be played again: %w",
			c.Env, err)
	}
	return r, env, nil
}

// Prompts finds out what models were sent in recorded episodes. It is safe for concurrent use.
type Prompts struct {
	Texts
	// NoWorlds: no episode is played again in its environment, which takes long.
	NoWorlds bool

	mu         sync.Mutex
	rebuilders map[string]*rebuilding // by condition without its seed
}

// rebuilding is how the prompts of a condition are rebuilt, or why they are not.
type rebuilding struct {
	sync.Once
	*episode.Rebuilder
	env envs.Env
	err error
}

// Sent returns the calls of an attempt at a task, as episode.Rebuilder's Sent does.
func (p *Prompts) Sent(ctx context.Context, m *record.Manifest, c record.Condition, task envs.Task,
	e *record.Episode) ([]episode.Call, error) {
	if c.Decoding == nil {
		return nil, errors.New("heldout sent no messages: a baseline or another program played")
	}
	c.Seed = 0
	r, err := p.of(c)
	if err != nil {
		return nil, err
	}
	r.Do(func() { r.Rebuilder, r.env, r.err = p.Rebuilder(m, c) })
	if r.err != nil {
		return nil, r.err
	}
	if r.env != nil && p.NoWorlds {
		return nil, errors.New("the messages list the actions that were possible, which records do not hold")
	}
	if r.env != nil {
		if task, err = SameTask(r.env, task); err != nil {
			return nil, err
		}
	}
	return r.Rebuilder.Sent(ctx, e, r.env, task)
}

func (p *Prompts) of(c record.Condition) (*rebuilding, error) {
	key, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rebuilders == nil {
		p.rebuilders = map[string]*rebuilding{}
	}
	r := p.rebuilders[string(key)]
	if r == nil {
		r = &rebuilding{}
		p.rebuilders[string(key)] = r
	}
	return r, nil
}
