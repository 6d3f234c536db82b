package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs/spelling"
	"heldout/eval/bench"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// output says which tables are printed and how.
type output struct {
	report.Inputs
	first    report.First // with the reference as the user names it
	margin   float64      // in points
	format   string
	tables   []string
	wide     bool
	latex    string // how LaTeX shows limits
	width    int    // in characters; 0 takes the terminal's width
	separate bool   // runs of different protocols are refused
	quiet    bool   // no progress while episodes are played
	// eventsFile gets finished episodes and tables as lines of JSON; empty for none.
	eventsFile string
	events     io.Writer
	logTo      []string          // where results go as well
	logStep    int64             // the step of their points, or noStep
	floors     map[string]string // the least rates in percent, by environment
	worse      bool              // a run that is worse than the one before fails
}

func (o *output) flags(c *cobra.Command) { grouped(c.Flags(), tableFlags, func() { o.addFlags(c) }) }

func (o *output) addFlags(c *cobra.Command) {
	formatFlag(c, &o.format)
	o.latex, o.first.Rate = latexLines, claim.Success
	addFlags(c.Flags(), map[string]any{"table": &o.tables, "latex": &o.latex, "wide": &o.wide, "width": &o.width,
		"rate": (*string)(&o.first.Rate), "columns": &o.first.Columns, "intervals": &o.first.Limits,
		"margin": &o.margin})
	c.Flags().Func("by", "", func(text string) error { // the former name of the table kinds
		if text != "kind" {
			return fmt.Errorf("%q is unknown; rates by kind of task are --table kinds", text)
		}
		o.tables = append(o.tables, "kinds")
		c.PrintErrln("--by kind is --table kinds now; the next version forgets --by")
		return nil
	})
	c.Flag("by").Hidden = true
	o.contentFlags(c)
}

func (o *output) contentFlags(c *cobra.Command) {
	o.Interval = string(stats.TheseKinds)
	addFlags(c.Flags(), map[string]any{"interval": &o.Interval, "reference": &o.first.Reference,
		"weights": &o.Weights, "thoughts": &o.Thoughts, "baseline": &o.Baselines})
}

// columnNames explains the columns of tables for papers.
func columnNames() string {
	return strings.Join(table.Each(report.PaperColumns(), func(c report.PaperColumn) string {
		return fmt.Sprintf("%s (%s)", c.Name, c.About)
	}), ", ")
}

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
	c.Flags().StringVar(format, "format", string(table.Text), "")
}

// jsonFlag lets a command that writes lines of text write JSON instead.
func jsonFlag(c *cobra.Command, on *bool) {
	c.Flags().Var((*jsonLines)(on), "format", "")
	c.Flags().BoolFunc("json", "", func(string) error {
		*on = true
		c.PrintErrln(configs.Rename{Old: "json", New: "format json"}.Hint("--"))
		return nil
	})
	c.Flag("json").Hidden = true
	_ = c.RegisterFlagCompletionFunc("format", oneOf("text", "json")) // its error is a flag that is not there
}

// jsonLines is text, or JSON if it is true.
type jsonLines bool

// String implements pflag.Value.
func (j *jsonLines) String() string { return "" }

// Type implements pflag.Value.
func (j *jsonLines) Type() string { return "text|json" }

// Set implements pflag.Value.
func (j *jsonLines) Set(form string) error {
	*j = form == "json"
	if form != "json" && form != "text" {
		return fmt.Errorf("%q is unknown; there are text and json", form)
	}
	return nil
}

// check reports errors that can be found before anything is played.
func (o *output) check() error {
	columns := report.CheckColumns(o.first.Columns)
	switch {
	case !slices.Contains(table.Formats(), table.Format(o.format)):
		return usage(fmt.Errorf("unknown format %q%s; there are %s", o.format,
			spelling.Hint(o.format, strings.Fields(formats())), formats()))
	case !slices.Contains(claim.Rates(), o.first.Rate):
		return usage(fmt.Errorf("--rate %q is unknown; there are %s", o.first.Rate,
			strings.Trim(fmt.Sprint(claim.Rates()), "[]")))
	case columns != nil:
		return usage(columns)
	case o.latex != latexLines && o.latex != latexCompact:
		return usage(fmt.Errorf("--set latex=%q is unknown; there are %s and %s", o.latex, latexLines, latexCompact))
	case o.width != 0 && (o.width < narrowest || o.width > widest):
		return usage(fmt.Errorf("--width is %d, want %d to %d", o.width, narrowest, widest))
	case !(o.margin >= 0 && o.margin < 100):
		return usage(fmt.Errorf("--margin is %v, want 0 or more and less than 100 points", o.margin))
	}
	_, demands := o.demands()
	_, err := o.Load()
	return usage(cmp.Or(report.Check(o.tables), demands, err))
}

