package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/scoring/figure"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// drawn says what figures are drawn from.
type drawn struct {
	output
	order []string // of checkpoints
}

// flags adds the flags of figures to a command.
func (d *drawn) flags(c *cobra.Command) {
	d.contentFlags(c)
	c.Flags().StringSliceVar(&d.order, "order", nil, `checkpoints of one model in order: names of models or run directories, or "`+report.OrderGiven+`" for all served models in the order of the directories`)
}

// read makes all tables of run directories, with that of checkpoints if there is
// an order.
func (d *drawn) read(of []record.Parts) ([]report.Run, []table.Table, error) {
	runs, tables, err := d.output.read(of)
	if err != nil || len(d.order) == 0 {
		return runs, tables, err
	}
	weights, err := configs.LoadWeights()
	if err != nil {
		return nil, nil, err
	}
	checkpoints, err := report.Checkpoints(runs, d.order, weights)
	if err != nil {
		return nil, nil, usage(fmt.Errorf("--order: %w", err))
	}
	return runs, append(tables, checkpoints), nil
}

func newPlot(sys *system) *cobra.Command {
	var d drawn
	var name, out string
	var environments []string
	c := &cobra.Command{
		Use:               "plot RUN…",
		ValidArgsFunction: folders,
		Short:             "Draw a figure of runs for a paper",
		Long: `plot draws one figure from the records of runs and writes it as SVG, PDF or PNG.
Fonts, sizes and colors fit a paper with two columns. Colors are safe for people
with deficient color vision. Figures:

` + figureList() + `
The exact numbers behind a figure: heldout compare RUN… --table, see there.`,
		Example: `  heldout plot runs/base runs/tuned --figure rates --out rates.pdf
  heldout plot runs/step-* --figure checkpoints --order given --out training.svg`,
		Args: args(1, -1, "at least one run directory"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			format, err := checkFigure(name, out)
			if err != nil {
				return usage(err)
			}
			if name == "checkpoints" && len(d.order) == 0 {
				d.order = []string{report.OrderGiven}
			}
			once, err := runsOf(sys, dirs)
			if err != nil {
				return err
			}
			_, tables, err := d.read(once)
			if err != nil {
				return err
			}
			if tables, err = onlyEnvironments(tables, environments); err != nil {
				return usage(err)
			}
			f, err := figure.New(name, tables)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := f.Write(&b, format); err != nil {
				return err
			}
			if err := writeFile(out, &b); err != nil {
				return fmt.Errorf("writing the figure: %w", err)
			}
			sys.say("%s: %s. %s", out, f.Title, f.Caption)
			for _, note := range f.Table.Notes {
				sys.say("%s", table.Printable(note))
			}
			return nil
		},
	}
	c.Flags().StringVar(&name, "figure", "", "which figure")
	c.Flags().StringVar(&out, "out", "", "file to write: .svg, .pdf or .png")
	c.Flags().StringSliceVar(&environments, "env", nil, "only these environments, separated by commas")
	d.flags(c)
	return c
}

// figureList lists the figures for the help.
func figureList() string {
	var b strings.Builder
	for _, name := range figure.Names() {
		fmt.Fprintf(&b, "  %-15s %s\n", name, figure.Title(name))
	}
	return b.String()
}

// checkFigure reports what is wrong with the name of a figure or of its file.
func checkFigure(name, out string) (format string, err error) {
	if !slices.Contains(figure.Names(), name) {
		return "", fmt.Errorf("--figure: unknown figure %q; there are %s", name, strings.Join(figure.Names(), ", "))
	}
	if out == "" {
		return "", errors.New("--out: name a file that ends in ." + strings.Join(figure.Formats(), ", ."))
	}
	if format, err = figure.FormatOf(out); err != nil {
		return "", fmt.Errorf("--out: %w", err)
	}
	return format, nil
}

// onlyEnvironments leaves the rows of these environments in tables that have
// environments. No names leave all.
func onlyEnvironments(tables []table.Table, names []string) ([]table.Table, error) {
	if len(names) == 0 {
		return tables, nil
	}
	have := map[string]bool{}
	for i, t := range tables {
		at := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == "environment" })
		if at < 0 {
			continue
		}
		var rows [][]table.Cell
		for _, row := range t.Rows {
			have[row[at].Text] = true
			if slices.Contains(names, row[at].Text) {
				rows = append(rows, row)
			}
		}
		tables[i].Rows = rows
	}
	for _, name := range names {
		if !have[name] {
			return nil, fmt.Errorf("--env: the runs have no environment %q", name)
		}
	}
	return tables, nil
}
