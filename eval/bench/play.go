package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval"
	"heldout/eval/fleet"
	"heldout/eval/model"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// ConfigError is an error in the configuration, not in the run.
type ConfigError struct{ error }

// Misconfigured marks an error as one of the configuration.
func Misconfigured(err error) error { return ConfigError{err} }

// Unwrap returns the error inside.
func (e ConfigError) Unwrap() error { return e.error }

// IncompleteError says that a run ended, but some episodes have no result.
type IncompleteError struct {
	// Missing counts those episodes. Of them, TooLong do not fit the model's context, Failed ended with another error,
	// and Unplayed have no attempt that came to its end.
	Missing, TooLong, Failed, Unplayed int
}

// Error implements error.
func (e *IncompleteError) Error() string {
	text := fmt.Sprintf("%s without a result", table.Counted(e.Missing, "episode"))
	switch {
	case e.Failed > 0:
		text += "; once what failed is mended, the same command plays them"
	case e.Unplayed > 0:
		text += "; the same command plays them"
	}
	if e.TooLong > 0 {
		text += fmt.Sprintf("\nof %d of them the prompt does not fit the model's context: give it a longer one, or a "+
			"shorter --prompt", e.TooLong)
	}
	return text
}

// Complete returns an *IncompleteError if planned episodes have no result.
func Complete(scores []*scoring.Score) error {
	var e IncompleteError
	for _, s := range scores {
		due, finished := s.Episodes()
		e.Missing += due - finished
		for _, unfinished := range []map[record.Outcome]int{s.Unfinished, s.LaterUnfinished} {
			e.TooLong += unfinished[record.ContextExceeded]
			e.Failed += unfinished[record.EnvError] + unfinished[record.ModelError] + unfinished[record.AgentError]
		}
	}
	if e.Missing == 0 {
		return nil
	}
	e.Unplayed = e.Missing - e.TooLong - e.Failed
	return &e
}

// shortfall counts the episodes of the job's part of the plan that have a result on disk, and says which have none.
func (j *Job) shortfall() (done int, e IncompleteError, err error) {
	var attempts []record.Attempt
	if _, err := record.EachEpisode(record.Parts{j.Dir}, func(_ *record.Manifest, e *record.Episode) {
		attempts = append(attempts, e.Brief())
	}); err != nil {
		return 0, e, err
	}
	due := j.Plan.Due(attempts)
	last := map[string]record.Outcome{}
	for _, a := range attempts {
		last[a.ID] = a.Outcome
	}
	for _, m := range due.Missing {
		switch last[m.ID] {
		case record.ContextExceeded:
			e.TooLong++
		case record.EnvError, record.ModelError, record.AgentError:
			e.Failed++
		default:
			e.Unplayed++
		}
	}
	e.Missing = len(due.Missing)
	return len(due.Finished), e, nil
}

// Finished reports whether the run directory has a result of every episode that is
// due, so that there is nothing to play.
func (j *Job) Finished() bool {
	if !record.IsRun(j.Dir) {
		return false
	}
	_, short, err := j.shortfall()
	return err == nil && short.Missing == 0
}

// Meet asks every server about itself before the first episode: a wrong address
// or name must show now, not later. It settles the contexts in force.
func (j *Job) Meet(ctx context.Context) error {
	unready, err := j.ask(ctx, j.Config.WaitForServers)
	return cmp.Or(err, unready)
}

