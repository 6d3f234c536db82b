package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"heldout/eval/training/export"
	"heldout/scoring/figure"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

type drawnFigure struct {
	output
	order []string // of checkpoints
}

func (d *drawnFigure) flags(c *cobra.Command) {
	d.contentFlags(c)
	commaFlag(c.Flags(), &d.order, "order")
}

// read reads run directories, and puts their checkpoints in order if there is one.
func (d *drawnFigure) read(sys *system, runs []record.Chosen, steps bool) (*report.Report, error) {
	results, err := d.output.read(sys, runs, steps)
	if err != nil || len(d.order) == 0 {
		return results, err
	}
	if err := results.InOrder(d.order); err != nil {
		return nil, usage(fmt.Errorf("--order: %w", err))
	}
	return results, nil
}

func newPlot(sys *system, c *cobra.Command) {
	var d drawnFigure
	var name, out string
	var environments []string
	var only chosen
	c.RunE = func(_ *cobra.Command, dirs []string) error {
		kind, format, err := checkFigure(name, out)
		if err != nil {
			return usage(err)
		}
		if name == "checkpoints" && len(d.order) == 0 {
			d.order = []string{report.OrderGiven}
		}
		once, boards, err := only.sources(sys, dirs)
		if err != nil {
			return err
		}
		d.Names, d.HeldIn, d.Boards = only.Names, only.HeldIn, boards
		results, err := d.read(sys, once, report.NeedSteps([]string{kind.Table}))
		if err != nil {
			return err
		}
		part, err := results.Part(environments)
		if err != nil {
			return usage(fmt.Errorf("--env: %w", err))
		}
		f, err := figure.New(name, part)
		if err != nil {
			return err
		}
		err = export.WriteFile(out, true, func(w io.Writer) error { return f.Write(w, format) })
		if err != nil {
			return fmt.Errorf("writing the figure: %w", err)
		}
		sys.say("%s: %s. %s", out, f.Title, f.Caption)
		for _, note := range f.Table.Notes {
			sys.say("%s", table.Printable(note))
		}
		return nil
	}
	addFlags(c.Flags(), map[string]any{"figure": &name, "out": &out, "env": &environments})
	d.flags(c)
	only.modelFlags(c, "names", "held-in")
}

func figureList() string {
	var b strings.Builder
	for _, k := range figure.Kinds() {
		fmt.Fprintf(&b, "  %-15s %s\n", k.Name, k.Title)
	}
	return b.String()
}

// checkFigure returns the kind and file format of a figure, or what is wrong with them.
func checkFigure(name, out string) (k figure.Kind, format string, err error) {
	if name == "" {
		return k, "", errors.New("--figure is missing; there are " + strings.Join(figure.Names(), ", "))
	}
	if k, err = figure.Find(name); err != nil {
		return k, "", fmt.Errorf("--figure: %w", err)
	}
	if out == "" {
		return k, "", errors.New("--out: name a file that ends in ." + strings.Join(figure.Formats(), ", ."))
	}
	if format, err = figure.FormatOf(out); err != nil {
		return k, "", fmt.Errorf("--out: %w", err)
	}
	return k, format, nil
}
