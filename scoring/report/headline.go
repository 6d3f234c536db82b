package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// headline is what a reader needs first: models as rows, with the rates on environments
// or on the kinds of tasks of one, and the limits of each rate below it. Programs get one
// line for each rate.
func headline(r *Report, t *table.Table) {
	s := r.standing()
	programs := *t
	t.Columns = []table.Column{{Key: column.Model.Key, Header: string(s.rate) + ", %", Left: true}}
	if len(s.lines) == 0 {
		return
	}
	if r.First.Kinds != "" {
		r.kindScores(t)
		return
	}
	t.Title = s.title()
	programs.Title = t.Title
	if s.oldNew {
		s.changeTable(t)
	} else {
		s.rateTable(t)
		if published := r.publishedHeadlines(s); published != nil {
			t.Divide, t.Divided = len(t.Rows), r.publishedTitle()
			t.Rows = append(t.Rows, headlineRows(published)...)
		}
	}
	if t.Caption, t.Captioned = s.caption(r), 1; len(s.facts) > 0 {
		t.Captioned = 2 // the legend of rates and that of letters
	}
	t.Notes = slices.Concat(s.legend(r), directories(r.plain), s.apart, r.notWhole(), sources(r.baselines, ""))
	s.enter(&programs)
	t.Programs = &programs
}

// caption says below a table in a paper what the table is about and what made it.
func (s *standing) caption(r *Report) string {
	var protocols, tools []string
	for _, of := range r.plain {
		name := "default protocol"
		if p := of.Condition.Preset; p != nil {
			name = "preset " + p.Label()
		}
		protocols = appendNew(protocols, name)
	}
	for _, run := range r.Runs {
		text := strings.TrimSpace("heldout " + run.Tool.Version)
		if c := run.Tool.Commit; c != "" {
			text += fmt.Sprintf(" (%.8s)", c)
		}
		tools = appendNew(tools, text)
	}
	text := fmt.Sprintf("%s in percent, %s, with 95%% intervals for %s.", s.rate.title(),
		table.Counted(mostSeeds(r.plain), "seed"), about(r.plain[0].About))
	switch n := len(s.facts); {
	case n > 0 && s.oldNew:
		text += fmt.Sprintf(" Bold: better (paired by task, Holm's correction for %s).", table.Counted(n, "comparison"))
	case n > 0:
		text += fmt.Sprintf(" Models of a column that share a letter are not told apart; bold: the best group, where "+
			"others are not in it (paired by task, Holm's correction for %s).", table.Counted(n, "comparison"))
	}
	return fmt.Sprintf("%s %s; %s.", text, capital(table.List(protocols)), table.List(tools))
}

