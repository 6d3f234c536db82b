package bench

import (
	"errors"
	"fmt"

	"heldout/envs"
	"heldout/scoring/record"
)

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
