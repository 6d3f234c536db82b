package view

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/eval/show/page"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// listedRun is a run in the list of runs. It has no summary if it cannot be read, or not yet.
type listedRun struct {
	href, name string
	Summary
	labels record.Labels
	err    error
}

// text is what the filter of the list looks at.
func (r listedRun) text() string {
	words := slices.Concat([]string{r.name, string(r.State), r.labels.Note}, r.Environments, r.Models, r.labels.Tags,
		table.Each(r.Environments, envs.PlaceTitle))
	return strings.ToLower(strings.Join(words, " "))
}

// listedPlayer is a line of the list: a player of a run, or a run without rates.
type listedPlayer struct {
	*listedRun
	contender
}

// orders are the ways to sort the list by a column; places are sorted by their rates.
var orders = []struct {
	key, direction string
	compare        func(a, b listedPlayer) int
}{
	{"run", "ascending", func(a, b listedPlayer) int { return cmp.Compare(a.listedRun.name, b.listedRun.name) }},
	{"model", "ascending", func(a, b listedPlayer) int { return cmp.Compare(a.contender.name, b.contender.name) }},
	{"started", "descending", func(a, b listedPlayer) int { return b.Started.Compare(a.Started) }},
	{"state", "ascending", func(a, b listedPlayer) int { return cmp.Compare(a.State, b.State) }},
	{"done", "descending", func(a, b listedPlayer) int { return cmp.Compare(b.share(), a.share()) }},
	{"held-out", "descending", func(a, b listedPlayer) int { return falling(a.heldOut, b.heldOut) }},
}

// share is how much of the run is done.
func (r listedRun) share() float64 { return float64(r.Finished) / float64(max(1, r.Planned)) }

// falling puts the higher rate first, and what is not a number last.
func falling(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	case math.IsNaN(b):
		return -1
	}
	return cmp.Compare(b, a)
}

// listPage is the list of runs as its template takes it.
type listPage struct {
	Text, Sorted string
	Archived     bool // those are there, too
	Hidden       int  // archived runs that are not
	runs         []*listedRun
}

// inPlace is before the name of a place in the key of its order.
const inPlace = "in "

// Runs have a line for each player, in their order. What a line would repeat of the one before it is left out.
func (p listPage) Runs() page.Grid {
	var lines []listedPlayer
	var players []contender
	for _, r := range p.runs {
		own := r.players(false)
		lines = append(lines, table.Each(own, func(o contender) listedPlayer { return listedPlayer{r, o} })...)
		if players = append(players, own...); len(own) == 0 {
			lines = append(lines, listedPlayer{r, contender{heldOut: math.NaN()}})
		}
	}
	m := newMatrix(players)
	g := page.Grid{Title: "Runs", Class: "runs matrix", Cards: true, Heads: append([]page.GridCell{
		{Text: "Run", Class: "left"}, {Text: "Model", Class: "left"}, {Text: "Started", Class: "left"},
		{Text: "State", Class: "left"}, {Text: "Done"}}, m.heads()...)}
	for i := range g.Heads {
		place := i - len(g.Heads) + len(m.places)
		if place < 0 {
			p.sortable(&g.Heads[i], lines, orders[i].key, orders[i].direction, orders[i].compare)
			continue
		}
		name := m.places[place]
		p.sortable(&g.Heads[i], lines, inPlace+name, "descending", func(a, b listedPlayer) int {
			return falling(a.success(name), b.success(name))
		})
	}
	for i, l := range lines {
		g.Rows = append(g.Rows, l.row(m, i > 0 && lines[i-1].listedRun == l.listedRun))
	}
	return g
}

// sortable links a column to the list in its order, and sorts the lines if that is the order of the page.
func (p listPage) sortable(head *page.GridCell, lines []listedPlayer, key, direction string,
	compare func(a, b listedPlayer) int) {
	if head.Href = p.anchor(key); key == p.Sorted {
		head.Sorted = direction
		slices.SortStableFunc(lines, compare)
	}
}

// row is the line in the list; repeated says that the line before it belongs to the same run.
func (l listedPlayer) row(m matrix, repeated bool) []page.GridCell {
	run, started := page.GridCell{Class: "left run"}, page.GridCell{Class: "left"}
	state := page.GridCell{Class: "left"}
	if !repeated {
		run.Text, run.Href, run.Choice = page.CellText(l.listedRun.name), l.href, l.listedRun.name
		if run.Lines = table.Each(l.labels.Tags, table.Printable); l.labels.Archived {
			run.Lines = append(run.Lines, "archived")
		}
		if n := l.perturbations(); n > 0 {
			run.Lines = append(run.Lines, "and "+table.Counted(n, "perturbation"))
		}
		started.Text, state.Text, state.Class = minute(l.Started), string(l.State), "left "+string(l.State)
	}
	model := page.GridCell{Text: page.CellText(l.contender.name), Class: "left", Head: l.contender.name != ""}
	if l.err != nil {
		return []page.GridCell{run, {Text: page.CellText(l.err.Error()), Class: "left", Span: 4 + len(m.heads())}}
	}
	return append([]page.GridCell{run, model, started, state, {Text: l.done()}}, m.cells(l.contender, l.href, false)...)
}

// anchor is the address of the list in another order.
func (p listPage) anchor(key string) string {
	q := url.Values{"sort": {key}}
	if p.Text != "" {
		q.Set("text", p.Text)
	}
	if p.Archived {
		q.Set("archived", "yes")
	}
	return "?" + q.Encode()
}

// overview lists the runs, or shows the only one.
func (s *Server) overview(request *http.Request) (*page.Page, error) {
	runs := s.runs()
	if len(runs) == 1 {
		return nil, &redirect{runs[0].path("")}
	}
	query := request.URL.Query()
	p := listPage{Text: query.Get("text"), Sorted: query.Get("sort"),
		Archived: query.Get("archived") != ""}
	s.openAll(runs)
	for _, r := range runs {
		row := &listedRun{href: r.path(rootOf(request)), name: r.name, err: errReading}
		if r.isOpen() {
			row.err = r.look(r.opened, r.patience, func(_ *record.Index, summary Summary) { row.Summary = summary })
		}
		var problem error
		if row.labels, problem = r.parts.Labels(); problem != nil {
			row.err = cmp.Or(row.err, problem)
		}
		switch {
		case row.labels.Archived && !p.Archived:
			p.Hidden++
		case strings.Contains(row.text(), strings.ToLower(p.Text)):
			p.runs = append(p.runs, row)
		}
	}
	lead := table.Counted(len(runs), "run directory", "run directories")
	if len(p.runs) != len(runs) {
		lead = fmt.Sprintf("%d of %s", len(p.runs), lead)
	}
	if p.Hidden > 0 {
		lead += fmt.Sprintf(", %d archived", p.Hidden)
	}
	return &page.Page{Title: "Runs", Lead: lead, Body: []template.HTML{fragment("overview", p)}}, nil
}
