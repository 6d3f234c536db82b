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
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Headline is the first table for those who draw it. The table "headline" has the same cells.
type Headline struct {
	// Title answers the primary question, Verdict has what else is said.
	Title   string
	Verdict []string
	// Rate says what the cells are, such as "Success rate".
	Rate string
	// Places are environments or presets, and the held-out score at the end if any model has it.
	Places []claim.Scope
	// Seeds says how many seeds the rates have, Models counts the models: one may have several lines.
	Seeds  string
	Models int
	// Lines are the models of the runs, the best first.
	Lines []HeadlineLine
	// Published are published results. Divided says above them what differs, Sources
	// below where they are from and what they may be compared with.
	Published []HeadlineLine
	Divided   string
	Sources   []string
	// Notes say how to read the cells, and what weakens them: at most mostNotes.
	Notes []string
}

// HeadlineLine is a model.
type HeadlineLine struct {
	Model string
	Cells []HeadlineCell // one for each place
}

// HeadlineCell is a rate.
type HeadlineCell struct {
	table.Cell // without the letters
	// Interval is nil if there is none.
	Interval *stats.Interval
	// Letters are the column's: models that share one do not differ significantly. With a
	// reference it is a word: better or worse than it, or ~.
	Letters string
}

// Claims are all claims of the runs.
func (r *Report) Claims() *claim.Set { return r.standing().Set }

// Headline returns the first table.
func (r *Report) Headline() Headline {
	s := r.standing()
	h := Headline{Title: s.Title(), Verdict: s.Verdict(false), Rate: s.Rate.Title(), Places: s.Columns()}
	if len(s.lines) == 0 {
		return h
	}
	for i, l := range s.lines {
		cells := table.Each(h.Places, func(place claim.Scope) HeadlineCell { return s.rated(i, place) })
		h.Lines = append(h.Lines, HeadlineLine{l.Name, cells})
	}
	h.Published, h.Divided, h.Sources = publishedHeadlines(r), publishedTitle(r), sources(r.baselines, "")
	h.Models = len(table.Grouped(r.plain, func(entry row) string { return entry.model }))
	h.Seeds, h.Notes = seedsSaid(r.plain), firstNotes(r)
	return h
}

// Stand is where tables of unperturbed tasks have episodes: a model in a place.
type Stand struct{ Model, Place string }

// Stands returns where the groups of a plan stand, in their order; a Stand is empty if
// the group is under a perturbation.
func (r *Report) Stands(directory string, m *record.Manifest) (out []Stand) {
	byKey := map[string]Stand{}
	for _, entry := range r.plain {
		if entry.directory == directory || slices.Contains(entry.otherDirs, directory) {
			byKey[entry.Condition.Key()] = Stand{entry.line, entry.place.Name}
		}
	}
	for _, g := range m.Groups {
		c := g.Condition
		c.Seed = 0
		out = append(out, byKey[c.Key()])
	}
	return out
}

// headline is what a reader needs first: models as rows, with the rates on environments
// or on the kinds of tasks of one, and the limits of each rate below it; then what they
// say. Programs get one line for each rate, and all claims.
func headline(r *Report, t *table.Table) {
	s := r.standing()
	programs := *t
	t.Columns = []table.Column{{Key: column.Model.Key, Header: string(s.Rate) + ", %", Words: true}}
	if len(s.lines) == 0 {
		return
	}
	h := r.Headline()
	if s.oldNew {
		changeTable(s, t)
	} else {
		t.Columns = append(t.Columns, table.Each(h.Places, func(place claim.Scope) table.Column {
			return table.Column{Key: place.Name, Header: header(place, s.Rate)}
		})...)
		if t.Rows = headlineRows(h.Lines); h.Published != nil {
			t.Divide, t.Divided = len(t.Rows), h.Divided
			t.Rows = append(t.Rows, headlineRows(h.Published)...)
		}
	}
	enter(s, h, &programs)
	if question(r) == "" {
		head(r, t)
		t.Programs[0] = programs
	} else { // another table answers the primary question
		t.Title = s.Rate.Title() + " on unperturbed tasks"
		if question(r) == Trials {
			t.Title += ", first trials"
		}
		t.Notes, t.Programs = h.Notes, []table.Table{programs}
	}
	t.Caption, t.Captioned = caption(r), cellLegend(r)
	if bold := s.bold(); bold != nil {
		t.BestSaid = capital(bold[0]) + "."
	}
}

