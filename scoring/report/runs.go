package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"heldout/scoring/table"
)

// longestLabel is how long the label of a run may be, in bytes.
const longestLabel = 20

// label returns the label of each run in tables. Labels are the last parts of the
// names if these are short and all different, and numbers otherwise.
func label(runs []NamedRun) []string {
	labels := make([]string, len(runs))
	used := map[string]bool{}
	short := true
	for i, r := range runs {
		labels[i] = filepath.Base(r.Name)
		short = short && len(labels[i]) <= longestLabel && !used[labels[i]]
		used[labels[i]] = true
	}
	if !short {
		for i := range runs {
			labels[i] = fmt.Sprintf("run %d", i+1)
		}
	}
	return labels
}

// directories returns notes with the directory behind each run label that occurs
// in the name of a row, and with those that are one model.
func directories(rows []row) (notes []string) {
	listed := map[string]bool{}
	for _, r := range rows {
		if r.run == r.directory || listed[r.run] || !strings.HasSuffix(r.line, r.run+")") {
			continue
		}
		listed[r.run] = true
		notes = append(notes, fmt.Sprintf("%s: %s.", r.run, r.directory))
	}
	return append(notes, grouped(rows, row.title, func(r row) string {
		if len(r.joined) == 0 {
			return ""
		}
		return "one model in " + table.List(r.joined)
	})...)
}
