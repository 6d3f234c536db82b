package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// losses collects lines of a table about the share of a rate that is lost.
type losses struct {
	table  table.Table
	ps     map[string][]float64 // by rate
	failed reasons
	atMost bool
	about  stats.Question
}

func newLosses(t table.Table) *losses { return &losses{table: t, ps: map[string][]float64{}} }

// add adds a line with the p value of a rate, which stands in the last cell.
func (l *losses) add(rate string, p float64, cells ...table.Cell) {
	if !math.IsNaN(p) {
		l.ps[rate] = append(l.ps[rate], p)
	}
	l.table.Rows = append(l.table.Rows, append(cells, table.Cell{Text: rate, Value: p}))
}

// corrected replaces the p values by corrected ones, each rate by itself.
func (l *losses) corrected() {
	most := 0
	by := map[string][]float64{}
	for rate, ps := range l.ps {
		by[rate], most = stats.Holm(ps), max(most, len(ps))
	}
	for _, cells := range l.table.Rows {
		last := &cells[len(cells)-1]
		rate, p := last.Text, last.Value.(float64)
		if math.IsNaN(p) {
			*last = table.None()
			continue
		}
		*last, by[rate] = table.Probability(by[rate][0]), by[rate][1:]
	}
	if most > 0 {
		l.table.Notes = append(l.table.Notes, "p: two-sided, that nothing changes. "+decided(most, ratesApart))
	}
}

// finish adds the notes that all these tables have.
func (l *losses) finish(all []*played) table.Table {
	l.corrected()
	l.table.Notes = append(l.table.Notes, l.aboutNotes(all)...)
	l.table.Notes = append(l.table.Notes, l.failed...)
	l.table.Notes = append(l.table.Notes, missing(all, l.table.Rows)...)
	return l.table
}

// aboutNotes say which rates have other names, and what the intervals are about.
func (l *losses) aboutNotes(all []*played) []string {
	var rows []row
	for _, p := range all {
		rows = append(rows, p.under[0].row)
	}
	note := aboutNotes(rows)[0]
	if l.about == stats.TheseTasks && l.atMost {
		note += " At most as wide, because with one seed luck cannot be told from difficulty."
	}
	return append(otherNames(rows), note+" The perturbations are fixed: nothing is said about others.")
}

// missing says how many episodes have no result, by player and environment, and
// explains the other marks in rows.
func missing(all []*played, rows [][]table.Cell) (notes []string) {
	for _, p := range all {
		finished, planned := 0, 0
		var of []string
		under := p.under
		if p.base != nil {
			under = append([]condition{{row: *p.base, about: record.Perturbation{Name: "unperturbed"}}}, under...)
		}
		for _, c := range under {
			finished, planned = finished+c.Finished, planned+c.Planned
			if !c.Complete() {
				of = append(of, c.about.Name)
			}
		}
		if finished == planned {
			continue
		}
		const most = 5
		names := strings.Join(of[:min(most, len(of))], ", ")
		if len(of) > most {
			names += fmt.Sprintf(" and %d more", len(of)-most)
		}
		notes = append(notes, fmt.Sprintf("%s Incomplete: %s on %s has results for %d of %d episodes (missing: %s). Rates cover only those; the same command plays the rest.",
			incompleteMark, p.name, p.env, finished, planned, names))
	}
	if slices.Contains(markNotes(rows), repliesNote) {
		notes = append(notes, unreadableNote)
	}
	return notes
}

// unreadableNote explains repliesMark where the table of results has no row for the
// perturbation.
const unreadableNote = repliesMark + " More than 1 % of the replies could not be read, were not whole, were not sampled as asked or saw a shortened history; --table refinement-measures has shares for each perturbation."

// rateColumn says which rate a line is about.
var rateColumn = table.Column{Key: "rate", Header: "Rate", Left: true}

