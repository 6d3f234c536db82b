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

	"heldout/eval/show/page"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// listedRun is a run in the list of runs.
type listedRun struct {
	Href, Name string
	Error      string
	Summary    Summary
	Models     []listedModel
	// Mean is the mean success rate over models and environments without a perturbation;
	// NaN if there is none.
	Mean float64
	// Perturbations counts those whose rates are left out.
	Perturbations int
}

// listedModel is a model of a run with its rates.
type listedModel struct{ Name, Rates string }

// newListedRun describes a run that has been read.
func newListedRun(href, name string, s Summary) listedRun {
	out := listedRun{Href: href, Name: table.Printable(name), Summary: s, Mean: s.meanSuccess(),
		Perturbations: s.perturbations()}
	for _, r := range s.Rates {
		c := r.Condition
		if c.Perturbation != "none" {
			continue
		}
		model := table.Printable(c.Model)
		i := slices.IndexFunc(out.Models, func(m listedModel) bool { return m.Name == model })
		if i < 0 {
			i = len(out.Models)
			out.Models = append(out.Models, listedModel{Name: model})
		}
		m := &out.Models[i]
		if m.Rates != "" {
			m.Rates += " · "
		}
		m.Rates += table.Printable(r.Where) + "\u00a0" + percent(r.Success.Mean)
	}
	return out
}

// text is what the filter of the list looks at.
func (r listedRun) text() string {
	parts := []string{r.Name, string(r.Summary.State)}
	parts = append(append(parts, r.Summary.Environments...), r.Summary.Models...)
	return strings.ToLower(strings.Join(parts, " "))
}

// order is a column by which the list can be sorted.
type order struct {
	Key, Header string
	Left        bool
	compare     func(a, b listedRun) int
}

var orders = []order{
	{"run", "Run", true, func(a, b listedRun) int { return cmp.Compare(a.Name, b.Name) }},
	{"state", "State", true, func(a, b listedRun) int { return cmp.Compare(a.Summary.State, b.Summary.State) }},
	{"started", "Started", true, func(a, b listedRun) int { return b.Summary.Started.Compare(a.Summary.Started) }},
	{"done", "Done", false, func(a, b listedRun) int { return cmp.Compare(b.share(), a.share()) }},
	{"rate", "Mean SR", false, func(a, b listedRun) int { return falling(a.Mean, b.Mean) }},
}

// Direction says, for readers of screens, how the list is then sorted.
func (o order) Direction() string {
	if o.Left && o.Key != "started" {
		return "ascending"
	}
	return "descending"
}

// share is how much of the run is done.
func (r listedRun) share() float64 {
	return float64(r.Summary.Finished) / float64(max(1, r.Summary.Planned))
}

// falling puts the higher rate first, and what is no number last.
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
	Runs   []listedRun
	Text   string
	Sorted string
	All    int
}

// Orders are the columns that sort the list.
func (listPage) Orders() []order { return orders }

// To is the address of the list in another order.
func (p listPage) To(key string) string {
	q := url.Values{"sort": {key}}
	if p.Text != "" {
		q.Set("text", p.Text)
	}
	return "?" + q.Encode()
}

// overview lists the runs, or shows the only one.
func (s *Server) overview(request *http.Request) (*page.Page, error) {
	if len(s.runs) == 1 {
		return nil, &redirect{s.runs[0].path()}
	}
	query := request.URL.Query()
	p := listPage{Text: query.Get("text"), Sorted: query.Get("sort"), All: len(s.runs)}
	s.openAll()
	for _, r := range s.runs {
		row := listedRun{Href: r.path(), Name: table.Printable(r.name), Mean: math.NaN()}
		err := errReading
		if r.isOpen() {
			err = r.look(func(_ *record.Index, summary Summary) error {
				row = newListedRun(r.path(), r.name, summary)
				return nil
			})
		}
		if err != nil {
			row.Error = err.Error()
		}
		if strings.Contains(row.text(), strings.ToLower(p.Text)) {
			p.Runs = append(p.Runs, row)
		}
	}
	for _, o := range orders {
		if o.Key == p.Sorted {
			slices.SortStableFunc(p.Runs, o.compare)
		}
	}
	lead := fmt.Sprintf("%d run directories", p.All)
	if len(p.Runs) != p.All {
		lead = fmt.Sprintf("%d of %s", len(p.Runs), lead)
	}
	return &page.Page{Title: "Runs", Lead: lead, Body: []template.HTML{fragment("overview", p)}}, nil
}
