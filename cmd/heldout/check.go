package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"heldout/eval/share/check"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

var (
	errUnproven  = errors.New("some claims fail")
	errUnchecked = errors.New("some claims are unchecked, because what their check needs is not here")
)

// errPart says that the claims that fail do so because something was not played.
var errPart = &codedError{errors.New("some claims fail, all because tasks, seeds or episodes are missing"),
	exitIncomplete}

func newCheck(sys *system, c *cobra.Command) {
	var o check.Options
	var asJSON bool
	c.RunE = func(c *cobra.Command, files []string) error {
		o.Workers = runtime.GOMAXPROCS(0)
		o.Texts.Outside = sys.outside()
		o.Texts.Originals.Data = []string{o.Texts.Setup.Data, pullFolder(sys)}
		failed, incomplete, unchecked := false, true, false
		for _, file := range files {
			if record.IsRun(file) {
				return usage(fmt.Errorf("%s is a run directory, want a bundle: heldout bundle %[1]s writes one", file))
			}
			r, err := checkBundle(c, file, o)
			if err != nil {
				return err
			}
			if bad, part := r.Failed(); bad {
				failed, incomplete = true, incomplete && part
			}
			unchecked = unchecked || r.Unchecked()
			if asJSON {
				err = json.NewEncoder(sys.stdout).Encode(struct {
					File string `json:"file"`
					*check.Report
				}{file, r})
			} else {
				err = printClaims(sys, file, r)
			}
			if err != nil {
				return err
			}
		}
		switch {
		case failed && incomplete && !unchecked:
			return errPart
		case failed:
			return errUnproven
		case unchecked:
			return errUnchecked
		}
		return nil
	}
	jsonFlag(c, &asJSON)
	taskSource(c, sys, &o.Texts.Setup)
	addFlags(c.Flags(), map[string]any{"signers": &o.Signers, "prompt": &o.Texts.Prompts,
		"reflection-prompt": &o.Texts.Reflection, "originals": &o.Texts.Originals.Dir,
		"env": &o.Texts.Setup.External})
}

func checkBundle(c *cobra.Command, file string, o check.Options) (*check.Report, error) {
	work, err := record.OpenScratch(os.TempDir(), "heldout-check-")
	if err != nil {
		return nil, err
	}
	defer work.Close()
	stop := work.Until(c.Context())
	unpacked := work.Path("bundle")
	if err := os.Mkdir(unpacked, 0o700); err != nil {
		return nil, err
	}
	r, err := check.File(c.Context(), file, unpacked, o)
	if !stop() {
		return nil, context.Cause(c.Context())
	}
	return r, err
}

func printClaims(sys *system, file string, r *check.Report) error {
	t := table.Table{ID: "check", Title: table.Printable(file), Columns: []table.Column{
		{Key: "claim", Header: "Claim", Words: true}, {Key: "how", Header: "Checked by", Words: true},
		{Key: "verdict", Header: "Verdict", Words: true},
	}}
	for _, c := range r.Claims {
		t.Rows = append(t.Rows,
			[]table.Cell{table.String(c.Text), table.String(c.Method), table.String(string(c.Verdict))})
		notes := c.Notes
		if c.Omitted > 0 {
			notes = append(notes, fmt.Sprintf("%d more", c.Omitted))
		}
		for _, note := range notes {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %s.", c.ID, strings.TrimSuffix(table.Printable(note), ".")))
		}
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Played again: %s with %s.", table.Counted(r.Episodes, "episode"),
		table.Counted(r.Steps, "step")))
	return render(sys, string(table.Text), false, t)
}