// memorisation is the table of memorisation indices, by environment, player and grade,
// and of the share of the held-out score that is lost.
func memorisation(from *Report) table.Table {
	all := from.families()
	if len(all) == 0 {
		return table.Table{}
	}
	l := newLosses(table.Table{ID: "memorisation", Title: "Memorisation index", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true},
		{Key: "grade", Header: "Grade"}, {Key: "families", Header: "Families", Detail: true}, rateColumn,
		{Key: "base", Header: "Base"}, {Key: "perturbed", Header: "Changed"},
		{Key: "index", Header: "Index"}, {Key: "index_low", Header: "95% low"}, {Key: "index_high", Header: "high", Upper: true},
		{Key: "p", Header: "p"},
	}})
	var reasons reasons
	for _, p := range all {
		if p.base == nil {
			l.failed.add(fmt.Sprintf("%s on %s was not planned without a perturbation, so it has no index.", p.name, p.env))
			continue
		}
		for _, grade := range p.grades() {
			of := p.singles(grade)
			if len(of) == 0 {
				continue
			}
			m, err := scoring.Memorise(scoresOf(of), p.base.Score)
			if err != nil {
				l.failed.add(fmt.Sprintf("%s on %s, grade %d: no index: %v.", p.name, p.env, grade, err))
				m = unknown(of, p.base)
			}
			l.indices(m, &reasons, marksOf(append(of, condition{row: *p.base})), table.String(p.env), table.String(p.name), table.Int(grade), table.Int(len(of)))
		}
	}
	heldOutIndices(l, all, from.weights, &reasons)
	t := &l.table
	if len(t.Rows) > 0 {
		t.Notes = slices.Insert(t.Notes, 0, "Index: the share of the rate without a perturbation (Base) that is lost on average over the families of perturbations, each alone (Changed): 1 - Changed/Base, in percent. "+
			"0: nothing is lost; 100: everything; below 0: the rate rises. SR success rate, PR progress rate. 95% low, high: Fieller's interval, paired by task. "+
			"No published values exist. More: heldout help robustness.")
	}
	t.Notes = append(t.Notes, reasons...)
	return l.finish(all)
}

const (
	noIndex    = "No index: without a perturbation the rate is 0, so there is nothing to lose."
	noInterval = "No interval of an index: the rate without a perturbation is not certainly above 0, so the share that is lost may be anything."
)

// reasons say, each once, why there is no index or no interval.
type reasons []string

func (r *reasons) add(reason string) {
	if !slices.Contains(*r, reason) {
		*r = append(*r, reason)
	}
}

// unknown has the rates of perturbations that cannot be compared.
func unknown(of []condition, base *row) (m scoring.Memorisation) {
	nan := math.NaN()
	none := stats.Lost{Value: nan, Interval: stats.Interval{Low: nan, High: nan}, P: nan}
	success, progress := scoring.MeanRates(scoresOf(of))
	m.Success = scoring.Index{Lost: none, Base: base.Success.Mean, Kept: success.Mean}
	m.Progress = scoring.Index{Lost: none, Base: base.Progress.Mean, Kept: progress.Mean}
	return m
}

// indices adds a line for each rate.
func (l *losses) indices(m scoring.Memorisation, reasons *reasons, mark string, label ...table.Cell) {
	l.about, l.atMost = m.About, l.atMost || m.AtMost
	for _, i := range []struct {
		rate string
		scoring.Index
	}{{"SR", m.Success}, {"PR", m.Progress}} {
		switch {
		case errors.Is(i.Why, stats.ErrNothing):
			reasons.add(noIndex)
		case errors.Is(i.Why, stats.ErrNoBase):
			reasons.add(noInterval)
		case i.Why != nil:
			reasons.add(fmt.Sprintf("%s, %s: no interval of the index: %v.", label[1].Text, label[0].Text, i.Why))
		}
		l.add(i.rate, i.P, append(slices.Clone(label), table.String(i.rate),
			table.Percent(i.Base).Marked(mark), table.Percent(i.Kept).Marked(mark), table.Percent(i.Value), table.Percent(i.Low), table.Percent(i.High))...)
	}
}

// marksOf are the marks of rates that are made from these conditions.
func marksOf(of []condition) (marks string) {
	for _, c := range of {
		mark := c.mark(table.Cell{}).Mark
		for _, m := range []string{incompleteMark, repliesMark} {
			if strings.Contains(mark, m) && !strings.Contains(marks, m) {
				marks += m
			}
		}
	}
	return marks
}

