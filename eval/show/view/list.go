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

	"heldout/configs"
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
	words := slices.Concat([]string{r.name, string(r.State), r.labels.Note}, r.Environments, r.Models, r.labels.Tags)
	for _, place := range r.Environments {
		words = append(words, envs.PlaceTitle(place))
	}
	return strings.ToLower(strings.Join(words, " "))
}

// rates are lines with the success rates of each model, without a perturbation. A held-out score comes
// first.
func (r listedRun) rates(w configs.Weights) (lines []string) {
	var models []string
	for _, rate := range r.Rates {
		c := rate.Condition
		if c.Perturbation != "none" {
			continue
		}
		text := table.Printable(envs.PlaceTitle(rate.Place)) + "\u00a0" + table.Percent(rate.Success.Mean).Text
		if i := slices.Index(models, c.Model); i >= 0 {
			lines[i] += " · " + text
			continue
		}
		if score := r.heldOut(w, c.Model); score != "" {
			text = "held-out\u00a0" + score + " · " + text
		}
		models, lines = append(models, c.Model), append(lines, table.Printable(record.CalledPlayer(c.Model))+": "+text)
	}
	if n := r.perturbations(); n > 0 {
		lines = append(lines, "and "+table.Counted(n, "perturbation"))
	}
	return lines
}

// orders are those by which the list can be sorted, by column.
var orders = []struct {
	key, direction string
	compare        func(a, b listedRun) int
}{
	{"run", "ascending", func(a, b listedRun) int { return cmp.Compare(a.name, b.name) }},
	{"started", "descending", func(a, b listedRun) int { return b.Started.Compare(a.Started) }},
	{"state", "ascending", func(a, b listedRun) int { return cmp.Compare(a.State, b.State) }},
	{"done", "descending", func(a, b listedRun) int { return cmp.Compare(b.share(), a.share()) }},
	{"rate", "descending", func(a, b listedRun) int {
		return falling(a.mean(RateSoFar.success), b.mean(RateSoFar.success))
	}},
	{"progress", "descending", func(a, b listedRun) int {
		return falling(a.mean(RateSoFar.progress), b.mean(RateSoFar.progress))
	}},
	{"seeds", "descending", func(a, b listedRun) int { return cmp.Compare(b.Seeds, a.Seeds) }},
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
	runs         []listedRun
	weights      configs.Weights
}

// Runs are the runs in their order.
func (p listPage) Runs() page.Grid {
	var names []string
	var all []Summary
	for _, r := range p.runs {
		names, all = append(names, r.name), append(all, r.Summary)
	}
	t := runTable(names, all)
	t.Columns = append(t.Columns, table.Column{Header: "PR"}, table.Column{Header: "Seeds"})
	for i, s := range all {
		t.Rows[i] = append(t.Rows[i], table.Percent(s.mean(RateSoFar.progress)), table.Int(s.Seeds))
	}
	g := page.NewGrid(t)
	g.Class = "runs"
	for i, o := range orders {
		if g.Heads[i].Href = p.to(o.key); o.key == p.Sorted {
			g.Heads[i].Sorted = o.direction
		}
	}
	g.Heads = append(g.Heads, page.GridCell{Text: "SR by environment, %", Class: "left"})
	for i, r := range p.runs {
		row := g.Rows[i]
		row[0].Href, row[0].Head, row[0].Choice = r.href, true, r.name
		if row[0].Lines = page.Printable(r.labels.Tags); r.labels.Archived {
			row[0].Lines = append(row[0].Lines, "archived")
		}
		row[2].Class += " " + string(r.State)
		last := page.GridCell{Class: "left", Lines: r.rates(p.weights)}
		if r.err != nil {
			row[3].Text, row[6].Text, last.Text = "", "", page.Shown(r.err.Error())
		}
		g.Rows[i] = append(row, last)
	}
	return g
}

// to is the address of the list in another order.
func (p listPage) to(key string) string {
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
	weights, err := configs.LoadWeights()
	if err != nil {
		return nil, err
	}
	p := listPage{weights: weights, Text: query.Get("text"), Sorted: query.Get("sort"),
		Archived: query.Get("archived") != ""}
	s.openAll(runs)
	for _, r := range runs {
		row := listedRun{href: r.path(rootOf(request)), name: r.name, err: errReading}
		if r.isOpen() {
			row.err = r.look(func(_ *record.Index, summary Summary) error {
				row.Summary = summary
				return nil
			})
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
	for _, o := range orders {
		if o.key == p.Sorted {
			slices.SortStableFunc(p.runs, o.compare)
		}
	}
	lead := fmt.Sprintf("%d run directories", len(runs))
	if len(p.runs) != len(runs) {
		lead = fmt.Sprintf("%d of %s", len(p.runs), lead)
	}
	if p.Hidden > 0 {
		lead += fmt.Sprintf(", %d archived", p.Hidden)
	}
	return &page.Page{Title: "Runs", Lead: lead, Body: []template.HTML{fragment("overview", p)}}, nil
}
