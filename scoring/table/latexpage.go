package table

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"heldout/envs"
)

// latexPart is a part of a table that fits on a page.
type latexPart struct {
	Table
	layout    latexSize
	broken    map[int]float64
	continued bool
}

// pageHeight is what rows and notes of a table may take of a page, in points.
const pageHeight = 540

// latexParts makes tables fit two columns of print. While one is too wide for letters of a legible size, it
// puts deviations below their rates, as it does where the table then fits one column of print, moves columns with
// one value into a note and leaves out details from the right. A table that is too high has several parts.
func latexParts(t Table) (parts []latexPart) {
	t = t.joinIntervals().withTitles()
	tooWide := func(t Table) bool { return legible.excess(latexWidths(t), nil) > 0 }
	oneColumn := func(t Table) bool { return tightest.excess(latexWidths(t), nil) <= 0 }
	if low := t.lowerSpreads(); tooWide(t) || !oneColumn(t) && oneColumn(low) {
		t = low
	}
	if tooWide(t) {
		t = t.dropConstant()
	}
	t = t.dropDetails(tooWide, "--format csv has all columns")
	size, broken := latexLayout(t)
	heights := t.latexHeights(size, broken)
	cuts := latexCuts(heights, t.noteHeight(size))
	for i, start := range cuts {
		end := len(t.Rows)
		if i+1 < len(cuts) {
			end = cuts[i+1]
		}
		part := latexPart{t, size, broken, i > 0}
		part.Rows = t.Rows[start:end]
		part.Divide -= start
		if end < len(t.Rows) {
			part.Notes = nil
			part.Divided, _, _ = strings.Cut(part.Divided, "; ")
		}
		parts = append(parts, part)
	}
	return parts
}

// withTitles writes the proper names of environments.
func (t Table) withTitles() Table {
	column := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == "environment" })
	if column < 0 {
		return t
	}
	return t.changed(func(row []Cell) { row[column].Text = envs.Title(row[column].Text) })
}

// lowerSpreads puts standard deviations in small print below their rates, before the limits.
func (t Table) lowerSpreads() Table {
	return t.changed(func(row []Cell) {
		for i, c := range row {
			if c.Spread != "" && c.Subtext == "" {
				row[i].Subtext, row[i].Spread = "±"+c.Spread, ""
			}
		}
	})
}

// latexHeights are about how high the rows are, in points.
func (t Table) latexHeights(s latexSize, broken map[int]float64) (heights []float64) {
	for _, row := range t.Rows {
		lines := 1.0
		for i, width := range broken {
			lines = max(lines, math.Ceil(1.3*latexWidth(row[i].Text)*s.scale/width))
		}
		if latexBelow(row) != "" && !t.Compact {
			lines++
		}
		heights = append(heights, 12*s.scale*lines)
	}
	return heights
}

// latexNotes are the notes that the caption does not stand for.
func (t Table) latexNotes() []string {
	return Filter(t.Notes, func(note string) bool { return !slices.Contains(t.Captioned, note) })
}

// noteHeight is about how high the notes are, in points.
func (t Table) noteHeight(s latexSize) (height float64) {
	for _, note := range append([]string{t.Divided}, t.latexNotes()...) {
		height += 10 * math.Ceil(0.45*10*float64(utf8.RuneCountInString(note))/s.room)
	}
	return height
}

// latexCuts are the rows with which the fewest parts begin that fit on a page each, all about as high. The notes
// stand below the last.
func latexCuts(heights []float64, notes float64) (cuts []int) {
	total := 0.0
	for _, height := range heights {
		total += height
	}
	parts := max(1, math.Ceil(total/(pageHeight-min(notes, pageHeight/2))))
	depth := 0.0
	for i, height := range heights {
		if depth >= float64(len(cuts))*total/parts {
			cuts = append(cuts, i)
		}
		depth += height
	}
	if cuts == nil {
		return []int{0}
	}
	return cuts
}

// negative is a negative number in a sentence.
var negative = regexp.MustCompile(`(^| )-(\d)`)

// latexSentence writes a sentence with minus signs in place of the hyphens of its numbers.
func latexSentence(text string) string {
	return negative.ReplaceAllString(escapeLaTeX(text), "$1$$-$$$2")
}

// caption is the caption of a part. Further parts have the number of the first.
func (p latexPart) caption() string {
	text := latexSentence(cmp.Or(p.Caption, p.Title))
	if p.continued {
		return fmt.Sprintf("\\addtocounter{table}{-1}\n\\caption{%s (continued)}\n", text)
	}
	return fmt.Sprintf("\\caption{%s}\n", text)
}
