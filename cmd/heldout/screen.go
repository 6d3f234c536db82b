package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"heldout/eval"
	"heldout/eval/progress"
	"heldout/scoring/table"
)

// screen is the progress of a run in lines that fit a terminal: a row an environment and a
// column a model in the order of the plan, below them the totals. What does not fit is folded:
// the conditions of an environment, then the models, at last all but the totals.
func (s style) screen(v progress.View, columns, rows int) []string {
	totals := ansi.Truncate(v.Totals, columns-1, "…")
	for _, fold := range []struct{ conditions, models bool }{{}, {true, false}, {false, true}, {true, true}} {
		lines := append(s.grid(v.Fold(fold.conditions, fold.models), columns-1), totals)
		if len(lines) < rows && breadth(lines) < columns {
			return lines
		}
	}
	return []string{totals}
}

// grid is the table of a screen. Names of models are cut to fit so many columns, numbers are not.
func (s style) grid(v progress.View, columns int) []string {
	labels := []string{"done"}
	if slices.ContainsFunc(v.Rows, func(r progress.Row) bool { return slices.ContainsFunc(r.Cells, rated) }) {
		labels[0] = "done, SR"
	}
	for _, row := range v.Rows {
		labels = append(labels, strings.TrimSpace(row.Place+" "+row.Perturbation))
	}
	labels = append(labels, "unreadable")
	lines, alarms := make([]string, len(labels)), false
	for i, label := range labels {
		lines[i] = fmt.Sprintf("%-*s", breadth(labels), label)
	}
	titles := titles(v.Models)
	for i := range v.Models {
		alarm := alarm(v, i)
		alarms = alarms || alarm != ""
		cells := append(counts(v, i), alarm)
		room := max(breadth(cells), (columns-breadth(labels))/len(v.Models)-len(gap))
		cells = append([]string{cutStart(titles[i], room)}, cells...)
		for j := range lines {
			lines[j] += gap + strings.Repeat(" ", breadth(cells)-ansi.StringWidth(cells[j])) + cells[j]
		}
	}
	lines[0] = s.strong(lines[0])
	last := len(lines) - 1
	if !alarms {
		return lines[:last]
	}
	lines[last] = s.alarming(lines[last])
	return lines
}

// gap stands between columns.
const gap = "  "

// titles are what models are called: without provider and folder, unless two would be the same.
func titles(models []string) (out []string) {
	for _, model := range models {
		_, name, _ := strings.Cut(model, ":")
		name = cmp.Or(name[strings.LastIndexByte(name, '/')+1:], model, "all models")
		if slices.Contains(out, name) {
			name = model
		}
		out = append(out, table.Printable(name))
	}
	return out
}

// cutStart cuts the beginning of a name: the name of a checkpoint ends in its number.
func cutStart(name string, columns int) string {
	if extra := ansi.StringWidth(name) - columns; extra > 0 {
		return ansi.TruncateLeft(name, extra+1, "…")
	}
	return name
}

// counts are the cells of a model: episodes with a result of those that are planned, and the success rate in
// percent, in parentheses until half of them have a result. Of several conditions or models there is none.
func counts(v progress.View, model int) (cells []string) {
	rates := slices.ContainsFunc(v.Rows, func(r progress.Row) bool { return rated(r.Cells[model]) })
	for _, row := range v.Rows {
		c, text := row.Cells[model], ""
		if c.Planned > 0 {
			planned := fmt.Sprint(c.Planned)
			text = fmt.Sprintf("%*d/%s", len(planned), c.Done, planned)
		}
		switch rate := fmt.Sprintf("%.1f", 100*c.Success); {
		case rated(c) && early(c):
			text += fmt.Sprintf("%8s", "("+rate+")")
		case rated(c):
			text += fmt.Sprintf("%7s ", rate)
		case rates:
			text += strings.Repeat(" ", len(" (100.0)"))
		}
		cells = append(cells, text)
	}
	return cells
}

// early reports whether the rate is one of the episodes that ended first: those that fail take all steps, so that it
// begins too high.
func early(c progress.Cell) bool { return 2*c.Done < c.Planned }

func rated(c progress.Cell) bool { return !math.IsNaN(c.Success) }

// alarm says how many replies of a model cannot be read, if that matters.
func alarm(v progress.View, model int) string {
	replies, unreadable := 0, 0
	for _, row := range v.Rows {
		replies += row.Cells[model].Replies
		unreadable += row.Cells[model].Unreadable
	}
	if !eval.Matters(unreadable, replies) {
		return ""
	}
	return fmt.Sprintf("%.0f%% of %d", 100*float64(unreadable)/float64(replies), replies)
}

// breadth is how many columns lines fill.
func breadth(lines []string) (columns int) {
	for _, line := range lines {
		columns = max(columns, ansi.StringWidth(line))
	}
	return columns
}
