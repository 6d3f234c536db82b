package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/envs/spelling"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// output says which tables are printed and how.
type output struct {
	format    string
	tables    []string
	baselines []string
	wide      bool
	latex     string // how LaTeX shows limits
	width     int    // in characters; 0 for that of the terminal
	interval  string // population of the intervals
	thoughts  string // file of thoughts to compare with
	apart     bool   // runs of different protocols are refused
	versus    bool   // two runs are old and new
	quiet     bool   // no progress while episodes are played
	rate      string // of the first table
	by        string // "kind" for kinds of tasks as columns of the first table
	margin    float64
	names     configs.Names // of models
}

// flags adds the flags of an output to a command.
func (o *output) flags(c *cobra.Command) { grouped(c.Flags(), tableFlags, func() { o.addFlags(c) }) }

func (o *output) addFlags(c *cobra.Command) {
	formatFlag(c, &o.format)
	c.Flags().StringSliceVar(&o.tables, "table", nil, "print only these tables: "+tableNames())
	c.Flags().StringVar(&o.latex, "latex", latexLines,
		"limits of rates in LaTeX: lines (below the rates) or compact (as indices)")
	c.Flags().BoolVar(&o.wide, "wide", false, "show all columns of text tables, however wide")
	c.Flags().IntVar(&o.width, "width", 0,
		"width of text in characters; 0 takes that of the terminal, else COLUMNS, else 80")
	c.Flags().StringVar(&o.rate, "rate", string(report.Success),
		"rate of the first table: SR (success), PR (progress) or GA (grounding)")
	c.Flags().StringVar(&o.by, "by", "",
		`"kind" for a first table of one environment with its kinds of tasks as columns`)
	c.Flags().Float64Var(&o.margin, "margin",
		0, "differences of at most so many points count as none, where the intervals show it")
	o.contentFlags(c)
}

// contentFlags adds the flags that say what tables contain.
func (o *output) contentFlags(c *cobra.Command) {
	intervalFlag(c, &o.interval)
	c.Flags().StringVar(&o.thoughts, "thoughts", "",
		"text file with a thought per line to compare thoughts with, such as training data")
	c.Flags().StringSliceVar(&o.baselines, "baseline", nil,
		"published results to show as well, as NAME, NAME:TABLE or a YAML file; names are agentrefine, agentboard, "+
			"…; presets are those of presets that the run changed")
}

// presetResults is the baseline that stands for the published results of presets,
// which are shown without it if the run did not change the preset.
const presetResults = "presets"

// plainWidth is the width of text that goes to no terminal, in characters.
const plainWidth = 80

// How LaTeX shows the limits of rates.
const latexLines, latexCompact = "lines", "compact"

// The widths that a reader may ask for, in characters.
const narrowest, widest = 20, 10000

// width is how wide text is: as the terminal, or as COLUMNS says where there is none.
func (s *system) width() int {
	if s.columns > 0 {
		return s.columns
	}
	if n, err := strconv.Atoi(s.getenv("COLUMNS")); err == nil && n > 0 {
		return min(max(n, narrowest), widest)
	}
	return plainWidth
}

// render writes tables; as text they fit the terminal, unless wide is set.
func render(sys *system, format string, wide bool, tables ...table.Table) error {
	if table.Format(format) == table.Text && !wide {
		tables = table.Fit(tables, sys.width())
	}
	return table.Render(sys.stdout, table.Format(format), tables...)
}

func formatFlag(c *cobra.Command, format *string) {
	c.Flags().StringVar(format, "format", string(table.Text), "format of tables: "+formats())
}

// check reports errors that can be found before anything is played.
func (o *output) check() error {
	if !slices.Contains(table.Formats(), table.Format(o.format)) {
		return usage(fmt.Errorf("unknown format %q%s; there are %s", o.format,
			spelling.Hint(o.format, strings.Fields(formats())), formats()))
	}
	if !slices.Contains(report.Rates(), report.Rate(o.rate)) {
		return usage(fmt.Errorf("--rate %q is unknown; there are %s", o.rate,
			strings.Trim(fmt.Sprint(report.Rates()), "[]")))
	}
	if o.by != "" && o.rate == string(report.Grounding) {
		return usage(errors.New("--by kind has SR or PR; there is no GA by kind"))
	}
	if o.by != "" && o.by != "kind" {
		return usage(fmt.Errorf("--by %q is unknown; there is kind", o.by))
	}
	if o.latex != latexLines && o.latex != latexCompact {
		return usage(fmt.Errorf("--latex %q is unknown; there are %s and %s", o.latex, latexLines, latexCompact))
	}
	if o.width != 0 && (o.width < narrowest || o.width > widest) {
		return usage(fmt.Errorf("--width is %d, want %d to %d", o.width, narrowest, widest))
	}
	if !(o.margin >= 0 && o.margin < 100) {
		return usage(fmt.Errorf("--margin is %v, want 0 or more and less than 100 points", o.margin))
	}
	for _, id := range o.tables {
		if k, ok := report.Find(id); id != report.All && (!ok || k.Drawn) {
			return usage(fmt.Errorf("unknown table %q%s; there are %s", id, spelling.Hint(id, report.IDs()),
				tableNames()))
		}
	}
	if err := checkInterval(o.interval); err != nil {
		return err
	}
	if _, err := readThoughts(o.thoughts); err != nil {
		return err
	}
	w, err := configs.LoadWeights()
	if err != nil {
		return err
	}
	_, err = o.published(w)
	return err
}

