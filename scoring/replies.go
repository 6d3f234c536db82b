package scoring

import (
	"slices"

	"heldout/eval/record"
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
	// fit the context.
	Episodes, Trimmed int
	// Dropped lists the decoding fields that the server refused, sorted.
	Dropped []string
}

// add counts an episode.
func (r *Replies) add(res record.Result) {
	r.Steps += res.Steps
	r.FormatErrors += res.FormatErrors
	r.Episodes++
	if res.Trimmed > 0 {
		r.Trimmed++
	}
	if r.Faults == nil {
		r.Faults, r.Repairs, r.Cuts = map[record.Fault]int{}, map[string]int{}, map[record.Cut]int{}
	}
	for rule, n := range res.Repairs {
		r.Repairs[rule] += n
	}
	if res.Cut != "" {
		r.Cuts[res.Cut]++
	}
	for f, n := range res.Faults {
		r.Faults[f] += n
	}
	r.Dropped = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(r.Dropped), res.Dropped...))))
}
