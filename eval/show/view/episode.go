package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"heldout/envs"
	"heldout/eval/show/page"
	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

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
	first, found, err := s.attempt(request, r, request.PathValue("episode"), s.ready(r, query))
	if err != nil {
		return nil, err
	}
	e := first.Episode
	around, err := s.around(request, r, found)
	if err != nil {
		return nil, err
	}
	around.Others = s.alternatives(r, e, query.Get("with"))
	switch {
	case query.Has("draw"):
		first.Pictures, around.Note = s.draw(request.Context(), found, e)
	case s.options.Draw != nil && (s.options.Drawable == nil || s.options.Drawable(found.condition)):
		around.Draw = changed(query, url.Values{"draw": {"1"}})
	}
	body := trajectory.Render(first)
	title := table.Printable(e.Task)
	if name := query.Get("with"); name != "" {
		second, err := s.second(request, name)
		if err != nil {
			return nil, err
		}
		body = `<div class="pair">` + body + trajectory.Render(second) + `</div>`
	}
	links := append(s.links(request), page.Link{Href: r.path(rootOf(request)) + filterQuery(query),
		Text: "Episodes of " + table.Printable(r.name)})
	return &page.Page{Title: title, Class: "one", Links: links, Body: []template.HTML{fragment("around", around), body},
		Scripts: []template.JS{trajectory.Script}}, nil
}

// located is an attempt among its run's, with its place in the plan.
type located struct {
	record.Results
	number    int
	manifest  *record.Manifest
	condition record.Condition
	task      envs.Task
}

// episode finds and reads the attempt of that name.
func (r *shownRun) episode(name string, read <-chan struct{}) (e *record.Episode, l located, err error) {
	l.number = -1
	err = r.look(read, r.patience, func(x *record.Index, _ Summary) {
		l.Results = x.Results()
		var result record.Result
		for i := range l.Len() {
			if result = l.Result(i); trajectory.Name(&result) != name {
				continue
			}
			if task, condition, ok := x.Planned(result.ID); ok {
				l.manifest, l.condition, l.task = x.Manifest, *condition, *task
			}
			l.number = i
			return
		}
	})
	if err == nil && l.number < 0 {
		err = notFound(fmt.Sprintf("the run %s has no episode %s yet", r.name, name))
	}
	if err == nil {
		e, err = l.Results.Episode(l.number)
	}
	return e, l, err
}

// around leads from an attempt to its neighbours in the list that the reader comes from.
func (s *Server) around(request *http.Request, r *shownRun, l located) (a around, err error) {
	query := request.URL.Query()
	filter, order := trajectory.ReadFilter(query.Get), trajectory.Order(query.Get("sort"))
	attempts := attemptsOf(l.Results)
	_, found := filter.Choose(attempts)
	order.Sort(found, attempts)
	a.Keep = filterValues(query)
	if place := slices.Index(found, l.number); place >= 0 {
		previous := slices.Clone(found[max(0, place-farthest):place])
		slices.Reverse(previous)
		if a.Previous, err = r.first(request, filter, l.Results, previous); err == nil {
			a.Next, err = r.first(request, filter, l.Results, found[place+1:min(place+1+farthest, len(found))])
		}
	}
	return a, err
}

// farthest is how far from an attempt its neighbours are looked for in a list whose episodes are read.
const farthest = 1000

// first is the address of the first of the attempts that a filter chooses; empty without one.
func (r *shownRun) first(request *http.Request, f trajectory.Filter, results record.Results, indices []int) (
	address string, err error) {
	chosen := 0
	if f.Text != "" {
		chosen = -1
		_, err = results.Search(request.Context(), indices, f.Text, func(n int, e *record.Episode) bool {
			if f.Hit(e) != nil {
				chosen = n
			}
			return chosen < 0
		})
	}
	if chosen < 0 || chosen >= len(indices) {
		return "", err
	}
	result := results.Result(indices[chosen])
	return r.path(rootOf(request), "episodes", trajectory.Name(&result)) + filterQuery(request.URL.Query()), err
}

// maxOthers is how many other episodes of a task are offered.
const maxOthers = 1000

// alternatives lists the other attempts at the task of an episode, in all runs that have been read.
func (s *Server) alternatives(own *shownRun, e *record.Episode, chosen string) (out []alternative) {
	runs := s.runs()
	s.openAll(runs)
	for _, r := range runs {
		if !r.isOpen() {
			continue
		}
		err := r.look(r.opened, r.patience, func(x *record.Index, _ Summary) {
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
		})
		if err != nil {
			continue // its own page says why
		}
	}
	return out
}

// label names an episode among its task's.
func label(r *shownRun, o *record.Result, own *shownRun) string {
	parts := []string{trajectory.Title(o), trajectory.Outcome(o.Outcome)}
	if r != own {
		parts = append(parts, "run "+r.name)
	}
	return table.Printable(strings.Join(parts, ", "))
}

// second reads the episode on the right side: RUN/EPISODE.
func (s *Server) second(request *http.Request, name string) (trajectory.EpisodePage, error) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return trajectory.EpisodePage{}, notFound(fmt.Sprintf("with=%s does not name a run and an episode", name))
	}
	r, err := s.run(name[:i])
	if err != nil {
		return trajectory.EpisodePage{}, err
	}
	p, _, err := s.attempt(request, r, name[i+1:], r.opened)
	p.Second = true
	return p, err
}

// attempt reads the attempt of that name for its page.
func (s *Server) attempt(request *http.Request, r *shownRun, name string, read <-chan struct{}) (
	p trajectory.EpisodePage, found located, err error) {
	e, found, err := r.episode(name, read)
	if err == nil {
		p = trajectory.EpisodePage{Episode: e, Run: r.parts.Name(), Player: found.condition.Player,
			PromptsHref: s.promptsHref(request, r, &e.Result)}
	}
	return p, found, err
}

// drawing is how long an episode may be replayed.
const drawing = 30 * time.Second

// draw replays an episode for its pictures, and says what readers must know of them.
func (s *Server) draw(ctx context.Context, l located, e *record.Episode) (pictures []envs.Picture, note string) {
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
	pictures, differs, err := s.options.Draw(ctx, l.condition, l.task, e)
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

// promptsHref is the address of the prompts of an attempt; empty if the server has none.
func (s *Server) promptsHref(request *http.Request, r *shownRun, e *record.Result) string {
	if s.options.Sent == nil {
		return ""
	}
	return r.path(rootOf(request), "episodes", trajectory.Name(e), "prompts")
}

// prompts answers with what the model was sent in an attempt, for the script of its page.
func (s *Server) prompts(w http.ResponseWriter, request *http.Request) {
	r, err := s.run(request.PathValue("run"))
	if err != nil || s.options.Sent == nil {
		http.Error(w, "unknown run", http.StatusNotFound)
		return
	}
	e, found, err := r.episode(request.PathValue("episode"), r.opened)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	leave, err := s.occupy(request.Context())
	if err != nil {
		return // the browser has gone
	}
	defer leave()
	calls, err := s.options.Sent(request.Context(), found.manifest, found.condition, found.task, e)
	text, err := json.Marshal(trajectory.NewPrompts(e, calls, err))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // an error is one of the connection
}