// heldOutIndices adds the share of the held-out score that is lost, for every player
// with complete results on all official tasks of the held-out environments.
func heldOutIndices(l *losses, all []*played, w configs.Weights, reasons *reasons) {
	byPlayer := map[string]map[string]*played{}
	var players []string
	for _, p := range all {
		if p.base == nil || !w.Has(p.env) {
			continue
		}
		if byPlayer[p.player] == nil {
			byPlayer[p.player] = map[string]*played{}
			players = append(players, p.player)
		}
		byPlayer[p.player][p.env] = p
	}
	counted := false
	for _, player := range players {
		of := byPlayer[player]
		base, lacking := heldOutBases(of, w)
		if lacking != nil {
			name := ""
			for _, p := range of {
				name = p.name
			}
			l.failed.add(fmt.Sprintf("%s: no index of the held-out score; missing: %s.", name, strings.Join(lacking, ", ")))
			continue
		}
		first := of[w.HeldOut[0].Env]
		for _, grade := range first.grades() {
			perturbed := map[string][]*scoring.Score{}
			families := 0
			for _, part := range w.HeldOut {
				perturbed[part.Env] = scoresOf(of[part.Env].singles(grade))
				families += len(perturbed[part.Env])
			}
			m, err := scoring.MemoriseHeldOut(w, perturbed, base)
			if err != nil {
				l.failed.add(fmt.Sprintf("%s, grade %d: no index of the held-out score: %v.", first.name, grade, err))
				continue
			}
			counted = true
			l.indices(m, reasons, "", table.String(heldOutName), table.String(first.name), table.Int(grade), table.Int(families))
		}
	}
	if counted {
		var parts []string
		for _, h := range w.HeldOut {
			parts = append(parts, fmt.Sprintf("%s %g", h.Env, h.Weight))
		}
		l.table.Notes = append(l.table.Notes, fmt.Sprintf("Held-out score: 1 - Changed/Base of the rates weighted with %s (%s); the variances of the environments add up.", strings.Join(parts, ", "), w.Source))
	}
}

// heldOutBases returns the unperturbed scores of the held-out environments, or what
// lacks.
func heldOutBases(of map[string]*played, w configs.Weights) (base map[string]*scoring.Score, lacking []string) {
	base = map[string]*scoring.Score{}
	for _, part := range w.HeldOut {
		p, ok := of[part.Env]
		if !ok {
			lacking = append(lacking, part.Env)
			continue
		}
		if lack := p.base.rates().lack; lack != "" {
			lacking = append(lacking, part.Env+" ("+lack+")")
		}
		base[part.Env] = p.base.Score
	}
	return base, lacking
}

// changeColumns are the columns of a rate and of its change.
func changeColumns() []table.Column {
	return []table.Column{
		rateColumn, {Key: "value", Header: "Value"}, {Key: "value_low", Header: "95% low", Detail: true}, {Key: "value_high", Header: "high", Upper: true, Detail: true},
		{Key: "difference", Header: "Δ"}, {Key: "low", Header: "95% low"}, {Key: "high", Header: "high", Upper: true},
		{Key: "p", Header: "p"},
	}
}

// changed adds a line for each rate: the mean over conditions and its change from base.
func (l *losses) changed(p *played, of []condition, label ...table.Cell) {
	success, progress := scoring.MeanRates(scoresOf(of))
	nan := math.NaN()
	none := scoring.Change{Difference: stats.Difference{Mean: nan, Interval: stats.Interval{Low: nan, High: nan}, P: nan}}
	c := scoring.Comparison{Success: none, Progress: none}
	if p.base != nil {
		compared, err := scoring.CompareMean(scoresOf(of), p.base.Score)
		if err == nil {
			c = compared
			l.about, l.atMost = c.About, l.atMost || c.AtMost
		} else if !errors.Is(err, scoring.ErrIncomplete) { // its mark says so
			l.failed.add(fmt.Sprintf("%s on %s cannot be compared with base: %v.", p.name, p.env, err))
		}
	}
	for _, r := range []struct {
		rate string
		scoring.Estimate
		scoring.Change
	}{{"SR", success, c.Success}, {"PR", progress, c.Progress}} {
		low, high := interval(r.Estimate)
		l.add(r.rate, r.P, append(slices.Clone(label), table.String(r.rate),
			table.Percent(r.Estimate.Mean).Marked(marksOf(of)), low, high,
			table.Points(r.Difference.Mean), table.Points(r.Low), table.Points(r.High))...)
	}
}