// only says of tables that some runs alone have how to get them.
var only = map[report.Only]string{
	report.Sweeps:    "only sweeps have the table %q; play one with heldout sweep",
	report.Families:  "only sweeps of families of perturbations have the table %q; play one with heldout sweep --suite " + configs.Robust,
	report.Trials:    "only runs with --trials of at least 2 have the table %q",
	report.Baselines: "the table %q needs published results; name some with --baseline",
	report.Presets:   "only runs with --preset have the table %q",
	report.Seeds:     "only runs with several --seeds have the table %q",
	report.Pairs:     "the table %q needs two models; name them with --model, or give several runs to heldout compare",
	report.Threes:    "the table %q needs three models; name them with --model, or give several runs to heldout compare",
}

// suits reports tables that a run will not have, before anything is played. has says
// what is known of the run.
func (o *output) suits(has map[report.Only]bool) error {
	for _, id := range o.tables {
		k, _ := report.Find(id)
		if there, known := has[k.Only]; known && !there {
			return usage(fmt.Errorf(only[k.Only], id))
		}
	}
	return nil
}

// tableNames names the tables that readers can ask for.
func tableNames() string { return strings.Join(append(report.IDs(), report.All), ", ") }

// formats names the formats of tables.
func formats() string { return strings.Trim(fmt.Sprint(table.Formats()), "[]") }

// published reads the baselines; an error is one of usage.
func (o *output) published(w configs.Weights) ([]report.Baseline, error) {
	var out []report.Baseline
	for _, name := range o.baselines {
		if name == presetResults {
			continue
		}
		found, err := loadBaselines(name, w)
		if err != nil {
			return nil, usage(err)
		}
		out = append(out, found...)
	}
	return out, nil
}

// loadBaselines finds "NAME" or "NAME:TABLE", embedded or in a file. Without a
// table it is the first whose columns are environments, the first of these with the
// best of several tries, and the first of each environment whose columns are its
// conditions. A table of none of these kinds cannot be compared with runs.
func loadBaselines(arg string, w configs.Weights) (out []report.Baseline, err error) {
	name, id, chosen := strings.Cut(arg, ":")
	p, err := readPublished(name)
	if err != nil {
		return nil, err
	}
	var ids []string
	type kind struct {
		env    string
		bestOf bool
	}
	first := map[kind]bool{}
	for _, t := range p.Tables {
		if t.Env == "" && !slices.ContainsFunc(t.Columns, w.Has) {
			continue
		}
		ids = append(ids, t.ID)
		if chosen && t.ID == id || !chosen && !first[kind{t.Env, t.HasBestOf()}] {
			out = append(out, report.Baseline{Name: arg, From: p, Table: t})
		}
		first[kind{t.Env, t.HasBestOf()}] = true
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("baseline %s has no table %q of environments or conditions; it has: %s", name, id,
			strings.Join(ids, ", "))
	}
	return out, nil
}

func readPublished(name string) (configs.Published, error) {
	if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
		return configs.LoadPublished(name)
	}
	b, err := datafile.Read(name, datafile.MaxConfig)
	if err != nil {
		return configs.Published{}, err
	}
	return configs.ParsePublished(name, b)
}

// print prints the tables of runs, from their records alone.
func (o *output) print(sys *system, of []record.Chosen) ([]report.Run, error) {
	sys.saveMemory()
	from, err := o.read(sys, of, report.NeedSteps(o.tables))
	if err != nil {
		return nil, err
	}
	from.First = report.First{Rate: report.Rate(o.rate), Margin: o.margin / 100, OldNew: o.versus}
	if places := from.Places(); o.by != "" {
		if len(places) != 1 {
			return nil, usage(fmt.Errorf("--by kind wants runs of one environment; these have %s",
				strings.Join(places, ", ")))
		}
		from.First.Kinds = places[0]
	}
	tables, err := from.Select(o.tables)
	if err != nil {
		return nil, usage(err)
	}
	if o.width > 0 {
		sys.columns = o.width
	}
	for i := range tables {
		tables[i].Compact = o.latex == latexCompact
	}
	return from.Runs, render(sys, o.format, o.wide, tables...)
}

// read reads runs, to make tables from their records alone; steps says whether any of
// them is made from the steps of episodes.
func (o *output) read(sys *system, of []record.Chosen, steps bool) (*report.Report, error) {
	if err := checkInterval(o.interval); err != nil {
		return nil, err
	}
	weights, err := configs.LoadWeights()
	if err != nil {
		return nil, err
	}
	baselines, err := o.published(weights)
	if err != nil {
		return nil, err
	}
	known, err := readThoughts(o.thoughts)
	if err != nil {
		return nil, err
	}
	var runs []report.Run
	var uncovered []string
	for _, p := range of {
		read := scoring.ReadResults
		if steps {
			read = func(p record.Readable) (*scoring.Run, error) { return scoring.ReadRun(p, known) }
		}
		run, err := read(p)
		if err != nil {
			return nil, err
		}
		scores, err := scoring.Compute(run, stats.Question(o.interval))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name(), err)
		}
		uncovered = append(uncovered, run.Manifest.Uncovered...)
		runs = append(runs, report.Run{Name: p.Name(), Scores: scores, Sweep: run.Manifest.Sweep,
			Protocols: run.Manifest.Protocols, PresetResults: slices.Contains(o.baselines, presetResults),
			Names: calls(run.Manifest.Names, o.names), Servers: run.Manifest.Servers,
			Behaviour: max(1, run.Manifest.Behaviour), Tool: run.Manifest.Tool})
	}
	sys.warnUncovered(uncovered)
	if err := report.CheckNames(runs, o.names); err != nil {
		return nil, usage(err)
	}
	if o.apart {
		if err := report.CheckMixed(runs); err != nil {
			return nil, err
		}
	}
	return report.New(runs, baselines, weights), nil
}
