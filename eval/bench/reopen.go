package bench

import (
	"errors"
	"fmt"
	"maps"

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

// reopened opens the environment of a condition, which starts and asks nothing but what the user
// names.
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
	here := c
	here.Env, here.Settings = env.Info().Name, env.Info().Settings
	if differ := record.Differing(c, here); differ != nil {
		return nil, fmt.Errorf("the records are not of the environment that --env names (%s)", record.Listed(differ))
	}
	return env, nil
}

// recordedSettings adds the settings of a condition to the user's own. Records may
// come from anywhere, so they choose among fixed values only: no file, program or
// address.
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
	wrapped, err := perturb.Wrap(env, rules)
	if err != nil {
		return env, err
	}
	return wrapped, nil
}
