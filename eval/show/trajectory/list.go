package trajectory

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/eval/show/page"
	"heldout/scoring/record"
)

// List is the list of episodes with its form.
type List struct {
	Filter  Filter
	Choices Choices
	Count   string       // how many episodes there are and are shown
	Rows    []AttemptRow // the rows of the page, or of all pages in a bundle
	Pager   Pager
	// Order is how the rows are sorted, and To the address of the list in another order; nil where
	// it cannot be sorted.
	Order Order
	To    func(Order) string
}

// PerPage is how many episodes a page lists.
const PerPage = 100

// Pages is how many pages a list of so many episodes has.
func Pages(episodes int) int { return max(1, (episodes+PerPage-1)/PerPage) }

// Pager leads to the pages beside the one with this number. Addresses without a page are
// empty, and Pages is 0 if nobody knows how many there are.
type Pager struct {
	Number, Pages  int
	Previous, Next string
}

// AttemptRow is an attempt in a list.
type AttemptRow struct {
	*record.Result
	Run  string // the name of the run directory; it is shown where a list has several
	Href string // the address of the episode
	// Reason is why it was not solved, Hit what a search has found in it; nil without a search.
	Reason Reason
	Hit    *Hit
	// Chunk and Place are for rows of a bundle: the number of the data that hold the episode, and its number there.
	Chunk, Place int
}

func (r AttemptRow) target() Target { return Target{r.Run, Name(r.Result)} }

// listing is a list as its template takes it.
type listing struct {
	Filter   Filter
	Selects  []selector
	Order    Order
	Filtered bool
	Count    string
	Same     string // what all rows have in common
	Columns  []column
	Rows     []template.HTML
	Pager    Pager
}

type column struct {
	Header string
	// Href sorts the list by the column, and Sorted says in which direction it is.
	Href, Sorted string
	Left         bool
	cell         func(AttemptRow) string
	always       bool // the column is shown even if it says the same, or nothing, in all rows
}

// columns are those that a list can have.
func columns() []column {
	return []column{
		{Header: "Task", Left: true, cell: func(r AttemptRow) string { return r.Task }, always: true},
		{Header: "Run", Left: true, cell: func(r AttemptRow) string { return r.Run }},
		{Header: "Environment", Left: true, cell: func(r AttemptRow) string { return envs.Title(r.Env) }},
		{Header: typeColumn, Left: true, cell: func(r AttemptRow) string { return r.TaskType }},
		{Header: "Model", Left: true, cell: func(r AttemptRow) string { return record.CalledPlayer(r.Model) }},
		{Header: "Seed", cell: func(r AttemptRow) string { return strconv.FormatInt(r.Seed, 10) }},
		{Header: "Perturbation", Left: true, cell: func(r AttemptRow) string { return r.Perturbation }},
		{Header: "Preset", Left: true, cell: func(r AttemptRow) string { return r.Preset }},
		{Header: "Trial", cell: func(r AttemptRow) string { return positive(r.Trial) }},
		{Header: "Attempt", cell: func(r AttemptRow) string {
			if r.Attempt == 1 {
				return ""
			}
			return positive(r.Attempt)
		}},
		{Header: "Outcome", Left: true, cell: func(r AttemptRow) string { return Outcome(r.Outcome) }, always: true},
		{Header: "Reason", Left: true, cell: func(r AttemptRow) string { return r.Reason.Label() }},
		{Header: "Progress", cell: func(r AttemptRow) string { return percent(r.Progress) }, always: true},
		{Header: "Steps", cell: func(r AttemptRow) string { return strconv.Itoa(r.Steps) }, always: true},
		{Header: "Grounding", cell: func(r AttemptRow) string { return percent(r.Grounding) }},
		{Header: "Format errors", cell: func(r AttemptRow) string { return strconv.Itoa(r.FormatErrors) }},
		{Header: "Reply tokens", cell: func(r AttemptRow) string { return positive(r.CompletionTokens) }},
	}
}