// unchanged adds the rates without a perturbation.
func (l *losses) unchanged(base *row, label ...table.Cell) {
	for _, r := range []struct {
		rate string
		scoring.Estimate
	}{{"SR", base.Success.Estimate}, {"PR", base.Progress.Estimate}} {
		low, high := interval(r.Estimate)
		l.add(r.rate, math.NaN(), append(slices.Clone(label), table.String(r.rate),
			base.mark(table.Percent(r.Estimate.Mean)), low, high, table.None(), table.None(), table.None())...)
	}
}

// changeNote explains the columns of changeColumns.
const changeNote = "SR success rate, PR progress rate, in percent. Δ: with the perturbations minus without, in percentage points, on the same tasks; " +
	"seeds averaged within each task first. 95% low, high: Student's t interval of the paired differences, as in the table of differences."

// doseTable has the rates by number of combined families.
func doseTable(from *Report) table.Table {
	all := from.families()
	if len(all) == 0 {
		return table.Table{}
	}
	l := newLosses(table.Table{ID: "dose", Title: "Rates by number of combined families", Columns: append([]table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true},
		{Key: "grade", Header: "Grade", Left: true}, {Key: "families", Header: "Families", Left: true}, {Key: "perturbations", Header: "Sets", Detail: true},
	}, changeColumns()...)})
	last := len(l.table.Columns) - 1
	l.table.Columns[last].Detail = true // the p values of most interest are those of single families
	for _, p := range all {
		before := ""
		for _, d := range p.doses() {
			if d.grade != before && p.base != nil {
				l.unchanged(p.base, table.String(p.env), table.String(p.name), table.String(d.grade), table.Int(0), table.Int(1))
			}
			before = d.grade
			families := table.Int(d.parts)
			if d.all {
				families.Text = fmt.Sprintf("all %d", d.parts)
			}
			l.changed(p, d.under, table.String(p.env), table.String(p.name), table.String(d.grade), families, table.Int(len(d.under)))
		}
	}
	l.table.Notes = append(l.table.Notes, "Families: how many are combined; 0 is without a perturbation. Sets: the perturbations of that number, over which the rate is averaged. "+changeNote)
	return l.finish(all)
}

// familyTable has the change by family and grade.
func familyTable(from *Report) table.Table {
	all := from.families()
	if len(all) == 0 {
		return table.Table{}
	}
	l := newLosses(table.Table{ID: "families", Title: "Change by family of perturbations", Columns: append([]table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true},
		{Key: "family", Header: "Family", Left: true}, {Key: "grade", Header: "Grade", Left: true},
	}, changeColumns()...)})
	for _, p := range all {
		for _, c := range singleFamilies(p) {
			part := c.about.Parts[0]
			l.changed(p, []condition{c}, table.String(p.env), table.String(p.name), table.String(part.Family), table.Int(part.Grade))
		}
	}
	if len(l.table.Rows) == 0 { // all are combinations
		return table.Table{}
	}
	l.table.Notes = append(l.table.Notes, changeNote, "Grades: 1 is the mildest. "+titles(all))
	return l.finish(all)
}

// singleFamilies are the perturbations of one family, also those that were drawn.
func singleFamilies(p *played) []condition {
	return slices.DeleteFunc(slices.Clone(p.under), func(c condition) bool { return len(c.about.Parts) > 1 || isDrawn(c.about) })
}

// titles says what the perturbations of single families change.
func titles(all []*played) string {
	var said []string
	seen := map[record.Part]bool{}
	for _, p := range all {
		for _, c := range singleFamilies(p) {
			if part := c.about.Parts[0]; !seen[part] {
				seen[part] = true
				said = append(said, fmt.Sprintf("%s %d: %s", part.Family, part.Grade, c.about.Title))
			}
		}
	}
	return strings.Join(said, "; ") + "."
}
