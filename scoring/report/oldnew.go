package report

import (
	"fmt"
	"slices"

	"heldout/scoring/column"
	"heldout/scoring/table"
)

// oldAndNew puts the model of the first of two runs behind that of the second, which is
// the new one, and reports whether there is one of each.
func (s *standing) oldAndNew(runs []Run) bool {
	if len(runs) != 2 || len(s.lines) != 2 {
		return false
	}
	at := func(run Run) int {
		return slices.IndexFunc(s.lines, func(l line) bool { return l.directory == run.Name })
	}
	old, fresh := at(runs[0]), at(runs[1])
	if old < 0 || fresh < 0 || old == fresh {
		return false
	}
	s.lines = []line{s.lines[fresh], s.lines[old]}
	return true
}

// The marks of a difference that is shown, or not.
const (
	isBetter = "better"
	isWorse  = "worse"
	notShown = "~"
)

// changeTable has old and new side by side, one line per place: the rates, their
// difference, and whether it is shown.
func (s *standing) changeTable(t *table.Table) {
	fresh, old := s.lines[0].name, s.lines[1].name
	t.Columns = []table.Column{
		{Key: column.Environment.Key, Header: string(s.rate) + ", %", Left: true},
		{Key: "old", Header: old}, {Key: "new", Header: fresh},
		{Key: column.Difference.Key, Header: "difference"}, {Key: column.P.Key, Header: "p"},
		{Key: column.Shown.Key, Header: ""},
	}
	for at, place := range s.places {
		row := []table.Cell{table.String(place), s.rated(1, at, place).Cell, s.rated(0, at, place).Cell, table.None(),
			table.None(), table.String("")}
		i := slices.IndexFunc(s.facts, func(f Fact) bool { return f.Where == place })
		if i >= 0 {
			f := s.facts[i]
			row[3] = table.Points(f.Difference)
			row[3].Below = fmt.Sprintf("%.1f to %.1f", 100*f.Low, 100*f.High)
			row[4], row[5] = table.Probability(f.P), table.String(f.mark())
			if f.Shown {
				row[1].Best, row[2].Best = f.Difference < 0, f.Difference > 0
			}
		}
		t.Rows = append(t.Rows, row)
	}
}

// mark says in a word what the difference shows.
func (f Fact) mark() string {
	switch {
	case !f.Shown:
		return notShown
	case f.Difference > 0:
		return isBetter
	}
	return isWorse
}
