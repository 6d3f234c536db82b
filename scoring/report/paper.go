package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// paperCell is a rate with its standard deviation over seeds, and with its limits if readers ask for them.
func paperCell(r *Report, rate scoring.Rate, mark string) table.Cell {
	if !r.First.Limits {
		rate.Interval = nil
	}
	c := limitedCell(rate.Estimate, 1).Marked(mark)
	if !math.IsNaN(rate.SampleStd) && c.Value != nil {
		c.Spread = table.Percent(rate.SampleStd).Text
	}
	return c
}

// paperHeads gives a table the columns of places: both rates for people, and for programs each
// with its deviation and its limits, under keys that begin with a prefix.
func paperHeads(t, programs *table.Table, places []claim.Scope, columns []PaperColumn,
	prefix string) (heads [][2]column.Paper) {
	t.Columns = table.Columns(column.Model)
	for _, p := range places {
		title := p.Title
		if p == claim.HeldOut {
			title = "Held-out"
		}
		key := prefix + strings.ReplaceAll(p.Name, " ", "_")
		for _, c := range columns {
			if short := c.head(p); c.in(p) {
				t.Columns = append(t.Columns, table.Column{Key: key + "_" + c.Name, Header: title + " " + short,
					Group: title, Short: short})
			}
		}
		head := [2]column.Paper{column.OnPaper(key+"_success", title+" "+claim.Success.NameIn(p)),
			column.OnPaper(key+"_progress", title+" "+claim.Progress.NameIn(p))}
		heads = append(heads, head)
		programs.Columns = append(programs.Columns, table.Columns(head[0], head[1])...)
	}
	return heads
}

// finish gives a table for a paper its title, its notes and what programs read.
func finish(r *Report, t *table.Table, programs table.Table, title string, notes []string) {
	t.Title, t.Notes, programs.Title = title, notes, title
	t.Caption = fmt.Sprintf("%s. %s.", title, capital(protocolsSaid(r, "")))
	t.Programs = []table.Table{programs}
}

// onPaper is a rate with its limits and its deviation, for programs.
func onPaper(c column.Paper, rate scoring.Rate) table.Field {
	return table.Fields(rated(c.Bounded, rate.Estimate), c.Std.Val(rate.SampleStd))
}

// paper is the table that papers print: SR and PR on each environment and the held-out score,
// each with its standard deviation over seeds.
func paper(r *Report, t *table.Table) {
	s := r.standing()
	if len(s.lines) == 0 {
		return
	}
	programs, columns := *t, r.paperColumns("SR", "PR")
	heads := paperHeads(t, &programs, s.Columns(), columns, "")
	for _, p := range s.Places {
		for _, c := range column.Used {
			programs.Columns = append(programs.Columns, c.In(p.Name).Column)
		}
	}
	for i, l := range s.lines {
		line := []table.Cell{table.String(l.Name)}
		fields := []table.Field{column.Model.Val(l.Name), column.Seeds.Val(l.seeds())}
		for index, p := range s.Columns() {
			success, progress, ok := s.paperRates(i, p)
			mark := s.rated(i, p).Mark
			for _, c := range columns {
				if !c.in(p) {
					continue
				}
				cell := table.None().Marked(mark)
				if ok && c.Rate != "" && c.Rate != claim.Grounding {
					cell = paperCell(r, claim.Pick(c.Rate, success, progress), mark)
				} else if ok {
					cell = c.cell(r, l.Scores[p.Name], mark)
				}
				cell.Best = ok && s.Rate == c.Rate && s.Bold(p)[l.Name]
				line = append(line, cell)
			}
			if ok {
				fields = append(fields, onPaper(heads[index][0], success), onPaper(heads[index][1], progress))
			}
			if score := l.Scores[p.Name]; ok && score != nil {
				for _, c := range column.Used {
					fields = append(fields, c.In(p.Name).Val(score.Usage(c.Quantity).Mean))
				}
			}
		}
		t.Rows = append(t.Rows, line)
		programs.Add(fields...)
	}
	addPublishedPaper(r, t, columns)
	finish(r, t, programs, fmt.Sprintf("%s, %s", capital(columnsSaid(columns)), seedsSaid(r.plain)),
		slices.Concat(deviationNote(r, columns), firstNotes(r, limitNote(r, r.plain)...)))
}

