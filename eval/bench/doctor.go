package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/model"
	"heldout/scoring/table"
)

// Doctor makes the checks of heldout doctor. An error is a *ConfigError, or says how many checks failed.
type Doctor struct {
	Outside Outside
	// Tell receives each check as it is made.
	Tell func(envs.Check)
	// Say receives other lines: a preset that is skipped, and the address of the server that is
	// checked next if there are several.
	Say    func(line string)
	Server func(address string)
	// Doing is told what takes time now; nil is not.
	Doing func(what string)
	// Quick asks a server for its first turns alone. Show receives what is sent in them and
	// what comes back; nil shows nothing.
	Quick bool
	Show  func(lines string)

	failed int
	// server is what the checks of servers add to a diagnosis.
	server model.ReplyCounts
}

func (d *Doctor) tell(checks ...envs.Check) {
	for _, c := range checks {
		if c.Status == envs.CheckFail {
			d.failed++
		}
		d.Tell(c)
	}
}

func (d *Doctor) doing(what string) {
	if d.Doing != nil {
		d.Doing(what)
	}
}

func (d *Doctor) verdict() error {
	if d.failed > 0 {
		return fmt.Errorf("%d check(s) failed", d.failed)
	}
	return nil
}

// verdictOr is why the checks were stopped or, if they were not, the verdict.
func (d *Doctor) verdictOr(ctx context.Context) error { return cmp.Or(ctx.Err(), d.verdict()) }

// Environment checks what an environment needs.
func (d *Doctor) Environment(ctx context.Context, name string, s envs.Setup) error {
	entry, err := catalog.Find(name)
	if err == nil {
		err = catalog.CheckSettings([]string{name}, s.Settings)
	}
	if err != nil {
		return ConfigError{err}
	}
	if entry.Examine != nil {
		d.tell(entry.Examine(s)...)
	}
	switch {
	case envs.IsExternal(name):
		if found := d.external(entry, s); ctx.Err() == nil { // else it was stopped, and is not wrong
			d.tell(found)
		}
	case len(entry.Folders) == 0:
		d.tell(envs.Check{Name: name, Status: envs.CheckOK,
			Text: "it needs nothing but heldout: it has no official tasks"})
	case s.Data != "":
		d.tell(d.official(entry, s))
	case entry.Examine == nil:
		d.tell(envs.Check{Name: name, Status: envs.CheckOK,
			Text: "it needs nothing but heldout; official tasks need --data"})
	}
	return d.verdictOr(ctx)
}

// external checks that an environment that others run describes itself.
func (d *Doctor) external(entry catalog.Entry, s envs.Setup) envs.Check {
	env, err := entry.Open(s, d.Outside.Envs())
	if err != nil {
		return envs.Check{Name: entry.Name, Status: envs.CheckFail, Text: err.Error()}
	}
	info := env.Info()
	return envs.Check{Name: entry.Name, Status: envs.CheckOK, Text: fmt.Sprintf("%s, version %s, hash %s: %s",
		info.Name, info.Settings["version"], info.Settings["hash"], table.Counted(len(env.Tasks()), "task"))}
}

// official checks that an environment has its official tasks.
func (d *Doctor) official(entry catalog.Entry, s envs.Setup) envs.Check {
	_, unavailable := catalog.Available([]string{entry.Name}, s)
	env, err := entry.Open(s, d.Outside.Envs())
	if err = cmp.Or(errors.Join(unavailable...), err); err != nil {
		return envs.Check{Name: entry.Name, Status: envs.CheckFail, Text: err.Error()}
	}
	return envs.Check{Name: entry.Name, Status: envs.CheckOK,
		Text: table.Counted(len(env.Tasks()), "official task") + " in " + s.Data}
}

// Presets checks what presets need; override is what the user gave besides.
func (d *Doctor) Presets(names []string, override func(*configs.Run) error) error {
	chosen, skipped, err := resolvePresets(d.Outside, Purpose{}, Input{Override: override}, names)
	if err != nil {
		return ConfigError{err}
	}
	for _, why := range skipped {
		d.Say(fmt.Sprintf("skipped: %v", why))
	}
	for _, c := range chosen {
		d.tell(examinePreset(d.Outside, c)...)
	}
	return d.verdict()
}