// ask is Meet with a patience of its own for servers that are not ready yet. unready is about
// the first model none of whose servers is; the job keeps the reason of each.
func (j *Job) ask(ctx context.Context, patience time.Duration) (unready, err error) {
	j.about.Reports, j.absent = map[string]record.ServerReport{}, map[string]error{}
	for _, served := range j.Served {
		name := served.Players[0].Name
		s, err := meet(ctx, served.Fleet, name, patience)
		if fleet.Unready(err) && ctx.Err() == nil {
			j.absent[name] = err
			unready = cmp.Or(unready, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, p := range served.Players {
			p.ContextLimit = served.Fleet.ContextLimit()
			err := leavesRoom("max-tokens", p.Decoding.MaxTokens, p.ContextLimit, name)
			if t := p.Trials; err == nil && t != nil && t.Decoding != nil {
				err = leavesRoom("reflection-tokens", t.Decoding.MaxTokens, p.ContextLimit, name)
			}
			if err != nil {
				return nil, err
			}
		}
		j.about.Reports[name] = s
	}
	return unready, nil
}

// leavesRoom reports an option of so many tokens that leaves no room for a prompt in a context.
func leavesRoom(option string, tokens, limit int, name string) error {
	if limit == 0 || tokens < limit {
		return nil
	}
	return ConfigError{fmt.Errorf("%s %d leaves no room for a prompt in the context of %d tokens that %s has", option,
		tokens, limit, name)}
}

// meet asks the servers of a model about themselves, and waits so long for them.
func meet(ctx context.Context, f *fleet.Fleet, name string, patience time.Duration) (record.ServerReport, error) {
	s, err := f.Await(ctx, patience)
	if absent, ok := errors.AsType[*model.UnavailableError](err); ok && absent.Unsent {
		err = fmt.Errorf("%w\nstart the server of %s, or say where it is with --base-url; heldout doctor --model %s "+
			"checks it, and --set wait-for-servers=10m waits for it", err, name, name)
	}
	if err != nil {
		return s, err
	}
	if len(s.Models) > 0 && !s.Present {
		return s, refusedName(ctx, f, s, name)
	}
	return s, nil
}

// mostNames is how many names of a server's models an error has.
const mostNames = 20

// refusedName reports a model that a server neither lists nor has: services have models that
// they do not list, so they are asked for a reply.
func refusedName(ctx context.Context, f *fleet.Fleet, s record.ServerReport, name string) error {
	names := table.Shortlist(s.Models, mostNames)
	if s.Software != "" {
		return fmt.Errorf("the server has no model of the name in %s; it has: %s", name, names)
	}
	_, err := f.Clients()[0].Chat(ctx, model.Request{Once: true, Decoding: record.Decoding{TopP: 1, MaxTokens: 16},
		Messages: []model.Message{{Role: model.User, Content: "Hello"}}})
	if refused, ok := errors.AsType[*model.RequestError](err); ok && refused.UnknownModel() {
		return fmt.Errorf("%w\nthe server lists %s, and not the name in %s", err, names, name)
	}
	return nil // any other trouble shows in the run
}

// OpenModel prepares to ask the only model of a configuration, for commands that
// play no episodes. It contacts no server.
func OpenModel(out Outside, r configs.Run) (*fleet.Fleet, error) {
	f, err := openModel(out, r, r.Model[0])
	if err != nil {
		return nil, ConfigError{err}
	}
	return f, nil
}

// MeetModel asks the servers of a configuration's only model about themselves and
// checks that a reply leaves room for a prompt.
func MeetModel(ctx context.Context, f *fleet.Fleet, r configs.Run) (record.ServerReport, error) {
	s, err := meet(ctx, f, r.Model[0], r.WaitForServers)
	if err == nil {
		err = leavesRoom("max-tokens", r.MaxTokens, f.ContextLimit(), r.Model[0])
	}
	return s, err
}

// JobSession is one period of work on the run directory of a job.
type JobSession struct {
	*eval.Session
	eval.Due
	job *Job
}

// Begin opens the run directory; Meet comes before it. End the session when it is done.
func (j *Job) Begin() (*JobSession, error) {
	about, c := j.about, &j.Config
	about.Tool, about.Names, about.Prices, about.HeldIn = j.outside.Tool, c.Names, c.Prices, c.HeldIn
	about.AcceptChangedModel = c.AcceptChangedModel
	s, err := eval.Begin(j.Dir, j.Plan, about, j.outside.Now)
	if err != nil {
		return nil, err
	}
	due := j.Plan.Due(s.Store.Attempts)
	if err := j.Plan.Behind(due); err != nil {
		return nil, errors.Join(err, s.Store.Close())
	}
	if err := s.Store.OpenReplies(due.Next(j.Config.AllowUnusable)); err != nil {
		return nil, errors.Join(err, s.Store.Close())
	}
	return &JobSession{s, due, j}, nil
}

// Play plays the missing episodes, or has them played elsewhere if that is not nil. It reports every step to the
// observer, and sends warn a one-line warning about replies that make the rates less meaningful. Both are called from
// many goroutines.
func (s *JobSession) Play(ctx context.Context, elsewhere eval.Elsewhere, watching eval.Observer,
	warn func(line string)) error {
	o := s.job.options(watching, warn)
	if o.Concurrency, o.Absent = s.job.Config.Concurrency, s.job.absent; elsewhere != nil {
		o.Concurrency, o.Elsewhere = outstanding, elsewhere
	}
	return eval.Run(ctx, s.job.Plan, s.Store, o)
}

func (j *Job) options(watching eval.Observer, warn func(line string)) eval.Options {
	c := &j.Config
	budget := eval.Budget{Tokens: c.BudgetTokens, Dollars: c.BudgetUSD, Prices: c.Prices, Time: c.BudgetTime}
	return eval.Options{Now: j.outside.Now, Observer: watching, Warn: warn, AllowUnusable: c.AllowUnusable,
		AcceptChangedModel: c.AcceptChangedModel, Budget: budget}
}

// outstanding is the number of episodes that are ordered elsewhere at a time.
const outstanding = 4096

// Name identifies the run among the runs of other directories and plans.
func (s *JobSession) Name() string {
	return s.job.Plan.Hash() + "-" + datafile.Hash(s.Mark().Format(time.RFC3339Nano))[:8]
}

// FinishedIDs returns the ids of the episodes that have a result.
func (s *JobSession) FinishedIDs() map[string]bool {
	ids := map[string]bool{}
	for _, f := range s.Finished {
		ids[f.Episode.ID] = true
	}
	return ids
}

// Servers is what the servers report about themselves, by player; Meet asks them.
func (j *Job) Servers() map[string]record.ServerReport { return j.about.Reports }

// Worker returns a worker for the job's plan; Meet comes before it.
func (j *Job) Worker(warn func(line string)) *eval.Worker {
	return eval.NewWorker(j.Plan, j.options(nil, warn))
}
