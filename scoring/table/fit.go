package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwarp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// narrowest is the width, in characters, below which names are not folded: it has
// room for "perturbations)", the longest word that heldout adds to a name.
const narrowest = 14

// Fit prepares tables for a reader whose screen is width characters wide; the result is for the format Text. Both
// ends of an interval go into one column and notes are broken into lines. While a table is too wide, Fit takes
// these steps in order: standard deviations go below their rates, if the table then fits; columns with the same
// value in every row become one line; headers are broken; columns of detail are left out from the right, with a
// note that names them; names are folded; the columns of numbers are spread over several tables.
func Fit(tables []Table, width int) []Table {
	var out []Table
	for _, t := range tables {
		t = t.joinIntervals().withBestSaid()
		if t.width() > width {
			t = t.stackGroups()
		}
		if low := t.lowerSpreads(); t.width() > width && low.width() <= width {
			t = low
		}
		if t.width() > width {
			t = t.dropConstant()
		}
		if t.width() > width {
			t = t.foldHeaders(width)
		}
		t = t.dropDetails(func(t Table) bool { return t.width() > width }, "--wide shows all columns")
		t = t.foldNames(width)
		t.Notes = wrap(t.Notes, width)
		for _, part := range t.split(width) {
			if title := Printable(part.Title); twwidth.Width(title) > width {
				part.TitleLines = wrapWords(title, width)
			}
			out = append(out, part)
		}
	}
	return out
}

// withBestSaid adds what bold cells are, if a reader sees any.
func (t Table) withBestSaid() Table {
	if t.Bold && t.BestSaid != "" && slices.ContainsFunc(t.Rows, func(row []Cell) bool {
		return slices.ContainsFunc(row, func(c Cell) bool { return c.Best })
	}) {
		t.Notes = append([]string{t.BestSaid}, t.Notes...)
	}
	return t
}

// width is how wide the table is as text.
func (t Table) width() (total int) {
	for i := range t.Columns {
		total += t.columnWidth(i)
	}
	return total
}

// columnWidth is the width of a column's widest line with a blank on both sides.
func (t Table) columnWidth(i int) int {
	widest := t.cellWidth(i)
	for _, line := range t.Columns[i].textLines() {
		widest = max(widest, twwidth.Width(line))
	}
	return widest + 2
}

// cellWidth is the width of the widest line of a column's cells.
func (t Table) cellWidth(i int) int {
	widest := 0
	for _, row := range t.Rows {
		for _, line := range row[i].textLines() {
			widest = max(widest, twwidth.Width(line))
		}
	}
	return widest
}

// textLines are the printable lines of a header.
func (c Column) textLines() []string {
	if c.Lines != nil {
		return c.Lines
	}
	return []string{Printable(c.Header)}
}

// textLines are the printable lines of a cell.
func (c Cell) textLines() []string {
	if c.Lines != nil {
		return c.Lines
	}
	lines := []string{Printable(c.FullText())}
	if c.Subtext != "" {
		lines = append(lines, Printable(c.Subtext))
	}
	return lines
}

// keep returns the table with those columns only.
func (t Table) keep(columns []int) Table {
	rows := Each(t.Rows, func(row []Cell) []Cell {
		return Each(columns, func(i int) Cell { return row[i] })
	})
	t.Columns, t.Rows = Each(columns, func(i int) Column { return t.Columns[i] }), rows
	return t
}

// removeColumn returns the table without one column.
func (t Table) removeColumn(column int) Table {
	var rest []int
	for i := range t.Columns {
		if i != column {
			rest = append(rest, i)
		}
	}
	return t.keep(rest)
}

// joinIntervals puts the ends of intervals into one column.
func (t Table) joinIntervals() Table {
	var rest []int
	t.Columns = slices.Clone(t.Columns)
	for i, c := range t.Columns {
		if !c.Upper || i == 0 {
			rest = append(rest, i)
			continue
		}
		t.Columns[i-1].Header = intervalHeader
		t = t.changed(func(row []Cell) {
			if row[i].Value != nil {
				row[i-1].Text += " to " + row[i].Text
			}
		})
	}
	return t.keep(rest)
}

