package trajectory

import (
	"cmp"
	"slices"
	"strings"

	"heldout/scoring/record"
)

// Order is how a list is sorted: by the key of a column, with "-" before it for falling; empty for
// the order of the records.
type Order string

// numbers and texts are the columns by which a list can be sorted, with their values.
var (
	numbers = map[string]func(*record.Result) float64{
		"Seed":          func(r *record.Result) float64 { return float64(r.Seed) },
		"Progress":      func(r *record.Result) float64 { return r.Progress },
		"Steps":         func(r *record.Result) float64 { return float64(r.Steps) },
		"Grounding":     func(r *record.Result) float64 { return r.Grounding },
		"Format errors": func(r *record.Result) float64 { return float64(r.FormatErrors) },
		"Reply tokens":  func(r *record.Result) float64 { return float64(r.CompletionTokens) },
	}
	texts = map[string]func(*record.Result) string{
		"Task":         func(r *record.Result) string { return r.Task },
		"Environment":  func(r *record.Result) string { return r.Env },
		typeColumn:     func(r *record.Result) string { return r.TaskType },
		"Model":        func(r *record.Result) string { return r.Model },
		"Perturbation": func(r *record.Result) string { return r.Perturbation },
		"Outcome":      func(r *record.Result) string { return string(r.Outcome) },
	}
)

// reasonColumn is the column of reasons, which results do not have, and typeColumn the one of types.
const reasonColumn, typeColumn = "Reason", "Type"

// key is the key of a column.
func key(header string) string { return strings.ReplaceAll(strings.ToLower(header), " ", "-") }

// parts are the key of the column and whether it falls.
func (o Order) parts() (column string, falling bool) { return strings.CutPrefix(string(o), "-") }

// ByReason reports whether the list is sorted by reasons.
func (o Order) ByReason() bool {
	column, _ := o.parts()
	return column == key(reasonColumn)
}

// sortable links a column that the list can be sorted by. The first time, numbers fall and texts rise.
func (l List) sortable(c *column) {
	_, number := numbers[c.Header]
	if _, text := texts[c.Header]; l.To == nil || !number && !text && c.Header != reasonColumn {
		return
	}
	rising, falling := Order(key(c.Header)), Order("-"+key(c.Header))
	next := rising
	if number && l.Order != falling || l.Order == rising {
		next = falling
	}
	if c.Href = l.To(next); l.Order == rising {
		c.Sorted = "ascending"
	} else if l.Order == falling {
		c.Sorted = "descending"
	}
}

// Sort sorts the numbers of attempts. By reasons, attempts without one are the last.
func (o Order) Sort(found []int, a Attempts) {
	name, falling := o.parts()
	if o.ByReason() {
		sortBy(found, falling, func(i int) string {
			if label := a.Reason(i).Label(); label != "" || falling {
				return label
			}
			return "\uffff"
		})
	}
	for header, value := range numbers {
		if key(header) == name {
			sortBy(found, falling, valueOf(a, value))
		}
	}
	for header, value := range texts {
		if key(header) == name {
			sortBy(found, falling, valueOf(a, value))
		}
	}
}

// valueOf is a value by the number of the attempt.
func valueOf[T any](a Attempts, value func(*record.Result) T) func(int) T {
	var r record.Result // one for all: it is large
	return func(i int) T {
		r = a.Result(i)
		return value(&r)
	}
}

// sortBy sorts by a value, and attempts that have the same stay in their order.
func sortBy[T cmp.Ordered](found []int, falling bool, value func(int) T) {
	type keyed struct {
		value T
		i     int
	}
	list := make([]keyed, len(found))
	for n, i := range found {
		list[n] = keyed{value(i), i}
	}
	slices.SortFunc(list, func(a, b keyed) int {
		c := cmp.Compare(a.value, b.value)
		if falling {
			c = -c
		}
		return cmp.Or(c, a.i-b.i)
	})
	for n, k := range list {
		found[n] = k.i
	}
}
