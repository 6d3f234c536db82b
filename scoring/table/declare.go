package table

import (
	"fmt"
	"slices"
)

// Declared is what a table can have as columns.
type Declared interface {
	// Heads are the columns, in their order.
	Heads() []Column
}

// ID is the key by which a table has the column.
func (c Column) ID() string { return c.Key }

// Heads implements Declared.
func (c Column) Heads() []Column { return []Column{c} }

// Col declares a column whose cells hold values of one type. Those who write a table and
// those who read it, such as figures, name the same declaration.
type Col[V any] struct {
	Column
	show func(V) Cell
}

// Words declares a column of texts.
func Words(c Column) Col[string] { return Col[string]{c, String} }

// Count declares a column of whole numbers.
func Count(c Column) Col[int] { return Col[int]{c, Int} }

// Share declares a column of fractions, which are shown in percent. NaN is none.
func Share(c Column) Col[float64] { return Amount(c, Percent) }

// Difference declares a column of differences of fractions, in percentage points.
func Difference(c Column) Col[float64] { return Amount(c, Points) }

// Chance declares a column of probabilities.
func Chance(c Column) Col[float64] { return Amount(c, Probability) }

// Amount declares a column of numbers that are shown in some way.
func Amount(c Column, show func(float64) Cell) Col[float64] { return Col[float64]{c, show} }

// Val returns a value for the column.
func (c Col[V]) Val(v V) Field { return Field{[]string{c.Key}, []Cell{c.show(v)}} }

// Cell returns a value as a cell.
func (c Col[V]) Cell(v V) Cell { return c.show(v) }

// Bounded declares a column of numbers, and two for the limits of their intervals.
type Bounded struct {
	Col[float64]
	Low, High Col[float64]
}

// Limited returns a column with its limits, whose keys begin with the column's.
func Limited(c Col[float64]) Bounded {
	low, high := c, c
	low.Column = Column{Key: c.Key + "_low", Header: "95% low", About: "lower limit of the 95% interval"}
	high.Column = Column{Key: c.Key + "_high", Header: "high", About: "upper limit of the 95% interval", Upper: true}
	return Bounded{c, low, high}
}

// Rate declares a share with its limits.
func Rate(c Column) Bounded { return Limited(Share(c)) }

// Heads implements Declared.
func (b Bounded) Heads() []Column { return []Column{b.Column, b.Low.Column, b.High.Column} }

// Format returns the columns with numbers that are shown in another way.
func (b Bounded) Format(show func(float64) Cell) Bounded {
	b.show, b.Low.show, b.High.show = show, show, show
	return b
}

// Val returns a number with its limits, which are NaN if there are none.
func (b Bounded) Val(v, low, high float64) Field {
	return Field{[]string{b.Key, b.Low.Key, b.High.Key}, []Cell{b.show(v), b.Low.show(low), b.High.show(high)}}
}

// Field is what a line has in a declared column, or in several.
type Field struct {
	keys  []string
	cells []Cell
}

// Marked returns the field with a mark.
func (f Field) Marked(mark string) Field { return f.change(func(c *Cell) { c.Mark += mark }) }

// WithText returns the field with another text for people.
func (f Field) WithText(text string) Field { return f.change(func(c *Cell) { c.Text = text }) }

// Fields are several fields as one.
func Fields(fields ...Field) (out Field) {
	for _, f := range fields {
		out.keys, out.cells = append(out.keys, f.keys...), append(out.cells, f.cells...)
	}
	return out
}

// Text is the text of the field for people.
func (f Field) Text() string { return f.cells[0].Text }

func (f Field) change(change func(*Cell)) Field {
	f.cells = slices.Clone(f.cells)
	change(&f.cells[0])
	return f
}

// Columns are the columns of declarations.
func Columns(declarations ...Declared) (out []Column) {
	for _, d := range declarations {
		out = append(out, d.Heads()...)
	}
	return out
}

// Add adds a line. Columns without a field are empty. It is a mistake of the program to
// add a field of a column that the table does not have.
func (t *Table) Add(fields ...Field) {
	line := slices.Repeat([]Cell{None()}, len(t.Columns))
	for _, f := range fields {
		for i, key := range f.keys {
			line[t.Pos(key)] = f.cells[i]
		}
	}
	t.Rows = append(t.Rows, line)
}

// Pos returns the place of the column with that key. It is a mistake of the program to
// ask for one that the table does not have.
func (t *Table) Pos(key string) int {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == key })
	if i < 0 {
		panic(fmt.Sprintf("table %s has no column %s", t.ID, key))
	}
	return i
}

// Without returns the table without some columns, such as those that only programs read.
func (t Table) Without(declarations ...Declared) Table {
	for _, c := range Columns(declarations...) {
		t = t.removeColumn(t.Pos(c.Key))
	}
	return t
}
