package view

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"time"

	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Listing lists runs for a terminal, or for programs.
type Listing struct {
	Root string // the folder below which the runs are; their names are without it
	Runs []record.Parts
	Now  func() time.Time
	// Warn receives what must not be overlooked, such as a run that cannot be read.
	Warn func(string)
}

// forEach visits the summaries of the runs that can be read.
func (l Listing) forEach(visit func(Summary) error) error {
	var uncovered []string
	for _, p := range l.Runs {
		x, err := record.OpenIndex(p)
		if err != nil {
			l.Warn(err.Error())
			continue
		}
		uncovered = append(uncovered, x.Uncovered()...)
		if err := visit(summarize(p, x, l.Now())); err != nil {
			return err
		}
	}
	if len(uncovered) > 0 {
		l.Warn(record.NotCovered(uncovered))
	}
	return nil
}

// visit visits the summaries with the names that the runs have in lists.
func (l Listing) visit(visit func(name string, s Summary)) error {
	return l.forEach(func(s Summary) error {
		if s.BadLines > 0 {
			l.Warn(fmt.Sprintf("%s: %s of the records cannot be read; heldout repair sets %s aside", s.Run,
				table.Counted(s.BadLines, "line"), map[bool]string{true: "it", false: "them"}[s.BadLines == 1]))
		}
		name := s.Run.Name()
		if short, err := filepath.Rel(l.Root, name); err == nil && short != "." {
			name = short
		}
		visit(name, s)
		return nil
	})
}

// Table has a line for each player of a run, and a column for each environment, as the list of runs in a browser.
func (l Listing) Table() (table.Table, error) {
	t := table.Table{ID: "runs", Title: "Success rates of runs by environment, %",
		Columns: column.Heads("run model started? state done"),
		Notes:   []string{"Rates are of first trials without a perturbation; --rates has all rates."}}
	var players []contender
	err := l.visit(func(name string, s Summary) {
		own := s.players(false)
		if len(own) == 0 {
			own = []contender{{heldOut: math.NaN()}}
		}
		for i, p := range own {
			row := []table.Cell{{}, table.String(p.name), {}, {}, table.String(p.done())}
			if i == 0 {
				if n := s.perturbations(); n > 0 {
					name += fmt.Sprintf(" (%s)", table.Counted(n, "perturbation"))
				}
				row[0], row[2] = table.String(name), table.String(minute(s.Started))
				row[3] = table.String(string(s.State))
			}
			t.Rows = append(t.Rows, row)
		}
		players = append(players, own...)
	})
	m := newMatrix(players)
	t.Columns = append(t.Columns, m.columns()...)
	starred := false
	for i, p := range players {
		row := m.row(p)
		t.Rows[i] = append(t.Rows[i], row...)
		starred = starred || slices.ContainsFunc(row, func(c table.Cell) bool { return c.Mark != "" })
	}
	if starred {
		t.Notes = append(t.Notes, "* lacks episodes: short ones end first, so the rate of a run in progress is not "+
			"the one that it will have.")
	}
	return t, err
}

// Rates is a table with a line for each environment, model and perturbation of every run.
// Columns that tell no lines of a run apart are left out.
func (l Listing) Rates() (table.Table, error) {
	var names []string
	var summaries []Summary
	err := l.visit(func(name string, s Summary) { names, summaries = append(names, name), append(summaries, s) })
	t := rateTable(names, summaries, func(r scoring.Rate) table.Cell { return table.Percent(r.Mean) }, "")
	t.Notes = []string{
		"SR, PR: success and progress rate so far, in percent, of first trials. Episodes that end early come " +
			"first, so rates of a run in progress are not those that it will have."}
	return t, err
}

// rateTable is a table of the rates of runs, as rate shows one. The column that must names is
// there even if it tells no lines apart.
func rateTable(names []string, summaries []Summary, rate func(scoring.Rate) table.Cell, must string) table.Table {
	t := table.Table{ID: "rates", Title: "Runs",
		Columns: column.Heads("run environment model agent perturbation preset done success progress")}
	var runs []string // the run of each line
	for i, s := range summaries {
		name := names[i]
		for _, score := range s.Rates {
			c := score.Condition
			t.Rows = append(t.Rows, []table.Cell{
				table.String(name), table.String(score.Place), table.String(record.CalledPlayer(c.Model)),
				table.String(c.Agent), table.String(c.Perturbation), table.String(c.Preset.Key()),
				table.String(fmt.Sprintf("%d/%d", score.Finished, score.Planned)),
				rate(score.Success), rate(score.Progress),
			})
			runs, name = append(runs, names[i]), "" // the other lines of the run have none
		}
	}
	for _, key := range []string{"agent", "perturbation", "preset"} {
		if key != must {
			t = withoutColumn(t, key, runs)
		}
	}
	return t
}

// withoutColumn returns the table without a column, if its lines of one run differ in the
// other columns of words as well.
func withoutColumn(t table.Table, key string, runs []string) table.Table {
	index := t.Pos(key)
	lines := map[string]bool{}
	for i, row := range t.Rows {
		line := runs[i]
		for k, c := range t.Columns {
			if c.Words && k > 0 && k != index {
				line += "\n" + row[k].Text
			}
		}
		if lines[line] {
			return t
		}
		lines[line] = true
	}
	return t.Without(t.Columns[index])
}

// minute writes a time for people.
func minute(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// jsonRun is a line of --format json.
type jsonRun struct {
	Dir      string    `json:"dir"`
	State    RunState  `json:"state"`
	Started  time.Time `json:"started,omitzero"`
	Last     time.Time `json:"last,omitzero"`
	Planned  int       `json:"planned"`
	Finished int       `json:"finished"`
	BadLines int       `json:"bad_lines,omitempty"`
	// RemainingSeconds is there while the run goes on and has an estimate.
	RemainingSeconds *float64   `json:"remaining_seconds,omitempty"`
	Rates            []jsonRate `json:"rates"`
}

type jsonRate struct {
	Env          string   `json:"env"`
	Place        string   `json:"place"`             // the environment, or the preset
	Outside      int      `json:"outside,omitempty"` // tasks that are not of the benchmark
	Model        string   `json:"model"`
	Name         string   `json:"name"` // of the model in tables
	Curve        string   `json:"curve,omitempty"`
	Step         *int64   `json:"step,omitempty"` // of a checkpoint, on the curve of its training
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

// WriteJSON writes a line of JSON for each run.
func (l Listing) WriteJSON(w io.Writer) error {
	return l.forEach(func(s Summary) error {
		line := jsonRun{Dir: s.Run.Name(), State: s.State, Planned: s.Planned, Finished: s.Finished,
			Started: s.Started, Last: s.Last, BadLines: s.BadLines, Rates: []jsonRate{}}
		if s.Status != nil {
			line.RemainingSeconds = s.Status.RemainingSeconds
		}
		for _, score := range s.Rates {
			c := score.Condition
			r := jsonRate{Env: c.Env, Outside: score.Outside, Model: c.Model, Agent: c.Agent,
				Perturbation: c.Perturbation, Planned: score.Planned, Finished: score.Finished,
				Place: score.Place, Name: s.called(c.Model)}
			if curve, step, ok := scoring.CurveOf(r.Name); ok {
				r.Curve, r.Step = curve, &step
			}
			r.Success, r.SuccessLow, r.SuccessHigh = score.Success.Bounds()
			r.Progress, r.ProgressLow, r.ProgressHigh = score.Progress.Bounds()
			line.Rates = append(line.Rates, r)
		}
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		_, err = w.Write(append(table.PrintableJSON(text), '\n'))
		return err
	})
}
