package eval

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"heldout/eval/agent"
	"heldout/scoring/record"
)

const (
	// probation is the number of first replies of which so many must be usable: a twentieth.
	probation, leastUsable = 100, 5
	// refusals is the number of calls of a model that may be refused before one is
	// answered.
	refusals = 8
	// A warning needs at least this many faulty replies, and more than one faulty
	// reply in this many.
	fewFaults, oneIn = 3, 100
)

// UnusableError reports a model that cannot be benchmarked as it is served: none or too
// few of its first replies held an action.
type UnusableError struct {
	Model           string
	Replies, Usable int
	// Faults counts the replies by what is wrong with them.
	Faults map[record.Fault]int
}

// Error describes the replies and the remedy for the most frequent fault.
func (e *UnusableError) Error() string {
	var came []string
	top := record.NoAction
	for _, f := range record.Faults() {
		if n := e.Faults[f]; n > 0 {
			came = append(came, fmt.Sprintf("%d %s", n, f))
			if n > e.Faults[top] {
				top = f
			}
		}
	}
	count := "none"
	if e.Usable > 0 {
		count = fmt.Sprintf("only %d", e.Usable)
	}
	return fmt.Sprintf(
		"%s of the first %d replies of %s could be used: %s; %s; --allow-unusable goes on and counts them as failures",
		count, e.Replies, e.Model, strings.Join(came, ", "), top.Remedy())
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
	// usable counts those of earlier sessions and other processes, too; unread does not.
	came, usable, unread, refused, trimmed int
	faults                                 map[record.Fault]int
	leftovers                              map[record.Leftover]int
	warned                                 []string       // the warnings that were given
	verdict                                *UnusableError // the first one; nil for none
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

// learn counts the usable replies of an attempt that was played elsewhere.
func (w *watch) learn(r *record.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.repliesOf(r.Model).usable += r.Steps - r.FormatErrors
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
		w.models[name] = &replies{faults: map[record.Fault]int{}, leftovers: map[record.Leftover]int{}}
	}
	return w.models[name]
}

// Reply implements episode.Watch. The error says that too few replies of the model are usable.
func (w *watch) Reply(name string, m agent.Move) error {
	w.mu.Lock()
	r := w.repliesOf(name)
	r.add(m)
	warnings := r.warnings(name)
	var err error
	if r.came == probation && r.usable < leastUsable || r.verdict != nil {
		err = w.unusable(name, r)
	}
	w.mu.Unlock()
	for _, text := range warnings {
		w.warn(text)
	}
	return err
}

func (r *replies) add(m agent.Move) {
	r.came++
	if m.FormatError {
		r.unread++
	} else {
		r.usable++
	}
	if m.Usage.Trimmed > 0 {
		r.trimmed++
	}
	if m.Fault != "" {
		r.faults[m.Fault]++
	}
	for _, kind := range m.Usage.Leftovers {
		r.leftovers[kind]++
	}
}

// unusable returns the error of a model with so few usable replies, nil if it is not
// wanted. The error is always the first one: replies to calls in flight do not change it.
func (w *watch) unusable(name string, r *replies) error {
	if w.allow {
		return nil
	}
	if r.verdict == nil {
		r.verdict = &UnusableError{Model: name, Replies: r.came, Usable: max(0, r.came-r.unread),
			Faults: maps.Clone(r.faults)}
	}
	return r.verdict
}

// warnings returns the warnings about a model that are due and were not given
// yet.
func (r *replies) warnings(name string) (texts []string) {
	say := func(n int, problem, remedy string) {
		if n < fewFaults || n*oneIn <= r.came || slices.Contains(r.warned, problem) {
			return
		}
		r.warned = append(r.warned, problem)
		texts = append(texts, fmt.Sprintf("%s: %d of %d replies so far %s; %s", name, n, r.came, problem, remedy))
	}
	for _, f := range record.Faults() {
		say(r.faults[f], "are "+f.String(), f.Remedy())
	}
	for _, l := range record.Leftovers() {
		say(r.leftovers[l], l.String(), l.Remedy())
	}
	say(r.trimmed, "needed the history to be trimmed", "a longer context, or a shorter --prompt, keeps it whole")
	return texts
}

// refusal counts a call that was refused because of its content. The error says
// that all calls so far were refused.
func (w *watch) refusal(name string, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.repliesOf(name)
	r.refused++
	if r.refused < refusals || r.came+r.usable > 0 {
		return nil
	}
	return fmt.Errorf("the first %d calls of %s were all refused: %w", r.refused, name, err)
}

// errUnproven says that an episode does not count, because its model may be one that cannot
// be benchmarked as it is served.
var errUnproven = errors.New("no reply of the model could be used so far, so the episode does not count as a failure")

// Unproven implements episode.Watch. The error says that no reply of the model was usable.
func (w *watch) Unproven(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch r := w.repliesOf(name); {
	case r.verdict != nil:
		return r.verdict
	case w.allow || r.usable > 0:
		return nil
	}
	return errUnproven
}

// verdicts are about the models that have given too few usable replies, or none by the end of
// a run.
func (w *watch) verdicts() map[string]error {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := map[string]error{}
	for name, r := range w.models {
		if r.verdict == nil && (r.usable > 0 || r.came == 0) {
			continue
		}
		if err := w.unusable(name, r); err != nil {
			found[name] = err
		}
	}
	return found
}
