package main

import (
	"context"
	"errors"
	"fmt"
	"heldout/eval/episode"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/bench"
	"heldout/eval/model"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

func newDoctor(sys *system) *cobra.Command {
	r := configs.DefaultRun()
	c := &cobra.Command{
		Use:               "doctor [ENV | --preset NAME | --model PROVIDER:NAME]",
		ValidArgsFunction: completeEnvironment,
		Short:             "Check an environment, a preset or a model server",
		Long: `doctor ENV says what an environment needs, what is missing, and how to get it.

doctor --preset says whether the data have the tasks of an evaluation protocol,
and whether the files of its source are the originals. With --model it goes on
to the server and plays the first turn of the protocol.

doctor --model asks a server for a few dozen short replies. It reports whether
the server is reachable and has the model, its context length, whether it
honours the sampling parameters, whether it repeats a greedy reply, alone and
under load, and whether it refuses a prompt that is too long. Then it plays the
first turn of the first of --tasks with the settings of a run, shows the reply
and what is read from it, and says if a run would be worthless or refused. The
default environment for this is pddl.`,
		Example: "  heldout doctor sciworld\n  heldout doctor --model vllm:my-checkpoint --concurrency 64",
		Args:    args(0, 1, "one environment, or none and a --model"),
		RunE: func(c *cobra.Command, names []string) error {
			if len(names) > 0 && len(r.Preset) > 0 {
				return usage(errPresetAndEnv)
			}
			if r.Tasks != "" && len(r.Model) == 0 {
				return usage(errors.New("--tasks are those of the first turn, which a --model plays"))
			}
			if len(r.Preset) > 0 {
				over := func(to *configs.Run) error { return override(to, c.Flags()) }
				if err := examinePresets(sys, r, over); err != nil || len(r.Model) == 0 {
					return err
				}
				return examineModel(c.Context(), sys, r, over)
			}
			if len(names) > 0 && len(r.Model) > 0 {
				return usage(errors.New("want an environment or a --model, not both"))
			}
			if len(names) > 0 {
				return examineEnv(c.Context(), sys, names[0], r.Setup)
			}
			if len(r.Model) != 1 || bench.IsBaseline(r.Model[0]) {
				return usage(
					errors.New(
						"want one --model that a server serves, such as vllm:NAME, or the name of an environment"))
			}
			return examineModel(c.Context(), sys, r, nil)
		},
	}
	optionFlags(c.Flags(), &r, configs.Protocols, configs.Server, configs.Sampling, configs.Length, configs.Player)
	c.Flags().StringSliceVar((*[]string)(&r.Env), "env", r.Env,
		"environment of the first turn; the default is pddl with generated tasks")
	c.Flags().StringVar(&r.Tasks, "tasks", r.Tasks, helpOf("tasks"))
	taskSource(c, sys, &r.Setup)
	return c
}

// examineEnv checks what an environment needs.
func examineEnv(ctx context.Context, sys *system, name string, s envs.Setup) error {
	entry, err := catalog.Find(name)
	if err != nil {
		return usage(err)
	}
	if err := catalog.CheckSettings([]string{name}, s.Settings); err != nil {
		return usage(err)
	}
	if entry.Examine == nil {
		_, err := fmt.Fprintf(sys.stdout,
			"ok       %s: it needs nothing but heldout; official tasks need --data\n", name)
		return err
	}
	failed := 0
	for _, check := range entry.Examine(ctx, s) {
		if check.Status == envs.CheckFail {
			failed++
		}
		if _, err := fmt.Fprintf(sys.stdout, "%-8s %s: %s\n", check.Status, check.Name, check.Text); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d check(s) failed", failed)
	}
	return ctx.Err()
}

// examineModel checks a model server, and how a run on it would begin.
// given is set if r names presets: what the user gave besides.
func examineModel(ctx context.Context, sys *system, r configs.Run, given func(*configs.Run) error) error {
	job, err := firstRun(sys, r, given)
	if err != nil {
		return usage(err)
	}
	defer job.Close()
	if r.WaitForServers > 0 {
		if _, err := job.Served[0].Fleet.Await(ctx, r.WaitForServers); err != nil {
			return err
		}
	}
	failed, answers, err := examineServers(ctx, sys, job, r)
	if err != nil {
		return err
	}
	if answers {
		worthless, err := beginning(ctx, sys, job)
		if err != nil {
			return err
		}
		if worthless {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d check(s) failed", failed)
	}
	return ctx.Err()
}

// examineServers checks the servers of a job's model one after the other. It
// returns the number of failed checks, and whether some server replies.
func examineServers(ctx context.Context, sys *system, j *bench.Job, r configs.Run) (failed int, answers bool,
	err error) {
	clients := j.Served[0].Fleet.Clients()
	for _, client := range clients {
		if len(clients) > 1 {
			if _, err := fmt.Fprintf(sys.stdout, "%s\n", client.URL()); err != nil {
				return failed, answers, err
			}
		}
		for _, check := range model.Examine(ctx, client, r.Extra, max(int(r.Concurrency), 8)) {
			if check.Status == envs.CheckFail {
				failed++
			}
			answers = answers || check.Name == "reply" && check.Status != envs.CheckFail
			if _, err := fmt.Fprintf(sys.stdout, "%-8s %s: %s\n", check.Status, check.Name, check.Text); err != nil {
				return failed, answers, err
			}
		}
	}
	return failed, answers, nil
}

// beginning makes the checks of a run and plays its first turn. It reports whether the
// run would be worthless, or stop at once.
func beginning(ctx context.Context, sys *system, j *bench.Job) (worthless bool, err error) {
	check := envs.Check{Status: envs.CheckOK,
		Text: "all servers that answer serve the same model, and its context has room for a prompt and a reply"}
	refused := j.Meet(ctx)
	if refused != nil {
		check.Status, check.Text = envs.CheckFail, "it would end at once: "+refused.Error()
	}
	if _, err := fmt.Fprintf(sys.stdout, "%-8s run: %s\n", check.Status, table.Printable(check.Text)); err != nil ||
		refused != nil {
		return true, err
	}
	return firstTurn(ctx, sys, j)
}

// firstRun prepares the run whose first turn the model plays.
func firstRun(sys *system, r configs.Run, given func(*configs.Run) error) (*bench.Job, error) {
	if len(r.Preset) > 0 {
		chosen, _, err := bench.ResolvePresets(sys.bench(), bench.Given{Over: given}, r.Preset)
		if err != nil {
			return nil, err
		}
		for _, c := range chosen {
			if err := bench.Validate(c.Run, bench.Plain); err != nil {
				return nil, err
			}
		}
		return bench.NewPresets(sys.bench(), chosen[:1])
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
	if err := bench.Validate(r, bench.Plain); err != nil {
		return nil, err
	}
	return bench.New(sys.bench(), bench.Plain, r)
}

// firstTurn plays the first turn of the run, shows it, and reports whether the
// run would be worthless.
func firstTurn(ctx context.Context, sys *system, j *bench.Job) (worthless bool, err error) {
	turn, err := j.FirstTurn(ctx)
	title := fmt.Sprintf("first turn (%s, %s, agent %s)", j.Config.Env[0], turn.Task, j.Config.Agent)
	if err != nil {
		_, err = fmt.Fprintf(sys.stdout, "%-8s %s: a run would be worthless: %s\n", envs.CheckFail, title,
			table.Printable(err.Error()))
		return true, err
	}
	status, verdict := outlook(turn, j.Served[0].Fleet.Clients()[0].Remedy)
	read := "none"
	if !turn.Move.FormatError {
		read = fmt.Sprintf("%q, valid: %v", turn.Move.Action, turn.Step.Valid)
	}
	_, err = fmt.Fprintf(sys.stdout,
		"%-8s %s: %s\n  finish reason: %q\n  reasoning: %q\n  reply: %q\n  thought: %q\n  action: %s\n",
		status, title, verdict, turn.Reply.FinishReason, turn.Reply.Reasoning, turn.Reply.Text, turn.Move.Thought, read)
	return status == envs.CheckFail, err
}

// outlook says what a first turn predicts for the run. remedy returns the remedy
// for a fault.
func outlook(t episode.Turn, remedy func(record.Fault) string) (envs.CheckStatus, string) {
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
