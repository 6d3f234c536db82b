package view

import (
	"net/http"

	"heldout/eval/show/page"
	"heldout/scoring/record"
)

// compare is the page that compares the chosen runs: the report of exactly those.
func (s *Server) compare(request *http.Request) (*page.Page, error) {
	names := request.URL.Query()["run"]
	if len(names) == 0 {
		return nil, &httpError{http.StatusBadRequest, "no run is chosen: go back and choose some"}
	}
	if s.options.Compare == nil {
		return nil, notFound("this server compares no runs")
	}
	var runs []record.Chosen
	for _, name := range names {
		r, err := s.run(name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r.parts)
	}
	leave, err := s.occupy(request.Context())
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := s.options.Compare(request.Context(), runs)
	if err != nil {
		return nil, err
	}
	p.Links = append(s.links(request), p.Links...)
	return &p, nil
}
