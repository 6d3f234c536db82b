package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"heldout/configs"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Options say how a plan is carried out; they do not change the results.
type Options struct {
	// Concurrency is the number of episodes in flight, at least 1; configs.Auto
	// finds the number at which the rate of model calls no longer grows.
	Concurrency configs.Concurrency
	// Now tells the time.
	Now func() time.Time
	// Budget bounds what the run takes.
	Budget Budget
	// Observer receives the events of the run; nil for none.
	Observer Observer
	// AllowUnusable continues with a model even if too few of its first replies are
	// usable, and counts its episodes as failures.
	AllowUnusable bool
	// AcceptChangedModel continues if another model answers than in recorded results.
	AcceptChangedModel bool
	// Warn receives a one-line warning about replies that make the rates less
	// meaningful; nil for none. Run calls it from many goroutines.
	Warn func(line string)
	// Absent says why models of the plan have no server, by their names.
	Absent map[string]error
	// Elsewhere plays the episodes; nil plays them in this process. Concurrency is
	// then the number of episodes that are ordered and not back.
	Elsewhere Elsewhere
}

// Observer receives the events of a run. Run calls its methods from many goroutines.
type Observer interface {
	// EpisodeBegun reports an episode that begins.
	EpisodeBegun(*episode.Episode)
	// StepDone reports a step of an episode and its usage.
	StepDone(*episode.Episode, agent.Usage)
	// EpisodeDone reports an attempt that is on disk, or that was stopped and goes on when the run is continued.
	EpisodeDone(*episode.Episode, record.Result)
}

func (o Options) note(line string) {
	if o.Warn != nil {
		o.Warn(line)
	}
}

// climbing is an Observer that also lets a climb see the model calls.
type climbing struct {
	Observer
	climb *climb
}

// StepDone implements Observer.
func (c climbing) StepDone(e *episode.Episode, u agent.Usage) {
	if !u.Repeated {
		c.climb.step(u)
	}
	c.Observer.StepDone(e, u)
}

// nobody is the Observer that ignores all events.
type nobody struct{}

func (nobody) EpisodeBegun(*episode.Episode)               {}
func (nobody) StepDone(*episode.Episode, agent.Usage)      {}
func (nobody) EpisodeDone(*episode.Episode, record.Result) {}

// Run plays the episodes of a plan that have no result in the store yet, and the trials that become due. Every
// attempt is on disk before it counts. When ctx is cancelled, the episodes in flight stop, without a record, and
// Run returns ctx's error. An error that would also stop every further episode of a model, such as an unknown name,
// or too few usable replies, which is an *UnusableError, ends the run, or with several models sets that one aside:
// the others are played to the end, and Run returns an *AsideError. A budget ends the run with a *BudgetError.
func Run(ctx context.Context, p *Plan, s *record.Store, o Options) error {
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	todo := p.Due(s.Attempts)
	w := newWatch(o, s.Attempts, s.Answered)
	runCtx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	due := newAgenda(todo.Missing, max(1, int(o.Concurrency)))
	if due.sequential = p.sequential(); o.Concurrency == configs.Auto {
		o.Observer = climbing{o.Observer, newClimb(due.setLimit, due.playing, o.note, o.Now)}
	}
	purse := newPurse(&o, s.Attempts, due.wake, stop)
	if purse != nil {
		o.Observer, due.may = purse, purse.take
	}
	defer context.AfterFunc(runCtx, due.stop)()
	pool := &pool{due: due, attempts: todo.Attempts, store: s, o: &o, watch: w, aside: newSidings(p, due, o.note),
		unvaried: &unchanging{warn: o.note, sights: map[string]*sight{}}, stop: stop, purse: purse,
		waiting: map[string][]postponed{}, broken: map[string]int{}, stores: map[*record.Condition]string{}}
	for _, f := range todo.Finished {
		pool.stores[f.Episode.Condition] = f.Attempt.Store
	}
	err := pool.play(runCtx)
	pool.unvaried.end()
	for i := range p.Episodes {
		if e := &p.Episodes[i]; w.repliesOf(e.Player.Name).changed != nil {
			s.Replies.Forget(e.ID)
		}
	}
	switch unusable := errors.As(err, new(*UnusableError)); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !unusable:
		return err
	case !unusable && context.Cause(runCtx) != nil:
		return context.Cause(runCtx)
	}
	return errors.Join(pool.verdict(), purse.ended())
}

