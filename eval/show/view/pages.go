package view

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"heldout/envs"
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

// path is the address of a run's page, or of something below it.
func (r *shownRun) path(parts ...string) string {
	out := "/runs/" + url.PathEscape(r.name) + "/"
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
	err = r.look(func(x *record.Index, summary Summary) error {
		panel = r.panel(x, summary)
		results = x.Results()
		return nil
	})
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(query.Get("page"))
	if err != nil || number < 1 {
		number = 1
	}
	choices, found := filter.Choose(results)
	order := trajectory.Order(query.Get("sort"))
	order.Sort(found, results.Result)
	rows, count, hasMore, err := s.choose(request.Context(), filter, results, found, number)
	if err != nil {
		return nil, err
	}
	list := trajectory.List{Filter: filter, Choices: choices, Count: count,
		Pager: pagerOf(query, number, hasMore), Order: order, To: func(o trajectory.Order) string {
			q := maps.Clone(query)
			q.Set("sort", string(o))
			q.Del("page")
			return "?" + q.Encode()
		}}
	if filter.Text == "" {
		list.Pager.Pages = trajectory.Pages(len(found))
	}
	for _, i := range rows {
		row := results.Result(i)
		list.Rows = append(list.Rows, trajectory.AttemptRow{
			Result: &row, Href: r.path("episodes", trajectory.Name(&row)) + filterQuery(query, "text")})
	}
	lead := ""
	if dirs := r.parts.String(); dirs != r.name {
		lead = table.Printable(dirs)
	}
	return &page.Page{
		Title: table.Printable(r.name), Lead: lead, Links: s.links(),
		Body: []template.HTML{
			fragment("labels", newLabelsForm(r, request)),
			fragment("panel", panelBox{panel, results.Len()}), list.Render(),
			fragment("downloads", newDownloads(query)),
		},
		Scripts: []template.JS{trajectory.Script, liveScript},
	}, nil
}

// panelBox is the panel with the number of episodes that the page can list.
type panelBox struct {
	Panel    livePanel
	Episodes int
}

// links lead to the list of runs, if there are several.
func (s *Server) links() []page.Link {
	if len(s.runs()) == 1 {
		return nil
	}
	return home
}

// choose returns which of the found attempts a page shows, with a sentence about
// their number, and whether there are more. A text is searched only as far as this
// page needs.
func (s *Server) choose(ctx context.Context, f trajectory.Filter, results record.Results, found []int, number int) (
	rows []int, count string, hasMore bool, err error) {
	start := min(number-1, len(found)/trajectory.PerPage+1) * trajectory.PerPage
	if f.Text != "" {
		return s.search(ctx, f, results, found, start)
	}
	start = min(start, len(found))
	end := min(start+trajectory.PerPage, len(found))
	count = fmt.Sprintf("%d of %d episodes", len(found), results.Len())
	if len(found) > trajectory.PerPage {
		count += fmt.Sprintf(", here %d to %d", start+1, end)
	}
	return found[start:end], count, end < len(found), nil
}

// search reads the found attempts and returns those with the text of a filter, from
// one of them on.
func (s *Server) search(ctx context.Context, f trajectory.Filter, results record.Results, found []int, start int) (
	rows []int, count string, hasMore bool, err error) {
	leave, err := s.occupy(ctx)
	if err != nil {
		return nil, "", false, err
	}
	defer leave()
	hits, read := 0, 0
	unreadable, err := record.Search(ctx, placesOf(results, found), f.Text, func(n int, e *record.Episode) bool {
		if !f.MatchText(e) {
			return true
		}
		if hits == start+trajectory.PerPage {
			read, hasMore = n, true
			return false
		}
		if hits++; hits > start {
			rows = append(rows, found[n])
		}
		return true
	})
	switch {
	case err != nil:
		return nil, "", false, err
	case hasMore:
		count = fmt.Sprintf("The first %d of %d episodes have %d with the text, here from %d", read, len(found), hits,
			start+1)
	default:
		count = fmt.Sprintf("%d of %d episodes contain the text", hits, len(found))
	}
	if unreadable > 0 {
		count += fmt.Sprintf("; %d cannot be read", unreadable)
	}
	return rows, count + ".", hasMore, nil
}

