package export

import (
	"heldout/envs/catalog"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// await counts the episodes of each task, for forms that compare them.
func (x *exporter) await() {
	if x.needs != pair {
		return
	}
	for _, s := range x.sources {
		if s.run == nil {
			continue
		}
		for id := range s.run.counts {
			p := s.run.planned[id]
			x.missing[x.splitter.root(taskName(p.condition.Env, p.task.ID))]++
		}
	}
}

// compare exports an episode in a form that needs the whole of it. Those that compare the
// episodes of a task wait for the last one.
func (x *exporter) compare(e *record.Episode, calls []episode.Call, marked []Mark, about about) error {
	a := newAttempt(calls, e, marked, about)
	switch {
	case a == nil:
		x.report.Omitted[Single]++
		return x.arrived(e)
	case x.duplicate([]Conversation{{a.messages, 1}}, about, actionsOf(e)):
		x.report.Omitted[Duplicate]++
		return x.arrived(e)
	}
	if e.Agent == episode.Erring {
		corrections := x.thinker.corrections(e)
		for i := range a.replies {
			a.replies[i].correction = corrections[a.replies[i].step]
		}
	}
	if about.Use == string(catalog.Test) {
		x.report.TestEpisodes++
	}
	if x.needs == pair {
		task := x.splitter.root(taskName(e.Env, e.Task))
		x.waiting[task] = append(x.waiting[task], a)
		return x.arrived(e)
	}
	n, err := x.rate(a)
	if err != nil {
		return err
	}
	if n == 0 {
		x.report.Omitted[Nothing]++
		return nil
	}
	x.report.take(a.about, 1)
	x.report.masks(e, marked, calls)
	return nil
}

func (x *exporter) rate(a *attempt) (n int, err error) {
	write := x.into(a.about, 1)
	if x.Format == KTO {
		return judged(a, write)
	}
	example, ok := x.steps(a)
	if !ok {
		return 0, nil
	}
	return 1, write(example)
}

// arrived notes that an episode was read. After the last one of its task, the pairs are written.
func (x *exporter) arrived(e *record.Episode) error {
	if x.needs != pair {
		return nil
	}
	task := x.splitter.root(taskName(e.Env, e.Task))
	if x.missing[task]--; x.missing[task] > 0 {
		return nil
	}
	attempts := x.waiting[task]
	delete(x.waiting, task)
	used := map[string]bool{}
	err := x.Format.pairs(attempts, func(pair example) error {
		fresh := 0
		for _, id := range []string{pair.ID, pair.rejectedID} {
			if !used[id] {
				used[id] = true
				fresh++
			}
		}
		return x.into(attempts[0].about, fresh)(pair)
	})
	for _, a := range attempts {
		if used[a.ID] {
			x.report.take(a.about, 1)
		} else {
			x.report.Omitted[Alone]++
		}
	}
	return err
}

// attempt is an episode with what is known of every turn, for forms that compare episodes or turns.
type attempt struct {
	about
	messages []Message // the whole conversation, the last reply included
	replies  []reply
	rank     record.Rank
	expert   bool
}

type reply struct {
	index int  // the index of the reply in messages
	mark  Mark // why the turn is not trained on, "" if it is
	// progress and valid are what the environment says after the turn; rose says that the turn made progress.
	progress    float64
	valid, rose bool
	step        int // the index of the turn in the trajectory
	// correction is what should have been said in place of an error that was made on purpose;
	// "" if that is not known.
	correction string
}

func (a *attempt) solved() bool { return a.rank.Outcome == record.Success }

// newAttempt is an episode whose calls continue each other; nil if they do not.
func newAttempt(calls []episode.Call, e *record.Episode, marked []Mark, about about) *attempt {
	if len(calls) == 0 || !continues(calls) {
		return nil
	}
	last := calls[len(calls)-1]
	a := &attempt{about: about, rank: e.Rank(), expert: e.Agent == episode.Expert || e.Agent == episode.Erring}
	a.messages = append(sent(last.Messages), Message{Role: model.Assistant, Content: last.Echo})
	best := 0.0
	for _, c := range calls {
		s := &e.Trajectory[c.Step]
		r := reply{index: len(c.Messages), mark: marked[c.Step], progress: s.Progress, step: c.Step,
			valid: carriedOut(*s), rose: s.Progress > best}
		if r.mark == "" && blank(c.Reply) {
			r.mark = Empty
		}
		best = max(best, s.Progress)
		a.replies = append(a.replies, r)
	}
	return a
}

func replied(text string) []Message { return []Message{{Role: model.Assistant, Content: text}} }