type pool struct {
	due      *agenda
	attempts map[string]int // made before, by episode
	store    *record.Store
	o        *Options
	watch    *watch
	aside    *sidings
	unvaried *unchanging
	stop     context.CancelCauseFunc // ends the run
	purse    *purse

	wind sync.Once
	mu   sync.Mutex
	// waiting are the attempts that do not count yet, by their models.
	waiting map[string][]postponed
	// broken counts the attempts in a row that ended with an error of their environment, or of an agent of the user's.
	broken map[string]int
	// stores are the hashes of what players remembered after the last result.
	stores map[*record.Condition]string
}

// postponed is an attempt whose model has given no usable reply so far. It is recorded as what it is once there is one,
// whichever comes first, and otherwise as one without a result.
type postponed struct {
	e   *episode.Episode
	rec *record.Episode
	ack func()
}

// play plays all episodes that are due, each in a goroutine.
func (p *pool) play(ctx context.Context) error {
	for name, reason := range p.o.Absent {
		if p.due.waits(name) {
			if err := p.aside.put(name, reason); err != nil {
				return err
			}
		}
	}
	var playing errgroup.Group
	for e := p.due.take(); e != nil && ctx.Err() == nil; e = p.due.take() {
		playing.Go(func() error { return p.work(ctx, e) })
	}
	return playing.Wait()
}

// work makes an attempt at an episode. It goes to disk while the next one is played, so that no model server waits
// for a disk; one with a fault goes first, because it may end the run.
func (p *pool) work(ctx context.Context, e *episode.Episode) error {
	rec, ack, cause := p.attempt(ctx, e, p.attempts[e.ID]+1)
	if rec == nil || rec.Outcome == record.Cancelled {
		p.due.release(e)
		err := p.recordHeld(e.Player.Name)
		return cmp.Or(p.leave(e, rec, cause), err)
	}
	if cause == nil {
		p.due.release(e)
	} else {
		defer p.due.release(e)
	}
	err := p.keep(e, rec, cause, ack)
	if errors.As(err, new(*UnusableError)) {
		p.wind.Do(p.windUp)
	} else if err != nil {
		p.stop(err)
	}
	p.due.done()
	return err
}

// windUp has no more episodes begin. Those in flight end with the next reply, which is paid for.
func (p *pool) windUp() {
	p.due.stop()
	if n := p.due.playing(); n > 1 {
		p.o.note(fmt.Sprintf("too few replies can be used, so the run ends once the %d calls in flight are answered", n))
	}
}

// keep records an attempt, or holds it.
func (p *pool) keep(e *episode.Episode, rec *record.Episode, cause error, ack func()) error {
	rec.Unusable = errors.As(cause, new(*UnusableError))
	if p.watch.unproven(e, rec) {
		p.mu.Lock()
		p.waiting[e.Player.Name] = append(p.waiting[e.Player.Name], postponed{e, rec, ack})
		p.mu.Unlock()
		p.purse.end(e, &rec.Result)
	} else if err := p.record(e, rec, cause, ack); err != nil {
		return err
	}
	return p.recordHeld(e.Player.Name)
}

// recordHeld records the attempts of a model that are held, once it has given a usable reply.
func (p *pool) recordHeld(model string) error {
	if !p.watch.proves(model) {
		return nil
	}
	p.mu.Lock()
	ready := p.waiting[model]
	delete(p.waiting, model)
	p.mu.Unlock()
	for _, h := range ready {
		if err := p.record(h.e, h.rec, nil, h.ack); err != nil {
			return err
		}
	}
	return nil
}

// leave leaves an attempt that was stopped. That is an error of its own if replies cannot be
// written down, or if this machine could not ask for one.
func (p *pool) leave(e *episode.Episode, rec *record.Episode, cause error) error {
	p.due.done()
	if rec != nil {
		p.o.Observer.EpisodeDone(e, rec.Result)
	}
	if !errors.As(cause, new(*record.ReplyError)) && !errors.As(cause, new(*model.MachineError)) &&
		!errors.As(cause, new(*agent.GoneError)) {
		return nil
	}
	p.stop(cause)
	return cause
}

