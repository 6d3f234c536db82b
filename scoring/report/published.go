package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/scoring/column"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Published returns the tables of a publication as they were printed, each
// followed by a second table with the values that can be recomputed from it.
func Published(p configs.Published, w configs.Weights) []table.Table {
	var tables []table.Table
	for _, t := range p.Tables {
		tables = append(tables, printed(t), recomputed(t, w))
	}
	tables = slices.DeleteFunc(tables, func(t table.Table) bool { return len(t.Rows) == 0 })
	if len(tables) > 0 {
		last := &tables[len(tables)-1]
		last.Notes = append(last.Notes, p.Title+".", "Source: "+p.Source+".")
		last.Notes = append(last.Notes, p.Notes...)
	}
	return tables
}

// method names a published row.
func method(r configs.PublishedRow) string {
	if r.Base != "" {
		return r.Model + ", " + r.Base
	}
	return r.Model
}

// printed has the rates as printed, with grounding accuracies if there are any, and the number
// of tasks behind the success rate.
func printed(p configs.PublishedTable) table.Table {
	t := table.Table{ID: p.ID, Title: p.Title, Columns: column.Heads("model column success solved_counts progress")}
	grounded := slices.ContainsFunc(p.Rows, func(r configs.PublishedRow) bool { return r.Grounding != nil })
	legend := "SR, PR: success and progress rate as printed, in percent. Solved: the numbers of tasks that are printed so."
	if grounded {
		t.Columns = append(t.Columns, column.Heads("grounding")...)
		legend += " GA: grounding accuracy as printed, the share of valid actions."
	}
	for _, r := range p.Rows {
		for i, column := range p.Columns {
			success, progress := valueAt(r.Success, i), valueAt(r.Progress, i)
			if success == nil && progress == nil {
				continue
			}
			line := []table.Cell{table.String(method(r)), table.String(column), asPrinted(success),
				solved(p, column, success), asPrinted(progress)}
			if grounded {
				line = append(line, asPrinted(valueAt(r.Grounding, i)))
			}
			t.Rows = append(t.Rows, line)
		}
	}
	t.Notes = append([]string{legend}, p.Notes...)
	return t
}

func valueAt(values []*float64, i int) *float64 {
	if i < len(values) {
		return values[i]
	}
	return nil
}

func asPrinted(percent *float64) table.Cell {
	if percent == nil {
		return table.None()
	}
	return table.Cell{Text: strconv.FormatFloat(*percent, 'f', decimals(*percent), 64), Value: *percent}
}

// decimals is the number of decimals of a printed value, at least one.
func decimals(percent float64) int {
	_, fraction, _ := strings.Cut(strconv.FormatFloat(percent, 'f', -1, 64), ".")
	return max(1, len(fraction))
}

// tasksOfColumn is how many tasks a column of a published table is about; 0 if that is not known.
func tasksOfColumn(p configs.PublishedTable, column string) int {
	if p.ID == "easy" || p.ID == "hard" { // a part of the tasks
		return 0
	}
	return facts().Environments[cmp.Or(p.Env, column)].Tasks
}

// solved says which numbers of solved tasks a success rate can stand for, if that is known.
func solved(p configs.PublishedTable, column string, success *float64) table.Cell {
	n := tasksOfColumn(p, column)
	if n == 0 || success == nil || slices.ContainsFunc(p.Rows, func(r configs.PublishedRow) bool {
		return r.SuccessStd != nil
	}) {
		return table.None() // means over seeds are not counts
	}
	ks, cut := stats.Counts(*success, decimals(*success), n)
	if ks == nil {
		return table.String(fmt.Sprintf("not k of %d", n))
	}
	text := fmt.Sprintf("%d of %d", ks[0], n)
	if last := ks[len(ks)-1]; last != ks[0] {
		text = fmt.Sprintf("%d to %d of %d", ks[0], last, n)
	}
	if cut {
		text += ", cut off"
	}
	return table.String(text)
}

// recomputed has the values that follow from the cells of a table's rows, next to the printed ones: the held-out
// score, or the average and both deviations of conditions.
func recomputed(p configs.PublishedTable, w configs.Weights) table.Table {
	heads := "model rate average_printed average_recomputed std_printed population_recomputed sample_recomputed"
	if p.Env == "" {
		heads = "model rate heldout"
	}
	t := table.Table{ID: p.ID + "-recomputed", Title: p.Title + ", recomputed", Columns: column.Heads(heads)}
	for i, rate := range []string{"SR", "PR"} {
		for _, r := range p.Rows {
			values := [][]*float64{r.Success, r.Progress}[i]
			label := []table.Cell{table.String(method(r)), table.String(rate)}
			if p.Env == "" {
				if score, ok := weighted(p.Columns, values, w); ok {
					t.Rows = append(t.Rows, append(label, table.Percent(score)))
				}
				continue
			}
			cells, note := conditions(r, i, values)
			if cells != nil {
				t.Rows = append(t.Rows, append(label, cells...))
			}
			if note != "" {
				t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %s.", method(r), rate, note))
			}
		}
	}
	if p.Env == "" {
		t.Notes = append(t.Notes, weightNote(w))
	} else {
		t.Notes = append(
			[]string{
				"Computed from the printed cells of each row, std with divisors n and n-1. A difference of 0.1 can be " +
					"rounding."}, t.Notes...)
	}
	return t
}

// weighted is the held-out score of a published row; not ok if a cell is missing.
func weighted(columns []string, values []*float64, w configs.Weights) (score float64, ok bool) {
	var rates, weights []float64
	for _, h := range w.HeldOut {
		i := slices.Index(columns, h.Env)
		if i < 0 || valueAt(values, i) == nil {
			return 0, false
		}
		rates, weights = append(rates, *values[i]/100), append(weights, h.Weight)
	}
	return stats.WeightedMean(rates, weights), true
}

// conditions are the printed and recomputed summaries of a row; the note says where
// they disagree. There are no cells without values.
func conditions(r configs.PublishedRow, rate int, values []*float64) (cells []table.Cell, note string) {
	var xs []float64
	for _, v := range values {
		if v != nil {
			xs = append(xs, *v/100)
		}
	}
	if len(xs) == 0 {
		return nil, ""
	}
	mean, population, sample := stats.Mean(xs), stats.PopulationStd(xs), stats.SampleStd(xs)
	summary := func(printed []float64) (cell table.Cell, value float64) {
		if rate >= len(printed) {
			return table.None(), math.NaN()
		}
		return asPrinted(&printed[rate]), printed[rate] / 100
	}
	average, printedMean := summary(r.Average)
	std, printedStd := summary(r.Std)
	var notes []string
	const tolerance = 0.0011 // a last digit that was cut off, and rounding of the cells
	if math.Abs(printedMean-mean) > tolerance {
		notes = append(notes, fmt.Sprintf("the average is printed as %s and is %.2f", average.Text, 100*mean))
	}
	if math.Abs(printedStd-population) > tolerance && math.Abs(printedStd-sample) > tolerance {
		notes = append(notes, fmt.Sprintf("the deviation is printed as %s and is %.2f (divisor n) or %.2f (n-1)",
			std.Text, 100*population, 100*sample))
	}
	return []table.Cell{average, table.Percent(mean), std, table.Percent(population), table.Percent(sample)},
		strings.Join(notes, "; ")
}
