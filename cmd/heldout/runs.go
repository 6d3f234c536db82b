package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"heldout/eval/bench"
	"heldout/eval/show/view"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

func newRuns(sys *system) *cobra.Command {
	var asJSON, wide bool
	c := &cobra.Command{
		Use:               "runs [DIR]",
		ValidArgsFunction: folders,
		Short:             "List the run directories below a folder",
		Long: `runs lists the run directories below a folder, without DIR below the folder
runs: what was run and when, how far it is, and the rates so far in percent, for
each environment and model. It skips hidden folders and follows no links.

With --json, standard output has one JSON object per run and line.`,
		Example: "  heldout runs\n  heldout runs /data/experiments --json",
		Args:    args(0, 1, "at most one folder"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			root := bench.RunsDir
			if len(dirs) > 0 {
				root = dirs[0]
			}
			found, err := findRuns(sys, []string{root})
			if err != nil {
				return err
			}
			if asJSON {
				return writeRuns(sys, found)
			}
			return listRuns(sys, root, found, wide)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON, one object per run")
	c.Flags().BoolVar(&wide, "wide", false, "show all columns, however wide")
	return c
}

// eachRun visits the summaries of runs. A run that cannot be read gets a warning.
func eachRun(sys *system, runs []record.Parts, visit func(view.Summary) error) error {
	var uncovered []string
	defer func() { sys.warnUncovered(uncovered) }()
	for _, p := range runs {
		x, err := record.OpenIndex(p)
		if err != nil {
			sys.warn(err.Error())
			continue
		}
		s, err := view.Summarize(p, x, sys.now())
		if err != nil {
			sys.warn(fmt.Sprintf("%s: %v", p.Name(), err))
			continue
		}
		uncovered = append(uncovered, x.Uncovered()...)
		if err := visit(s); err != nil {
			return err
		}
	}
	return nil
}

// listRuns prints a table with a row for each environment and model of every run.
func listRuns(sys *system, root string, runs []record.Parts, wide bool) error {
	t := table.Table{ID: "runs", Title: "Runs", Columns: []table.Column{
		{Key: "run", Header: "Run", Left: true},
		{Key: "started", Header: "Started", Left: true},
		{Key: "state", Header: "State", Left: true},
		{Key: "environment", Header: "Environment", Left: true},
		{Key: "model", Header: "Model", Left: true},
		{Key: "perturbation", Header: "Perturbation", Left: true, Detail: true},
		{Key: "finished", Header: "Done"},
		{Key: "planned", Header: "Planned"},
		{Key: "success", Header: "SR"},
		{Key: "progress", Header: "PR"},
	},
		Notes: []string{
			"SR, PR: success and progress rate so far, in percent, of first trials. Episodes that end early come " +
				"first, so rates of a run that goes on are not those that it will have."}}
	err := eachRun(sys, runs, func(s view.Summary) error {
		if s.BadLines > 0 {
			sys.warn(fmt.Sprintf("%s: %d lines of the records cannot be read; heldout repair sets them aside", s.Run,
				s.BadLines))
		}
		name := s.Run.Name()
		if short, err := filepath.Rel(root, name); err == nil && short != "." {
			name = short
		}
		for i, score := range s.Rates {
			row := []table.Cell{table.String(name), table.String(minute(s.Started)), table.String(string(s.State))}
			if i > 0 { // of the same run
				row = []table.Cell{table.String(""), table.String(""), table.String("")}
			}
			t.Rows = append(t.Rows, append(row,
				table.String(score.Where), table.String(score.Condition.Model),
				table.String(score.Condition.Perturbation),
				table.Int(score.Finished), table.Int(score.Planned), table.Percent(score.Success.Mean),
				table.Percent(score.Progress.Mean)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return render(sys, string(table.Text), wide, t)
}

// minute writes a time for people.
func minute(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// jsonRun is a line of --json.
type jsonRun struct {
	Dir      string     `json:"dir"`
	State    view.State `json:"state"`
	Started  *time.Time `json:"started,omitempty"`
	Last     *time.Time `json:"last,omitempty"`
	Planned  int        `json:"planned"`
	Finished int        `json:"finished"`
	BadLines int        `json:"bad_lines,omitempty"`
	// RemainingSeconds is there while the run goes on and has an estimate.
	RemainingSeconds *float64   `json:"remaining_seconds,omitempty"`
	Rates            []jsonRate `json:"rates"`
}

type jsonRate struct {
	Env          string   `json:"env"`
	Outside      int      `json:"outside,omitempty"` // tasks that are not of the benchmark
	Model        string   `json:"model"`
	Agent        string   `json:"agent"`
	Perturbation string   `json:"perturbation"`
	Planned      int      `json:"planned"`
	Finished     int      `json:"finished"`
	Success      *float64 `json:"success"`
	SuccessLow   *float64 `json:"success_low"`
	SuccessHigh  *float64 `json:"success_high"`
	Progress     *float64 `json:"progress"`
	ProgressLow  *float64 `json:"progress_low"`
	ProgressHigh *float64 `json:"progress_high"`
}

// writeRuns writes a line of JSON for each run.
func writeRuns(sys *system, runs []record.Parts) error {
	return eachRun(sys, runs, func(s view.Summary) error {
		line := jsonRun{Dir: s.Run.Name(), State: s.State, Planned: s.Planned, Finished: s.Finished,
			BadLines: s.BadLines, Rates: []jsonRate{}}
		if !s.Started.IsZero() {
			line.Started = &s.Started
		}
		if !s.Last.IsZero() {
			line.Last = &s.Last
		}
		if s.Status != nil {
			line.RemainingSeconds = s.Status.RemainingSeconds
		}
		for _, score := range s.Rates {
			c := score.Condition
			r := jsonRate{Env: c.Env, Outside: score.Outside, Model: c.Model, Agent: c.Agent,
				Perturbation: c.Perturbation, Planned: score.Planned, Finished: score.Finished}
			r.Success, r.SuccessLow, r.SuccessHigh = jsonEstimate(score.Success)
			r.Progress, r.ProgressLow, r.ProgressHigh = jsonEstimate(score.Progress)
			line.Rates = append(line.Rates, r)
		}
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		_, err = sys.stdout.Write(append(table.PrintableJSON(text), '\n'))
		return err
	})
}

// jsonEstimate returns a rate and its interval; nil stands for what there is not.
func jsonEstimate(r scoring.Rate) (mean, low, high *float64) {
	if math.IsNaN(r.Mean) {
		return nil, nil, nil
	}
	if r.Interval == nil {
		return &r.Mean, nil, nil
	}
	return &r.Mean, &r.Interval.Low, &r.Interval.High
}