// attempt makes an attempt, here or elsewhere; nil if ctx is cancelled.
func (p *pool) attempt(ctx context.Context, e *episode.Episode, n int) (rec *record.Episode, release func(),
	cause error) {
	if p.o.Elsewhere == nil {
		e.Replies = p.store.Replies
		p.mu.Lock()
		e.Store = p.stores[e.Condition]
		p.mu.Unlock()
		rec, cause = attempt(ctx, e, n, p.o, p.watch)
		return rec, func() {}, cause
	}
	rec, release = p.delegate(ctx, e, n)
	return rec, release, nil
}

// record puts an attempt on disk, says so, and has the trial played that follows it.
func (p *pool) record(e *episode.Episode, rec *record.Episode, cause error, ack func()) error {
	if err := p.store.Append(rec); err != nil {
		return fmt.Errorf("task %s: %w", e.Task.ID, err)
	}
	ack()
	if rec.Store != nil && rec.Outcome.Final() {
		p.mu.Lock()
		p.stores[e.Condition] = rec.Store.After
		p.mu.Unlock()
	}
	p.o.Observer.EpisodeDone(e, rec.Result)
	p.unvaried.look(rec)
	if reason := p.watch.fatal(e, cause); reason != nil {
		return p.aside.put(e.Player.Name, reason)
	}
	if reason := p.crashes(e, cause); reason != nil {
		return p.aside.put(e.Player.Name, reason)
	}
	if reason := p.breaks(e, rec); reason != nil {
		return p.aside.put(e.Condition.Env, reason)
	}
	if e.Condition.Order != "" && !rec.Outcome.Final() {
		return p.aside.put(e.Player.Name, fmt.Errorf("the order is sequential, so the run ends with %s, which has no "+
			"result: %s", e.Task.ID, rec.Error))
	}
	if next := e.NextTrial(rec.Brief()); next != nil {
		p.due.more(next)
	}
	return nil
}

// mostBroken is how many more episodes in a row than are in flight may end with an error of their environment.
const mostBroken = 40

// breaks returns why nothing more is played in an environment: one error after the other, as without a network, though
// models are paid for each attempt.
func (p *pool) breaks(e *episode.Episode, rec *record.Episode) error {
	n := p.inRow(e.Condition.Env, rec.Outcome == record.EnvError)
	if n < mostBroken+max(int(p.o.Concurrency), p.due.playing()) || p.o.Elsewhere != nil {
		return nil
	}
	return fmt.Errorf("%d episodes of %s in a row ended with an error of the environment, the last one: %s", n,
		e.Condition.Env, rec.Error)
}

// inRow counts the attempts in a row that are broken, of an environment or agent.
func (p *pool) inRow(name string, broken bool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken[name]++; !broken {
		p.broken[name] = 0
	}
	return p.broken[name]
}

// mostCrashes is how many episodes in a row an agent of the user's may fail in.
const mostCrashes = 8

// crashes returns why an agent of the user's plays nothing more: one error after the other.
func (p *pool) crashes(e *episode.Episode, cause error) error {
	if e.Player.Program == nil {
		return nil
	}
	n := p.inRow(e.Player.Name, errors.As(cause, new(*agent.CrashError)))
	if n < mostCrashes {
		return nil
	}
	return fmt.Errorf("%d episodes of %s in a row ended with an error of the agent, the last one: %w", n, e.Player.Name,
		cause)
}

// verdict is about all models at the end of a run.
func (p *pool) verdict() error {
	for name, reason := range p.watch.verdicts() {
		for _, h := range p.waiting[name] {
			h.rec.Outcome, h.rec.Error, h.rec.Unusable = record.ModelError, reason.Error(), true
			if err := p.record(h.e, h.rec, nil, h.ack); err != nil {
				return err
			}
		}
		if err := p.aside.put(name, reason); err != nil {
			return err
		}
	}
	return p.aside.ended()
}
