package report

import (
	"fmt"
	"slices"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// tries are the results of several tries in one place: of a row, or of the held-out
// scores of a model.
type tries struct {
	where, name string
	best        []scoring.BestOf // of 1, 2, … tries
	mark        func(table.Cell) table.Cell
}

// severalTries returns the rows and the held-out scores with two seeds or more.
func severalTries(rows, plain []row, w configs.Weights) (all []tries) {
	byScore := map[*scoring.Score][]scoring.BestOf{}
	for _, r := range rows {
		if len(r.Seeds) > 1 {
			byScore[r.Score] = r.BestOf()
		}
		if best := byScore[r.Score]; best != nil {
			all = append(all, tries{r.place(), r.name, best, r.mark})
		}
	}
	for _, l := range scored(plain, w) {
		of := map[string][]scoring.BestOf{}
		for env, s := range l.scores {
			of[env] = byScore[s]
		}
		if best := scoring.HeldOutBestOf(w, of); len(best) > 1 {
			all = append(all, tries{heldOutName, l.name, best, func(c table.Cell) table.Cell { return c }})
		}
	}
	return all
}

const oracleNote = "The best try is chosen by an oracle, the environment's own judgement: this is no rate of an agent that must choose itself."

// bestOf has the rates of one try and of the best of all, as papers print them, with
// published ones.
func bestOf(from *Report) table.Table {
	all := from.tries()
	if len(all) == 0 {
		return table.Table{}
	}
	t := table.Table{ID: "best-of", Title: "Best of N tries", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "tries", Header: "N"},
		{Key: "success", Header: "one SR", Detail: true},
		{Key: "any_success", Header: "Any SR"}, {Key: "any_success_low", Header: "95% low"}, {Key: "any_success_high", Header: "high", Upper: true},
		{Key: "progress", Header: "one PR", Detail: true},
		{Key: "best_progress", Header: "best PR"}, {Key: "best_progress_low", Header: "95% low"}, {Key: "best_progress_high", Header: "high", Upper: true},
	}}
	marks := ""
	for i, a := range all {
		one, best := a.best[0], a.best[len(a.best)-1]
		sLow, sHigh := interval(best.Success)
		pLow, pHigh := interval(best.Progress)
		t.Rows = append(t.Rows, []table.Cell{
			table.String(a.where), table.String(a.name), table.Int(best.Tries),
			a.mark(table.Percent(one.Success.Mean)), a.mark(table.Percent(best.Success.Mean)), sLow, sHigh,
			a.mark(table.Percent(one.Progress.Mean)), a.mark(table.Percent(best.Progress.Mean)), pLow, pHigh,
		})
		if last(all, i) {
			published, used := publishedBest(a.where, from.bests, from.weights)
			marks += used
			for _, p := range published {
				none := table.None()
				t.Rows = append(t.Rows, []table.Cell{table.String(a.where), p.name, p.tries, none, p.success, none, none, none, p.progress, none, none})
			}
		}
	}
	t.Notes = append(t.Notes, "Any SR: tasks that any of N seeds solved; best PR: the mean over tasks of the best progress of N seeds; each by itself, in percent. "+
		oracleNote+" Fewer tries: --table pass-at-k; differences between models: best-of-paired.")
	t.Notes = append(t.Notes, tryNotes(from.rows)...)
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	t.Notes = append(t.Notes, sources(from.bests, marks)...)
	return t
}

// last reports whether the number i is the last of its place.
func last(all []tries, i int) bool { return i+1 == len(all) || all[i+1].where != all[i].where }

// publishedTries are published rates of the best of several tries.
type publishedTries struct{ name, tries, success, progress table.Cell }

// publishedBest are the published rates of the best of several tries in one place,
// and their marks.
func publishedBest(where string, baselines []Baseline, w configs.Weights) (out []publishedTries, marks string) {
	for _, b := range baselines {
		for i, l := range publishedLines(b) {
			if b.Table.Rows[i].BestOf < 2 {
				continue
			}
			r, ok := l.rates[where]
			if h := l.heldOut(w); where == heldOutName && len(h.Missing) == 0 {
				r, ok = rates{success: &h.Success, progress: &h.Progress}, true
			}
			if !ok || r.success == nil && r.progress == nil {
				continue
			}
			marks += r.marks
			out = append(out, publishedTries{
				table.String(l.name), table.Int(b.Table.Rows[i].BestOf), rateCell(r.success, r.marks), rateCell(r.progress, r.marks),
			})
		}
	}
	return out, marks
}

