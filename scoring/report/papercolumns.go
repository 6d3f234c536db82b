package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/envs/spelling"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// PaperColumn is what tables for papers can have of a model in a place, or on a kind of tasks.
type PaperColumn struct {
	// Name is the name by which readers ask for it, About says what it is.
	Name, About string

	// Short is the head of the mean of a quantity, Rate is empty then.
	Short string
	Rate  claim.Rate
	Used  scoring.Quantity
}

// PaperColumns lists what tables for papers can have. They are shared: nobody changes them.
func PaperColumns() []PaperColumn { return facts().Columns }

// CheckColumns reports a column that tables for papers cannot have.
func CheckColumns(names []string) error {
	columns := table.Keys(PaperColumns(), func(c PaperColumn) string { return c.Name })
	for _, name := range names {
		if !slices.Contains(columns, name) {
			return fmt.Errorf("--columns %q is unknown%s; there are %s", name, spelling.Hint(name, columns),
				strings.Join(columns, ", "))
		}
	}
	return nil
}

// paperColumns are those that the reader asked for, else these.
func (r *Report) paperColumns(fallback ...string) (out []PaperColumn) {
	names := r.First.Columns
	if len(names) == 0 {
		names = fallback
	}
	for _, name := range table.AppendNew(nil, names...) {
		i := slices.IndexFunc(PaperColumns(), func(c PaperColumn) bool { return c.Name == name })
		out = append(out, PaperColumns()[i])
	}
	return out
}

// head is its short head in a place.
func (c PaperColumn) head(p claim.Scope) string {
	if c.Rate != "" {
		return c.Rate.NameIn(p)
	}
	return c.Short
}

// cell is its cell of a score that has results.
func (c PaperColumn) cell(r *Report, score *scoring.Score, mark string) table.Cell {
	if c.Rate == "" {
		return column.Mean.Cell(score.Usage(c.Used).Mean).Marked(mark)
	}
	rate := c.Rate.Select(score)
	if score.EqualSeeds() {
		rate.SampleStd = math.NaN()
	}
	return paperCell(r, rate, mark)
}

// columnsSaid says what columns are, as in "success rate (SR) and progress rate (PR) in percent".
func columnsSaid(columns []PaperColumn) string {
	var rates, means []string
	for _, c := range columns {
		if c.Rate != "" {
			rates = append(rates, fmt.Sprintf("%s (%s)", c.About, c.Rate))
		} else {
			means = append(means, fmt.Sprintf("%s (%s)", c.About, c.Short))
		}
	}
	if rates != nil {
		means = append([]string{table.List(rates) + " in percent"}, means...)
	}
	return strings.Join(means, ", ")
}

// kindTables are the tables of rates by kind of task, as papers print them: the kinds of an environment as columns, a
// row for each model, a table for each environment and column that the reader asked for. Programs get a line for each
// kind, for each head of columns, and for all tasks.
func kindTables(r *Report, blank table.Table) (tables []table.Table) {
	lines := kindLines(r, blank)
	order := map[string]int{}
	for i, l := range r.standing().lines {
		order[l.Name] = i
	}
	for _, p := range r.places {
		rows := table.Filter(r.plain, func(entry row) bool { return entry.place.Name == p.Name && entry.Tasks() > 0 })
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(order[a.line], order[b.line]) })
		for _, c := range r.paperColumns(string(cmp.Or(r.First.Rate, claim.Success))) {
			t := kindTable(r, blank, c, rows)
			if len(t.Rows) == 0 {
				continue
			}
			title := fmt.Sprintf("%s on %s by kind of task, %s", capital(columnsSaid([]PaperColumn{c})), p.Title,
				seedsSaid(rows))
			finish(r, &t, lines, title, slices.Concat(
				[]string{fmt.Sprintf("All: the mean over all %s tasks, not over the kinds.", p.Title)},
				c.spreadNote(rows), limitNote(r, rows), otherNames(rows), incomplete(rows)))
			if tables = append(tables, t); len(tables) > 1 {
				tables[len(tables)-1].Programs = []table.Table{}
			}
		}
	}
	if tables == nil {
		return []table.Table{blank}
	}
	return tables
}

// kindTable has the rows of one place, without what stands around them.
func kindTable(r *Report, t table.Table, c PaperColumn, rows []row) table.Table {
	var heads []string
	parts := make([][]scoring.KindScore, len(rows))
	for i, entry := range rows {
		parts[i] = entry.ByHead()
		for _, part := range parts[i] {
			heads = table.AppendNew(heads, part.Head)
		}
	}
	t.Columns = table.Columns(column.Model)
	for _, head := range append(heads, allKinds) {
		t.Columns = append(t.Columns, table.Column{Key: head, Header: head})
	}
	for i, entry := range rows {
		cells := slices.Concat([]table.Cell{table.String(entry.name)},
			slices.Repeat([]table.Cell{table.None()}, len(heads)))
		for _, part := range parts[i] {
			cells[1+slices.Index(heads, part.Head)] = c.cell(r, part.Score, entry.marks)
		}
		t.Rows = append(t.Rows, append(cells, c.cell(r, entry.Score, entry.marks)))
	}
	return t
}

// allKinds is the head of the column of all tasks.
const allKinds = "All"

// kindLines are the numbers of all kinds, for programs.
func kindLines(r *Report, t table.Table) table.Table {
	scored := false
	for _, entry := range r.plain {
		parts := entry.ByKind()
		for i := range parts {
			parts[i].Type = cmp.Or(parts[i].Type, "–")
		}
		parts = append(parts, entry.ByHead()...)
		if entry.Tasks() > 0 {
			parts = append(parts, scoring.KindScore{Head: allKinds, Score: entry.Score})
		}
		for _, part := range parts {
			line := []table.Field{entry.envCol(), entry.modelCol(), column.Kind.Val(part.Type),
				column.KindHead.Val(part.Head),
				column.Tasks.Val(part.Tasks()), entry.rated(column.Success, part.Success.Estimate),
				entry.rated(column.Progress, part.Progress.Estimate)}
			if !part.EqualSeeds() {
				line = append(line, column.SuccessDeviation.Val(part.Success.SampleStd),
					column.ProgressDeviation.Val(part.Progress.SampleStd))
			}
			for _, c := range column.Used {
				line = append(line, c.Val(part.Usage(c.Quantity).Mean))
			}
			if scored = scored || entry.Condition.Preset != nil; entry.Condition.Preset != nil {
				line = append(line, entry.rated(column.MetricValue, part.Metric(false).Estimate))
			}
			t.Add(line...)
		}
	}
	if !scored {
		return t.Without(column.MetricValue)
	}
	return t
}

// spreadNote says what stands behind ±, if anything does.
func (c PaperColumn) spreadNote(rows []row) []string {
	if _, highest := claim.SeedRange(seeded(rows)); highest < 2 || c.Rate == "" {
		return nil
	}
	return []string{"±: standard deviation over seeds with divisor n-1."}
}
