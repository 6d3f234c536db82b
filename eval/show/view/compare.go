package view

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"heldout/eval/show/page"
	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// comparedPage is the comparison that was made last, as making one takes long.
type comparedPage struct {
	mu   sync.Mutex
	key  string // the runs with their files then, and where the page is
	page page.Page
}

// compare is the page that compares the chosen runs: the report of exactly those, with links to the pages of
// their episodes.
func (s *Server) compare(request *http.Request) (*page.Page, error) {
	names := request.URL.Query()["run"]
	if len(names) == 0 {
		return nil, &httpError{http.StatusBadRequest, "no run is chosen: go back and choose some"}
	}
	if s.options.Compare == nil {
		return nil, notFound("this server compares no runs")
	}
	root := rootOf(request)
	key, byName := root, map[string]*shownRun{}
	var runs []record.Chosen
	for _, name := range names {
		r, err := s.run(name)
		if err != nil {
			return nil, err
		}
		files, err := r.parts.Files()
		if err != nil {
			return nil, err
		}
		for name, path := range files {
			if info, err := os.Stat(path); err == nil {
				files[name] = fmt.Sprintln(path, info.Size(), info.ModTime())
			}
		}
		key += fmt.Sprint(r.parts, files)
		runs, byName[r.parts.String()] = append(runs, r.parts), r
	}
	s.compared.mu.Lock()
	defer s.compared.mu.Unlock()
	if s.compared.key != key {
		comparison, err := s.options.Compare(request.Context(), runs, addressesOf(byName, root))
		if err != nil {
			return nil, err
		}
		s.compared.key, s.compared.page = key, comparison
	}
	p := s.compared.page
	p.Links = append(s.links(request), p.Links...)
	// pages add to them
	p.Body, p.Styles, p.Scripts = slices.Clip(p.Body), slices.Clip(p.Styles), slices.Clip(p.Scripts)
	return &p, nil
}

// addressesOf are the pages of attempts, from where root leads to the list of runs.
func addressesOf(runs map[string]*shownRun, root string) trajectory.Addresses {
	return func(first trajectory.Target, companions ...trajectory.Target) string {
		address := runs[first.Run].path(root, "episodes", first.Name)
		queries := table.Each(companions, func(a trajectory.Target) string {
			return "with=" + url.QueryEscape(runs[a.Run].name+"/"+a.Name)
		})
		return strings.Join(append([]string{address}, queries...), "?")
	}
}
