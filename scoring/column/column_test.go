package column_test

import (
	"strings"
	"testing"

	"heldout/scoring/column"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// Every column of every table has a key of its own, and a line that says what it holds.
func TestColumns(t *testing.T) {
	for _, id := range report.IDs() {
		k, _ := report.Find(id)
		seen := map[string]bool{}
		made := strings.HasPrefix(id, "paper") || id == "notes" // their columns depend on the runs
		if k.Title == "" || !made && len(k.Columns()) < 3 {
			t.Errorf("%s has the title %q and %d columns", id, k.Title, len(k.Columns()))
		}
		for _, c := range k.Columns() {
			switch {
			case c.Key == "" || seen[c.Key]:
				t.Errorf("%s has two columns %q", id, c.Key)
			case c.About == "" || strings.HasSuffix(c.About, ".") || strings.Contains(c.About, "\n"):
				t.Errorf("%s, %s: %q is no line", id, c.Key, c.About)
			}
			seen[c.Key] = true
		}
	}
}

// A key means the same in all tables: whoever reads several of them as one frame relies on it.
func TestKeys(t *testing.T) {
	type use struct{ about, table string }
	seen := map[string]use{}
	for _, k := range report.Kinds() {
		for _, c := range k.Columns() {
			if known, ok := seen[c.Key]; ok && known.about != c.About {
				t.Errorf("%s is %q in %s and %q in %s", c.Key, known.about, known.table, c.About, k.ID)
			}
			seen[c.Key] = use{c.About, k.ID}
		}
	}
}

// A field of a column that a table does not have is a mistake that no table survives.
func TestNoSuchColumn(t *testing.T) {
	of := table.Table{ID: "steps", Columns: table.Columns(column.Environment, column.Success)}
	of.Add(column.Success.Val(0.5, 0.25, 0.75).Marked("*"))
	if got := of.Rows[0][1]; got.Text != "50.0" || got.Mark != "*" || of.Rows[0][0].Value != nil ||
		of.Rows[0][3].Text != "75.0" {
		t.Errorf("the line is %v", of.Rows[0])
	}
	defer func() {
		if said := recover(); said != "table steps has no column progress" {
			t.Errorf("it said %v", said)
		}
	}()
	of.Add(column.Progress.Val(0.5, 0.25, 0.75))
}
