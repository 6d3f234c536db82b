package export

import (
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// attempt is an episode with what is known of every turn, for forms that compare
// episodes or turns.
type attempt struct {
	about
	// messages are the whole conversation, the last reply included.
	messages []Message
	replies  []reply
	rank     record.Rank
	expert   bool
}

type reply struct {
	// index is the index of the reply in messages.
	index int
	// mark is why the turn is not trained on, "" if it is.
	mark Mark
	// progress and valid are what the environment says after the turn; rose says that the
	// turn made progress.
	progress    float64
	valid, rose bool
	// step is the index of the turn in the trajectory.
	step int
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

func said(text string) []Message { return []Message{{Role: model.Assistant, Content: text}} }