// intervalHeader heads the column of an interval whose ends were joined.
const intervalHeader = "95% CI"

// stackGroups puts the columns of each group below each other.
func (t Table) stackGroups() Table {
	out := t
	out.Columns, out.Rows = nil, make([][]Cell, len(t.Rows))
	var shorts []string // of the longest group
	for i := 0; i < len(t.Columns); {
		n := 1
		for c := t.Columns[i]; c.Group != "" && i+n < len(t.Columns) && t.Columns[i+n].Group == c.Group; n++ {
		}
		column := t.Columns[i]
		if n > 1 {
			column.Header = column.Group
		}
		out.Columns = append(out.Columns, column)
		if n > len(shorts) {
			shorts = Each(t.Columns[i:i+n], func(c Column) string { return c.Short })
		}
		for r, row := range t.Rows {
			cell := row[i]
			for _, neighbour := range row[i+1 : i+n] {
				cell.Lines = append(cell.textLines(), neighbour.textLines()...)
			}
			out.Rows[r] = append(out.Rows[r], cell)
		}
		i += n
	}
	if len(out.Columns) < len(t.Columns) {
		out.Notes = slices.Concat([]string{"In each cell: " + strings.Join(shorts, ", then ") + "."}, t.Notes)
	}
	return out
}

// dropConstant moves columns with the same value in each of several rows into a
// line above the notes, and leaves out those that are empty.
func (t Table) dropConstant() Table {
	if len(t.Rows) < 2 {
		return t
	}
	var rest []int
	var same []string
	for i, c := range t.Columns {
		first := t.Rows[0][i]
		if !c.Words && !c.Detail || slices.ContainsFunc(t.Rows, func(row []Cell) bool {
			return row[i].Text != first.Text || row[i].Mark != ""
		}) {
			rest = append(rest, i)
			continue
		}
		if first.Text != "" && first.Value != nil {
			same = append(same, c.Header+" "+first.Text)
		}
	}
	if len(rest) == len(t.Columns) || len(rest) == 0 {
		return t
	}
	out := t.keep(rest)
	if len(same) > 0 {
		out.Notes = slices.Concat([]string{"All rows: " + strings.Join(same, ", ") + "."}, t.Notes)
	}
	return out
}

// dropDetails leaves out columns of detail while the table is too wide, with a note that says where they are.
func (t Table) dropDetails(tooWide func(Table) bool, place string) Table {
	var dropped []string
	for tooWide(t) {
		last := -1
		for i, c := range t.Columns {
			if c.Detail {
				last = i
			}
		}
		if last < 0 {
			break
		}
		dropped = append([]string{t.Columns[last].Header}, dropped...)
		t = t.removeColumn(last)
	}
	if len(dropped) > 0 {
		t.Notes = append(slices.Clone(t.Notes), fmt.Sprintf("Not shown: %s (%s).", strings.Join(dropped, ", "), place))
	}
	return t
}

// foldHeaders breaks headers wider than their numbers at blanks, and then within names while the table is too wide.
func (t Table) foldHeaders(width int) Table {
	out := t
	out.Columns = slices.Clone(t.Columns)
	for i, c := range t.Columns {
		words := strings.Fields(Printable(c.Header))
		if c.Words || len(words) < 2 || t.cellWidth(i) >= twwidth.Width(c.Header) {
			continue
		}
		out.Columns[i].Lines = words
	}
	for i, c := range out.Columns {
		if c.Words || out.width() <= width {
			continue
		}
		room := max(out.cellWidth(i), narrowest)
		fold := func(line string) []string { return foldText(line, room) }
		out.Columns[i].Lines = slices.Concat(Each(c.textLines(), fold)...)
	}
	return out
}

// split spreads the columns of numbers over as many tables as it takes. Each has
// the columns of words; the notes follow the last one.
func (t Table) split(width int) []Table {
	if t.width() <= width {
		return []Table{t}
	}
	var names []int
	used := 0
	for i, c := range t.Columns {
		if c.Words {
			names = append(names, i)
			used += t.columnWidth(i)
		}
	}
	parts := t.parts(names, width-used)
	if len(parts) < 2 {
		return []Table{t}
	}
	var out []Table
	for i, columns := range parts {
		part := t.keep(columns)
		if i > 0 {
			if part.Title += ", continued"; twwidth.Width(part.Title) > width {
				part.Title = "continued"
			}
		}
		if i < len(parts)-1 {
			part.Notes = nil
		}
		out = append(out, part)
	}
	return out
}