// in reports whether a place can have it: the held-out score is a sum of rates.
func (c PaperColumn) in(p claim.Scope) bool {
	return p != claim.HeldOut || c.Rate == claim.Success || c.Rate == claim.Progress
}

// deviationNote says what stands behind ±.
func deviationNote(r *Report, columns []PaperColumn) []string {
	if r.standing().armed() {
		return []string{"±: standard deviation over trainings with divisor n-1."}
	}
	for _, c := range columns {
		notes := c.spreadNote(r.plain)
		if notes != nil && slices.Contains(r.standing().Columns(), claim.HeldOut) {
			notes[0] = strings.TrimSuffix(notes[0], ".") + "; of the held-out score, of its weighted sums by seed."
		}
		if notes != nil {
			return notes
		}
	}
	return nil
}

func limitNote(r *Report, rows []row) []string {
	if !r.First.Limits {
		return []string{}
	}
	return []string{"Limits: 95% CI for " + r.standing().population(rows) + "."}
}

// seeds is the largest number of seeds of a line.
func (l modelRates) seeds() (highest int) {
	for _, s := range l.Scores {
		highest = max(highest, s.SeedCount())
	}
	return highest
}

// paperRates are both rates of a line in a place; not ok if there are none.
func (s *standing) paperRates(i int, p claim.Scope) (success, progress scoring.Rate, ok bool) {
	l, spread := s.lines[i], false
	if p != claim.HeldOut {
		if l.rated(p.Name, claim.Success) == nil {
			return success, progress, false
		}
		score := l.Scores[p.Name]
		success, progress, spread = score.Success, score.Progress, !score.EqualSeeds()
		if arm, ok := l.Arm[p.Name]; ok {
			success.Estimate, progress.Estimate = *arm.Estimate(success), *arm.Estimate(progress)
		}
	} else {
		first, second := l.heldOutRate(s.Weights, claim.Success), l.heldOutRate(s.Weights, claim.Progress)
		if first == nil || second == nil {
			return success, progress, false
		}
		heldOut := scoring.HeldOutSpread(s.Weights, l.Scores)
		success, progress, spread = heldOut.Success, heldOut.Progress, heldOut.Seeds > 1
		success.Estimate, progress.Estimate = *first, *second
	}
	if !spread {
		success.SampleStd, progress.SampleStd = math.NaN(), math.NaN()
	}
	return success, progress, true
}

// addPublishedPaper adds published rows that have any of the places.
func addPublishedPaper(r *Report, t *table.Table, columns []PaperColumn) {
	rows := publishedRows(r, func(b configs.PublishedTable, row int, l modelRates, p claim.Scope) []table.Cell {
		rate, index := l.rates[p.Name], slices.Index(b.Columns, p.Name)
		own := table.Filter(columns, func(c PaperColumn) bool { return c.in(p) })
		return table.Each(own, func(c PaperColumn) table.Cell {
			switch c.Rate {
			case claim.Success:
				return publishedCell(rate.success, b.Rows[row].SuccessStd, index, rate.marks)
			case claim.Progress:
				return publishedCell(rate.progress, b.Rows[row].ProgressStd, index, rate.marks)
			}
			return table.None()
		})
	})
	if len(rows) > 0 {
		t.Divide, t.Divided, t.Rows = len(t.Rows), publishedTitle(r), append(t.Rows, rows...)
	}
}

func publishedCell(rate *scoring.Estimate, stds []*float64, index int, mark string) table.Cell {
	if rate == nil {
		return table.None()
	}
	c := table.Percent(rate.Mean).Marked(mark)
	if index >= 0 && index < len(stds) && stds[index] != nil {
		c.Spread = fmt.Sprintf("%.1f", *stds[index])
	}
	return c
}

