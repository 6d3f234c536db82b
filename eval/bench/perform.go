package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"heldout/eval"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/eval/progress"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Screen is where a run is shown.
type Screen struct {
	// Say shows a line, Warn one that must not be overlooked.
	Say, Warn func(line string)
	// Follow shows the progress of a run until finish is called, which shows its totals; nil shows none.
	Follow func(run *progress.Tracker) (finish func())
	// Events receives a line of JSON for every finished episode; nil for none.
	Events io.Writer
}

func (s Screen) say(format string, args ...any) { s.Say(fmt.Sprintf(format, args...)) }

// Rehearse makes the checks that a run makes before its first episode. Servers are the workers' if it is led.
func (j *Job) Rehearse(ctx context.Context, led bool, on Screen) error {
	if err := eval.Fits(j.Dir, j.Plan); err != nil || led {
		return err
	}
	unready, err := j.ask(ctx, 0)
	if unready != nil {
		on.say("not checked, because no model server is ready: %v", unready)
	}
	return err
}

// Play plays the missing episodes of a job. A finished run needs no server.
func (j *Job) Play(ctx context.Context, on Screen) error {
	if waits := j.Config.WaitForServers > 0; !waits || !j.Finished() {
		unready, err := j.ask(ctx, j.Config.WaitForServers)
		if len(j.absent) == len(j.Served) {
			err = cmp.Or(err, unready)
		}
		if err != nil && (waits || ctx.Err() != nil || !j.Finished()) {
			return err
		} else if err != nil {
			on.say("no episode is missing, so the run needs no model server: %v", err)
		}
	}
	return j.Work(ctx, on, int(j.Config.Concurrency),
		func(s *JobSession, _ *progress.Tracker, watching eval.Observer) error {
			if n := s.Store.Replies.Interrupted(); n > 0 {
				on.say("resuming %s where the run was stopped", table.Counted(n, "episode"))
			}
			err := s.Play(ctx, nil, watching, on.Warn)
			if ctx.Err() == nil && len(s.Missing) > 0 {
				err = errors.Join(err, j.noteChanges(ctx, s, on))
			}
			return err
		})
}

