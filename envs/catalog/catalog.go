// Package catalog is the one place that names every environment.
package catalog

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"heldout/envs"
	"heldout/envs/address"
	"heldout/envs/alfworld"
	"heldout/envs/babyai"
	"heldout/envs/hotpotqa"
	"heldout/envs/jericho"
	"heldout/envs/outside"
	"heldout/envs/outside/agentgym"
	"heldout/envs/outside/child"
	"heldout/envs/outside/openenv"
	"heldout/envs/pddl"
	"heldout/envs/sciworld"
	"heldout/envs/spelling"
)

// Entry is an environment that can be opened.
type Entry struct {
	Name string
	// Summary describes the environment in one line.
	Summary string
	// Settings are the environment's options beside data and generator seed.
	Settings []envs.Setting
	// Folders may hold the official tasks, in the data folder; one of them must exist. Without
	// any, the tasks that heldout has are the environment's only ones.
	Folders []string
	// Examine checks each thing that the environment needs; nil if it needs nothing.
	Examine func(envs.Setup) []envs.Check
	// Generates: without data, the tasks come from the setup's generator seed.
	Generates bool
	// Drawn: its worlds have pictures, or lists of what is in them.
	Drawn bool
	Open  func(envs.Setup, envs.Outside) (envs.Env, error)
	// Place is what stands for an address after the name of a way to environments that others run; reach opens a
	// provider there.
	Place string
	reach func(address string, s envs.Settings, out envs.Outside) outside.Provider
}

//go:embed entries.yaml
var entriesYAML []byte

// entries are the entries of the file, with what opens them.
var entries = sync.OnceValue(func() (list []Entry) {
	if err := yaml.Load(entriesYAML, &list, yaml.WithKnownFields()); err != nil {
		panic(err) // it is ours, and tests read it
	}
	for i := range list {
		e := &list[i]
		e.Open, e.reach = openers[e.Name], providers[e.Name]
		if e.Name == sciworld.Name {
			e.Examine = func(s envs.Setup) []envs.Check { return sciworld.Examine(sciworldOptions(s)) }
		}
	}
	return list
})

// openers open environments.
var openers = map[string]func(envs.Setup, envs.Outside) (envs.Env, error){
	alfworld.Name: openALFWorld, babyai.Name: openBabyAI, hotpotqa.Name: openHotpotQA, jericho.Name: openJericho,
	pddl.Name: openPDDL,
	sciworld.Name: func(s envs.Setup, _ envs.Outside) (envs.Env, error) {
		return sciworld.New(sciworldOptions(s))
	},
}

// providers reach environments that others run.
var providers = map[string]func(address string, s envs.Settings, out envs.Outside) outside.Provider{
	"exec": func(command string, s envs.Settings, out envs.Outside) outside.Provider {
		return child.New(out.Context, command, outside.Configured(s))
	},
	"agentgym": func(url string, s envs.Settings, out envs.Outside) outside.Provider {
		return agentgym.New(url, s, out)
	},
	"openenv": func(url string, s envs.Settings, out envs.Outside) outside.Provider {
		return openenv.New(url, s, out)
	},
}

// All lists the environments, and the ways to those that others run.
func All() []Entry { return slices.Clone(entries()) }

// Entries lists the environments.
func Entries() []Entry {
	return slices.DeleteFunc(All(), func(e Entry) bool { return e.Place != "" })
}

// Places are the names of environments that others run, with what stands for their addresses.
func Places() (names []string) {
	for _, e := range entries() {
		if e.Place != "" {
			names = append(names, e.Name+":"+e.Place)
		}
	}
	return names
}

// through returns the entry of the environment at a place; without a place, it can only be
// described. Its name, which is shown, has no secrets.
func (e Entry) through(place string) Entry {
	scheme := e.Name
	if strings.TrimSpace(place) == "" {
		e.Open = func(envs.Setup, envs.Outside) (envs.Env, error) {
			return nil, fmt.Errorf("%s alone names no environment: want %s:%s", scheme, scheme, e.Place)
		}
		return e
	}
	e.Name += ":" + address.Plain(place)
	e.Open = func(s envs.Setup, out envs.Outside) (envs.Env, error) {
		out.Context = cmp.Or(out.Context, context.Background())
		provider := e.reach(place, s.Settings, out)
		options := outside.Configured(s.Settings)
		if e.Place == "URL" {
			options.Address = address.Plain(place)
		}
		env, err := outside.New(out.Context, scheme, provider, options)
		if err != nil {
			return nil, errors.Join(err, provider.Close())
		}
		return env, nil
	}
	return e
}

// Open sets up the environment with the given name, which may come from records: none of
// them reaches an environment that others run. It ignores settings that the environment does not have.
func Open(name string, s envs.Setup, out envs.Outside) (envs.Env, error) {
	if envs.IsExternal(name) {
		return nil, fmt.Errorf("%s is outside of heldout, where records reach nothing by themselves", name)
	}
	return Reach(name, s, out)
}

