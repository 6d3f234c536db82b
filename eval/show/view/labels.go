package view

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"heldout/eval/serve/guard"
	"heldout/eval/show/page"
	"heldout/scoring/record"
)

// labelsEnd ends the addresses to which labels of runs are sent.
const labelsEnd = "/labels"

// maySet reports whether a request may set labels: it comes from this machine, and from a page of this server.
func (s *Server) maySet(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site") // empty in older browsers
	return isLocal(r) && r.Header.Get("Origin") != "" && s.options.OwnPage(r) &&
		(site == "" || site == "same-origin") && strings.HasSuffix(r.URL.Path, labelsEnd)
}

func isLocal(r *http.Request) bool { return net.ParseIP(guard.NameOf(r.RemoteAddr)).IsLoopback() }

// setLabels sets the labels of a run from the form of its page.
func (s *Server) setLabels(request *http.Request) (*page.Page, error) {
	r, err := s.run(request.PathValue("run"))
	if err != nil {
		return nil, err
	}
	request.Body = http.MaxBytesReader(nil, request.Body, record.MaxLabels)
	if err := request.ParseForm(); err != nil {
		return nil, &httpError{http.StatusBadRequest, err.Error()}
	}
	form := request.PostForm
	l := record.Labels{Tags: tagsOf(form.Get("tags")), Archived: form.Get("archived") != "",
		Note: strings.TrimSpace(strings.ReplaceAll(form.Get("note"), "\r\n", "\n"))}
	if err := r.parts.SetLabels(l); err != nil {
		return nil, &httpError{http.StatusBadRequest, err.Error()}
	}
	return nil, &redirect{r.path("")}
}

// tagsOf are the different tags of a list with commas.
func tagsOf(text string) (tags []string) {
	for t := range strings.SplitSeq(text, ",") {
		if t = strings.TrimSpace(t); t != "" && !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return tags
}

// labelsForm is the form of a run's labels as its template takes it. Editable is false for readers from
// another machine.
type labelsForm struct {
	record.Labels
	Action   string
	Editable bool
	Problem  string
}

// TagList is the list that tagsOf reads.
func (f labelsForm) TagList() string { return strings.Join(f.Tags, ", ") }

func newLabelsForm(r *shownRun, request *http.Request) labelsForm {
	f := labelsForm{Action: r.path(rootOf(request), strings.TrimPrefix(labelsEnd, "/")), Editable: isLocal(request)}
	var problem error
	if f.Labels, problem = r.parts.Labels(); problem != nil {
		f.Problem = page.CellText(problem.Error())
	}
	return f
}
