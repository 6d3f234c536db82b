package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval"
	"heldout/eval/episode"
	"heldout/perturb"
	"heldout/scoring/record"
)

// Drawable reports whether the worlds of a condition can be drawn with that setup.
func Drawable(c record.Condition, s envs.Setup) bool {
	e, err := catalog.Find(c.Env)
	return err == nil && e.Drawn && (c.Source == envs.Generated || s.Data != "")
}

// SameTask finds a task in an environment, which must be the recorded one.
func SameTask(env envs.Env, task envs.Task) (envs.Task, error) {
	found, err := eval.FindTask(env, drawnFrom(task.ID))
	if err == nil && found.Digest != task.Digest {
		err = fmt.Errorf("task %s is another one here than in the records; give the --data of the run", task.ID)
	}
	found.ID = task.ID
	return found, err
}

// ReopenEnv opens the environment of a condition as it was played. The setup says where data are,
// which is not in records.
func ReopenEnv(c record.Condition, s envs.Setup, out envs.Outside) (envs.Env, error) {
	var err error
	if s.Settings, err = recordedSettings(c, s.Settings); err != nil {
		return nil, err
	}
	switch {
	case c.Source == envs.Generated:
		s.Data = ""
		if seeds, ok := c.Settings["generator-seed"]; ok {
			if err := s.GeneratorSeed.Set(seeds); err != nil {
				return nil, err
			}
		}
	case s.Data == "" && c.Source == envs.Official:
		return nil, errors.New("its tasks are official, and their folder is not given; give it with --data")
	}
	env, err := reopened(c, s, out)
	if err != nil {
		return nil, err
	}
	if c.Preset != nil {
		env = drawnEnv{env}
	}
	if c.Perturbation != episode.NoPerturbation && c.Substitute == "" {
		return perturbed(env, c)
	}
	return env, nil
}

// reopened opens the environment of a condition, which starts and asks nothing but what the user names.
func reopened(c record.Condition, s envs.Setup, out envs.Outside) (envs.Env, error) {
	if c.Source != envs.External {
		return catalog.Open(c.Env, s, out)
	}
	if s.External == "" {
		return nil, fmt.Errorf("%s is outside of heldout, and records do not say where: name it, such as --env "+
			"exec:COMMAND", c.Env)
	}
	env, err := catalog.Reach(s.External, s, out)
	if err != nil {
		return nil, err
	}
	local := c
	local.Env, local.Settings = env.Info().Name, env.Info().Settings
	if differ := record.Differing(c, local); len(differ) > 0 {
		return nil, fmt.Errorf("the records are not of the environment that --env names (%s)", record.Listed(differ))
	}
	return env, nil
}

// recordedSettings adds the settings of a condition to the user's own. Records may come from anywhere, so they
// choose among fixed values only: no file, program or address.
func recordedSettings(c record.Condition, own envs.Settings) (envs.Settings, error) {
	e, err := catalog.Find(c.Env)
	if err != nil {
		return nil, err
	}
	out := envs.Settings{}
	maps.Copy(out, own)
	for _, setting := range e.Settings {
		value, ok := c.Settings[setting.Name]
		if !ok || !setting.Measured || setting.Type == envs.Words || setting.Type == envs.Path {
			continue
		}
		if err := setting.Check(value); err != nil {
			return nil, err
		}
		out[setting.Name] = value
	}
	return out, nil
}

// perturbed puts the perturbation of a condition around an environment, unless it
// changes the model. The rules must be the recorded ones.
func perturbed(env envs.Env, c record.Condition) (envs.Env, error) {
	if name, ok := perturb.DrawnFrom(c.Perturbation); ok {
		drawn, err := perturb.Draw(env, name)
		if err != nil {
			return env, err
		}
		if hash, err := drawn.Hash(); err != nil || hash != c.PerturbationHash {
			return env, errors.Join(err,
				fmt.Errorf("perturbation %s is drawn from other rules here than in the records", c.Perturbation))
		}
		return drawn, nil
	}
	rules, err := builtIn(c.Env, c.Perturbation)
	if err != nil || rules.Model != "" {
		return env, err
	}
	if c.PerturbationHash != "" && perturb.Hash(rules) != c.PerturbationHash {
		return env, fmt.Errorf("perturbation %s has other rules here than in the records", c.Perturbation)
	}
	return perturb.Wrap(env, rules)
}

// ErrPart says that only a part of the tasks is planned.
var ErrPart = errors.New("only a part of the tasks is planned")

// CheckComplete reports how the planned tasks of an environment differ from the tasks of the
// whole benchmark, or of the preset that they were played by: with ErrPart if tasks are
// missing. Env is the environment as the condition describes it, opened here.
func CheckComplete(m *record.Manifest, about record.Environment, c record.Condition, env envs.Env) error {
	if c.Preset == nil {
		return part(len(about.Tasks), len(env.Tasks()), c.Env)
	}
	p, err := PlayedPreset(m, c)
	if err != nil {
		return err
	}
	want := p.Env.Tasks
	if err := part(len(about.Tasks), want.Count, c.Preset.Label()); err != nil {
		return err
	}
	if want.SHA256 != "" && hashNames(about.Tasks) != want.SHA256 {
		return fmt.Errorf("the planned tasks are not the tasks of %s", c.Preset.Label())
	}
	return nil
}

// part reports another number of planned tasks than all.
func part(planned, total int, name string) error {
	switch {
	case planned < total:
		return fmt.Errorf("%w: %d of %d of %s", ErrPart, planned, total, name)
	case planned > total:
		return fmt.Errorf("%d tasks of %s are planned, and it has %d", planned, name, total)
	}
	return nil
}

// AsReleased reports how the preset of a condition is not one that this version of heldout
// has; nil for the default.
func AsReleased(m *record.Manifest, c record.Condition) error {
	preset, err := PlayedPreset(m, c)
	if err != nil || c.Preset == nil {
		return err
	}
	found, err := FindPresets([]string{preset.ID(false)})
	if err != nil || len(found) != 1 {
		return errors.Join(fmt.Errorf("the preset %s is none of heldout's own", c.Preset.Name), err)
	}
	if found[0].Env.Tasks.SHA256 == "" {
		found[0].Env.Tasks.SHA256 = preset.Env.Tasks.SHA256
	}
	differ, err := changes(&found[0], &preset)
	if err == nil && len(differ) > 0 {
		err = fmt.Errorf("%s: the run changed %s", c.Preset.Label(), differ)
	}
	return err
}

// once makes values, each once. It is safe for concurrent use.
type once[T any] struct {
	mu     sync.Mutex
	values map[string]func() (T, error)
}

func (o *once[T]) get(key string, value func() (T, error)) (T, error) {
	o.mu.Lock()
	load := o.values[key]
	if load == nil {
		load = sync.OnceValues(value)
		if o.values == nil {
			o.values = map[string]func() (T, error){}
		}
		o.values[key] = load
	}
	o.mu.Unlock()
	return load()
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
