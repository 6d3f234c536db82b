package report

import (
	"fmt"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// tries are the results of several tries in one place: of a row, or of the held-out scores of a model.
type tries struct {
	place, name string
	best        []scoring.BestOf // of 1, 2, … tries
	marks       string
}

// severalTries returns the rows and the held-out scores with two seeds or more.
func severalTries(rows, plain []row, w configs.Weights) (list []tries) {
	byScore := map[*scoring.Score][]scoring.BestOf{}
	for _, r := range rows {
		if len(r.Seeds) > 1 {
			byScore[r.Score] = r.BestOf()
		}
		if best := byScore[r.Score]; best != nil {
			list = append(list, tries{r.place.Name, r.name, best, r.marks})
		}
	}
	for _, l := range scored(plain, w) {
		byEnv := map[string][]scoring.BestOf{}
		for env, s := range l.Scores {
			byEnv[env] = byScore[s]
		}
		if best := scoring.HeldOutBestOf(w, byEnv); len(best) > 1 {
			list = append(list, tries{column.HeldOutScore, l.Name, best, ""})
		}
	}
	return list
}

const oracleNote = "The best try is chosen by an oracle, the environment's own judgement: " +
	"an agent that has to choose without it reaches less."

// addPublished adds the published rates of the best of several tries in one place, and returns their marks.
func addPublished(t *table.Table, place string, report *Report) (marks string) {
	for _, b := range report.bests {
		for i, l := range publishedLines(b, report.weights) {
			if b.Table.Rows[i].BestOf < 2 {
				continue
			}
			r := l.rates[place]
			if r.success == nil && r.progress == nil {
				continue
			}
			marks += r.marks
			t.Add(column.Environment.Val(place), column.Model.Val(l.Name), column.Tries.Val(b.Table.Rows[i].BestOf),
				optional(column.Pass.Col, r.success, r.marks), optional(column.BestProgress.Col, r.progress, r.marks))
		}
	}
	return marks
}

// tryNotes say what the tries of rows are.
func tryNotes(rows []row) []string {
	several := table.Filter(rows, func(r row) bool { return len(r.Seeds) > 1 })
	notes := aboutNotes(several)
	if len(several) > 0 && several[0].About == stats.TheseTasks {
		notes = append(notes, "No interval for the best of more than half of the seeds: other decodings of these tasks could do without the best ones.")
	}
	unfinished := table.Filter(several, func(r row) bool { return !r.Complete() })
	notes = append(notes, notesOn(unfinished, func(r row) string {
		return fmt.Sprintf("tasks without a result are left out, and of %d seeds each other task has results "+
			"of %d or more, so N is %[2]d", len(r.Seeds), r.Tries())
	})...)
	notes = append(notes, notesOn(several, func(r row) string {
		if d := r.Condition.Decoding; d != nil && d.Temperature == 0 {
			return "temperature 0, so the tries differ only by what the server does not repeat"
		}
		return ""
	})...)
	notes = append(notes, notesOn(several, func(r row) string { return equalSeeds(r.Score) })...)
	return append(notes, firstTrial(several)...)
}

// passAtK has the best of every number of tries.
func passAtK(report *Report, t *table.Table) {
	list := severalTries(report.rows, report.plain, report.weights)
	if len(list) == 0 {
		return
	}
	marks := ""
	for _, group := range table.Grouped(list, func(a tries) string { return a.place }) {
		for _, a := range group {
			for _, b := range a.best {
				t.Add(column.Environment.Val(a.place), column.Model.Val(a.name), column.Tries.Val(b.Tries),
					rated(column.Pass, b.Success).Marked(a.marks), rated(column.PassAll, b.Joint).Marked(a.marks),
					rated(column.BestProgress, b.Progress).Marked(a.marks))
			}
		}
		marks += addPublished(t, group[0].place, report)
	}
	annotate(t, legend(t)+" "+oracleNote, tryNotes(report.rows), markNotes(t.Rows))
	t.Notes = append(t.Notes, sources(report.bests, marks)...)
}

// bestOfPaired has the differences of the best of all tries from the first row of each environment.
func bestOfPaired(report *Report, t *table.Table) {
	several := func(r row) bool { return len(r.Seeds) > 1 && r.Tries() > 0 }
	var pairs pairing
	for _, p := range againstFirst(report.plain, several) {
		n := min(p.row.Tries(), p.base.Tries())
		c, err := scoring.CompareBestOf(p.row.Score, p.base.Score, n)
		pairs.take(p, c, err, column.Tries.Val(n))
	}
	pairs.fill(t, otherNames(report.plain), legend(t)+" "+pairs.intervalNote(), oracleNote)
}
