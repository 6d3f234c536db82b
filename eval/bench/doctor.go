package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Doctor makes the checks of heldout doctor. An error is a *ConfigError, or says how many
// checks failed.
type Doctor struct {
	Outside Outside
	// Tell receives each check as it is made. The check of a first turn has several lines.
	Tell func(envs.Check)
	// Say receives other lines: a preset that is skipped, and the address of the server that is
	// checked next if there are several.
	Say    func(line string)
	Server func(address string)

	failed int
}

func (d *Doctor) tell(checks ...envs.Check) {
	for _, c := range checks {
		if c.Status == envs.CheckFail {
			d.failed++
		}
		d.Tell(c)
	}
}

func (d *Doctor) verdict() error {
	if d.failed > 0 {
		return fmt.Errorf("%d check(s) failed", d.failed)
	}
	return nil
}

// verdictOr is the verdict or, without one, why the checks were stopped.
func (d *Doctor) verdictOr(ctx context.Context) error {
	if err := d.verdict(); err != nil {
		return err
	}
	return ctx.Err()
}

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
	case s.Data != "":
		d.tell(d.official(entry, s))
	case entry.Examine == nil:
		d.tell(envs.Check{Name: name, Status: envs.CheckOK,
			Text: "it needs nothing but heldout; official tasks need --data"})
	}
	return d.verdictOr(ctx)
}

// official checks that an environment has its official tasks.
func (d *Doctor) official(entry catalog.Entry, s envs.Setup) envs.Check {
	_, unavailable := catalog.Available([]string{entry.Name}, s)
	env, err := entry.Open(s, d.Outside.Envs())
	if err = cmp.Or(errors.Join(unavailable...), err); err != nil {
		return envs.Check{Name: entry.Name, Status: envs.CheckFail, Text: err.Error()}
	}
	return envs.Check{Name: entry.Name, Status: envs.CheckOK,
		Text: fmt.Sprintf("%d official tasks in %s", len(env.Tasks()), s.Data)}
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

// Model checks the servers of a model, and how a run on it would begin: its checks, and its
// first turn. override is set if r names presets: what the user gave besides.
func (d *Doctor) Model(ctx context.Context, r configs.Run, override func(*configs.Run) error) error {
	job, err := d.firstRun(r, override)
	if err != nil {
		return ConfigError{err}
	}
	defer job.Close()
	if r.WaitForServers > 0 {
		if _, err := job.Served[0].Fleet.Await(ctx, r.WaitForServers); err != nil {
			return err
		}
	}
	if d.Servers(ctx, job) {
		d.beginning(ctx, job)
	}
	return d.verdictOr(ctx)
}

// Servers checks the servers of a job's first served model, and reports whether any gives
// replies.
func (d *Doctor) Servers(ctx context.Context, j *Job) (answers bool) {
	clients := j.Served[0].Fleet.Clients()
	for _, client := range clients {
		if len(clients) > 1 {
			d.Server(client.URL())
		}
		for _, check := range model.Examine(ctx, client, j.Config.Extra, max(int(j.Config.Concurrency), 8)) {
			answers = answers || check.Name == "reply" && check.Status != envs.CheckFail
			d.tell(check)
		}
	}
	return answers
}

// firstRun prepares the run whose first turn the model plays.
func (d *Doctor) firstRun(r configs.Run, override func(*configs.Run) error) (*Job, error) {
	if len(r.Preset) > 0 {
		chosen, _, err := resolvePresets(d.Outside, Plain, Input{Override: override}, r.Preset)
		if err = cmp.Or(err, validate(chosen, Plain)); err != nil {
			return nil, err
		}
		return New(d.Outside, Plain, chosen[0])
	}
	if len(r.Env) == 0 && r.Tasks == "" {
		r.Setup = envs.Setup{}
	}
	if len(r.Env) == 0 {
		r.Env = configs.Strings{"pddl"}
	}
	if len(r.Env) > 1 {
		return nil, errors.New("want one --env, whose first turn the model plays")
	}
	r.Seeds = "0-0"
	if err := Validate(r, Plain); err != nil {
		return nil, err
	}
	return New(d.Outside, Plain, Default(r)...)
}

// beginning makes the checks of a run and plays its first turn.
func (d *Doctor) beginning(ctx context.Context, j *Job) {
	if err := j.Meet(ctx); err != nil {
		d.tell(envs.Check{Name: "run", Status: envs.CheckFail, Text: "it would end at once: " + err.Error()})
		return
	}
	d.tell(envs.Check{Name: "run", Status: envs.CheckOK,
		Text: "all servers that answer serve the same model, and its context has room for a prompt and a reply"})
	turn, err := j.Plan.Episodes[0].FirstTurn(ctx)
	check := envs.Check{Name: fmt.Sprintf("first turn (%s, %s, agent %s)", j.Config.Env[0], turn.Task, j.Config.Agent)}
	if err != nil {
		check.Status, check.Text = envs.CheckFail, "a run would be worthless: "+err.Error()
		d.tell(check)
		return
	}
	status, verdict := outlook(turn, j.Served[0].Fleet.Clients()[0].Remedy)
	read := "none"
	if !turn.Move.FormatError {
		read = fmt.Sprintf("%q, valid: %v", turn.Move.Action, turn.Step.Valid)
	}
	check.Status, check.Text = status, fmt.Sprintf(
		"%s\n  finish reason: %q\n  reasoning: %q\n  reply: %q\n  thought: %q\n  action: %s",
		verdict, turn.Reply.FinishReason, turn.Reply.Reasoning, turn.Reply.Text, turn.Move.Thought, read)
	d.tell(check)
}

// outlook says what a first turn predicts for the run. remedy returns the remedy
// for a fault.
func outlook(t episode.FirstTurn, remedy func(record.Fault) string) (envs.CheckStatus, string) {
	fault := t.Move.Fault
	switch {
	case t.Move.FormatError:
		return envs.CheckFail, fmt.Sprintf("a run would be worthless: the reply is %s; %s", fault, remedy(fault))
	case fault != "":
		return envs.CheckWarn, fmt.Sprintf("the reply is %s; %s", fault, remedy(fault))
	case !t.Step.Valid && !t.Step.Understood:
		return envs.CheckWarn, "the reply can be read, but its action is not valid"
	}
	return envs.CheckOK, "the reply can be read, and its action is valid"
}
