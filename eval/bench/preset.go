package bench

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/datafile"
	"heldout/eval/originals"
	"heldout/scoring/table"
)

// Prepare resolves and checks what to run, and sets it up. skipped says which environments are left out.
func Prepare(out Outside, kind Purpose, in Input) (j *Job, skipped []error, err error) {
	defer func() {
		if err != nil && in.File != "" && !strings.Contains(err.Error(), in.File) {
			err = fmt.Errorf("%w (see %s, or the flags beside it)", err, in.File)
		}
	}()
	r, skipped, err := Resolve(out, kind, in)
	if err != nil {
		return nil, nil, err
	}
	command, err := in.takeProgram(&r, configs.React)
	if err != nil {
		return nil, nil, err
	}
	chosen := Default(r)
	if len(r.Preset) > 0 {
		if chosen, skipped, err = resolvePresets(out, kind, in, r.Preset); err != nil {
			return nil, skipped, err
		}
	}
	program, err := startProgram(out, command, chosen)
	if err != nil {
		return nil, skipped, err
	}
	if err = validate(chosen, kind); err == nil {
		j, err = newJob(out, kind, program, chosen)
	} else if program != nil {
		_ = program.Close()
	}
	return j, skipped, err
}

// validate reports what of presets cannot be played.
func validate(chosen []Chosen, kind Purpose) error {
	for _, c := range chosen {
		if err := Validate(c.Run, kind); err != nil {
			return err
		}
	}
	return nil
}

// Chosen is a preset of one part, and the run that plays it.
type Chosen struct {
	// Released is the preset as it was released.
	Released configs.Preset
	// Run has the values of the preset, overridden by the user's input.
	Run configs.Run
}

// Default is the preset of a run that names none, for each environment: heldout's own agents,
// prompts and limits. It has no name, so that records do not name it.
func Default(r configs.Run) []Chosen {
	return table.Each(r.Env, func(name string) Chosen { return Chosen{configs.DefaultPreset(name), r} })
}

func (c Chosen) isDefault() bool { return c.Released.Name == "" }

// name is what a choice is called: its preset or, by default, its environment.
func (c Chosen) name() string {
	if c.isDefault() {
		return c.Released.Env.Name
	}
	return c.Released.ID(false)
}

// address is what opens the environment: its name or, of one that others run, how it is reached.
func (c Chosen) address() string {
	if envs.IsExternal(c.Released.Env.Name) {
		return c.Run.Env[0]
	}
	return c.Released.Env.Name
}

