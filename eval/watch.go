package eval

import (
	"fmt"
	"slices"
	"sync"

	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/record"
)

const (
	// probation is the number of first replies of which so many must be usable, and silence the number of which one
	// must be. A model with one usable reply in ten is stopped by the one in 2.4 % of runs, and by the other in 1.5 %.
	probation, leastUsable = 100, 100 / model.LeastUsable
	silence                = 40
	// refusals is the number of calls of a model that may be refused before one is
	// answered.
	refusals = 8
	// A warning needs at least this many faulty replies, so many in all, and a faulty one in so
	// many: the first replies say little of the others.
	fewFaults, fewReplies, oneIn = 3, 20, 20
	// manyActions are so many that all can hardly be invalid by chance.
	manyActions = 30
)

// Matters reports whether faulty replies are so many of all that a user should know.
func Matters(faulty, replies int) bool {
	return faulty >= fewFaults && replies >= fewReplies && faulty*oneIn >= replies
}

// UnusableError reports a model that cannot be benchmarked as it is served: none or too
// few of its first replies held an action.
type UnusableError struct {
	Model string
	model.Diagnosis
}

// Error says what is most wrong with the replies, and what helps.
func (e *UnusableError) Error() string {
	count := "none"
	if e.Readable > 0 {
		count = fmt.Sprintf("only %d", e.Readable)
	}
	return fmt.Sprintf(
		"%s of the first %d replies of %s could be used: it %s; %s; --allow-unusable continues and counts them as failures",
		count, e.Replies, e.Model, e.Complaint(), e.Advice)
}

// watch monitors the models' replies, so that a model with unreadable replies
// does not look like a model that fails. It is safe for concurrent use.
type watch struct {
	allow bool
	warn  func(string)

	mu     sync.Mutex
	models map[string]*replies
}

type replies struct {
	// usable counts those of earlier sessions and other processes, too; the tally does not.
	usable, refused, trimmed int
	tally                    model.ReplyCounts
	adviser                  model.Adviser
	warned                   []string       // the warnings that were given
	verdict                  *UnusableError // the first one; nil for none
}

// newWatch returns a watch that includes the replies of earlier sessions.
func newWatch(o Options, attempts []record.Attempt) *watch {
	w := &watch{allow: o.AllowUnusable, warn: o.note, models: map[string]*replies{}}
	for i := range attempts {
		if a := &attempts[i]; a.Outcome.Final() {
			w.repliesOf(a.Model).usable += a.Usable
		}
	}
	return w
}

// learn counts the usable replies of an attempt that was played elsewhere, or all if none is usable.
func (w *watch) learn(p *episode.Player, rec *record.Episode) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.repliesOf(rec.Model)
	if r.usable += rec.Steps - rec.FormatErrors; r.usable > 0 || p.Model == nil {
		return
	}
	for i := range rec.Trajectory {
		s := &rec.Trajectory[i]
		r.add(p, agent.Move{Thought: s.Thought, Reply: s.Reply, Reasoning: s.Reasoning, Fault: s.Fault,
			FormatError: s.FormatError}, s.Valid)
	}
}

// proven notes that a model has given enough usable replies elsewhere.
func (w *watch) proven(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.repliesOf(name)
	r.usable = max(leastUsable, r.usable)
}

func (w *watch) usable(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.repliesOf(name).usable >= leastUsable
}

func (w *watch) repliesOf(name string) *replies {
	if w.models[name] == nil {
		w.models[name] = &replies{}
	}
	return w.models[name]
}

// Reply implements episode.Watch. The error says that too few replies of the model are usable.
func (w *watch) Reply(p *episode.Player, m agent.Move, valid bool) error {
	w.mu.Lock()
	r := w.repliesOf(p.Name)
	r.add(p, m, valid)
	warnings := r.warnings(p.Name)
	var err error
	if n := r.tally.Replies; n == probation && r.usable < leastUsable || n == silence && r.usable == 0 ||
		r.verdict != nil {
		err = w.unusable(p.Name, r)
	}
	w.mu.Unlock()
	for _, text := range warnings {
		w.warn(text)
	}
	return err
}

func (r *replies) add(p *episode.Player, m agent.Move, valid bool) {
	if r.tally.Replies == 0 {
		r.adviser = p.Adviser()
	}
	r.tally.Add(m.Reading(valid))
	if !m.FormatError {
		r.usable++
	}
	if m.Usage.Trimmed > 0 {
		r.trimmed++
	}
}

// unusable returns the error of a model with so few usable replies, nil if it is not
// wanted. The error is always the first one: replies to calls in flight do not change it.
func (w *watch) unusable(name string, r *replies) error {
	if w.allow {
		return nil
	}
	if r.verdict == nil {
		r.verdict = &UnusableError{Model: name, Diagnosis: r.tally.Diagnose(r.adviser)}
	}
	return r.verdict
}

// warnings returns the warnings about a model that are due and were not given
// yet.
func (r *replies) warnings(name string) (texts []string) {
	came := r.tally.Replies
	say := func(n int, problem, remedy string) {
		if !Matters(n, came) || slices.Contains(r.warned, problem) {
			return
		}
		r.warned = append(r.warned, problem)
		texts = append(texts, fmt.Sprintf("%s %s in %d of %d replies so far; %s", name, problem, n, came, remedy))
	}
	for _, s := range model.Symptoms() {
		say(r.tally.Lost[s]+r.tally.Marred[s], string(s), r.adviser.Advice(s))
	}
	say(r.trimmed, "needs the history to be trimmed", "a longer context, or a shorter --prompt, keeps it whole")
	const key = string(model.InvalidActions)
	if r.tally.Readable == manyActions && r.tally.Valid == 0 && !slices.Contains(r.warned, key) {
		r.warned = append(r.warned, key)
		texts = append(texts, fmt.Sprintf("%s: none of its first %d actions is valid; %s", name, manyActions,
			r.adviser.Advice(model.InvalidActions)))
	}
	return texts
}

// refusal counts a call that was refused because of its content. The error says
// that all calls so far were refused.
func (w *watch) refusal(name string, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.repliesOf(name)
	r.refused++
	if r.refused < refusals || r.tally.Replies+r.usable > 0 {
		return nil
	}
	return fmt.Errorf("the first %d calls of %s were all refused: %w", r.refused, name, err)
}

// unproven reports whether an attempt must not count yet as a failure of its model, which has given no usable reply
// so far: perhaps it cannot be benchmarked as it is served.
func (w *watch) unproven(e *episode.Episode, rec *record.Episode) bool {
	if w.allow || e.Player.Model == nil || rec.Outcome != record.Failure || rec.FormatErrors < rec.Steps {
		return false
	}
	return !w.proves(e.Player.Name)
}

// proves reports whether a model has given a usable reply before too few were.
func (w *watch) proves(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.repliesOf(name)
	return r.usable > 0 && r.verdict == nil
}

// verdicts are about the models that have given too few usable replies, or none by the end of
// a run.
func (w *watch) verdicts() map[string]error {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := map[string]error{}
	for name, r := range w.models {
		if r.verdict == nil && (r.usable > 0 || r.tally.Replies == 0) {
			continue
		}
		if err := w.unusable(name, r); err != nil {
			found[name] = err
		}
	}
	return found
}
