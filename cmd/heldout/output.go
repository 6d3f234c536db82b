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
	w, err := configs.LoadWeights()
	if err != nil {
		return err
	}
	_, err = o.published(w)
	return err
}

// formats names the formats of tables.
func formats() string { return strings.Trim(fmt.Sprint(table.Formats()), "[]") }

// published reads the baselines; an error is one of usage.
func (o *output) published(w configs.Weights) ([]report.Baseline, error) {
	var out []report.Baseline
	for _, name := range o.baselines {
		found, err := loadBaseline(name, w)
		if err != nil {
			return nil, usage(err)
		}
		out = append(out, found)
	}
	return out, nil
}

// loadBaseline finds "NAME" or "NAME:TABLE", embedded or in a file. Without a
// table it is the first. The table's columns must be environments: one of
// conditions has no place beside runs.
func loadBaseline(arg string, w configs.Weights) (report.Baseline, error) {
	name, id, chosen := strings.Cut(arg, ":")
	p, err := readPublished(name)
	if err != nil {
		return report.Baseline{}, err
	}
	var ids []string
	for _, t := range p.Tables {
		if t.Env == "" && slices.ContainsFunc(t.Columns, w.Has) {
			ids = append(ids, t.ID)
		}
	}
	if !chosen && len(ids) > 0 {
		id = ids[0]
	}
	t, ok := p.Table(id)
	if !ok || !slices.Contains(ids, id) {
		return report.Baseline{}, fmt.Errorf("baseline %s has no table %q of environments; it has: %s", name, id, strings.Join(ids, ", "))
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
	weights, err := configs.LoadWeights()
	if err != nil {
		return nil, err
	}
	baselines, err := o.published(weights)
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
