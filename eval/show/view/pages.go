package view

import (
	"context"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"heldout/eval/show/page"
	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// fragment renders a template of this package.
func fragment(name string, data any) template.HTML { return page.Fragment(templates, name, data) }

// spanText writes a time span with its largest units.
func spanText(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d/time.Minute%60)
	case d >= time.Minute:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d/time.Second%60)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

// path is the address of a run's page, or of something below it, from where root leads to the list of runs.
func (r *shownRun) path(root string, parts ...string) string {
	out := root + "runs/" + url.PathEscape(r.name) + "/"
	for i, p := range parts {
		if i > 0 {
			out += "/"
		}
		out += url.PathEscape(p)
	}
	return out
}

func (s *Server) runPage(request *http.Request) (*page.Page, error) {
	r, err := s.run(request.PathValue("run"))
	if err != nil {
		return nil, err
	}
	query := request.URL.Query()
	filter := trajectory.ReadFilter(query.Get)
	var panel livePanel
	var results record.Results
	err = r.look(s.ready(r, query), r.patience, func(x *record.Index, summary Summary) {
		panel = r.panel(rootOf(request), x, summary)
		results = x.Results()
	})
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(query.Get("page"))
	if err != nil || number < 1 {
		number = 1
	}
	order, attempts := trajectory.Order(query.Get("sort")), attemptsOf(results)
	choices, found := filter.Choose(attempts)
	order.Sort(found, attempts)
	first, _ := strconv.Atoi(query.Get("from")) // else 0
	part, err := s.choose(request.Context(), filter, results, found, number, first)
	if err != nil {
		return nil, err
	}
	rows, err := r.rows(request, filter, results, part.rows)
	if err != nil {
		return nil, err
	}
	list := trajectory.List{Filter: filter, Choices: choices, Count: part.count, Rows: rows,
		Pager: pagerOf(query, number, part), Order: order, To: func(o trajectory.Order) string {
			return changed(query, url.Values{"sort": {string(o)}, "page": nil, "from": nil})
		}}
	if filter.Text == "" {
		list.Pager.Pages = trajectory.Pages(len(found))
	}
	lead := ""
	if dirs := r.parts.String(); dirs != r.name {
		lead = table.Printable(dirs)
	}
	return &page.Page{
		Title: table.Printable(r.name), Lead: lead, Links: s.links(request),
		Body: []template.HTML{
			fragment("labels", newLabelsForm(r, request)),
			fragment("panel", panelBox{panel, results.Len()}), list.Render(),
			fragment("downloads", changed(query, url.Values{"page": nil, "from": nil})),
		},
		Scripts: []template.JS{trajectory.Script, liveScript},
	}, nil
}

// rows are the listed attempts. They are read for their reasons and for what a search has found.
func (r *shownRun) rows(request *http.Request, f trajectory.Filter, results record.Results, listed []int) (
	rows []trajectory.AttemptRow, err error) {
	query := filterQuery(request.URL.Query())
	for _, i := range listed {
		row := results.Result(i)
		address := r.path(rootOf(request), "episodes", trajectory.Name(&row)) + query
		rows = append(rows, trajectory.AttemptRow{Result: &row, Href: address})
	}
	_, err = results.Search(request.Context(), listed, "", func(n int, e *record.Episode) bool {
		rows[n].Reason = trajectory.ReasonFor(e, results.StepLimit(listed[n]))
		if f.Text != "" {
			rows[n].Hit = f.Hit(e)
		}
		return true
	})
	return rows, err
}

// panelBox is the panel with the number of episodes that the page can list.
type panelBox struct {
	Panel    livePanel
	Episodes int
}

// links lead to the list of runs, if there are several.
func (s *Server) links(request *http.Request) []page.Link {
	if len(s.runs()) == 1 {
		return nil
	}
	return home(request)
}

// stretch is the part of a list that a page shows.
type stretch struct {
	rows    []int
	count   string // a sentence about their number
	hasMore bool
	resume  int // where the next page goes on searching; 0 if all is searched
}

