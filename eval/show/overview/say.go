package overview

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"heldout/eval/show/page"

	"heldout/scoring"
	"heldout/scoring/column"

	"heldout/scoring/table"
)

// mainDuel says what the first and the last model win.
func mainDuel(c *content) string {
	if len(c.duels) == 0 {
		return ""
	}
	return c.duels[0].finding()
}

// mainReason says why models fail.
func mainReason(c *content) string { return strings.Join(reasonsOf(c.failing), " ") }

// tokens says how many tokens the models wrote.
func tokens(c *content) string {
	sum, seconds := map[string]float64{}, map[string]float64{}
	for _, t := range c.Report.Tables("usage") {
		for _, row := range t.Rows {
			mean, ok := row[t.Pos(column.Mean.Key)].Value.(float64)
			n, also := row[t.Pos(column.Episodes.Key)].Value.(int)
			if !ok || !also {
				continue
			}
			switch model := row[t.Pos(column.Model.Key)].Text; row[t.Pos(column.Quantity.Key)].Text {
			case string(scoring.CompletionTokens):
				sum[model] += mean * float64(n)
			case string(scoring.ModelSeconds):
				seconds[model] += mean * float64(n)
			}
		}
	}
	var parts []string
	for _, l := range c.headline.Lines {
		if sum[l.Model] > 0 {
			parts = append(parts, fmt.Sprintf("%s generated %s, waiting %s for replies", l.Model,
				count(int(math.Round(sum[l.Model])), "token"), took(seconds[l.Model])))
		}
	}
	const maxModels = 4
	if len(parts) == 0 || len(parts) > maxModels {
		return ""
	}
	return table.Printable(strings.Join(parts, "; ") + ".")
}

// took writes a time in seconds with its largest unit.
func took(s float64) string {
	switch {
	case s >= 2*3600:
		return fmt.Sprintf("%.1f hours", s/3600)
	case s >= 2*60:
		return fmt.Sprintf("%.0f minutes", s/60)
	}
	return fmt.Sprintf("%.0f seconds", s)
}

// duelLists are the tasks that models win against each other.
func duelLists(c *content) template.HTML { return page.Fragment(templates, "duels", c.duels) }

// failureLists are the groups of failures of each model.
func failureLists(c *content) template.HTML { return page.Fragment(templates, "failures", c.failing) }

// method says what the rates are, what weakens them, and which runs they are from.
func method(c *content) template.HTML {
	notes := table.Each(c.Report.Tables("notes"), func(t table.Table) []string { return t.Notes })
	return page.Fragment(templates, "method", struct {
		Reservations []string
		Runs         page.Grid
		Versions     string
	}{table.Each(slices.Concat(notes...), table.Printable), page.NewGrid(runTable(c.Runs)),
		table.List(table.Each(c.episodes.versions, page.CellText))})
}
