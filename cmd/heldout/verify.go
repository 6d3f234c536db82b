package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"heldout/envs/datafile"
	"heldout/eval/training"
	"heldout/eval/training/export"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

func newVerify(sys *system) *cobra.Command {
	o := synth.DefaultOptions()
	var lenient, asJSON, force bool
	var signal, masked string
	c := &cobra.Command{
		Use:   "verify FILE…",
		Short: "Check synthetic trajectories by AgentRefine's rules",
		Long: `verify checks trajectories between a player and a game master against their
scripts, by Algorithm 1 of AgentRefine (Fu et al. 2025): the keys of every turn;
each action against the verification codes and parameters of the script, unless
the master answers with an error; enough error turns; and success in the last
turn. It also checks that a trajectory is one game: the turns are numbered without
gaps, player and master alternate, and nothing follows the end. A file has one JSON object per line with the keys script and trajectory.

Each line of the output has the turn and the reason of a rejection. The command
ends with code 1 if a trajectory is rejected.

--masked writes the trajectories that pass to a file that heldout export takes.
In it, each turn of the player has the key train, which is false if the master
answers with an error.

Verification codes are regular expressions of Python. They take linear time
here; look-around and back references are not supported, and a trajectory that
needs them is rejected as "unsupported pattern".`,
		Example: "  heldout verify trajectories.jsonl\n  heldout verify --min-errors 1 --masked verified.jsonl " +
			"trajectories.jsonl",
		Args: args(1, -1, "at least one file"),
		RunE: func(_ *cobra.Command, files []string) error {
			if err := training.TakeSignal(&o, signal); err != nil {
				return usage(err)
			}
			v := &verification{out: sys.stdout, json: asJSON, many: len(files) > 1, rejected: map[synth.Reason]int{}}
			if masked != "" {
				var err error
				if v.masked, err = export.Create(masked, force); err != nil {
					return err
				}
			}
			return v.files(files, o, lenient)
		},
	}
	f := c.Flags()
	verifyFlags(f, &o, &signal)
	f.BoolVar(&lenient, "lenient", false,
		"accept code fences and trailing commas in scripts and trajectories that are strings, and count them")
	f.StringVar(&masked, "masked", "",
		"write the trajectories that pass, with the turns that a model is trained on, to this file")
	f.BoolVar(&force, "force", false, "replace the file of --masked")
	f.BoolVar(&asJSON, "json", false, "one JSON object per trajectory")
	return c
}

// verification prints verdicts and counts them.
type verification struct {
	out                 io.Writer
	json, many          bool
	passed, mended, bad int
	rejected            map[synth.Reason]int
	errors, repaired    int
	masked              *export.File // nil if nothing is written
}

// files verifies files. What is written has its name only if all could be read.
func (v *verification) files(names []string, o synth.Options, lenient bool) error {
	for _, name := range names {
		if err := v.file(name, o, lenient); err != nil {
			if v.masked != nil {
				v.masked.Abort()
			}
			return err
		}
	}
	if v.masked != nil {
		if err := v.masked.Commit(); err != nil {
			return err
		}
	}
	return v.end()
}

func (v *verification) file(name string, o synth.Options, lenient bool) error {
	f, err := datafile.Open(name, datafile.Unlimited)
	if err != nil {
		return err
	}
	defer f.Close()
	err = synth.VerifyLines(f, o, lenient, func(c synth.Checked) error { return v.print(name, c) })
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// print prints one verdict.
func (v *verification) print(file string, c synth.Checked) error {
	v.errors += c.Errors
	v.repaired += c.Repaired
	if c.Mended {
		v.mended++
	}
	if c.Script != "" {
		v.bad++
	}
	if c.Reason == "" {
		v.passed++
	} else {
		v.rejected[c.Reason]++
	}
	if v.masked != nil && c.Masked != nil {
		if _, err := v.masked.Write(record.Seal(c.Masked)); err != nil {
			return err
		}
	}
	if v.json {
		return json.NewEncoder(v.out).Encode(struct {
			File string `json:"file"`
			synth.Checked
		}{file, c})
	}
	where := fmt.Sprintf("line %d", c.Line)
	if v.many {
		where = fmt.Sprintf("%s:%d", table.Printable(file), c.Line)
	}
	text := fmt.Sprintf("%s: passed, %d turns, %d errors, %d repaired", where, c.Turns, c.Errors, c.Repaired)
	if c.Reason != "" {
		text = fmt.Sprintf("%s: %s at turn %d: %s (%d of %d turns verified)", where, c.Reason, c.Turn,
			table.Printable(c.Message), c.Verified, c.Turns)
		if c.Turn == 0 {
			text = fmt.Sprintf("%s: %s: %s", where, c.Reason, table.Printable(c.Message))
		}
	}
	if c.Script != "" {
		text += "; script: " + table.Printable(strings.ReplaceAll(c.Script, "\n", "; "))
	}
	_, err := fmt.Fprintln(v.out, text)
	return err
}

// errRejected says that some trajectory was rejected.
var errRejected = errors.New("some trajectories are rejected")

// end prints the counts.
func (v *verification) end() error {
	rejected := 0
	var counts []string
	for _, r := range synth.Reasons() {
		if n := v.rejected[r]; n > 0 {
			rejected += n
			counts = append(counts, fmt.Sprintf("%d %s", n, r))
		}
	}
	if !v.json {
		text := fmt.Sprintf("%d passed, %d rejected", v.passed, rejected)
		if rejected > 0 {
			text += ": " + strings.Join(counts, ", ")
		}
		text += fmt.Sprintf("\n%d error turns, %d of them repaired at once\n", v.errors, v.repaired)
		if v.mended > 0 {
			text += fmt.Sprintf("%d mended (--lenient)\n", v.mended)
		}
		if v.bad > 0 {
			text += fmt.Sprintf("%d scripts have actions that do not match their own verification code\n", v.bad)
		}
		if _, err := io.WriteString(v.out, text); err != nil {
			return err
		}
	}
	if rejected > 0 {
		return errRejected
	}
	return nil
}