func formats() string { return strings.Trim(fmt.Sprint(table.Formats()), "[]") }

// print prints the tables of runs, from their records alone.
func (o *output) print(sys *system, runs []record.Chosen) ([]report.NamedRun, error) {
	results, err := o.read(sys, runs, report.NeedSteps(o.tables))
	if err != nil {
		return nil, err
	}
	first := o.first
	first.Margin, first.Reference = o.margin/100, results.First.Reference
	results.First = first
	if len(first.Columns) > 0 && len(o.tables) == 0 {
		o.tables = []string{"paper"}
	}
	tables, err := results.Select(o.tables)
	if err != nil {
		return nil, usage(err)
	}
	bold := sys.style(sys.columns > 0).color // NO_COLOR asks for no escape sequences
	if o.width > 0 {
		sys.columns = o.width
	}
	for i := range tables {
		tables[i].Compact, tables[i].Bold = o.latex == latexCompact, bold
	}
	if err := o.tellTables(tables); err != nil {
		sys.warn(fmt.Sprintf("the tables cannot be shown as an event: %v", err))
	}
	return results.Runs, errors.Join(render(sys, o.format, o.wide, tables...), o.checkDemands(results))
}

func (o *output) demands() (report.Demands, error) {
	d := report.Demands{Floors: map[string]float64{}, Worse: o.worse}
	for place, text := range o.floors {
		percent, err := strconv.ParseFloat(text, 64)
		if err != nil || !(percent >= 0 && percent <= 100) {
			return d, fmt.Errorf("--fail-below %s=%s wants a rate from 0 to 100", place, text)
		}
		d.Floors[place] = percent / 100
	}
	return d, nil
}

func (o *output) tellTables(tables []table.Table) error {
	if o.events == nil {
		return nil
	}
	var b bytes.Buffer
	if err := table.Render(&b, table.JSON, tables...); err != nil {
		return err
	}
	return bench.WriteEvent(o.events, "tables", json.RawMessage(b.Bytes()))
}

// checkDemands reports what the user asks of rates and they do not meet.
func (o *output) checkDemands(results *report.Report) error {
	d, err := o.demands()
	if err != nil {
		return usage(err)
	}
	unmet, err := results.Unmet(d)
	if err != nil {
		return usage(err)
	}
	if len(unmet) > 0 {
		return &codedError{errors.New(strings.Join(unmet, "\n")), exitUnmet}
	}
	return nil
}

// checkReference refuses a reference that no model of a job is, before the job is played.
func (o *output) checkReference(j *bench.Job) error {
	m := record.Manifest{Names: o.Names, Environments: j.Plan.Environments, Groups: j.Plan.Groups}
	scores := scoring.Compute(scoring.NewRun(&m), stats.Question(o.Interval))
	run := report.NamedRun{Name: j.Dir, Scores: scores, Manifest: m}
	return report.New([]report.NamedRun{run}, nil, configs.Weights{}).SetReference(o.first.Reference)
}

// read reads runs; steps says whether a table is made from the steps of episodes.
func (o *output) read(sys *system, runs []record.Chosen, steps bool) (*report.Report, error) {
	source, err := o.Load()
	if err != nil {
		return nil, usage(err)
	}
	results, uncovered, err := source.Read(runs, steps)
	if err != nil {
		return nil, err
	}
	sys.warnUncovered(uncovered)
	if err := report.CheckModels(results.Runs, o.Names, o.Prices, o.HeldIn); err != nil {
		return nil, usage(err)
	}
	if err := results.SetReference(o.first.Reference); err != nil {
		return nil, usage(err)
	}
	if o.separate {
		if err := report.CheckMixed(results.Runs); err != nil {
			return nil, err
		}
	}
	return results, nil
}
