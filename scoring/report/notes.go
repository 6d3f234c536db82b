package report

import (
	"fmt"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

const (
	incompleteMark = "*"
	// incompleteNote explains the mark if the details are in another table.
	incompleteNote = incompleteMark +
		" Incomplete: not every planned episode has a result; the table of results says which are missing."
)

// incomplete says what is missing from incomplete rows.
func incomplete(rows []row) (notes []string) {
	for _, r := range rows {
		if r.Complete() {
			continue
		}
		var missing []string
		for _, o := range []record.Outcome{record.ModelError, record.EnvError, record.ContextExceeded,
			record.Cancelled} {
			if n := r.Unfinished[o]; n > 0 {
				missing = append(missing, fmt.Sprintf("%d %s", n, o))
			}
		}
		if n := r.Unfinished[""]; n > 0 {
			missing = append(missing, fmt.Sprintf("%d not run", n))
		}
		notes = append(notes,
			fmt.Sprintf(
				"%s Incomplete: %s on %s has results for %d of %d episodes (%s). Its rates cover only those; the "+
					"same command plays the rest.",
				incompleteMark, r.name, r.place(), r.Finished, r.Planned, strings.Join(missing, ", ")))
	}
	return notes
}

// decodings says how the replies of served models were sampled.
func decodings(rows []row) []string {
	return grouped(rows, row.title, func(r row) string {
		d := r.Condition.Decoding
		if d == nil {
			return ""
		}
		var sampled []string
		for _, n := range d.Numbers() {
			text := fmt.Sprintf("%s %v", n.Name, n.Value)
			if slices.Contains(r.Replies.Dropped, n.Field) { // the server refuses ours
				text = n.Name + " of the server"
			}
			sampled = append(sampled, text)
		}
		return fmt.Sprintf("%s, replies of at most %d tokens", strings.Join(sampled, ", "), d.MaxTokens)
	})
}

// settings says how the environments were set up. It says so once if all rows of
// an environment agree.
func settings(rows []row) []string {
	setups := map[string][]string{} // by environment
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.Environment.Source == envs.External })
	for _, r := range rows {
		setups[r.place()] = appendNew(setups[r.place()], r.chosen())
	}
	agree := func(r row) bool { return len(setups[r.place()]) == 1 }
	differ := slices.DeleteFunc(slices.Clone(rows), agree)
	same := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !agree(r) })
	notes := grouped(same, row.place, row.chosen)
	return append(notes, grouped(differ, row.title, func(r row) string {
		if chosen := r.chosen(); chosen != "" {
			return r.place() + " with " + chosen
		}
		return ""
	})...)
}

// chosen lists the settings of a row's environment.
func (r row) chosen() string { return strings.Join(r.setting()[2:], ", ") }

// stepLimits says which rows had another step limit than the benchmark's.
func stepLimits(rows []row) []string {
	return grouped(rows, row.title, func(r row) string {
		if r.Condition.StepLimit == r.Environment.StepLimit {
			return ""
		}
		return fmt.Sprintf("at most %d steps on %s, where the benchmark has %d", r.Condition.StepLimit, r.place(),
			r.Environment.StepLimit)
	})
}

// caveats say where rows do not compare with published results, and why.
func caveats(rows []row) (notes []string) {
	for _, r := range rows {
		if reason := r.Environment.Caveat; reason != "" {
			notes = appendNew(notes, fmt.Sprintf("%s %s does not compare with published results: %s.", caveatMark,
				r.claimPlace().Title, reason))
		}
	}
	return notes
}

// remembers says of a row that its episodes depend on each other.
func (r row) remembers() string {
	if r.Condition.Order == "" {
		return ""
	}
	return "remembers earlier episodes, so that they depend on their order and on each other: no interval and no test " +
		"holds for them"
}

// lostExpert says where the expert solves nothing, so that it is not an upper bound.
func (r row) lostExpert() string {
	if r.Condition.Agent != record.Expert || r.Finished == 0 || r.Success.Mean > 0 {
		return ""
	}
	return "knows no way on " + r.claimPlace().Title + ", so its rate there is not an upper bound"
}

// otherNames returns notes on the environments whose rates have other names than
// the columns of the table.
func otherNames(rows []row) []string {
	return grouped(rows, row.place, func(r row) string {
		if m := r.measures(); m != common {
			return fmt.Sprintf("SR is %s and PR is %s", m.success, m.progress)
		}
		return ""
	})
}

// annotate adds a legend and more notes to a table that has rows.
func annotate(t *table.Table, legend string, more ...[]string) {
	if len(t.Rows) > 0 {
		t.Notes = slices.Concat(t.Notes, []string{legend}, slices.Concat(more...))
	}
}

// explain is annotate with what the marks in the rows mean.
func explain(t *table.Table, legend string, notes ...[]string) {
	annotate(t, legend, append(notes, markNotes(t.Rows))...)
}

// notesOn makes one note per text that say returns, with the rows that it applies to and their environments.
func notesOn(rows []row, say func(row) string) (notes []string) {
	for _, of := range groupedBy(rows, say) {
		if text := say(of[0]); text != "" {
			notes = append(notes, fmt.Sprintf("%s: %s.", named(of), text))
		}
	}
	return notes
}

// grouped makes one note per text that say returns, with the names of the items
// that the text applies to.
func grouped[T any](items []T, name, say func(T) string) (notes []string) {
	var texts []string
	names := map[string][]string{}
	for _, t := range items {
		s := say(t)
		if s == "" || slices.Contains(names[s], name(t)) {
			continue
		}
		if names[s] == nil {
			texts = append(texts, s)
		}
		names[s] = append(names[s], name(t))
	}
	for _, s := range texts {
		notes = append(notes, fmt.Sprintf("%s: %s.", strings.Join(names[s], "; "), s))
	}
	return notes
}