// paperRobustness are the tables of AgentRefine's Table 3: SR/PR under each condition of a sweep, with their
// average and their standard deviation with divisor n, as in the paper's AgentRefine row.
func paperRobustness(r *Report, blank table.Table) (tables []table.Table) {
	for _, p := range r.swept() {
		lines, names := withPublished(r, p)
		usual := usualConditions(lines)
		t := blank
		title := envs.Title(p.env)
		t.Columns = table.Columns(column.Model)
		for _, name := range names {
			header := name
			if name == baseColumn {
				header = title
			}
			t.Columns = append(t.Columns, table.Column{Key: name, Header: header})
		}
		t.Columns = append(t.Columns, column.Heads("average std")...)
		programs := blank
		programs.Columns = column.Sweep(names)
		addSwept(&programs, p, lines, names)
		t.Rows = table.Each(lines, func(l swept) []table.Cell { return l.paperRow(names, usual) })
		finish(r, &t, programs, "SR/PR in percent under perturbations of "+title,
			slices.Concat([]string{"Std: standard deviation of the row's conditions with divisor n, in points.",
				strings.Join(p.notes, " ")}, sweptMarks(r), firstNotes(r, []string{}...)))
		tables = append(tables, t)
	}
	return tables
}

// paperRow are both rates of a line under all conditions, each in one cell.
func (l swept) paperRow(names []string, usual string) []table.Cell {
	row := []table.Cell{table.String(l.name)}
	var values [2][]float64
	pairCell := func(success, progress float64, decimals int) table.Cell {
		if math.IsNaN(success) || math.IsNaN(progress) {
			return table.None()
		}
		text := fmt.Sprintf("%.*f/%.*f", decimals, 100*success, decimals, 100*progress)
		return table.Cell{Text: text, Value: text}
	}
	for _, name := range names {
		r := l.cells[name].rates
		cell := table.None()
		if r.success != nil && r.progress != nil {
			values[0], values[1] = append(values[0], r.success.Mean), append(values[1], r.progress.Mean)
			cell = pairCell(r.success.Mean, r.progress.Mean, 1).Marked(strings.Map(func(mark rune) rune {
				if strings.ContainsRune(incompleteMark+heldInMark+reuseMark, mark) {
					return mark
				}
				return -1
			}, r.marks))
		}
		row = append(row, cell)
	}
	if len(values[0]) == 0 {
		return append(row, table.None(), table.None())
	}
	return append(row, pairCell(stats.Mean(values[0]), stats.Mean(values[1]),
		1).Marked(l.averageMarks(claim.Success, usual)),
		pairCell(stats.PopulationStd(values[0]), stats.PopulationStd(values[1]), 2))
}

// paperBestOf is AgentRefine's Table 4: the rates of each model, and below them the rates of the best of its seeds.
func paperBestOf(r *Report, t *table.Table) {
	s := r.standing()
	programs := *t
	rates := PaperColumns()[:2]
	heads := paperHeads(t, &programs, s.Places, rates, "best_")
	for i, l := range s.lines {
		single, best := []table.Cell{table.String(l.Name)}, []table.Cell{}
		tries := 0
		var fields []table.Field
		for index, p := range s.Places {
			success, progress, ok := s.paperRates(i, p)
			if !ok {
				single, best = append(single, table.None(), table.None()), append(best, table.None(), table.None())
				continue
			}
			mark := s.rated(i, p).Mark
			success.SampleStd, progress.SampleStd = math.NaN(), math.NaN()
			single = append(single, paperCell(r, success, mark), paperCell(r, progress, mark))
			bests := l.Scores[p.Name].BestOf()
			if len(bests) < 2 {
				best = append(best, table.None(), table.None())
				continue
			}
			last := bests[len(bests)-1]
			tries = max(tries, last.Tries)
			bestSuccess, bestProgress := scoring.Rate{Estimate: last.Success, SampleStd: math.NaN()},
				scoring.Rate{Estimate: last.Progress, SampleStd: math.NaN()}
			best = append(best, paperCell(r, bestSuccess, mark), paperCell(r, bestProgress, mark))
			fields = append(fields, onPaper(heads[index][0], bestSuccess), onPaper(heads[index][1], bestProgress))
		}
		t.Rows = append(t.Rows, single)
		if tries > 1 {
			name := table.String(fmt.Sprintf("%s, best of %d", l.Name, tries))
			t.Rows = append(t.Rows, append([]table.Cell{name}, best...))
			programs.Add(append(fields, column.Model.Val(l.Name), column.Tries.Val(tries))...)
		}
	}
	if len(programs.Rows) == 0 {
		t.Rows = nil
		return
	}
	finish(r, t, programs, "SR and PR in percent, of one try and of the best of several",
		append([]string{oracleNote}, firstNotes(r, limitNote(r, r.plain)...)...))
}
