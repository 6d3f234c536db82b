package scoring

import (
	"maps"
	"slices"

	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// Replies says how readable a model was in the episodes that count.
type Replies struct {
	// Steps counts the replies, FormatErrors those without an action.
	Steps, FormatErrors int
	// Faults counts the replies by what is wrong with them.
	Faults map[record.Fault]int
	// Repairs counts the actions that a rule of the preset changed or supplied, by
	// rule; Cuts the episodes that a rule ended.
	Repairs map[string]int
	Cuts    map[record.Cut]int
	// Episodes counts the episodes, Trimmed those whose history was shortened to
	// fit the context, and Cut those whose prompts the server cut.
	Episodes, Trimmed, Cut int
	// Answered counts the replies by the other models that they name, AsAsked those that name the one that was
	// asked, and OtherModel those that name one that the server lists besides.
	Answered            record.Answered
	AsAsked, OtherModel int
	// Untouched counts the episodes of which a perturbation changed no message.
	Untouched int
	// Dropped lists the decoding fields that the server refused, sorted.
	Dropped []string
}

// add counts an episode.
func (r *Replies) add(a *attempt) {
	r.Steps += int(a.steps)
	r.FormatErrors += int(a.formatErrors)
	r.Episodes++
	if a.trimmed {
		r.Trimmed++
	}
	if a.cut {
		r.Cut++
	}
	if a.untouched {
		r.Untouched++
	}
	r.AsAsked += int(a.asAsked)
	if r.Faults == nil {
		r.Faults, r.Repairs, r.Cuts = map[record.Fault]int{}, map[string]int{}, map[record.Cut]int{}
	}
	result := a.result
	addCounts(r.Faults, result.Faults)
	addCounts(r.Repairs, result.Repairs)
	for _, name := range slices.Sorted(maps.Keys(result.Answered)) {
		if name != askedName(result) {
			r.Answered.Add(name, result.Answered[name])
		}
	}
	r.OtherModel += result.OtherModel
	if result.Cut != "" {
		r.Cuts[result.Cut]++
	}
	if len(result.Dropped) > 0 {
		r.Dropped = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Dropped, result.Dropped))))
	}
}

// Unreadable says what replies without an action did to the episodes of a score.
type Unreadable struct {
	// Replies counts all replies, Unread those without an action; each cost a step.
	Replies, Unread int
	// Unsolved counts the unsolved episodes, Touched those with such a reply.
	Unsolved, Touched int
	// Success and Progress are the rates if the touched ones had been solved.
	Success, Progress float64
}

// Unreadable returns what replies without an action did.
func (s *Score) Unreadable() Unreadable {
	u := Unreadable{Replies: s.Replies.Steps, Unread: s.Replies.FormatErrors}
	touched := func(a *attempt) bool { return !a.success && a.formatErrors > 0 }
	for _, t := range s.tasks {
		for _, p := range t.results {
			if !p.success {
				u.Unsolved++
			}
			if touched(p.attempt) {
				u.Touched++
			}
		}
	}
	solved := func(measure value) value {
		return func(a *attempt) float64 {
			if touched(a) {
				return 1
			}
			return measure(a)
		}
	}
	u.Success = stats.Mean(meansByTask(s.tasks, solved(success)))
	u.Progress = stats.Mean(meansByTask(s.tasks, solved(progress)))
	return u
}