// downloads are the addresses of a list of all pages as files.
type downloads struct{ CSV, JSON string }

func newDownloads(query url.Values) downloads {
	q := maps.Clone(query)
	q.Del("page")
	return downloads{"download/episodes.csv?" + q.Encode(), "download/episodes.json?" + q.Encode()}
}

// filterQuery is the part of an address that keeps a filter and other values, with its question mark.
func filterQuery(query url.Values, others ...string) string {
	values := filterValues(query)
	for _, key := range others {
		if v := query.Get(key); v != "" {
			values.Set(key, v)
		}
	}
	if len(values) > 0 {
		return "?" + values.Encode()
	}
	return ""
}

// filterValues are the values of a filter, apart from its text.
func filterValues(query url.Values) url.Values {
	values := url.Values{}
	for _, key := range []string{"env", "type", "model", "seed", "outcome"} {
		if v := query.Get(key); v != "" {
			values.Set(key, v)
		}
	}
	return values
}

// pagerOf leads to the pages of a list beside one of them.
func pagerOf(query url.Values, number int, hasMore bool) trajectory.Pager {
	p := trajectory.Pager{Number: number}
	address := func(number int) string {
		q := maps.Clone(query)
		q.Set("page", strconv.Itoa(number))
		return "?" + q.Encode()
	}
	if number > 1 {
		p.Previous = address(number - 1)
	}
	if hasMore {
		p.Next = address(number + 1)
	}
	return p
}

// alternative is an episode of the same task.
type alternative struct {
	Value, Text string
	Chosen      bool
}

// around is what an episode's page has besides the episodes.
type around struct {
	Others         []alternative
	Previous, Next string
	Keep           url.Values // the filter, for the form
	Draw           string     // address of the page with pictures; empty for none
	Note           string     // about the pictures
}

func (s *Server) episodePage(request *http.Request) (*page.Page, error) {
	r, err := s.run(request.PathValue("run"))
	if err != nil {
		return nil, err
	}
	query := request.URL.Query()
	e, planned, around, err := r.episode(request.PathValue("episode"), query)
	if err != nil {
		return nil, err
	}
	around.Others = s.alternatives(r, e, query.Get("with"))
	first := trajectory.EpisodePage{Episode: e, Run: r.parts.Name(), PromptsHref: s.promptsHref(r, &e.Result)}
	if query.Has("draw") {
		first.Pictures, around.Note = s.draw(request.Context(), planned, e)
		around.Draw = ""
	} else if s.options.Draw == nil || s.options.Drawable != nil && !s.options.Drawable(planned.condition) {
		around.Draw = ""
	}
	body := trajectory.Render(first)
	title := table.Printable(e.Task)
	if name := query.Get("with"); name != "" {
		second, err := s.second(name)
		if err != nil {
			return nil, err
		}
		body = `<div class="pair">` + body + trajectory.Render(second) + `</div>`
	}
	links := append(s.links(), page.Link{Href: r.path() + filterQuery(query),
		Text: "Episodes of " + table.Printable(r.name)})
	return &page.Page{Title: title, Links: links, Body: []template.HTML{fragment("around", around), body},
		Scripts: []template.JS{trajectory.Script}}, nil
}

// planned is the condition and the task of an episode.
type planned struct {
	manifest  *record.Manifest
	condition record.Condition
	task      envs.Task
}

