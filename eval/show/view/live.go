package view

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// livePanel is the part of a run's page that changes while the run goes on.
type livePanel struct {
	Summary   Summary
	Rows      []rateRow
	Perturbed bool   // rows differ in perturbations
	Trials    bool   // tasks are played again after a failure
	Absent    string // shards that have not begun
	Bad       []record.BadLine
	Errors    []failed // the latest attempts without a result
	// Of a run that goes on:
	Running   bool
	Elapsed   time.Duration
	Left      time.Duration // 0: no estimate
	End       time.Time
	PerMinute float64
	TokensPer float64 // per second
	InFlight  []inFlight
	Now       time.Time
}

// rateRow is what a player has reached in an environment so far.
type rateRow struct {
	Env, Model, Perturbation string
	Finished, Planned        int
	Success, Progress        string
}

// failed is an attempt without a result.
type failed struct{ Href, Task, Outcome, Error string }

// Limits of the errors that a panel shows: their number, and the length of each in
// bytes.
const maxErrors, maxError = 5, 300

// latestErrors returns the latest attempts without a result, the last one first.
func (r *run) latestErrors(x *record.Index) (out []failed) {
	for i := x.Results().Len() - 1; i >= 0 && len(out) < maxErrors; i-- {
		e := x.Results().At(i)
		if e.Outcome.Final() {
			continue
		}
		out = append(out, failed{r.path("episodes", trajectory.Name(&e)), table.Printable(e.Env + " " + e.Task),
			trajectory.Outcome(e.Outcome), table.Shortened(table.Printable(e.Error), maxError)})
	}
	return out
}

// inFlight is an episode that is being played.
type inFlight struct {
	Task, Model string
	Seed        int64
	Steps       int
	Limit       int
	For         time.Duration
}

// panel describes a run.
func (r *run) panel(x *record.Index, s Summary) livePanel {
	p := livePanel{Summary: s, Absent: record.NameShards(x.Absent), Bad: x.Bad, Errors: r.latestErrors(x), Now: r.now()}
	for _, score := range s.Rates {
		c := score.Condition
		p.Perturbed = p.Perturbed || c.Perturbation != "none"
		p.Trials = p.Trials || c.Trials != nil
		p.Rows = append(p.Rows, rateRow{
			table.Printable(c.Env), table.Printable(c.Model), table.Printable(c.Perturbation), score.Finished,
			score.Planned,
			interval(score.Success), interval(score.Progress),
		})
	}
	status := s.Status
	if status == nil {
		return p
	}
	p.Running = true
	p.Elapsed = status.Updated.Sub(status.Started)
	if minutes := p.Elapsed.Minutes(); minutes > 0 {
		p.PerMinute = float64(status.Done) / minutes
		p.TokensPer = float64(status.Tokens) / p.Elapsed.Seconds()
	}
	if status.RemainingSeconds != nil {
		p.Left = time.Duration(*status.RemainingSeconds * float64(time.Second))
		p.End = status.Updated.Add(p.Left)
	}
	for _, f := range status.InFlight {
		shown := inFlight{Task: f.ID, Steps: f.Steps, For: p.Now.Sub(f.Started)}
		if task, c, ok := x.Planned(f.ID); ok {
			shown.Task, shown.Model, shown.Seed, shown.Limit = table.Printable(c.Env+" "+task.ID),
				table.Printable(c.Model), c.Seed, c.StepLimit
		}
		p.InFlight = append(p.InFlight, shown)
	}
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
		text, err := r.event()
		if err != nil {
			text = "" // the files are being replaced, or are gone: the page stays as it is
		}
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

// event is the panel as JSON, on one line.
func (r *run) event() (string, error) {
	var out liveEvent
	err := r.look(func(x *record.Index, summary Summary) error {
		p := r.panel(x, summary)
		out = liveEvent{HTML: string(fragment("live", p)), Episodes: x.Results().Len(), Running: p.Running}
		return nil
	})
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(out)
	return string(b), err
}
