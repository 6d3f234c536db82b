package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/bench"
	"heldout/scoring/table"
)

func newDoctor(sys *system, c *cobra.Command) {
	r := configs.DefaultRun()
	var quick, show bool
	c.RunE = func(c *cobra.Command, names []string) error {
		if len(names) > 0 {
			if flag := flagFor(names[0]); flag == "preset" || flag == "model" && !bench.IsBaseline(names[0]) {
				return standsAlone(c, flag, names[0])
			}
		}
		if len(names) > 0 && len(r.Preset) > 0 {
			return usage(errors.New("want an environment or a --preset, not both"))
		}
		if r.Tasks != "" && len(r.Model) == 0 {
			return usage(errors.New("--tasks chooses what the first turns play, so it needs a --model"))
		}
		if len(names) > 0 && len(r.Model) > 0 {
			return usage(errors.New("want an environment or a --model, not both"))
		}
		d := bench.Doctor{Outside: sys.bench(), Say: func(line string) { sys.say("%s", line) },
			Server: func(address string) { fmt.Fprintln(sys.stdout, address) },
			Tell: func(c envs.Check) {
				sys.indented(fmt.Sprintf("%-8s ", c.Status), c.Name+": "+c.Text)
			},
			Quick: quick}
		if show {
			d.Show = func(text string) {
				for line := range strings.Lines(text) {
					content := strings.TrimLeft(line, " ")
					sys.indented(line[:len(line)-len(content)], content)
				}
			}
		}
		if len(names) > 0 {
			return d.Environment(c.Context(), names[0], r.Setup)
		}
		var change func(*configs.Run) error
		if len(r.Preset) > 0 {
			change = func(target *configs.Run) error { return override(target, c.Flags()) }
			if err := d.Presets(r.Preset, change); err != nil || len(r.Model) == 0 {
				return err
			}
		} else if len(r.Model) != 1 || bench.IsBaseline(r.Model[0]) {
			return usage(
				errors.New(
					"want one --model that a server serves, such as vllm:NAME, or the name of an environment"))
		}
		doing, finish := sys.work()
		defer finish()
		d.Doing = doing
		return d.Model(c.Context(), r, change)
	}
	optionFlags(c.Flags(), &r, configs.Protocols, configs.Server, configs.Sampling, configs.Length, configs.Player)
	addFlags(c.Flags(), map[string]any{"env": (*[]string)(&r.Env), "quick": &quick, "show": &show,
		"tasks": &r.Tasks})
	taskSource(c, sys, &r.Setup)
}

// indented prints a text behind a head, in lines that are as wide as the terminal. The text
// of others is escaped; its lines stand below each other.
func (s *system) indented(head, text string) {
	margin := strings.Repeat(" ", len(head))
	for line := range strings.SplitSeq(table.PrintableLines(text), "\n") {
		for _, part := range table.Wrap(line, s.width()-len(head)) {
			fmt.Fprintln(s.stdout, strings.TrimRight(head+part, " "))
			head = margin
		}
	}
}