// header is the head of a place's column.
func header(p claim.Scope, rate claim.Rate) string {
	if p == claim.HeldOut {
		return "held-out"
	}
	if name := rate.NameIn(p); name != string(rate) {
		return p.Title + " " + name
	}
	return p.Title
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
func (s *standing) rated(i int, place claim.Scope) (out HeadlineCell) {
	l, mark := s.lines[i], ""
	if score := l.Scores[place.Name]; score != nil {
		if mark = l.rates[place.Name].trained; !score.Complete() {
			mark += incompleteMark
		}
		if score.Environment.Caveat != "" {
			mark += caveatMark
		}
	}
	e := l.rated(place.Name, s.Rate)
	if place == claim.HeldOut {
		e = s.Models[i].HeldOut
	} else if arm, ok := l.Arm[place.Name]; ok && e != nil {
		e = arm.Estimate(s.Rate.Select(arm.Score))
	}
	if e == nil {
		return HeadlineCell{Cell: table.None().Marked(mark)}
	}
	out.Cell, out.Interval = limitedCell(*e, 0).Marked(mark), e.Interval
	out.Letters, out.Best = s.Mark(place, l.Name), s.Bold(place)[l.Name]
	return out
}

// limitedCell is a rate in percent with its limits below it, if it has any, with so many decimals.
func limitedCell(e scoring.Estimate, decimals int) table.Cell {
	c := table.Percent(e.Mean)
	if e.Interval != nil {
		c.Subtext = fmt.Sprintf("%.*f–%.*f", decimals, 100*e.Interval.Low, decimals, 100*e.Interval.High)
	}
	return c
}

// changeTable has old and new side by side, one line per place: the rates, their difference, and what it shows.
func changeTable(s *standing, t *table.Table) {
	fresh, old := s.lines[0].Name, s.lines[1].Name
	t.Columns = []table.Column{
		{Key: column.Environment.Key, Header: string(s.Rate) + ", %", Words: true},
		{Key: "old", Header: old}, {Key: "new", Header: fresh},
		{Key: column.Difference.Key, Header: "difference"}, {Key: column.P.Key, Header: "p"},
		{Key: column.Shows.Key, Header: ""}, column.Sensitivity.Column,
	}
	for _, place := range s.Columns() {
		row := []table.Cell{table.String(header(place, s.Rate)),
			s.rated(1, place).Cell, s.rated(0, place).Cell, table.None(),
			table.None(), table.String(""), table.None()}
		if c, ok := s.Find(place, fresh, old); ok && c.Kind != claim.NotCompared {
			row[3] = table.Points(c.Estimate)
			row[3].Subtext = fmt.Sprintf("%.1f to %.1f", 100*c.Interval.Low, 100*c.Interval.High)
			row[4], row[6] = table.Probability(c.P), table.Percent(c.Sensitivity)
			if row[1].Best, row[2].Best = false, false; c.Kind == claim.Differs {
				row[1].Best, row[2].Best = c.Estimate < 0, c.Estimate > 0
			}
		}
		row[5] = table.String(s.Mark(place, fresh))
		t.Rows = append(t.Rows, row)
	}
}

// enter adds a line for each rate.
func enter(s *standing, h Headline, t *table.Table) {
	for i, l := range s.lines {
		for index, place := range h.Places {
			c := h.Lines[i].Cells[index]
			value, ok := c.Value.(float64)
			if !ok {
				continue
			}
			line := []table.Field{
				column.Model.Val(l.Name), column.Environment.Val(place.Name), column.Rate.Val(string(s.Rate)),
				rated(column.Value, scoring.Estimate{Mean: value, Interval: c.Interval}),
				column.Letters.Val(c.Letters),
			}
			if score := l.Scores[place.Name]; score != nil { // else the held-out score
				line = append(line, column.Tasks.Val(len(score.Environment.Tasks)), column.TaskSet.Val(tasksOf(score)),
					column.Seeds.Val(score.SeedCount()),
					column.Planned.Val(score.Planned), column.Finished.Val(score.Finished))
				if p := score.Condition.Preset; p != nil {
					line = append(line, column.Preset.Val(p.Name))
				}
			}
			t.Add(line...)
		}
	}
}

// verdict has the comparisons of both families, a line each, and below them the other claims
// but the claims of single rates. Programs get a line for each claim.
func verdict(r *Report, t *table.Table) {
	s := r.standing()
	claims := *t
	t.Columns = column.Heads("environment model against perturbations? rate tasks? difference+ p claim sensitivity")
	if s.Swept() {
		t.Columns = append(column.Heads("test_family?"), t.Columns...)
	}
	for _, c := range s.Claims() {
		if c.Kind == claim.Rated {
			continue
		}
		line := []table.Field{column.Shows.Val(string(c.Kind)), column.Environment.Val(c.Place.Name),
			column.Rate.Val(c.Rate), column.Model.Val(c.Subjects[0].Name), column.Tasks.Val(c.Tasks)}
		if c.Compared() {
			line = append(line, rated(column.Difference, scoring.Estimate{Mean: c.Estimate, Interval: c.Interval}),
				column.P.Val(c.P), column.Sensitivity.Val(c.Sensitivity))
		}
		if len(c.Subjects) > 1 {
			line = append(line, column.Against.Val(c.Rivals()))
		}
		if len(c.Perturbations) > 0 {
			line = append(line, column.Perturbations.Val(strings.Join(c.Perturbations, ", ")))
		}
		if c.Compared() && s.Swept() {
			t.Add(append(slices.Clip(line), column.FamilyOfTests.Val(string(c.Family.Name)))...)
		} else if c.Compared() {
			t.Add(line...)
		} else if skip := (c.Kind == claim.Preliminary || c.Kind == claim.Incomplete) && math.IsNaN(c.Estimate); !skip {
			t.Notes = append(t.Notes, c.Sentence()+".") // a note says why a rate is withheld
		}
		claims.Add(append(line, column.Seeds.Val(c.Subjects[0].Seeds), column.Reason.Val(c.Reason),
			column.Protocol.Val(c.Protocols), column.Sentence.Val(c.Sentence()), claimNumbers(c))...)
	}
	t.Programs = []table.Table{claims}
	if len(t.Rows) > 0 {
		t.Notes = append(familyNotes(s.Set), t.Notes...)
	} else {
		t.Columns = nil
	}
}

// claimNumbers are what programs get of a claim besides: a rate, or what a comparison stands on.
func claimNumbers(c claim.Claim) table.Field {
	if !c.Compared() {
		return rated(column.Value, scoring.Estimate{Mean: c.Estimate, Interval: c.Interval})
	}
	return table.Fields(column.FamilyOfTests.Val(string(c.Family.Name)), column.Tests.Val(c.Family.Tests),
		rated(column.Alone, scoring.Estimate{Mean: c.Estimate, Interval: c.Alone}), column.AloneP.Val(c.AloneP))
}

// familyNotes say how tests are corrected.
func familyNotes(s *claim.Set) []string {
	if len(s.Families()) == 0 {
		return nil
	}
	text := testsSaid(s)
	if text != "" {
		text += " (help statistics)"
	}
	return []string{capital(strings.TrimPrefix(text+". p and 95% limits agree. "+powerLegend, ". "))}
}

// powerLegend explains the column of sensitivities.
const powerLegend = "80% power: the true difference, in points, that is found with a probability of 80%."

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// publishedTitle says with what published rows may be compared.
func publishedTitle(r *Report) string {
	title := "published" + sourceOf(r.baselines) + "; prompts, agents and servers differ"
	if generated := notOfficial(r.plain); len(generated) > 0 {
		title += "; not comparable on " + table.List(generated)
	}
	if changes := departed(r.plain); len(changes) > 0 {
		title += "; the protocol here is changed"
	}
	return title
}

// publications are the names of published tables, each once.
func publications(baselines []Baseline) []string {
	return table.Keys(baselines, func(b Baseline) string { return b.Name })
}

// sourceOf says above published rows where they are from, in brackets; names of rows have a number if there are
// several publications.
func sourceOf(baselines []Baseline) string {
	names := publications(baselines)
	switch len(names) {
	case 0:
		return ""
	case 1:
		return " [" + names[0] + "]"
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("[%d] %s", i+1, name)
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// publishedName is a name of a publication's row, as it stands below the line above them all.
func publishedName(baselines []Baseline, index int, name string) table.Cell {
	names := publications(baselines)
	name, ok := strings.CutSuffix(name, " ["+baselines[index].Name+"]")
	if ok && len(names) > 1 {
		name = fmt.Sprintf("%s [%d]", name, 1+slices.Index(names, baselines[index].Name))
	}
	return table.String(name)
}

// notOfficial are the places whose tasks are not all official tasks of the benchmark.
func notOfficial(plain []row) (titles []string) {
	for _, entry := range plain {
		if entry.Environment.Source != envs.Official || entry.Outside > 0 {
			titles = table.AppendNew(titles, entry.place.Title)
		}
	}
	return titles
}

// publishedHeadlines are the published results that have any of the places.
func publishedHeadlines(r *Report) (out []HeadlineLine) {
	rate := r.standing().Rate
	if rate == claim.Grounding {
		return nil
	}
	rated := func(_ configs.PublishedTable, _ int, l modelRates, p claim.Scope) []table.Cell {
		if e := l.rates[p.Name].estimate(rate); e != nil {
			return []table.Cell{table.Percent(e.Mean).Marked(l.rates[p.Name].marks)}
		}
		return []table.Cell{table.None()}
	}
	for _, row := range publishedRows(r, rated) {
		cells := table.Each(row[1:], func(c table.Cell) HeadlineCell { return HeadlineCell{Cell: c} })
		out = append(out, HeadlineLine{row[0].Text, cells})
	}
	return out
}

// publishedRows are the published results that have any of the places, with the cells of each place of a row.
func publishedRows(r *Report, cells func(t configs.PublishedTable, row int, l modelRates, p claim.Scope) []table.Cell) (
	rows [][]table.Cell) {
	for number, b := range r.baselines {
		for i, l := range publishedLines(b, r.weights) {
			places := slices.Concat(table.Each(r.standing().Columns(), func(p claim.Scope) []table.Cell {
				return cells(b.Table, i, l, p)
			})...)
			if slices.ContainsFunc(places, func(c table.Cell) bool { return c.Value != nil }) {
				rows = append(rows, append([]table.Cell{publishedName(r.baselines, number, l.Name)}, places...))
			}
		}
	}
	return rows
}

// withheld says why the headline has no rates of a row, and what they can be; empty if it has them.
func withheld(r row) string {
	if !r.Misleads() {
		return ""
	}
	outcomes, n := r.Lacking()
	success, progress := r.Bounds()
	rest := ""
	if r.Finished > 0 {
		rest = fmt.Sprintf(", and the others are not a fair sample; over all episodes SR is between %.1f and %.1f "+
			"and PR between %.1f and %.1f", 100*success.Low, 100*success.High, 100*progress.Low, 100*progress.High)
	}
	return fmt.Sprintf("no rate, because %d of %d episodes have no result for a reason that depends on the model (%s)%s",
		n, r.Planned, counted(outcomes), rest)
}
