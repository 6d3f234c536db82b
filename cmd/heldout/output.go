package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// output says which tables are printed and how.
type output struct {
	format    string
	tables    []string
	baselines []string
}

// flags adds the flags of an output to a command.
func (o *output) flags(c *cobra.Command) {
	formatFlag(c, &o.format)
	c.Flags().StringSliceVar(&o.tables, "table", nil, "print only these tables: results, difficulty, spread, paired, held-out")
	c.Flags().StringSliceVar(&o.baselines, "baseline", nil,
		"published results to print beside, as NAME or NAME:TABLE: agentrefine, agentboard, …, or a YAML file")
}

func formatFlag(c *cobra.Command, format *string) {
	c.Flags().StringVar(format, "format", string(table.Text), "format of tables: "+formats())
}

// check reports what can be told to be wrong before anything is played.
func (o *output) check() error {
	if !slices.Contains(table.Formats(), table.Format(o.format)) {
		return usage(fmt.Errorf("unknown format %q; there are %s", o.format, formats()))
	}
	_, err := o.published()
	return err
}

// formats names the formats of tables.
func formats() string { return strings.Trim(fmt.Sprint(table.Formats()), "[]") }

// published reads the baselines; an error is one of usage.
func (o *output) published() ([]report.Baseline, error) {
	var out []report.Baseline
	for _, name := range o.baselines {
		found, err := loadBaseline(name)
		if err != nil {
			return nil, usage(err)
		}
		out = append(out, found)
	}
	return out, nil
}

// loadBaseline finds "NAME" or "NAME:TABLE", embedded or in a file. Without a
// table it is the first.
func loadBaseline(arg string) (report.Baseline, error) {
	name, id, chosen := strings.Cut(arg, ":")
	p, err := readPublished(name)
	if err != nil {
		return report.Baseline{}, err
	}
	if len(p.Tables) == 0 {
		return report.Baseline{}, fmt.Errorf("baseline %s has no tables", name)
	}
	if !chosen {
		return report.Baseline{Name: name, From: p, Table: p.Tables[0]}, nil
	}
	t, ok := p.Table(id)
	if !ok {
		var ids []string
		for _, t := range p.Tables {
			ids = append(ids, t.ID)
		}
		return report.Baseline{}, fmt.Errorf("baseline %s has no table %q; it has %s", name, id, strings.Join(ids, ", "))
	}
	return report.Baseline{Name: arg, From: p, Table: t}, nil
}

func readPublished(name string) (configs.Published, error) {
	if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
		return configs.LoadPublished(name)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return configs.Published{}, err
	}
	return configs.ParsePublished(name, b)
}

// print prints the tables of run directories, from their records alone.
func (o *output) print(sys *system, dirs []string) ([]report.Run, error) {
	baselines, err := o.published()
	if err != nil {
		return nil, err
	}
	weights, err := configs.LoadWeights()
	if err != nil {
		return nil, err
	}
	var runs []report.Run
	for _, dir := range dirs {
		run, err := scoring.ReadRun(dir)
		if err != nil {
			return nil, err
		}
		scores, err := scoring.Compute(run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		runs = append(runs, report.Run{Name: dir, Scores: scores})
	}
	tables, err := table.Select(report.Tables(runs, baselines, weights), o.tables)
	if err != nil {
		return nil, usage(err)
	}
	return runs, usage(table.Render(sys.stdout, table.Format(o.format), tables...))
}