// choose returns which of the found attempts a page shows. Episodes are read only as far as this page needs,
// from one of them on.
func (s *Server) choose(ctx context.Context, f trajectory.Filter, results record.Results, found []int, number,
	first int) (stretch, error) {
	start := min(number-1, len(found)/trajectory.PerPage+1) * trajectory.PerPage
	if f.Text != "" {
		return s.search(ctx, f, results, found, start, min(max(0, first), len(found)))
	}
	start = min(start, len(found))
	end := min(start+trajectory.PerPage, len(found))
	count := fmt.Sprintf("%d of %d episodes", len(found), results.Len())
	if len(found) > trajectory.PerPage {
		count += fmt.Sprintf(", here %d to %d", start+1, end)
	}
	return stretch{rows: found[start:end], count: count, hasMore: end < len(found)}, nil
}

// A search reads parts until its time is over. A reader who waits longer thinks that nothing happens.
const (
	searching  = time.Second
	searchPart = 2000
)

// search reads the found attempts from one of them on, and returns those with the text of a filter, from
// the hit with the number start on.
func (s *Server) search(ctx context.Context, f trajectory.Filter, results record.Results, found []int,
	start, first int) (out stretch, err error) {
	leave, err := s.occupy(ctx)
	if err != nil {
		return out, err
	}
	defer leave()
	hits, unreadable, read := 0, 0, first
	for began := s.options.Now(); read < len(found) && !out.hasMore && s.options.Now().Sub(began) < searching; {
		part := found[read:min(read+searchPart, len(found))]
		done := len(part)
		bad, err := results.Search(ctx, part, f.Text, func(n int, e *record.Episode) bool {
			if f.Hit(e) == nil {
				return true
			}
			if hits == start+trajectory.PerPage {
				done, out.hasMore = n, true
				return false
			}
			if hits++; hits > start {
				out.rows = append(out.rows, part[n])
			}
			return true
		})
		if err != nil {
			return out, err
		}
		read, unreadable = read+done, unreadable+bad
	}
	out.count = fmt.Sprintf("%s have %d that %s", searched(first, read, len(found)), hits, match(hits))
	switch {
	case out.hasMore:
		out.count += fmt.Sprintf(", here from %d", start+1)
	case read < len(found):
		out.resume = read
		out.count += "; the next page searches on"
	case first == 0:
		out.count = fmt.Sprintf("%d of %d episodes %s", hits, results.Len(), match(hits))
	}
	if unreadable > 0 {
		out.count += fmt.Sprintf("; %d cannot be read", unreadable)
	}
	out.count += "."
	return out, nil
}

// match is the verb of so many episodes.
func match(episodes int) string {
	if episodes == 1 {
		return "matches"
	}
	return "match"
}

// searched says which episodes a search has read.
func searched(first, read, total int) string {
	if first == 0 {
		return fmt.Sprintf("The first %d of %d episodes", read, total)
	}
	return fmt.Sprintf("Episodes %d to %d of %d", first+1, read, total)
}

// changed is the part of an address from its question mark on, with other values of some keys; nil takes a key out.
func changed(query, values url.Values) string {
	q := maps.Clone(query)
	maps.Copy(q, values)
	return "?" + q.Encode()
}

// filterQuery is the part of an address that keeps filter and order of a list, with its question mark.
func filterQuery(query url.Values) string {
	if values := filterValues(query); len(values) > 0 {
		return "?" + values.Encode()
	}
	return ""
}

// filterValues are the values of filter and order.
func filterValues(query url.Values) url.Values {
	values := url.Values{}
	for _, key := range append(trajectory.Keys(), "sort") {
		if v := query.Get(key); v != "" {
			values.Set(key, v)
		}
	}
	return values
}

// pagerOf leads to the pages of a list beside one of them.
func pagerOf(query url.Values, number int, part stretch) trajectory.Pager {
	p := trajectory.Pager{Number: number}
	if number > 1 {
		p.Previous = changed(query, url.Values{"page": {strconv.Itoa(number - 1)}})
	}
	if part.hasMore {
		p.Next = changed(query, url.Values{"page": {strconv.Itoa(number + 1)}})
	}
	if part.resume > 0 {
		p.Next = changed(query, url.Values{"page": {"1"}, "from": {strconv.Itoa(part.resume)}})
	}
	return p
}
