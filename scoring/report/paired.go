package report

import (
	"fmt"
	"slices"

	"heldout/scoring"
	"heldout/scoring/table"
)

// paired is the table of differences from the first row of each environment.
func paired(rows []row) table.Table {
	var pairs pairing
	first := map[string]row{}
	for _, r := range rows {
		base, ok := first[r.Condition.Env]
		if !ok {
			first[r.Condition.Env] = r
			continue
		}
		c, err := scoring.Compare(r.Score, base.Score)
		if err != nil {
			pairs.failed = append(pairs.failed, fmt.Sprintf("%s cannot be compared with %s on %s: %v.", r.name, base.name, r.Condition.Env, err))
			continue
		}
		pairs.add(c, r.where(), table.String(r.name), table.String(base.name))
	}
	t := pairs.table(
		table.Column{Key: "environment", Header: "Environment", Left: true},
		table.Column{Key: "model", Header: "Model", Left: true},
		table.Column{Key: "against", Header: "against", Left: true},
	)
	t.ID, t.Title = "paired", "Differences, paired by task"
	if len(t.Rows) > 0 {
		t.Notes = slices.Insert(t.Notes, 0, "Δ: model minus the one it is set against, in percentage points, on the same tasks; "+pairs.pairedNote())
		t.Notes = append(t.Notes, otherNames(rows)...)
	}
	return t
}
