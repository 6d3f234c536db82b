package report

import (
	"errors"
	"fmt"
	"strings"

	"heldout/scoring"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// aboutNotes returns notes that say what the intervals of rows are about, which
// rows have no interval, and why.
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
	return append(notes, notesOn(rows, row.aboutWeakness)...)
}

// kindWords names the kinds of tasks of each environment.
var kindWords = map[string]string{
	"alfworld": "ALFWorld types by setting",
	"babyai":   "BabyAI levels",
	"sciworld": "ScienceWorld names",
	"pddl":     "PDDL games",
	"jericho":  "Jericho games",
	"hotpotqa": "HotpotQA questions",
}

// kindsOf lists the kinds of the rows' environments, with their numbers.
func kindsOf(rows []row) string {
	var parts []string
	for _, r := range rows {
		words, ok := kindWords[r.Condition.Env]
		if !ok {
			words = r.Condition.Env + " task types"
		}
		parts = appendNew(parts, fmt.Sprintf("%s (%d)", words, r.Kinds()))
	}
	return strings.Join(parts, ", ")
}

// fewKinds is the number of kinds below which an interval for new kinds is wide.
const fewKinds = 10

// aboutWeakness returns what weakens a row's intervals.
func (r row) aboutWeakness() string {
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

// named names a row with its environment.
func (r row) named() string { return named([]row{r}) }

// named names rows with their environments, each as often as it takes to say which is where.
func named(rows []row) string {
	title := func(r row) string { return r.claimPlace().Title }
	models := func(rows []row) string {
		var names []string
		for _, r := range rows {
			names = appendNew(names, r.name)
		}
		return table.List(names)
	}
	var parts []string
	for _, places := range groupedBy(groupedBy(rows, title), models) {
		var titles []string
		for _, of := range places {
			titles = append(titles, title(of[0]))
		}
		parts = append(parts, models(places[0])+" on "+table.List(titles))
	}
	return strings.Join(parts, "; ")
}
