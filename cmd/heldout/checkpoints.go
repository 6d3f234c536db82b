package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/eval/bench"
	"heldout/eval/model"
	"heldout/eval/scale/checkpoints"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

type checkpointFlags struct {
	pattern, serve string
	follow         bool
}

func (m *checkpointFlags) flags(f *pflag.FlagSet) {
	addFlags(f, map[string]any{"checkpoints": &m.pattern, "serve": &m.serve, "follow": &m.follow})
}

func (m *checkpointFlags) on() bool { return m.pattern != "" }

func (m *checkpointFlags) check(flags *pflag.FlagSet) error {
	if !m.on() {
		for _, name := range []string{"checkpoints", "serve", "follow"} {
			if f := flags.Lookup(name); f != nil && f.Changed {
				return usage(fmt.Errorf("--%s: name checkpoints with --checkpoints 'out/checkpoint-*'", name))
			}
		}
		return nil
	}
	for _, name := range []string{"base-url", "queue", "shard"} {
		if flags.Changed(name) {
			return usage(fmt.Errorf("--checkpoints does not work with --%s: one process plays on the servers that it "+
				"starts", name))
		}
	}
	return usage((&checkpoints.Series{Pattern: m.pattern, Command: m.serve}).Check())
}

// play plays the checkpoints, and prints the tables of all. dry says what it would play.
func (m *checkpointFlags) play(ctx context.Context, sys *system, input bench.Input, dry bool, out *output) error {
	on, closeEvents, err := out.screen(sys)
	if err != nil {
		return usage(err)
	}
	defer closeEvents()
	var logs trackers
	var s *checkpoints.Series
	s = &checkpoints.Series{Pattern: m.pattern, Command: m.serve, Follow: m.follow, Outside: sys.bench(), Screen: on,
		Prepare: func(c checkpoints.Checkpoint, address string) (*bench.Job, error) {
			job, _, err := bench.Prepare(sys.bench(), bench.Plain, m.input(input, c, address))
			return job, err
		},
		Report: func(dir string) error {
			results, err := out.read(sys, []record.Chosen{{Parts: record.Parts{dir}}}, false)
			if err != nil {
				return err
			}
			logs.log(ctx, true, append(s.Dirs(), dir)...)
			return out.log(ctx, sys, results.Runs)
		},
	}
	if dry {
		return m.rehearse(ctx, sys, s, out.format)
	}
	if logs, err = out.openTrackers(ctx, sys); err != nil {
		return err
	}
	defer logs.close(ctx)
	dirs, unplayed := s.Play(ctx)
	if ctx.Err() != nil || len(dirs) == 0 {
		return unplayed
	}
	runs, err := out.print(sys, table.Each(dirs, func(dir string) record.Chosen {
		return record.Chosen{Parts: record.Parts{dir}}
	}))
	if err != nil {
		return errors.Join(unplayed, err)
	}
	sys.say("the curve: heldout plot %s --figure checkpoints --out curve.svg", strings.Join(dirs, " "))
	logs.log(ctx, true, dirs...)
	missing := []error{unplayed}
	for _, run := range runs {
		missing = append(missing, bench.Complete(run.Scores))
	}
	return errors.Join(missing...)
}

// rehearse says which checkpoints there are, and what the run of the first one plays.
func (m *checkpointFlags) rehearse(ctx context.Context, sys *system, s *checkpoints.Series, format string) error {
	found, err := s.Found()
	if err != nil {
		return usage(err)
	}
	job, err := s.Prepare(found[0], "http://127.0.0.1/v1")
	if err != nil {
		return usage(err)
	}
	defer job.Close()
	if format != "json" {
		fmt.Fprintf(sys.stdout, "checkpoints: %d, from %s to %s; of each:\n", len(found), found[0].Name,
			found[len(found)-1].Name)
	}
	return forecast(ctx, sys, job, format)
}

// input is what the user's input says of one checkpoint.
func (m *checkpointFlags) input(input bench.Input, c checkpoints.Checkpoint, address string) bench.Input {
	input.Chosen = true
	change := input.Override
	input.Override = func(r *configs.Run) error {
		if err := change(r); err != nil {
			return err
		}
		return setCheckpoint(r, c, address)
	}
	return input
}

// setCheckpoint makes r the run of a checkpoint.
func setCheckpoint(r *configs.Run, c checkpoints.Checkpoint, address string) error {
	if len(r.Model) == 0 {
		r.Model = configs.Strings{string(model.VLLM) + ":{}"}
	}
	spec := strings.ReplaceAll(r.Model[0], "{}", c.Path)
	switch parsed, err := model.ParseSpec(spec); {
	case len(r.Model) > 1 || err != nil || parsed.Provider == model.Ollama:
		return errors.New("with --checkpoints, give one --model vllm:{} or openai:{}, where {} is the checkpoint")
	case spec == r.Model[0] && r.Out == "":
		return fmt.Errorf("all checkpoints are called %s: give --out, or {} in --model", spec)
	case !r.BaseURL.Empty():
		return errors.New("with --checkpoints, base-url is the address of the server that --serve starts")
	}
	names := configs.Names{spec: c.Name}
	maps.Copy(names, r.Names)
	prices := configs.Prices{}
	for name, price := range r.Prices {
		prices[strings.ReplaceAll(name, "{}", c.Path)] = price
	}
	r.Model, r.Names, r.Prices = configs.Strings{spec}, names, prices
	r.BaseURL.List = configs.Strings{address}
	if r.Out != "" {
		r.Out = filepath.Join(r.Out, c.Name)
	}
	return nil
}
