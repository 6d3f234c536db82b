package generate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/eval/training/calls"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Tables describes a collection, with the usage by the kinds of calls. Took says how long the sessions took.
func (c *Collection) Tables(usage map[string]calls.Usage, took string, threshold float64) []table.Table {
	return []table.Table{c.summary(threshold), c.reasons(), c.diversity(), cost(usage, took, c.Outcomes[Included])}
}

func (c *Collection) summary(threshold float64) table.Table {
	t := table.Table{ID: "synth", Title: "Items", Columns: []table.Column{
		{Key: "outcome", Header: "Outcome", Words: true}, {Key: "items", Header: "Items"},
		{Key: "share", Header: "Share %"},
	}}
	add := func(label string, n int) {
		t.Rows = append(t.Rows, []table.Cell{table.String(label), table.Int(n), share(n, c.Items)})
	}
	passed := c.Outcomes[Included] + c.Outcomes[Removed]
	add("attempted", c.Items)
	add("passed the verification", passed)
	for _, calls := range slices.Sorted(maps.Keys(c.ByCalls)) {
		add("  with "+table.Counted(calls, "call"), c.ByCalls[calls])
	}
	add("removed: same task", c.Rules[SameTask])
	add("removed: near duplicate", c.Rules[NearText])
	add("kept", c.Outcomes[Included])
	add("given up", c.Outcomes[GivenUp])
	if n := c.Outcomes[NoResult]; n > 0 {
		add("no result", n)
		t.Notes = append(t.Notes,
			table.Counted(n, "item has", "items have")+" calls without a reply: the same command makes them again.")
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Same task: an earlier kept item has the same goal and action forms. Near "+
		"duplicate: the Jaccard similarity of the %d-word shingles of goal, actions, thoughts and observations to an "+
		"earlier kept item is at least %g. %s lists every removal.", ShingleWords, threshold, record.ItemsFile))
	if c.Outcomes[Included] > 0 {
		t.Notes = append(t.Notes,
			fmt.Sprintf("The kept trajectories have %s and %s; %d of the error turns are repaired at once.",
				table.Counted(c.Turns, "turn"), table.Counted(c.Errors, "error turn"), c.Repaired))
	}
	return t
}

func share(n, total int) table.Cell {
	if total == 0 {
		return table.None()
	}
	return table.Percent(float64(n) / float64(total))
}

// reasons says why replies were rejected, and how many of these items passed in the end.
func (c *Collection) reasons() table.Table {
	t := table.Table{ID: "synth-reasons", Title: "Rejected replies", Columns: []table.Column{
		{Key: "call", Header: "Call", Words: true}, {Key: "reason", Header: "Reason", Words: true},
		{Key: "replies", Header: "Replies"},
		{Key: "share", Header: "Share %"}, {Key: "items", Header: "Items"}, {Key: "passed", Header: "Passed later"},
	}}
	for _, kind := range []string{ScriptCall, TrajectoryCall} {
		total := c.Accepted[kind]
		for r, n := range c.Rejected {
			if r.Kind == kind {
				total += n
			}
		}
		for _, reason := range reasonOrder() {
			r := Rejection{kind, reason}
			if n := c.Rejected[r]; n > 0 {
				t.Rows = append(t.Rows, []table.Cell{
					table.String(kind), table.String(record.Fault(reason).String()), table.Int(n), share(n, total),
					table.Int(c.Rejecting[r]), table.Int(c.Recovered[r]),
				})
			}
		}
		t.Rows = append(t.Rows, []table.Cell{table.String(kind), table.String("accepted"), table.Int(c.Accepted[kind]),
			share(c.Accepted[kind], total), table.None(), table.None()})
	}
	t.Notes = append(t.Notes,
		"Passed later: items with such a reply that pass in the end. The replies of items without a result do not count.")
	if c.Mended > 0 {
		t.Notes = append(t.Notes, table.Counted(c.Mended, "reply was mended: it", "replies were mended: they")+
			" had text around the JSON, commas before closing brackets, turns with the numbers of others, or turns after "+
			"the end of the game.")
	}
	if c.Repeated > 0 {
		t.Notes = append(t.Notes, table.Counted(c.Repeated, "continuation told verified turns again, and replaces",
			"continuations told verified turns again, and replace")+" them.")
	}
	return t
}

// reasonOrder lists all reasons: faults of replies, then of scripts, then of trajectories.
func reasonOrder() []synth.Reason {
	faults := table.Each(record.Faults(), func(f record.Fault) synth.Reason { return synth.Reason(f) })
	return slices.Concat(faults, []synth.Reason{BadScript, BadCode}, synth.Reasons())
}

func (c *Collection) diversity() table.Table {
	t := table.Table{ID: "synth-diversity", Title: "Diversity of the kept items", Columns: []table.Column{
		{Key: "what", Header: "Of", Words: true}, {Key: "total", Header: "Total"},
		{Key: "distinct", Header: "Distinct"},
		{Key: "share", Header: "Share %"},
	}}
	t.Rows = table.Each(c.Diversity.Varieties(), func(v Variety) []table.Cell {
		return []table.Cell{table.String(v.Name), table.Int(v.Total), table.Int(v.Distinct),
			share(v.Distinct, v.Total)}
	})
	t.Notes = append(t.Notes, "Texts are compared by their words. Distinct-n is the number of distinct n-grams "+
		"divided by the number of all n-grams. It falls as a set grows: compare sets of one size.")
	return t
}

func cost(usage map[string]calls.Usage, text string, included int) table.Table {
	t := calls.Cost("synth-cost")
	t.Columns = append([]table.Column{{Key: "call", Header: "Call", Words: true}}, t.Columns...)
	var total calls.Usage
	add := func(label string, u calls.Usage) {
		t.Rows = append(t.Rows, append([]table.Cell{table.String(label)}, u.Cells()...))
	}
	for _, kind := range []string{ScriptCall, TrajectoryCall} {
		add(kind, usage[kind])
		total = total.Plus(usage[kind])
	}
	add("all", total)
	if included > 0 && total.Uncounted == 0 {
		text += fmt.Sprintf(" A kept trajectory took %.1f calls and %d tokens.", float64(total.Calls)/float64(included),
			(total.PromptTokens+total.CompletionTokens)/included)
	}
	t.Notes = append(t.Notes, text)
	t.Notes = append(t.Notes, total.Notes()...)
	return t
}

// Estimate says before any call what a plan takes.
func (g *Generator) Estimate(items int) string {
	const bytesPerToken = 4
	w := &work{Generator: g, Item: &Item{Persona: g.Personas[0]}}
	script := len(w.scriptPrompt()) / bytesPerToken
	game := len(w.trajectoryPrompt()) / bytesPerToken
	low, high := 2*items, g.Condition.MaxCalls*items
	var b strings.Builder
	fmt.Fprintf(&b, "%s from %s: %d calls if every reply passes, at most %d\n", table.Counted(items, "item"),
		table.Counted(len(g.Personas), "persona"), low, high)
	fmt.Fprintf(&b,
		"prompts of about %d tokens for a script, and of %d and the script for a trajectory (%d bytes per token)\n",
		script, game, bytesPerToken)
	fmt.Fprintf(&b, "replies of at most %d tokens: at most %d tokens together", g.Condition.Decoding.MaxTokens,
		high*g.Condition.Decoding.MaxTokens)
	return b.String()
}
