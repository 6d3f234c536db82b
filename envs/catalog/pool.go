package catalog

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"heldout/envs"
)

// generatorSeed is the setting by which environments say which tasks they generated.
const generatorSeed = "generator-seed"

// mostOpen is the number of seeds whose environments are kept, beside the first: each
// remembers its games, and episodes are played in the order of the seeds.
const mostOpen = 2

// pool is an environment with the generated tasks of several seeds. Environments that
// generate tasks hold neither processes nor files, so none is closed.
type pool struct {
	envs.Env // of the first seed, which speaks as all do
	info     envs.Info
	tasks    []envs.Task
	// origins says by the name of a task which seed has it, and what it is there.
	origins map[string]pooled
	open    func(seed int64) (envs.Env, error)

	mu     sync.Mutex
	opened map[int64]envs.Env
	order  []int64 // of opening, without the first seed
}

type pooled struct {
	seed int64
	task envs.Task
}

// openAll opens an environment for each of the seeds, and makes them one. An environment
// that generates no tasks is opened once.
func (e Entry) openAll(s envs.Setup, out envs.Outside) (envs.Env, error) {
	seeds := s.GeneratorSeed
	open := func(seed int64) (envs.Env, error) {
		s.GeneratorSeed = envs.GeneratorSeeds{First: seed, Last: seed}
		return e.Open(s, out)
	}
	first, err := open(seeds.First)
	if err != nil || seeds.First == seeds.Last || first.Info().Settings[generatorSeed] == "" {
		return first, err
	}
	p := &pool{
		Env: first, info: first.Info(), origins: map[string]pooled{}, open: open,
		opened: map[int64]envs.Env{seeds.First: first},
	}
	p.info.Settings = maps.Clone(p.info.Settings)
	p.info.Settings[generatorSeed] = seeds.String()
	for seed := seeds.First; seed <= seeds.Last; seed++ {
		env, err := p.env(seed)
		if err != nil {
			return nil, err
		}
		p.add(env, seed)
	}
	return p, nil
}

// env returns the environment of a seed.
func (p *pool) env(seed int64) (envs.Env, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if env, ok := p.opened[seed]; ok {
		return env, nil
	}
	env, err := p.open(seed)
	if err != nil {
		return nil, err
	}
	p.opened[seed] = env
	if p.order = append(p.order, seed); len(p.order) > mostOpen {
		delete(p.opened, p.order[0])
		p.order = slices.Delete(p.order, 0, 1)
	}
	return env, nil
}

// add adds the tasks of a seed. A name that another seed has gets the seed.
func (p *pool) add(env envs.Env, seed int64) {
	for _, t := range env.Tasks() {
		own := t
		if _, exists := p.origins[t.ID]; exists {
			t.ID = fmt.Sprintf("%s/gen%d", t.ID, seed)
		}
		t.Index = len(p.tasks)
		p.tasks, p.origins[t.ID] = append(p.tasks, t), pooled{seed, own}
	}
}

// Info implements envs.Env.
func (p *pool) Info() envs.Info { return p.info }

// Tasks implements envs.Env.
func (p *pool) Tasks() []envs.Task { return p.tasks }

// NewWorld implements envs.Env.
func (p *pool) NewWorld(t envs.Task) (envs.World, error) {
	origin, ok := p.origins[t.ID]
	if !ok {
		return nil, fmt.Errorf("unknown task %q", t.ID)
	}
	env, err := p.env(origin.seed)
	if err != nil {
		return nil, err
	}
	return env.NewWorld(origin.task)
}

// Unwrap implements envs.Wrapper.
func (p *pool) Unwrap() any { return p.Env }

// Rewrites implements envs.Wrapper: tasks outside the benchmark belong to no seed.
func (*pool) Rewrites() []any { return []any{func(envs.Finder) envs.Finder { return nil }} }
