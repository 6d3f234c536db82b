package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"heldout/envs/datafile"
	"heldout/eval/training/export"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Verification verifies files of trajectories, writes their verdicts, and counts them.
type Verification struct {
	Out     io.Writer
	JSON    bool // every verdict is a JSON object
	Options synth.Options
	Lenient bool // as in synth.VerifyLines

	several             bool
	passed, mended, bad int
	rejected            map[synth.Reason]int
	errors, repaired    int
	masked              io.Writer // nil if nothing is written
}

// ErrRejected says that some trajectory was rejected.
var ErrRejected = errors.New("some trajectories are rejected")

// Files verifies files; ErrRejected if a trajectory does not pass. It writes those that pass to the file masked,
// unless that is empty; the file has its name only if all could be read. With force, it replaces one.
func (v *Verification) Files(names []string, masked string, force bool) (err error) {
	v.several, v.rejected = len(names) > 1, map[synth.Reason]int{}
	read := func(out io.Writer) error {
		v.masked = out
		for _, name := range names {
			if err := v.file(name); err != nil {
				return err
			}
		}
		return nil
	}
	if masked == "" {
		err = read(nil)
	} else {
		err = export.WriteFile(masked, force, read)
	}
	if err != nil {
		return err
	}
	return v.end()
}

func (v *Verification) file(name string) error {
	f, err := datafile.Open(name, datafile.Unlimited)
	if err != nil {
		return fmt.Errorf("%w of trajectories, as heldout synth writes them; heldout check is for bundles of runs", err)
	}
	defer f.Close()
	return synth.VerifyLines(name, f, v.Options, v.Lenient, func(c synth.Checked) error { return v.print(name, c) })
}

func (v *Verification) print(file string, c synth.Checked) error {
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
	if v.JSON {
		return json.NewEncoder(v.Out).Encode(struct {
			File string `json:"file"`
			synth.Checked
		}{file, c})
	}
	location := fmt.Sprintf("line %d", c.Line)
	if v.several {
		location = fmt.Sprintf("%s:%d", table.Printable(file), c.Line)
	}
	text := fmt.Sprintf("%s: passed, %s, %s, %d repaired", location, table.Counted(c.Turns, "turn"),
		table.Counted(c.Errors, "error"), c.Repaired)
	if c.Reason != "" {
		text = fmt.Sprintf("%s: %s at turn %d: %s (%d of %d turns verified)", location, c.Reason, c.Turn,
			printable(c.Message), c.Verified, c.Turns)
		if c.Turn == 0 {
			text = fmt.Sprintf("%s: %s: %s", location, c.Reason, printable(c.Message))
		}
	}
	if c.Script != "" {
		text += "; script: " + printable(strings.ReplaceAll(c.Script, "\n", "; "))
	}
	_, err := fmt.Fprintln(v.Out, text)
	return err
}

// printable makes a text safe for a terminal, and shortens one that quotes a long file.
func printable(text string) string { return table.Printable(table.Shortened(text, 4000)) }

func (v *Verification) end() error {
	rejected := 0
	var counts []string
	for _, r := range synth.Reasons() {
		if n := v.rejected[r]; n > 0 {
			rejected += n
			counts = append(counts, fmt.Sprintf("%d %s", n, r))
		}
	}
	if !v.JSON {
		text := fmt.Sprintf("%d passed, %d rejected", v.passed, rejected)
		if rejected > 0 {
			text += ": " + strings.Join(counts, ", ")
		}
		text += fmt.Sprintf("\n%s, %d of them repaired at once\n", table.Counted(v.errors, "error turn"), v.repaired)
		if v.mended > 0 {
			text += fmt.Sprintf("%d mended (--lenient)\n", v.mended)
		}
		if v.bad > 0 {
			text += table.Counted(v.bad, "script has actions that do not match its",
				"scripts have actions that do not match their") +
				" own verification code\n"
		}
		if _, err := io.WriteString(v.Out, text); err != nil {
			return err
		}
	}
	if rejected > 0 {
		return ErrRejected
	}
	return nil
}
