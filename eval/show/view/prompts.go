package view

import (
	"encoding/json"
	"net/http"

	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
)

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