// positive writes a number, and nothing for 0.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Render writes the list as HTML, with the rows of one page.
func (l List) Render() template.HTML {
	out := listing{Filter: l.Filter, Order: l.Order, Filtered: l.Filter != Filter{}, Count: l.Count,
		Columns: l.columns(), Same: l.same(), Pager: l.Pager}
	for i := range out.Columns {
		l.sortable(&out.Columns[i])
	}
	for i, s := range l.Filter.selects() {
		s.Groups = l.Choices.groups(i)
		out.Selects = append(out.Selects, s)
	}
	if l.Choices.failures() {
		out.Selects = append(out.Selects, l.Filter.reasonSelector())
	}
	for _, r := range l.Rows[:min(len(l.Rows), PerPage)] {
		out.Rows = append(out.Rows, row(r, out.Columns))
	}
	return page.Fragment(parsed, "list", out)
}

// columns are those that the list has.
func (l List) columns() []column {
	return slices.DeleteFunc(columns(), func(c column) bool { return !c.always && !l.differ(c) })
}

// same says what the columns would say that the list leaves out because all rows say the same.
func (l List) same() string {
	var parts []string
	for _, c := range columns() {
		if len(l.Rows) > 1 && !c.always && !slices.ContainsFunc(l.Rows, func(r AttemptRow) bool {
			return c.cell(r) != c.cell(l.Rows[0])
		}) {
			if text := c.cell(l.Rows[0]); text != "" && text != "none" {
				parts = append(parts, strings.ToLower(c.Header)+" "+text)
			}
		}
	}
	return strings.Join(parts, " · ")
}

// bundle writes what the script of a bundle knows of the rows, as JSON: the row as HTML, where its
// episode is, and the values that readers filter by.
func (l List) bundle(w io.Writer) error {
	columns, delimiter := l.columns(), "["
	for _, r := range l.Rows {
		fields := map[string]any{"key": r.target().key(), "chunk": r.Chunk, "place": r.Place,
			"task":  visible(envs.Title(r.Env) + ": " + r.Task),
			"title": visible(Title(r.Result)) + ", " + Outcome(r.Outcome),
			"html":  row(r, columns),
			"steps": r.Steps, reasonKey: r.Reason.Label()}
		for _, s := range l.Filter.selects() {
			fields[s.Name] = s.value(r.Result)
		}
		text, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", delimiter, text); err != nil {
			return err
		}
		delimiter = ","
	}
	_, err := io.WriteString(w, strings.TrimPrefix(delimiter, ",")+"]")
	return err
}

// differ reports whether rows differ in a column, and types from the beginnings of the tasks' names.
func (l List) differ(c column) bool {
	return slices.ContainsFunc(l.Rows, func(r AttemptRow) bool {
		return c.cell(r) != c.cell(l.Rows[0]) && (c.Header != typeColumn || !strings.HasPrefix(r.Task, r.TaskType))
	})
}

// row is an attempt as a row of the table.
func row(r AttemptRow, columns []column) template.HTML {
	var m markup
	m.raw("<tr>")
	for i, c := range columns {
		class := literal("")
		switch {
		case c.Header == "Outcome":
			class = ` class="left outcome ` + verdict(r.Outcome) + `"`
		case c.Header == reasonColumn:
			class = ` class="left why"`
		case c.Left:
			class = ` class="left"`
		}
		if i > 0 {
			m.put("<td$>$</td>", class, c.cell(r))
			continue
		}
		m.put(`<td$><a href="$" dir="auto">$</a>`, class, relative(r.Href), c.cell(r))
		m.hit(r)
		m.raw("</td>")
	}
	m.raw("</tr>\n")
	return m.HTML()
}

// hit adds what a search has found in an attempt.
func (m *markup) hit(r AttemptRow) {
	h := r.Hit
	if h == nil {
		return
	}
	m.raw(`<div class="hit">`)
	if h.Step >= 0 {
		m.put(`<a href="$#$-$">$</a>, `, relative(r.Href), Name(r.Result), h.Step, h.Place())
	}
	if m.text(h.Part); h.Text != "" {
		m.put(`: <span dir="auto">$<mark>$</mark>$</span>`, h.Before, h.Text, h.After)
	}
	m.raw("</div>")
}