// FindPresets returns the presets that texts such as eto-alfworld@1:unseen name.
func FindPresets(names []string) (out []configs.Preset, err error) {
	for _, name := range names {
		found, err := configs.FindPresets(name, func(file string) ([]byte, error) {
			return datafile.Read(file, datafile.MaxConfig)
		})
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// resolvePresets combines each preset with the user's input, which takes precedence. Environments that the data
// folder lacks are skipped if a preset has several; skipped says why.
func resolvePresets(out Outside, kind Purpose, in Input, names []string) (chosen []Chosen, skipped []error, err error) {
	presets, err := FindPresets(names)
	if err != nil {
		return nil, nil, err
	}
	if kind, err = kind.resolve(in); err != nil {
		return nil, nil, err
	}
	several := slices.ContainsFunc(presets, func(p configs.Preset) bool {
		return p.Name == presets[0].Name && p.Env.Name != presets[0].Env.Name
	})
	for _, p := range presets {
		r := configs.DefaultRun()
		r.Setup = DefaultSetup(out)
		if kind == configs.Robust {
			if err := configs.LoadSuite(configs.Robust, &r); err != nil {
				return nil, nil, err
			}
		}
		applyPreset(p, &r)
		if _, err := in.Parse(&r); err != nil {
			return nil, nil, err
		}
		if err := in.Override(&r); err != nil {
			return nil, nil, err
		}
		r.LimitCuts(p.Decoding.Decoding)
		if _, err := in.takeProgram(&r, p.Agent.Form); err != nil {
			return nil, nil, err
		}
		if err := checkEnv(p, r); err != nil {
			return nil, nil, err
		}
		if err := checkAgent(p, r); err != nil {
			return nil, nil, err
		}
		r.Originals = originals.Places{Dir: r.Originals, Data: []string{r.Data, out.Pulled}}.Find(p.Source)
		if several {
			if _, missing := catalog.Available(r.Env, r.Setup); missing != nil {
				skipped = append(skipped, missing...)
				continue
			}
		}
		chosen = append(chosen, Chosen{p, r})
	}
	if len(chosen) == 0 {
		return nil, nil, errors.Join(skipped...)
	}
	return chosen, skipped, nil
}

// checkEnv reports an environment that a preset does not play. One that others run is given by its address.
func checkEnv(p configs.Preset, r configs.Run) error {
	same := slices.Equal(r.Env, configs.Strings{p.Env.Name})
	way, _, external := strings.Cut(p.Env.Name, ":")
	switch {
	case external && same:
		return fmt.Errorf("preset %s plays %s, which you run: give its address, such as --env %s:http://127.0.0.1:36001",
			p.ID(false), p.Env.Name, way)
	case same || external && len(r.Env) == 1 && strings.HasPrefix(r.Env[0], way+":"):
		return nil
	}
	return fmt.Errorf("preset %s plays %s; leave out --env, or choose a part of the preset", p.ID(false), p.Env.Name)
}

// checkAgent reports an agent that cannot take the place of a preset's.
func checkAgent(p configs.Preset, r configs.Run) error {
	switch {
	case r.Agent == p.Agent.Form:
		return nil
	case !slices.Contains(configs.Agents(), r.Agent):
		return fmt.Errorf("agent %q cannot play preset %s in place of its own, %s; there are %s", r.Agent,
			p.ID(false), p.Agent.Form, strings.Join(configs.Agents(), " and "))
	case r.Prompt == "" && !slices.Contains(configs.Agents(), p.Agent.Form):
		return fmt.Errorf("agent %s cannot read the prompt of preset %s: give one with --prompt, such as %s", r.Agent,
			p.ID(false), configs.PromptVersions()[0])
	}
	return nil
}

func applyPreset(p configs.Preset, r *configs.Run) {
	r.Env = configs.Strings{p.Env.Name}
	r.Settings = maps.Clone(r.Settings)
	maps.Copy(r.Settings, p.Env.Settings)
	r.Agent, r.StepLimit = p.Agent.Form, p.Env.Limit.Steps
	r.Decoding = p.Decoding.Decoding
	r.Extra = maps.Clone(r.Extra)
	if r.Stop = slices.Clone(r.Stop); len(r.Stop) == 0 {
		r.Stop = configs.Strings{""} // none, not the agent's own
	}
}

// effective returns the preset as the run plays it. Tasks and prompt are still the released ones.
func (c Chosen) effective() configs.Preset {
	p, r := c.Released, c.Run
	p.Decoding = configs.PresetDecoding{Decoding: r.AgentDecoding(), Seed: p.Decoding.Seed,
		Template: p.Decoding.Template}
	if r.StepLimit != p.Env.Limit.Steps {
		p.Env.Limit.Steps, p.Env.Limit.ByType = r.StepLimit, nil
	}
	p.Env.Settings = measured(p.Env, r.Settings)
	if r.Agent != p.Agent.Form {
		p.Play = configs.OwnPlay(r.Agent)
	}
	p.Overrides = map[string]string{}
	standard := configs.DefaultRun()
	standard.Completions = r.Completions && p.Agent.Form == configs.Completion // says the same
	for _, o := range configs.Options() {
		if value := o.Text(&r); o.Changes && value != o.Text(&standard) {
			p.Overrides[o.Name] = value
		}
	}
	return p
}

// measured returns the settings of an environment that change what is measured, without default values and without
// places of files. A value that a preset states stays as it states it.
func measured(e configs.PresetEnv, chosen envs.Settings) map[string]string {
	entry, err := catalog.Find(e.Name)
	if err != nil {
		return nil // opening it reports the error
	}
	var out map[string]string
	for _, s := range entry.Settings {
		value, stated := chosen[s.Name], e.Settings[s.Name]
		standard := value == "" || value == s.Default || len(s.Values) > 0 && value == s.Values[0]
		if !s.Measured || s.Type == envs.Path || value == "" || standard && value != stated {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[s.Name] = value
	}
	return out
}

// changes says in what a run differs from a preset.
func changes(released, actual *configs.Preset) ([]string, error) {
	differences, err := configs.DiffPresets(released, actual)
	var out []string
	for _, d := range differences {
		if name, ok := strings.CutPrefix(d.Field, "overrides."); ok {
			out = append(out, name+" "+d.B)
			continue
		}
		out = append(out, fmt.Sprintf("%s %s instead of %s", d.Field, cmp.Or(d.B, "none"), cmp.Or(d.A, "none")))
	}
	return out, err
}
