package report

import (
	"fmt"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// ranked are the ranks of several models in one place.
type ranked struct {
	where             string
	names             []string
	success, progress []table.Field
	scoring.Ranking
	err error
}

// fewestRanked is how many models have ranks; two are compared directly.
const fewestRanked = 3

// rankings returns the ranks on each environment with enough rows, and those of
// the held-out scores.
func rankings(rows []row, w configs.Weights) (all []ranked) {
	lines := scored(rows, w)
	for rest := rows; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].place() == rest[0].place() {
			n++
		}
		if n >= fewestRanked {
			all = append(all, rankRows(rest[:n]))
		}
		rest = rest[n:]
	}
	if len(lines) >= fewestRanked {
		all = append(all, rankLines(lines, w))
	}
	return all
}

func rankRows(rows []row) ranked {
	r := ranked{where: rows[0].place()}
	var scores []*scoring.Score
	for _, of := range rows {
		scores = append(scores, of.Score)
		r.names = append(r.names, of.name)
		r.success = append(r.success, of.share(column.Success.Of, of.Success.Mean))
		r.progress = append(r.progress, of.share(column.Progress.Of, of.Progress.Mean))
	}
	r.Ranking, r.err = scoring.Rank(scores)
	return r
}

func rankLines(lines []line, w configs.Weights) ranked {
	r := ranked{where: column.HeldOutScore}
	var models []map[string]*scoring.Score
	for _, l := range lines {
		h := l.heldOut(w)
		models = append(models, l.scores)
		r.names = append(r.names, l.name)
		r.success = append(r.success, column.Success.Of.Is(h.Success.Mean))
		r.progress = append(r.progress, column.Progress.Of.Is(h.Progress.Mean))
	}
	r.Ranking, r.err = scoring.RankHeldOut(w, models)
	return r
}

// ranks has the ranks that each model may have.
func ranks(from *Report, t *table.Table) {
	for _, r := range from.ranked() {
		if r.err != nil {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: no ranks, because %v.", r.where, r.err))
			continue
		}
		for i, name := range r.names {
			t.Add(column.Environment.Is(r.where), column.Model.Is(name), r.success[i],
				column.SuccessRank.Is(rankText(r.Success[i])),
				r.progress[i], column.ProgressRank.Is(rankText(r.Progress[i])))
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(
			[]string{
				"rank: the ranks that the paired differences from all others allow, from intervals that hold at once " +
					"at 95 % (Mogstad et al. 2023; --table pairs)."}, t.Notes...)
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
}

func rankText(r scoring.Ranks) string {
	if r.Best == r.Worst {
		return fmt.Sprint(r.Best)
	}
	return fmt.Sprintf("%d-%d", r.Best, r.Worst)
}

// pairs has the differences of all pairs, from which ranks follow, with the
// intervals of each alone and of all together.
func pairs(from *Report, t *table.Table) {
	for _, r := range from.ranked() {
		for _, p := range r.Pairs {
			for _, d := range []struct {
				rate            string
				alone, together scoring.Change
			}{{"SR", p.Alone.Success, p.Together.Success}, {"PR", p.Alone.Progress, p.Together.Progress}} {
				t.Add(column.Environment.Is(r.where), column.Model.Is(r.names[p.A]), column.Against.Is(r.names[p.B]),
					column.Rate.Is(d.rate),
					column.Together.Is(d.together.Mean, d.together.Low, d.together.High),
					column.Difference.Is(d.alone.Mean, d.alone.Low, d.alone.High))
			}
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes,
			"Δ: model minus the one it is set against, in percentage points, paired by task. 95%: Student's t "+
				"interval of each pair alone. "+
				"Together: wider intervals that hold for all pairs of an environment and a rate at once at 95 % "+
				"(Bonferroni).")
		t.Notes = append(t.Notes, aboutNotes(from.plain)...)
	}
}
