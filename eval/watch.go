package eval

import (
	"fmt"
	"slices"
	"sync"

	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

const (
	// probation is the number of first replies of which so many must be usable, and silence the number of which one
	// must be. A model with one usable reply in ten is stopped by the one in 2.4 % of runs, and by the other in 1.5 %.
	probation, leastUsable = 100, 100 / model.LeastUsable
	silence                = 40
	// refusals is the number of calls of a model that may be refused before one is answered.
	refusals = 8
	// A warning needs so many replies, and Wilson's interval of this level for the share of faulty ones to lie above
	// a twentieth. The level is high because the share is looked at after every reply.
	fewReplies, tolerable, warningLevel = 20, 0.05, 0.997
	// manyActions are so many that most can hardly be invalid by chance.
	manyActions = 30
)

// Matters reports whether faulty replies are so many of all that a user should know.
func Matters(faulty, replies int) bool {
	return replies >= fewReplies &&
		stats.Wilson(float64(faulty)/float64(replies), float64(replies), warningLevel).Low > tolerable
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

// ChangedModelError reports that replies name another model than those with recorded results.
type ChangedModelError struct {
	Model, Now string
	Recorded   record.Answered
}

// Error names both models, and what helps.
func (e *ChangedModelError) Error() string {
	return fmt.Sprintf("the model behind %s is not the one with recorded results: its replies name %s, and recorded ones "+
		"%s; give another --out, or --accept-changed-model to continue with it", e.Model, e.Now, e.Recorded)
}

// watch monitors the models' replies, so that a model with unreadable replies
// does not look like a model that fails. It is safe for concurrent use.
type watch struct {
	allow, changes bool
	warn           func(string)

	mu     sync.Mutex
	models map[string]*replies
}

type replies struct {
	// usable counts the replies of earlier sessions and other processes, too; the tally does not.
	usable, refused, trimmed int
	tally                    model.ReplyCounts
	adviser                  model.Adviser
	warned                   []string       // the warnings that were given
	verdict                  *UnusableError // the first one; nil for none
	// answered are the models that the replies name, and recorded the models of recorded results. changed: the
	// first reply names none of these.
	answered, recorded record.Answered
	changed            error
}

// newWatch returns a watch that includes the replies of earlier sessions, and the models that answered then.
func newWatch(o Options, attempts []record.Attempt, answered map[string]record.Answered) *watch {
	w := &watch{allow: o.AllowUnusable, changes: o.AcceptChangedModel, warn: o.note, models: map[string]*replies{}}
	for model, names := range answered {
		w.repliesOf(model).recorded = names
	}
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
	r := w.repliesOf(rec.Model)
	for name, n := range rec.Answered {
		r.answered.Add(name, n)
	}
	warnings := r.doubts(rec.Model, agent.Answer{Unlisted: rec.OtherModel > 0, Cut: rec.CutPrompts})
	if r.usable += rec.Steps - rec.FormatErrors; r.usable == 0 && p.Model != nil {
		for i := range rec.Trajectory {
			r.add(p, agent.Move{Step: rec.Trajectory[i]}, rec.Trajectory[i].Valid)
		}
	}
	w.mu.Unlock()
	for _, text := range warnings {
		w.warn(text)
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
	for _, a := range m.Usage.Answers {
		r.meet(p.Name, a, w.changes)
		warnings = append(warnings, r.doubts(p.Name, a)...)
	}
	n, err := r.tally.Replies, r.changed
	if err == nil && (n == probation && r.usable < leastUsable || n == silence && r.usable == 0 || r.verdict != nil) {
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

// meet notes which model answered. If none does at first that answered in an earlier session, it is another model.
func (r *replies) meet(name string, a agent.Answer, accepted bool) {
	switch {
	case a.Model == "":
	case a.Repeated:
		r.recorded.Add(a.Model, 1)
	default:
		if r.answered == nil && r.recorded != nil && !accepted && !r.recorded.Has(a.Model) {
			r.changed = &ChangedModelError{name, a.Model, r.recorded}
		}
		r.answered.Add(a.Model, 1)
	}
}

// unheard reports whether there was no warning of a problem yet, and notes that there is one now.
func (r *replies) unheard(problem string) bool {
	if slices.Contains(r.warned, problem) {
		return false
	}
	r.warned = append(r.warned, problem)
	return true
}

// doubts returns warnings that are due at once: another model answers than was asked, or the server cuts prompts.
func (r *replies) doubts(name string, a agent.Answer) (texts []string) {
	say := func(holds bool, problem, text string) {
		if holds && r.unheard(problem) {
			texts = append(texts, name+": "+text)
		}
	}
	say(a.Unlisted, "other", fmt.Sprintf("replies are by %s, another model of the server's list; load the one that is asked, or "+
		"give the name of the one that answers with --model", table.List(r.answered.Names())))
	say(r.answered.Several(), "several", fmt.Sprintf("several models answer: %s; switch off what chooses between them, such as "+
		"a router's fallback, or give one of the names with --model", table.List(r.answered.Names())))
	say(a.Cut > 0, "cut", model.CutAdvice)
	return texts
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

// warnings returns the warnings about a model that are due and were not given yet.
func (r *replies) warnings(name string) (texts []string) {
	came := r.tally.Replies
	say := func(n int, problem string, remedy func() string) {
		if Matters(n, came) && r.unheard(problem) {
			texts = append(texts, fmt.Sprintf("%s %s in %d of %d replies so far; %s", name, problem, n, came, remedy()))
		}
	}
	for _, s := range model.Symptoms() {
		say(r.tally.Lost[s]+r.tally.Marred[s], string(s), func() string { return r.adviser.Advice(s) })
	}
	say(r.trimmed, "needs the history to be trimmed", func() string {
		return "a longer context, or a shorter --prompt, keeps it whole"
	})
	read, valid := r.tally.Readable, r.tally.Valid
	if read >= manyActions && 2*valid < read && r.unheard(string(model.InvalidActions)) {
		complaint := fmt.Sprintf("only %d of its first %d actions are valid", valid, read)
		if valid == 0 {
			complaint = fmt.Sprintf("none of its first %d actions is valid", read)
		}
		texts = append(texts, fmt.Sprintf("%s: %s; %s", name, complaint, r.adviser.Advice(model.InvalidActions)))
	}
	return texts
}

// refusal counts a call that was refused because of its content. The error says that all calls so far were refused.
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

// verdicts are about the models that have given too few usable replies, or none by the end of a run.
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