// parts divides the columns of numbers into as few parts as fit into the room beside
// the names, with about as many columns each: no last column stands alone.
func (t Table) parts(names []int, room int) (parts [][]int) {
	var numbers []int
	for i, c := range t.Columns {
		if !c.Words {
			numbers = append(numbers, i)
		}
	}
	fits := func(columns []int) bool {
		used := 0
		for _, i := range columns {
			used += t.columnWidth(i)
		}
		return used <= room || len(columns) == 1
	}
	for n := 1; n <= len(numbers); n++ {
		parts = nil
		fit := true
		for k := range n {
			columns := numbers[k*len(numbers)/n : (k+1)*len(numbers)/n]
			fit = fit && fits(columns)
			parts = append(parts, append(slices.Clone(names), columns...))
		}
		if fit {
			return parts
		}
	}
	return parts
}

// foldNames breaks the longest names while that makes the table narrower.
func (t Table) foldNames(width int) Table {
	for {
		excess := t.width() - width
		widest := -1
		for i, c := range t.Columns {
			if c.Words && (widest < 0 || t.cellWidth(i) > t.cellWidth(widest)) {
				widest = i
			}
		}
		if excess <= 0 || widest < 0 || t.cellWidth(widest) <= narrowest {
			return t
		}
		folded := t.fold(widest, max(narrowest, t.cellWidth(widest)-excess))
		if folded.width() >= t.width() {
			return t
		}
		t = folded
	}
}

// fold breaks the texts of a column into lines of at most width characters.
func (t Table) fold(column, width int) Table {
	return t.changed(func(row []Cell) {
		row[column].Lines = foldText(Printable(row[column].Text+row[column].Mark), width)
	})
}

// changed returns the table with rows that are changed.
func (t Table) changed(change func(row []Cell)) Table {
	rows := make([][]Cell, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = slices.Clone(row)
		change(rows[i])
	}
	t.Rows = rows
	return t
}

// foldText breaks a text into lines of at most width characters, after a blank or
// a mark such as a hyphen, unless that leaves most of the line empty.
func foldText(s string, width int) []string {
	var lines []string
	for twwidth.Width(s) > width {
		cut, soft := 0, 0
		for index, r := range s {
			if twwidth.Width(s[:index]+string(r)) > width {
				break
			}
			cut = index + len(string(r))
			if strings.ContainsRune(" /-_:,.", r) && 4*twwidth.Width(s[:cut]) > width {
				soft = cut
			}
		}
		if soft > 0 {
			cut = soft
		}
		if cut == 0 { // a single character is wider than the line
			break
		}
		if line := strings.TrimRight(s[:cut], " "); line != "" {
			lines = append(lines, line)
		}
		s = strings.TrimLeft(s[cut:], " ")
	}
	return append(lines, s)
}

// wrap breaks notes at blanks; continued lines are indented.
func wrap(notes []string, width int) []string {
	const indent = "  "
	var out []string
	for _, note := range notes {
		if twwidth.Width(Printable(note)) <= width {
			out = append(out, note)
			continue
		}
		lines := wrapWords(note, width-len(indent))
		for i, line := range lines {
			if i > 0 {
				line = indent + line
			}
			out = append(out, line)
		}
	}
	return out
}

// wrapWords breaks a text at blanks, and words that are wider than a line.
func wrapWords(text string, width int) []string {
	fold := func(word string) []string { return foldText(word, width) }
	words := slices.Concat(Each(strings.Fields(text), fold)...)
	lines, _ := twwarp.WrapString(strings.Join(words, " "), width)
	return lines
}

// Cut shortens a line to a width in characters as a terminal shows them; a shortened line ends with an ellipsis.
func Cut(line string, width int) string {
	if twwidth.Width(line) <= width {
		return line
	}
	return twwidth.Truncate(line, width, "…")
}