// episode reads the attempt of that name and finds its neighbours in the list.
func (r *shownRun) episode(name string, query url.Values) (e *record.Episode, p planned, a around, err error) {
	filter := trajectory.ReadFilter(query.Get)
	a.Keep = filterValues(query)
	var place record.Place
	found := false
	err = r.look(func(x *record.Index, _ Summary) error {
		prev := ""
		results := x.Results()
		var result record.Result
		for i := range results.Len() {
			result = results.Result(i)
			current := trajectory.Name(&result)
			switch {
			case current == name && !found:
				place, found = results.Place(i), true
				if task, condition, ok := x.Planned(result.ID); ok {
					p = planned{x.Manifest, *condition, *task}
				}
				a.Previous = prev
			case !filter.Match(&result):
			case found:
				a.Next = current
				return nil
			default:
				prev = current
			}
		}
		return nil
	})
	if err != nil {
		return nil, p, a, err
	}
	if !found {
		return nil, p, a, notFound(fmt.Sprintf("the run %s has no episode %s yet", r.name, name))
	}
	for _, to := range []*string{&a.Previous, &a.Next} {
		if *to != "" {
			*to = r.path("episodes", *to) + filterQuery(query)
		}
	}
	drawQuery := url.Values{"draw": {"1"}}
	maps.Copy(drawQuery, query)
	a.Draw = "?" + drawQuery.Encode()
	e, err = place.Episode()
	return e, p, a, err
}

// maxOthers is how many other episodes of a task are offered.
const maxOthers = 1000

// alternatives lists the other attempts at the task of an episode, in all runs that have
// been read.
func (s *Server) alternatives(own *shownRun, e *record.Episode, chosen string) (out []alternative) {
	runs := s.runs()
	s.openAll(runs)
	for _, r := range runs {
		if !r.isOpen() {
			continue
		}
		err := r.look(func(x *record.Index, _ Summary) error {
			results := x.Results()
			var o record.Result
			for i := range results.Len() {
				o = results.Result(i)
				if o.Env != e.Env || o.Task != e.Task || r == own && o.ID == e.ID && o.Attempt == e.Attempt ||
					len(out) == maxOthers {
					continue
				}
				value := r.name + "/" + trajectory.Name(&o)
				out = append(out, alternative{value, label(r, &o, own), value == chosen})
			}
			return nil
		})
		if err != nil {
			continue // its own page says why
		}
	}
	return out
}

// label names an episode among those of its task.
func label(r *shownRun, o *record.Result, own *shownRun) string {
	parts := []string{trajectory.Title(o), trajectory.Outcome(o.Outcome)}
	if r != own {
		parts = append(parts, "run "+r.name)
	}
	return table.Printable(strings.Join(parts, ", "))
}

// second reads the episode on the right side: RUN/EPISODE.
func (s *Server) second(name string) (trajectory.EpisodePage, error) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return trajectory.EpisodePage{}, notFound(fmt.Sprintf("with=%s does not name a run and an episode", name))
	}
	r, err := s.run(name[:i])
	if err != nil {
		return trajectory.EpisodePage{}, err
	}
	e, _, _, err := r.episode(name[i+1:], nil)
	if err != nil {
		return trajectory.EpisodePage{}, err
	}
	return trajectory.EpisodePage{Episode: e, Run: r.parts.Name(), Second: true,
		PromptsHref: s.promptsHref(r, &e.Result)}, nil
}

// drawing is how long an episode may be replayed.
const drawing = 30 * time.Second

// draw replays an episode for its pictures, and says what readers must know of them.
func (s *Server) draw(ctx context.Context, p planned, e *record.Episode) (pictures []envs.Picture, note string) {
	if s.options.Draw == nil {
		return nil, "This server draws no pictures."
	}
	ctx, cancel := context.WithTimeout(ctx, drawing)
	defer cancel()
	leave, err := s.occupy(ctx)
	if err != nil {
		return nil, "Other pictures are being drawn; try again."
	}
	defer leave()
	pictures, differs, err := s.options.Draw(ctx, p.condition, p.task, e)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Sprintf("No pictures: the replay took longer than %v.", drawing)
	case err != nil:
		return nil, "No pictures: " + table.Printable(err.Error()) + "."
	case differs >= 0:
		return pictures,
			fmt.Sprintf(
				"The replay answers otherwise than the record from step %d on: later pictures may be of another "+
					"course of events.", differs)
	}
	return pictures, "The pictures are of a replay whose answers are those of the record."
}