// tryNotes say what the tries of rows are.
func tryNotes(rows []row) []string {
	var several []row
	for _, r := range rows {
		if len(r.Seeds) > 1 {
			several = append(several, r)
		}
	}
	notes := aboutNotes(several)
	if len(several) > 0 && several[0].About == stats.TheseTasks {
		notes = append(notes, "No interval for the best of more than half of the seeds: other decodings of these tasks could do without the best ones.")
	}
	notes = append(notes, grouped(several, row.named, func(r row) string {
		if fewest := r.Tries(); !r.Complete() {
			return fmt.Sprintf("tasks without a result are left out, and of %d seeds each other task has results of %d or more, so N is %d", len(r.Seeds), fewest, fewest)
		}
		return ""
	})...)
	notes = append(notes, grouped(several, row.named, func(r row) string {
		if d := r.Condition.Decoding; d != nil && d.Temperature == 0 {
			return "temperature 0, so the tries differ only by what the server does not repeat"
		}
		return ""
	})...)
	notes = append(notes, grouped(several, row.named, row.equalSeeds)...)
	return append(notes, firstTrial(several)...)
}

// passAtK has the best of every number of tries.
func passAtK(from *Report) table.Table {
	all := from.tries()
	if len(all) == 0 {
		return table.Table{}
	}
	t := table.Table{ID: "pass-at-k", Title: "Best of k tries", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "tries", Header: "k"},
		{Key: "pass", Header: "pass@k"}, {Key: "pass_low", Header: "95% low"}, {Key: "pass_high", Header: "high", Upper: true},
		{Key: "best_progress", Header: "best PR"}, {Key: "best_progress_low", Header: "95% low"}, {Key: "best_progress_high", Header: "high", Upper: true},
	}}
	marks := ""
	for i, a := range all {
		for _, b := range a.best {
			sLow, sHigh := interval(b.Success)
			pLow, pHigh := interval(b.Progress)
			t.Rows = append(t.Rows, []table.Cell{
				table.String(a.where), table.String(a.name), table.Int(b.Tries),
				a.mark(table.Percent(b.Success.Mean)), sLow, sHigh, a.mark(table.Percent(b.Progress.Mean)), pLow, pHigh,
			})
		}
		if last(all, i) {
			published, used := publishedBest(a.where, from.bests, from.weights)
			marks += used
			for _, p := range published {
				none := table.None()
				t.Rows = append(t.Rows, []table.Cell{table.String(a.where), p.name, p.tries, p.success, none, none, p.progress, none, none})
			}
		}
	}
	t.Notes = append(t.Notes, "pass@k: the probability that one of k tries solves a task; best PR: the expected best progress of k tries; in percent. Both are exact means over all sets of k of a task's seeds, "+
		"unbiased for new tries (Chen et al. 2021). "+oracleNote)
	t.Notes = append(t.Notes, tryNotes(from.rows)...)
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	t.Notes = append(t.Notes, sources(from.bests, marks)...)
	return t
}

// bestOfPaired has the differences of the best of all tries from the first row of
// each environment.
func bestOfPaired(from *Report) table.Table {
	if len(from.tries()) == 0 {
		return table.Table{}
	}
	rows := from.plain
	var pairs pairing
	first := map[string]row{}
	for _, r := range rows {
		if len(r.Seeds) < 2 || r.Tries() == 0 {
			continue
		}
		base, ok := first[r.place()]
		if !ok {
			first[r.place()] = r
			continue
		}
		n := min(r.Tries(), base.Tries())
		c, err := scoring.CompareBestOf(r.Score, base.Score, n)
		if err != nil {
			pairs.failed = append(pairs.failed, fmt.Sprintf("%s cannot be compared with %s on %s: %v.", r.name, base.name, r.place(), err))
			continue
		}
		pairs.add(c, r.where(), table.String(r.name), table.String(base.name), table.Int(n))
	}
	t := pairs.table(
		table.Column{Key: "environment", Header: "Environment", Left: true},
		table.Column{Key: "model", Header: "Model", Left: true},
		table.Column{Key: "against", Header: "against", Left: true},
		table.Column{Key: "tries", Header: "N"},
	)
	t.ID, t.Title = "best-of-paired", "Best of N tries: differences, paired by task"
	if len(t.Rows) > 0 {
		t.Notes = slices.Insert(t.Notes, 0, "Δ: model minus the one it is set against, in percentage points, of any and of the best of N tries. "+pairs.intervalNote(), oracleNote)
		t.Notes = append(t.Notes, otherNames(rows)...)
	}
	return t
}