// noteChanges asks the servers at the end whether they still have the models that they had, and notes those that
// have not.
func (j *Job) noteChanges(ctx context.Context, s *JobSession, on Screen) error {
	for _, served := range j.Served {
		now, change := served.Fleet.Changed(ctx)
		if change == "" {
			continue
		}
		for _, player := range served.Players {
			on.Warn(fmt.Sprintf("%s: another model got the name while the run was played, and may have given replies: %s",
				player.Name, change))
			if err := s.AddServers(map[string]record.ServerReport{player.Name: now}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Work opens the run directory of a job, and play plays the episodes that are missing. Shown is their progress, and
// watching follows them. A concurrency below 1 stands for one that changes.
func (j *Job) Work(ctx context.Context, on Screen, concurrency int,
	play func(s *JobSession, run *progress.Tracker, watching eval.Observer) error) error {
	session, err := j.Begin()
	if err != nil {
		return err
	}
	for _, text := range session.Warnings {
		on.Warn(text)
	}
	warn := func() {
		for _, text := range session.Store.TakeWarnings() {
			on.Warn(text)
		}
	}
	warn()
	if n := session.Store.Recovered; n > 0 {
		on.say("passed over %s of an episode that a crash left unfinished", table.Counted(int(n), "byte"))
	}
	if n := len(session.Finished); n > 0 {
		share := fmt.Sprintf("of %d episodes already", n+len(session.Missing))
		on.say("%s a result in %s", table.Counted(n, share+" has", share+" have"), j.Dir)
	} else {
		for _, line := range j.resumed() {
			on.say("%s", line)
		}
	}
	run := progress.NewRun(session.Due, concurrency, j.waits, j.outside.Now)
	finish := func() {}
	if on.Follow != nil && len(session.Missing) > 0 {
		finish = on.Follow(run)
	}
	// An error changes nothing: nothing depends on the status, and what the disk lacks shows when an episode is
	// recorded.
	status := func() { _ = session.Store.SetStatus(run.Status()) }
	status()
	silence := model.Repeat(statusEvery, status)
	watching := eval.Observer(run)
	if on.Events != nil {
		watching = &events{Observer: run, out: on.Events, warn: on.Warn}
	}
	runErr := play(session, run, watching)
	silence()
	budget, _ := errors.AsType[*eval.BudgetError](runErr)
	if budget != nil {
		session.Stop(budget)
	}
	aside, _ := errors.AsType[*eval.AsideError](runErr)
	if budget != nil || aside != nil {
		runErr = nil
	}
	err = errors.Join(runErr, session.End())
	finish()
	for _, line := range run.Failures() {
		on.say("%s", line)
	}
	warn()
	switch {
	case err != nil:
		return stopped(ctx, err, j.Dir)
	case aside != nil:
		on.say("%v\nwhat is finished is kept in %s; the same command tries these again", aside, j.Dir)
	}
	if budget != nil {
		on.say("%v: what is finished is kept in %s, and the same command with more continues", budget, j.Dir)
	}
	return nil
}

// longWait is a wait for a limit that is shown in place of the time that is left.
const longWait = 2 * time.Second

// waits says for what all calls of the models wait; empty if one can go on.
func (j *Job) waits() (reason string) {
	for _, s := range j.Served {
		if until := s.Fleet.Waits(); until.Sub(j.outside.Now()) >= longWait {
			reason = "waits for the service's limit until " + until.Format(time.TimeOnly)
		} else if outage := s.Fleet.Outage(); outage != "" {
			reason = outage
		} else {
			return ""
		}
	}
	return reason
}

// EndShard says how far a shard is. It has no tables of its own: they would cover an arbitrary part of the tasks.
func (j *Job) EndShard(on Screen) error {
	done, short, err := j.shortfall()
	if err != nil {
		return err
	}
	on.say("shard %s: %s a result; heldout compare %s prints the tables of all shards", j.Plan.Shard,
		table.Counted(done, "episode has", "episodes have"), filepath.Dir(j.Dir))
	if short.Missing > 0 {
		return &short
	}
	return nil
}

// stopped says what is left of a run that ended with an error.
func stopped(ctx context.Context, err error, dir string) error {
	switch {
	case errors.Is(err, record.ErrMoved), errors.As(err, new(*eval.ChangedModelError)):
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("stopped; what was played is kept in %s, and the same command continues", dir)
	}
	if unusable, ok := errors.AsType[*eval.UnusableError](err); ok {
		remedy := "continues with --allow-unusable; for another model or other flags give another --out"
		if unusable.Symptom.OfServer() {
			remedy = "continues once the server has changed"
		}
		return fmt.Errorf("%w\nwhat is finished is kept in %s; the same command %s", err, dir, remedy)
	}
	if refused, ok := errors.AsType[*model.RequestError](err); ok && refused.UnknownModel() {
		err = fmt.Errorf("%w; heldout doctor tells what the server has", err)
	}
	return fmt.Errorf("%w\nwhat is finished is kept in %s, and the same command continues", err, dir)
}

// statusEvery is how often a run writes its status for those who watch.
const statusEvery = time.Second

// events is an observer that also writes a line of JSON for every finished episode.
type events struct {
	eval.Observer
	warn func(line string)

	mu  sync.Mutex
	out io.Writer // nil after an error: a reader that is gone ends no run
}

// EpisodeDone implements eval.Observer.
func (e *events) EpisodeDone(ep *episode.Episode, r record.Result) {
	e.Observer.EpisodeDone(ep, r)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.out == nil || r.Outcome == record.Cancelled {
		return
	}
	if err := WriteEvent(e.out, "episode", r); err != nil {
		e.out = nil
		e.warn(fmt.Sprintf("no more events are written: %v", err))
	}
}

// WriteEvent writes a line of JSON: the name of an event, and what it is about under that
// name. The whole line is written at once.
func WriteEvent(w io.Writer, event string, about any) error {
	line, err := json.Marshal(map[string]any{"event": event, event: about})
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
