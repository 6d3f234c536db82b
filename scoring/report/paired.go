package report

import (
	"fmt"
	"slices"

	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// paired is the table of differences from the first row of each environment, and
// of held-out scores from the first one.
func paired(from *Report, t *table.Table) {
	rows, w := from.plain, from.weights
	var pairs pairing
	for _, p := range againstFirst(rows, nil) {
		c, err := scoring.Compare(p.row.Score, p.base.Score)
		pairs.take(p, c, err)
	}
	lines := scored(rows, w)
	for i, l := range lines {
		if i == 0 {
			continue
		}
		c, err := scoring.CompareHeldOut(w, l.scores, lines[0].scores)
		if err != nil {
			pairs.failed = append(pairs.failed, fmt.Sprintf("The held-out scores of %s and %s cannot be compared: %v.",
				l.name, lines[0].name, err))
			continue
		}
		pairs.add(c, column.Environment.Is(column.HeldOutScore), column.Model.Is(l.name),
			column.Against.Is(lines[0].name))
	}
	pairs.fill(t)
	if len(t.Rows) > 0 {
		t.Notes = slices.Insert(t.Notes, 0,
			"Δ: model minus the one it is set against, in percentage points, on the same tasks; "+pairs.pairedNote())
		if len(lines) > 1 {
			t.Notes = append(t.Notes,
				"Held-out score: the weighted mean of the environments' differences; their variances add up.")
		}
		t.Notes = append(t.Notes, otherNames(rows)...)
	}
}
