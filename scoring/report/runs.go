package report

import (
	"fmt"
	"path/filepath"
	"strings"
)

// longestLabel is how long the label of a run may be, in bytes.
const longestLabel = 20

// label returns what tables call each run: the last part of its name, where those
// are short and all different, or else its number.
func label(runs []Run) []string {
	labels := make([]string, len(runs))
	seen := map[string]bool{}
	short := true
	for i, r := range runs {
		labels[i] = filepath.Base(r.Name)
		short = short && len(labels[i]) <= longestLabel && !seen[labels[i]]
		seen[labels[i]] = true
	}
	if !short {
		for i := range runs {
			labels[i] = fmt.Sprintf("run %d", i+1)
		}
	}
	return labels
}

// directories says which directories the labels of runs stand for that occur in
// the names of rows.
func directories(rows []row) (notes []string) {
	said := map[string]bool{}
	for _, r := range rows {
		if r.run == r.directory || said[r.run] || !strings.HasSuffix(r.name, r.run+")") {
			continue
		}
		said[r.run] = true
		notes = append(notes, fmt.Sprintf("%s: %s.", r.run, r.directory))
	}
	return notes
}