// Reach is Open for a name that the user gave, which may be of an environment that others run.
func Reach(name string, s envs.Setup, out envs.Outside) (envs.Env, error) {
	e, err := Find(name)
	if err != nil {
		return nil, err
	}
	return e.openAll(s, out)
}

// Find returns the entry with the given name.
func Find(name string) (Entry, error) {
	var names []string
	scheme, place, _ := strings.Cut(name, ":")
	for _, e := range entries() {
		switch {
		case e.Place == "" && e.Name == name:
			return e, nil
		case e.Place != "" && e.Name == scheme:
			return e.through(place), nil
		case e.Place == "":
			names = append(names, e.Name)
		}
	}
	names = append(names, Places()...)
	return Entry{}, fmt.Errorf("unknown environment %q%s; there are: %s", address.Plain(name),
		spelling.Hint(name, names), strings.Join(names, ", "))
}

// Available returns the environments that can be played and, for each of the others, the reason why it cannot: the
// data folder has nothing for it. Unknown names stay in the list.
func Available(names []string, s envs.Setup) (available []string, unavailable []error) {
	for _, name := range names {
		if e, err := Find(name); err == nil {
			if err := e.unavailable(s); err != nil {
				unavailable = append(unavailable, err)
				continue
			}
		}
		available = append(available, name)
	}
	return available, unavailable
}

// unavailable says why the environment cannot be played. Incomplete data are
// not a reason: a mistake must not cause an environment to be skipped.
func (e Entry) unavailable(s envs.Setup) error {
	if s.Data == "" || len(e.Folders) == 0 {
		return nil
	}
	for _, folder := range e.Folders {
		if _, err := os.Stat(filepath.Join(s.Data, folder)); !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	return fmt.Errorf("%s has no official tasks in %s, which lacks a folder %s; heldout data pull %s fetches them",
		e.Name, s.Data, strings.Join(e.Folders, " or "), e.Name)
}

// Settings lists the settings of all environments in their order, one per name.
func Settings() []envs.Setting {
	var out []envs.Setting
	for _, e := range All() {
		for _, s := range e.Settings {
			if !slices.ContainsFunc(out, func(o envs.Setting) bool { return o.Name == s.Name }) {
				out = append(out, s)
			}
		}
	}
	return out
}

// CheckSettings reports settings that none of the environments has, and values that are invalid for one of them.
func CheckSettings(environments []string, chosen envs.Settings) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		found := false
		for _, env := range environments {
			e, err := Find(env)
			i := slices.IndexFunc(e.Settings, func(s envs.Setting) bool { return s.Name == name })
			if err != nil || i < 0 {
				continue
			}
			found = true
			if err := e.Settings[i].Check(chosen[name]); err != nil {
				errs = append(errs, fmt.Errorf("environment %s: %w", e.Name, err))
			}
		}
		if !found {
			errs = append(errs, fmt.Errorf("%s is not a setting of %s; heldout envs %s lists those", name,
				address.Plain(strings.Join(environments, ", ")), address.Plain(environments[0])))
		}
	}
	return errors.Join(errs...)
}

func openPDDL(s envs.Setup, _ envs.Outside) (envs.Env, error) {
	if s.Data == "" {
		return pddl.NewGenerated(s.GeneratorSeed.First)
	}
	return pddl.NewOfficial(s.Data)
}

func openBabyAI(s envs.Setup, _ envs.Outside) (envs.Env, error) {
	return babyai.New(babyai.Options{Data: s.Data, Variant: s.Settings["variant"]})
}

func openALFWorld(s envs.Setup, _ envs.Outside) (envs.Env, error) {
	o := alfworld.Configured(s.Settings)
	if s.Data == "" {
		return alfworld.NewGenerated(s.GeneratorSeed.First, o)
	}
	o.Partial = s.Partial
	e, err := alfworld.NewOfficial(s.Data, o)
	if err == nil && !o.Partial {
		err = e.CheckComplete()
	}
	return e, err
}

func openJericho(s envs.Setup, _ envs.Outside) (envs.Env, error) {
	o := jericho.Configured(s.Settings)
	o.Data, o.GeneratorSeed = s.Data, s.GeneratorSeed.First
	return jericho.New(o)
}

func openHotpotQA(s envs.Setup, out envs.Outside) (envs.Env, error) {
	o := hotpotqa.Configured(s.Settings)
	if s.Data == "" && !hotpotqa.IsPath(o.Questions) {
		return hotpotqa.NewEmbedded(o, out)
	}
	return hotpotqa.NewOfficial(s.Data, o, out)
}

func sciworldOptions(s envs.Setup) sciworld.Options {
	o := sciworld.Configured(s.Settings)
	o.Data = s.Data
	return o
}
