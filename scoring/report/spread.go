package report

import (
	"math"

	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// spread has the deviations over seeds, for rows with several.
func spread(from *Report, t *table.Table) {
	rows := from.plain
	for _, r := range rows {
		if len(r.Seeds) < 2 {
			continue
		}
		line := []table.Field{r.where(), r.who(), column.Seeds.Is(len(r.Seeds))}
		for _, of := range []struct {
			mean table.Of[float64]
			std  column.Deviations
			scoring.Rate
		}{
			{column.Success.Of, column.SuccessDeviations, r.Success},
			{column.Progress.Of, column.ProgressDeviations, r.Progress},
			{column.Grounding, column.GroundingDeviations, r.Grounding},
		} {
			line = append(line, r.share(of.mean, of.Mean), r.deviation(of.std.Population, of.PopulationStd),
				r.deviation(of.std.Sample, of.SampleStd))
		}
		t.Add(line...)
	}
	explain(t, "std: standard deviation of the seeds' means, in percentage points, with divisor n (pop.) and n-1 "+
		"(sample): how much a run on these same tasks depends on its seed.",
		grouped(rows, row.named, row.equalSeeds), otherNames(rows))
}

// deviation is a deviation of seeds. Equal seeds have none.
func (r row) deviation(c table.Of[float64], std float64) table.Field {
	if r.EqualSeeds() {
		return c.Is(math.NaN()).Marked(repliesMark)
	}
	return c.Is(std)
}
