package view

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"heldout/envs"
	"heldout/eval/show/page"
	"heldout/eval/show/trajectory"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// livePanel is the part of a run's page that changes while the run goes on.
type livePanel struct {
	Summary Summary
	// Rates is the matrix of success rates, Numbers all rates with their intervals.
	Rates, Numbers page.Grid
	External       []string // which programs are environments that others run
	Trials         bool     // tasks are played again after a failure
	Absent         string   // shards that have not begun
	Bad            []record.BadLine
	Errors         []failed // the latest attempts without a result
	// Of a run that goes on:
	Running   bool
	Left      time.Duration // 0: no estimate
	End       time.Time
	PerMinute float64
	TokensPer float64 // per second
	InFlight  page.Grid
}

// failed is an attempt without a result.
type failed struct{ Href, Task, Outcome, Error string }

// Limits of the errors that a panel shows: their number, and the length of each in bytes.
const maxErrors, maxError = 5, 300

// latestErrors returns the latest attempts without a result, the last one first.
func (r *shownRun) latestErrors(root string, x *record.Index) (out []failed) {
	for i := x.Results().Len() - 1; i >= 0 && len(out) < maxErrors; i-- {
		e := x.Results().Result(i)
		if e.Outcome.Final() {
			continue
		}
		task := table.Printable(envs.Title(e.Env) + " " + e.Task)
		out = append(out, failed{r.path(root, "episodes", trajectory.Name(&e)), task,
			trajectory.Outcome(e.Outcome), table.Abridged(table.Printable(e.Error), maxError)})
	}
	return out
}

// limited is a rate with its interval.
func limited(r scoring.Rate) table.Cell {
	c := table.Percent(r.Mean)
	if r.Interval != nil {
		c.Mark = fmt.Sprintf(" [%s, %s]", table.Percent(r.Interval.Low).Text, table.Percent(r.Interval.High).Text)
	}
	return c
}

// rateGrid has a line for each player and environment.
func rateGrid(s Summary) page.Grid {
	must := ""
	if s.perturbations() > 0 {
		must = "perturbation"
	}
	t := rateTable([]string{""}, []Summary{s}, limited, must)
	t = t.Without(t.Columns[0])
	t.Title = "Rates with their intervals"
	for i := range t.Rows {
		t.Rows[i][0].Text = envs.PlaceTitle(t.Rows[i][0].Text)
	}
	return page.NewGrid(t)
}

// inFlight lists the episodes that are being played.
func inFlight(x *record.Index, status *record.Status, now time.Time) page.Grid {
	t := table.Table{Title: "Episodes in flight", Columns: []table.Column{{Header: "Task", Words: true},
		{Header: "Model", Words: true}, {Header: "Seed"}, {Header: "Step"}, {Header: "Limit"}, {Header: "For"}}}
	for _, f := range status.InFlight {
		row := []table.Cell{table.String(f.ID), {}, {}, table.Int(f.Steps), {},
			table.String(spanText(now.Sub(f.Started)))}
		if task, c, ok := x.Planned(f.ID); ok {
			row[0], row[1] = table.String(envs.Title(c.Env)+" "+task.ID), table.String(record.CalledPlayer(c.Model))
			row[2], row[4] = table.Int(int(c.Seed)), table.Int(c.StepLimit)
		}
		t.Rows = append(t.Rows, row)
	}
	g := page.NewGrid(t)
	g.Class = "inflight"
	return g
}

// panel describes a run on a page from where root leads to the list of runs.
func (r *shownRun) panel(root string, x *record.Index, s Summary) livePanel {
	p := livePanel{Summary: s, Absent: record.NameShards(x.Absent), Bad: x.Bad, Errors: r.latestErrors(root, x)}
	p.Trials = slices.ContainsFunc(s.Rates, func(r RateSoFar) bool { return r.Condition.Trials != nil })
	p.Rates, p.Numbers = rateMatrix(s), rateGrid(s)
	for _, rate := range s.Rates {
		note := table.Printable(rate.Place + ": " + rate.External + ".")
		if rate.External != "" && !slices.Contains(p.External, note) {
			p.External = append(p.External, note)
		}
	}
	status := s.Status
	if status == nil {
		return p
	}
	p.Running = true
	elapsed := status.Updated.Sub(status.Started)
	if minutes := elapsed.Minutes(); minutes > 0 {
		p.PerMinute = float64(status.Done) / minutes
		p.TokensPer = float64(status.Tokens) / elapsed.Seconds()
	}
	if status.RemainingSeconds != nil {
		p.Left = time.Duration(*status.RemainingSeconds * float64(time.Second))
		p.End = status.Updated.Add(p.Left)
	}
	p.InFlight = inFlight(x, status, r.now())
	return p
}

// liveEvent is what the script of a run's page receives.
type liveEvent struct {
	// HTML replaces the panel, as this package has rendered it.
	HTML string `json:"html"`
	// Episodes counts the attempts that can be listed.
	Episodes int  `json:"episodes"`
	Running  bool `json:"running"`
}

// live sends a run's panel whenever it changes, as server-sent events.
func (s *Server) live(w http.ResponseWriter, request *http.Request) {
	r, err := s.run(request.PathValue("run"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	select {
	case s.watchers <- struct{}{}:
		defer func() { <-s.watchers }()
	default:
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	tick := time.NewTicker(fresh)
	defer tick.Stop()
	last := ""
	for {
		text := r.event(rootOf(request))
		if !s.send(w, text, last) {
			return
		}
		if text != "" {
			last = text
		}
		select {
		case <-request.Context().Done():
			return
		case <-s.closing.Done():
			return
		case <-tick.C:
		}
	}
}

// send writes an event, or a comment that keeps the connection if there is nothing
// new. It reports whether the connection still takes it.
func (s *Server) send(w http.ResponseWriter, text, last string) bool {
	control := http.NewResponseController(w)
	if err := control.SetWriteDeadline(s.options.Now().Add(10 * time.Second)); err != nil {
		return false
	}
	line := ":\n\n"
	if text != "" && text != last {
		line = fmt.Sprintf("data: %s\n\n", text)
	}
	if _, err := w.Write([]byte(line)); err != nil {
		return false
	}
	return control.Flush() == nil
}

// event is the panel as JSON, on one line; empty if the files are being replaced, or are gone: the page stays as it is.
func (r *shownRun) event(root string) string {
	var out liveEvent
	err := r.look(r.opened, r.patience, func(x *record.Index, summary Summary) {
		p := r.panel(root, x, summary)
		out = liveEvent{HTML: string(fragment("live", p)), Episodes: x.Results().Len(), Running: p.Running}
	})
	if err != nil {
		return ""
	}
	b, _ := json.Marshal(out) // texts and numbers always marshal
	return string(b)
}
