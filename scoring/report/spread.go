package report

import (
	"heldout/scoring"
	"heldout/scoring/table"
)

// spread is the table of deviations over seeds, for rows with several.
func spread(from *Report) table.Table {
	rows := from.plain
	t := table.Table{
		ID: "spread", Title: "Spread over seeds",
		Columns: []table.Column{
			{Key: "environment", Header: "Environment", Left: true},
			{Key: "model", Header: "Model", Left: true},
			{Key: "seeds", Header: "Seeds", Detail: true},
			{Key: "success", Header: "SR"},
			{Key: "success_population_std", Header: "std pop."},
			{Key: "success_sample_std", Header: "sample"},
			{Key: "progress", Header: "PR"},
			{Key: "progress_population_std", Header: "std pop."},
			{Key: "progress_sample_std", Header: "sample"},
			{Key: "grounding", Header: "GA", Detail: true},
			{Key: "grounding_population_std", Header: "std pop.", Detail: true},
			{Key: "grounding_sample_std", Header: "sample", Detail: true},
		},
	}
	for _, r := range rows {
		if len(r.Seeds) < 2 {
			continue
		}
		cells := []table.Cell{r.where(), table.String(r.name), table.Int(len(r.Seeds))}
		for _, rate := range []scoring.Rate{r.Success, r.Progress, r.Grounding} {
			cells = append(cells, r.mark(table.Percent(rate.Mean)), r.spreadCell(rate.PopulationStd), r.spreadCell(rate.SampleStd))
		}
		t.Rows = append(t.Rows, cells)
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "std: standard deviation of the seeds' means, in percentage points, with divisor n (pop.) and n-1 (sample): "+
			"how much a run on these same tasks depends on its seed.")
		t.Notes = append(t.Notes, grouped(rows, row.named, row.equalSeeds)...)
		t.Notes = append(t.Notes, otherNames(rows)...)
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}

// spreadCell is a deviation of seeds. Equal seeds have none.
func (r row) spreadCell(std float64) table.Cell {
	if r.EqualSeeds() {
		return table.None().Marked(repliesMark)
	}
	return table.Percent(std)
}