// mostSeeds is the largest number of seeds of a row.
func mostSeeds(rows []row) (seeds int) {
	for _, r := range rows {
		seeds = max(seeds, len(r.Seeds))
	}
	return seeds
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// about says what differences are about, within a sentence.
func about(q stats.Question) string {
	return strings.TrimSuffix(strings.TrimPrefix(population(q), "This is about "), ".")
}

// rateTable has models as rows and places as columns.
func (s *standing) rateTable(t *table.Table) {
	for _, place := range s.places {
		t.Columns = append(t.Columns, table.Column{Key: place, Header: place})
	}
	t.Rows = headlineRows(s.headlines())
}

// headlines are the models with their rates.
func (s *standing) headlines() (out []HeadlineLine) {
	for i, l := range s.lines {
		line := HeadlineLine{Model: l.name}
		for at, place := range s.places {
			line.Cells = append(line.Cells, s.rated(i, at, place))
		}
		out = append(out, line)
	}
	return out
}

// headlineRows are lines as rows: rates with their letters.
func headlineRows(lines []HeadlineLine) (rows [][]table.Cell) {
	for _, l := range lines {
		row := []table.Cell{table.String(l.Model)}
		for _, c := range l.Cells {
			c.Text = strings.TrimSuffix(c.Text+" "+c.Letters, " ")
			row = append(row, c.Cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// rated is a rate with its letters beside it.
func (s *standing) rated(i, at int, place string) (out HeadlineCell) {
	mark := ""
	if score := s.lines[i].scores[place]; score != nil && !score.Complete() {
		mark = incompleteMark
	}
	e := s.cells[i][at]
	if e == nil {
		return HeadlineCell{Cell: table.None().Marked(mark)}
	}
	out.Cell = table.Percent(e.Mean).Marked(mark)
	if of := s.letters[place]; of != nil && of[i] != "" {
		out.Letters = of[i]
		out.Best = strings.Contains(of[i], "a") && slices.ContainsFunc(of, func(other string) bool {
			return other != "" && !strings.Contains(other, "a")
		})
	}
	if out.Interval = e.Interval; e.Interval != nil {
		out.Below = fmt.Sprintf("%.0f–%.0f", 100*e.Interval.Low, 100*e.Interval.High)
	}
	return out
}

// publishedTitle says with what published rows may be compared.
func (r *Report) publishedTitle() string {
	if slices.ContainsFunc(r.plain, func(of row) bool { return of.Environment.Source != envs.Official }) {
		return "published, on official tasks: not comparable with generated ones"
	}
	return "published; prompts, agents and servers differ"
}

// publishedHeadlines are the published results that have any of the places.
func (r *Report) publishedHeadlines(s *standing) (out []HeadlineLine) {
	if s.rate == Grounding {
		return nil
	}
	for _, b := range r.baselines {
		for _, l := range publishedLines(b) {
			line := HeadlineLine{Model: l.name}
			any := false
			for _, place := range s.places {
				e := l.heldOutRate(r.weights, s.rate)
				if place != column.HeldOutScore {
					e = l.rates[place].of(s.rate)
				}
				cell := table.None()
				if e != nil {
					any, cell = true, table.Percent(e.Mean)
				}
				line.Cells = append(line.Cells, HeadlineCell{Cell: cell})
			}
			if any {
				out = append(out, line)
			}
		}
	}
	return out
}

// legend says what the cells are.
func (s *standing) legend(r *Report) (notes []string) {
	notes = append(notes, fmt.Sprintf("%s in percent over %s; below, the limits of its 95%% interval, for %s.",
		s.rate.title(), table.Counted(mostSeeds(r.plain), "seed"), about(r.plain[0].About)))
	if n := len(s.facts); n > 0 {
		says := "Models of a column that share a letter are not told apart"
		if s.oldNew {
			says = fmt.Sprintf("difference: %s less %s in points, with its 95%% interval; p decides, ~ is no difference "+
				"shown", s.lines[0].name, s.lines[1].name)
		}
		notes = append(notes, fmt.Sprintf("%s (paired by task; Holm's correction for %s).", says,
			table.Counted(n, "comparison")))
	}
	if s.lacks() {
		notes = append(notes, "–: not played, or no rate.")
	}
	if s.rate != Grounding {
		notes = append(notes, otherNames(r.plain)...)
	}
	var tasks []string
	for _, of := range r.plain {
		if of.Environment.Source != envs.Official || len(of.Environment.Tasks) != of.Environment.Total {
			tasks = appendNew(tasks, of.place()+" "+of.tasks())
		}
	}
	if len(tasks) > 0 {
		notes = append(notes, "Tasks: "+strings.Join(tasks, ", ")+".")
	}
	return notes
}

// lacks reports whether a model has no rate where another has one. The held-out score has
// a note of its own.
func (s *standing) lacks() bool {
	return slices.ContainsFunc(s.cells, func(cells []*scoring.Estimate) bool { return slices.Contains(cells, nil) })
}

// notWhole says once what is not whole: episodes without a result, and replies that
// weaken the rates.
func (r *Report) notWhole() (notes []string) {
	planned, missing := 0, 0
	for _, of := range r.plain {
		planned, missing = planned+of.Planned, missing+of.Planned-of.Finished
	}
	if missing > 0 {
		notes = append(notes, fmt.Sprintf(incompleteMark+
			" %d of %d episodes have no result; --table results says which, and the same command plays them.", missing,
			planned))
		notes = append(notes, budgets(r.Runs)...)
	}
	notes = append(notes, grouped(r.plain, row.named, row.withheld)...)
	notes = append(notes, grouped(r.plain, row.named, func(of row) string {
		return strings.Join(of.reservations(), "; ")
	})...)
	return append(notes, searchNotes(r.plain)...)
}

// enter adds a line for each rate.
func (s *standing) enter(t *table.Table) {
	for i, l := range s.lines {
		for at, place := range s.places {
			e := s.cells[i][at]
			if e == nil {
				continue
			}
			line := []table.Field{
				column.Model.Is(l.name), column.Environment.Is(place), column.Rate.Is(string(s.rate)),
				rated(column.HeadlineValue, *e),
			}
			if of := s.letters[place]; of != nil {
				line = append(line, column.Letters.Is(of[i]))
			}
			if score := l.scores[place]; score != nil { // else the held-out score
				line = append(line, column.PlayedTasks.Is(len(score.Environment.Tasks)),
					column.Seeds.Is(len(score.Seeds)),
					column.Planned.Is(score.Planned), column.Finished.Is(score.Finished))
				if p := score.Condition.Preset; p != nil {
					line = append(line, column.PresetName.Is(p.Name))
				}
			}
			t.Add(line...)
		}
	}
}

// verdict has the sentences of the verdict, and for programs its facts.
func verdict(r *Report, t *table.Table) {
	v := r.Verdict()
	facts := *t
	facts.Title = v.Title
	for _, f := range v.Facts {
		shown := 0
		if f.Shown {
			shown = 1
		}
		facts.Add(column.Model.Is(f.A), column.Against.Is(f.B), column.Environment.Is(f.Where),
			column.Difference.Is(f.Difference, f.Low, f.High), column.P.Is(f.P), column.Shown.Is(shown),
			column.Needed.Is(f.Needed))
	}
	facts.Notes = v.Sentences
	t.Columns, t.Notes, t.Programs = nil, v.Sentences, &facts
}

// kindScores has the kinds of tasks of one environment as columns.
func (r *Report) kindScores(t *table.Table) {
	rate := cmp.Or(r.First.Rate, Success)
	t.Title = fmt.Sprintf("%s on %s by kind of task", rate.title(), r.First.Kinds)
	rows := slices.DeleteFunc(slices.Clone(r.plain), func(of row) bool { return of.place() != r.First.Kinds })
	var kinds []string
	for _, of := range rows {
		for _, k := range of.ByKind() {
			kinds = appendNew(kinds, k.Type)
		}
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		t.Columns = append(t.Columns, table.Column{Key: k, Header: k})
	}
	for _, of := range rows {
		cells := append([]table.Cell{table.String(of.name)}, slices.Repeat([]table.Cell{table.None()}, len(kinds))...)
		for _, k := range of.ByKind() {
			e := k.Success.Estimate
			if rate == Progress {
				e = k.Progress.Estimate
			}
			c := table.Percent(e.Mean)
			if e.Interval != nil {
				c.Below = fmt.Sprintf("%.0f–%.0f", 100*e.Interval.Low, 100*e.Interval.High)
			}
			cells[1+slices.Index(kinds, k.Type)] = c
		}
		t.Rows = append(t.Rows, cells)
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes,
			rate.title()+" in percent of the tasks of a kind; below, the limits of its 95% interval.")
		t.Notes = append(t.Notes, r.notWhole()...)
	}
}

// withheld says why the headline has no rates of a row, and what they can be; empty
// if it has them.
func (r row) withheld() string {
	if !r.Misleads() {
		return ""
	}
	outcomes, n := r.Lacking()
	success, progress := r.Bounds()
	return fmt.Sprintf(
		"no rate, because %d of %d episodes have no result for a reason that depends on the model (%s), "+
			"and the others are no fair sample; over all episodes SR is between %.1f and %.1f and PR between %.1f "+
			"and %.1f",
		n, r.Planned, counted(outcomes), 100*success.Low, 100*success.High, 100*progress.Low, 100*progress.High)
}
