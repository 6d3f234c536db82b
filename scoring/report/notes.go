package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
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
		for _, o := range []record.Outcome{record.ModelError, record.AgentError, record.EnvError,
			record.ContextExceeded, record.Cancelled} {
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
				incompleteMark, r.name, r.place.Name, r.Finished, r.Planned, strings.Join(missing, ", ")))
	}
	return notes
}

// decodings says how the replies of served models were sampled.
func decodings(rows []row) []string {
	served := table.Filter(rows, func(r row) bool { return r.Condition.Decoding != nil })
	return grouped(served, lineOf, func(r row) string {
		d := r.Condition.Decoding
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

// settings says how the environments were set up. It says so once if all rows of an environment agree.
func settings(rows []row) []string {
	setups := map[string][]string{} // by environment
	rows = table.Filter(rows, func(r row) bool { return r.Environment.Source != envs.External })
	for _, r := range rows {
		setups[r.place.Name] = table.AppendNew(setups[r.place.Name], chosen(r))
	}
	agree := func(r row) bool { return len(setups[r.place.Name]) == 1 }
	differ := table.Filter(rows, func(r row) bool { return !agree(r) && chosen(r) != "" })
	notes := grouped(table.Filter(rows, agree), placeOf, chosen)
	return append(notes, grouped(differ, lineOf, func(r row) string { return r.place.Name + " with " + chosen(r) })...)
}

// chosen lists the settings of a row's environment.
func chosen(r row) string { return strings.Join(settingOf(r)[2:], ", ") }

// stepLimits says which rows had another step limit than the benchmark's.
func stepLimits(rows []row) []string {
	other := table.Filter(rows, func(r row) bool { return r.Condition.StepLimit != r.Environment.StepLimit })
	return grouped(other, lineOf, func(r row) string {
		return fmt.Sprintf("at most %s on %s, where the benchmark has %d",
			table.Counted(r.Condition.StepLimit, "step"), r.place.Name, r.Environment.StepLimit)
	})
}

// caveats say where rows do not compare with published results, and why.
func caveats(rows []row) (notes []string) {
	for _, r := range rows {
		if reason := r.Environment.Caveat; reason != "" {
			notes = table.AppendNew(notes, fmt.Sprintf("%s %s does not compare with published results: %s.", caveatMark,
				r.place.Title, reason))
		}
	}
	return notes
}

// remembers says of a row that its episodes depend on each other.
func remembers(r row) string {
	if r.Condition.Order == "" {
		return ""
	}
	return "remembers earlier episodes, so that they depend on their order and on each other: no interval and no test " +
		"holds for them"
}

// lostExpert says where the expert solves nothing, so that it is not an upper bound.
func lostExpert(r row) string {
	if r.Condition.Agent != record.Expert || r.Finished == 0 || r.Success.Mean > 0 {
		return ""
	}
	return "knows no way on " + r.place.Title + ", so its rate there is not an upper bound"
}

// otherNames returns notes on the environments whose rates have other names than the columns of the table.
func otherNames(rows []row) []string {
	other := table.Filter(rows, func(r row) bool { return rateNames(r) != usualNames })
	return grouped(other, placeOf, func(r row) string {
		return fmt.Sprintf("SR is %s and PR is %s", rateNames(r)[0], rateNames(r)[1])
	})
}

// annotate adds a legend and more notes to a table that has rows.
func annotate(t *table.Table, legend string, notes ...[]string) {
	if len(t.Rows) > 0 {
		t.Notes = slices.Concat(t.Notes, []string{legend}, slices.Concat(notes...))
	}
}

// explain adds the legend of the kind, more notes, and what the marks in the rows mean.
func explain(t *table.Table, notes ...[]string) {
	annotate(t, legend(t), append(notes, markNotes(t.Rows))...)
}

// notesOn makes one note per text that say returns, with the rows that it applies to and their environments.
func notesOn(rows []row, say func(row) string) (notes []string) {
	for _, group := range table.Grouped(rows, say) {
		if text := say(group[0]); text != "" {
			notes = append(notes, fmt.Sprintf("%s: %s.", named(group), text))
		}
	}
	return notes
}

// grouped makes one note per text that say returns, with the names of the items that the text applies to.
func grouped[T any](items []T, name, say func(T) string) (notes []string) {
	for _, group := range table.Grouped(items, say) {
		if text := say(group[0]); text != "" {
			notes = append(notes, fmt.Sprintf("%s: %s.", strings.Join(table.Keys(group, name), "; "), text))
		}
	}
	return notes
}

// external says of environments that others run which program was played, and what their
// rates are where the program gave rewards, or did not know success.
func external(rows []row) []string {
	return grouped(rows, placeOf, func(r row) string { return r.Environment.External() })
}

// aboutNotes returns notes that say what the intervals of rows are about, which rows have no interval, and why.
func aboutNotes(rows []row) (notes []string) {
	if len(rows) == 0 {
		return nil
	}
	switch rows[0].About {
	case stats.TheseTasks:
		notes = append(notes, "95% (these tasks): another decoding of the same tasks; says nothing about other tasks.")
	case stats.NewKinds:
		notes = append(notes, fmt.Sprintf("95%% (new kinds): other kinds like these, %s; t with CR2.", kindsOf(rows)))
	default:
		notes = append(notes,
			fmt.Sprintf("95%% (these kinds): new tasks of the same kinds, seeds averaged first; kinds: %s.",
				kindsOf(rows)))
	}
	return append(notes, notesOn(rows, aboutWeakness)...)
}

// kindsOf lists the kinds of the rows' environments, with their numbers.
func kindsOf(rows []row) string {
	byEnvironment := table.Grouped(rows, func(r row) string { return r.Condition.Env })
	return strings.Join(table.Each(byEnvironment, func(of []row) string {
		words := cmp.Or(facts().Environments[of[0].Condition.Env].Kinds, of[0].Condition.Env+" task types")
		numbers := table.Keys(of, func(r row) string { return fmt.Sprint(r.Kinds()) })
		return fmt.Sprintf("%s (%s)", words, strings.Join(numbers, " or "))
	}), ", ")
}

// fewKinds is the number of kinds below which an interval for new kinds is wide.
const fewKinds = 10

// aboutWeakness returns what weakens a row's intervals.
func aboutWeakness(r row) string {
	err := r.NoInterval()
	switch {
	case errors.Is(err, stats.ErrFewKinds):
		return fmt.Sprintf("no interval for new kinds: there are too few (%d)", r.Kinds())
	case errors.Is(err, scoring.ErrDependent):
		return "no interval, because the agent remembers earlier episodes"
	case errors.Is(err, scoring.ErrDeterministic):
		return "no interval, because decoding was deterministic"
	case err != nil:
		return ""
	case r.About == stats.TheseTasks && len(r.Seeds) == 1:
		return "at most as wide: with one seed luck cannot be told from difficulty"
	case r.About == stats.NewKinds && r.Kinds() < fewKinds:
		return fmt.Sprintf("few kinds (%d): wide and on the safe side", r.Kinds())
	}
	return ""
}

// named names rows with their environments, each as often as it takes to say which is where.
func named(rows []row) string {
	title := func(r row) string { return r.place.Title }
	models := func(rows []row) string {
		return table.List(table.Keys(rows, func(r row) string { return r.name }))
	}
	var parts []string
	for _, places := range table.Grouped(table.Grouped(rows, title), models) {
		titles := table.Keys(places, func(rows []row) string { return title(rows[0]) })
		parts = append(parts, models(places[0])+" on "+table.List(titles))
	}
	return strings.Join(parts, "; ")
}
