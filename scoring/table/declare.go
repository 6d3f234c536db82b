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

// Of declares a column whose cells hold values of one type. Those who write a table and
// those who read it, such as figures, name the same declaration.
type Of[V any] struct {
	Column
	show func(V) Cell
}

// Words declares a column of texts.
func Words(key, header, about string) Of[string] {
	return Of[string]{Column{Key: key, Header: header, About: about, Left: true}, String}
}

// Count declares a column of whole numbers.
func Count(key, header, about string) Of[int] {
	return Of[int]{Column{Key: key, Header: header, About: about}, Int}
}

// Share declares a column of fractions, which are shown in percent. NaN is none.
func Share(key, header, about string) Of[float64] { return Amount(key, header, about, Percent) }

// Difference declares a column of differences of fractions, in percentage points.
func Difference(key, header, about string) Of[float64] { return Amount(key, header, about, Points) }

// Chance declares a column of probabilities.
func Chance(key, header, about string) Of[float64] { return Amount(key, header, about, Probability) }

// Amount declares a column of numbers that are shown in some way.
func Amount(key, header, about string, show func(float64) Cell) Of[float64] {
	return Of[float64]{Column{Key: key, Header: header, About: about}, show}
}

// AsDetail returns the column as one that a narrow table may leave out.
func (c Of[V]) AsDetail() Of[V] {
	c.Detail = true
	return c
}

// Aligned returns the column with its texts on the left or on the right.
func (c Of[V]) Aligned(left bool) Of[V] {
	c.Left = left
	return c
}

// Headed returns the column with another header.
func (c Of[V]) Headed(header string) Of[V] {
	c.Header = header
	return c
}

// By returns the column with values that are shown in another way.
func (c Of[V]) By(show func(V) Cell) Of[V] {
	c.show = show
	return c
}

// Is returns a value for the column.
func (c Of[V]) Is(v V) Field { return Field{[]string{c.Key}, []Cell{c.show(v)}} }

// Bounded declares a column of numbers, and two for the limits of their intervals.
type Bounded struct {
	Of[float64]
	Low, High Of[float64]
}

// Limited returns a column with its limits, whose keys begin with that of the column.
func Limited(c Of[float64]) Bounded {
	low, high := c, c
	low.Column = Column{Key: c.Key + "_low", Header: "95% low", About: "lower limit of the 95% interval",
		Detail: c.Detail}
	high.Column = Column{Key: c.Key + "_high", Header: "high", About: "upper limit of the 95% interval",
		Detail: c.Detail, Upper: true}
	return Bounded{c, low, high}
}

// Rate declares a share with its limits.
func Rate(key, header, about string) Bounded { return Limited(Share(key, header, about)) }

// Heads implements Declared.
func (b Bounded) Heads() []Column { return []Column{b.Column, b.Low.Column, b.High.Column} }

// By returns the columns with numbers that are shown in another way.
func (b Bounded) By(show func(float64) Cell) Bounded {
	b.show, b.Low.show, b.High.show = show, show, show
	return b
}

// WithDetail returns the columns as such that a narrow table may leave out: the limits,
// or all of them.
func (b Bounded) WithDetail(all bool) Bounded {
	b.Detail, b.Low.Detail, b.High.Detail = all, true, true
	return b
}

// Is returns a number with its limits, which are NaN if there are none.
func (b Bounded) Is(v, low, high float64) Field {
	return Field{[]string{b.Key, b.Low.Key, b.High.Key}, []Cell{b.show(v), b.Low.show(low), b.High.show(high)}}
}

// Field is what a line has in a declared column, or in several.
type Field struct {
	keys  []string
	cells []Cell
}

// Marked returns the field with a mark.
func (f Field) Marked(mark string) Field { return f.change(func(c *Cell) { c.Mark += mark }) }

// Shown returns the field with another text for people.
func (f Field) Shown(text string) Field { return f.change(func(c *Cell) { c.Text = text }) }

// Fields are several fields as one.
func Fields(of ...Field) (all Field) {
	for _, f := range of {
		all.keys, all.cells = append(all.keys, f.keys...), append(all.cells, f.cells...)
	}
	return all
}

// Text is the text of the field for people.
func (f Field) Text() string { return f.cells[0].Text }

func (f Field) change(change func(*Cell)) Field {
	f.cells = slices.Clone(f.cells)
	change(&f.cells[0])
	return f
}

// Columns are the columns of declarations.
func Columns(of ...Declared) (out []Column) {
	for _, d := range of {
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
			line[t.At(key)] = f.cells[i]
		}
	}
	t.Rows = append(t.Rows, line)
}

// At returns the place of the column with that key. It is a mistake of the program to
// ask for one that the table does not have.
func (t *Table) At(key string) int {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == key })
	if i < 0 {
		panic(fmt.Sprintf("table %s has no column %s", t.ID, key))
	}
	return i
}

// Drop takes columns out of a table that has no lines yet.
func (t *Table) Drop(of ...Declared) {
	for _, c := range Columns(of...) {
		at := t.At(c.Key)
		t.Columns = slices.Delete(slices.Clone(t.Columns), at, at+1)
	}
}
