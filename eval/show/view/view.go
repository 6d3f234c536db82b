// Package view serves run directories as pages on the loopback interface: rates so
// far, episodes in flight, lists of episodes and every episode with its steps. Of what it
// shows, it only writes labels of runs. It keeps no trajectories, and answers only its own pages.
package view

import (
	"context"
	_ "embed"
	"errors"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"time"

	"heldout/envs"
	"heldout/eval/episode"
	"heldout/eval/serve/guard"
	"heldout/eval/show/page"
	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Options say what is shown and to whom.
type Options struct {
	// Runs are what is shown, and Find lists them again with those that began later; nil for never.
	Runs []record.Chosen
	Find func() ([]record.Chosen, error)
	// Now tells the time.
	Now func() time.Time
	// Draw returns the states of an episode's world, as eval.Pictures does; nil without pictures.
	Draw func(context.Context, record.Condition, envs.Task, *record.Episode) (pictures []envs.Picture, differs int,
		err error)
	// Drawable reports whether the worlds of a condition have pictures here; nil for all.
	Drawable func(record.Condition) bool
	Sent     episode.Sent // nil without it
	// Compare makes the page that compares runs, with the addresses of their attempts by Chosen.String of the
	// runs; nil without it.
	Compare func(context.Context, []record.Chosen, trajectory.Addresses) (page.Page, error)
	// Callers are who may call the server, also by loopback addresses and, with a token, by any address.
	guard.Callers
}

// Server serves pages. It implements http.Handler.
type Server struct {
	options  Options
	listed   shownRuns
	compared comparedPage
	handler  http.Handler
	busy     chan struct{} // bounds searches and drawings at the same time
	readers  chan struct{} // bounds first readings at the same time
	watchers chan struct{} // bounds live connections
	closing  context.Context
	close    context.CancelFunc
}

// The limits of what is done at the same time.
const (
	maxBusy     = 2
	maxWatchers = 64
)

// patience is how long a page waits for the first reading of a run before it says so.
const patience = 800 * time.Millisecond

// New returns a server of runs. It reads nothing yet.
func New(o Options) *Server {
	s := &Server{options: o, busy: make(chan struct{}, maxBusy), readers: make(chan struct{}, maxBusy),
		watchers: make(chan struct{}, maxWatchers)}
	s.closing, s.close = context.WithCancel(context.Background())
	s.listed.add(o.Runs, o.Now)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.answer(s.overview))
	mux.HandleFunc("GET /compare", s.answer(s.compare))
	mux.HandleFunc("GET /runs/{run}", s.answer(func(r *http.Request) (*page.Page, error) {
		return nil, &redirect{"runs/" + url.PathEscape(r.PathValue("run")) + "/"}
	}))
	mux.HandleFunc("GET /runs/{run}/{$}", s.answer(s.runPage))
	mux.HandleFunc("POST /runs/{run}"+labelsEnd, s.answer(s.setLabels))
	mux.HandleFunc("GET /runs/{run}/live", s.live)
	mux.HandleFunc("GET /runs/{run}/episodes/{episode}", s.answer(s.episodePage))
	mux.HandleFunc("GET /runs/{run}/download/{file}", s.download)
	mux.HandleFunc("GET /runs/{run}/episodes/{episode}/prompts", s.prompts)
	mux.HandleFunc("/", s.answer(func(r *http.Request) (*page.Page, error) {
		return nil, notFound("page not found: " + r.URL.Path)
	}))
	s.handler = s.guard(mux)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Serve answers requests until ctx is done, and then ends live connections and waits for others.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 2 * time.Minute,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return s.closing },
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		s.close()
		patience, done := context.WithTimeout(context.Background(), 5*time.Second)
		defer done()
		if server.Shutdown(patience) != nil {
			server.Close()
		}
	})
	defer s.close()
	err := server.Serve(l)
	if !stop() && errors.Is(err, http.ErrServerClosed) {
		<-ended // requests on their way are answered
		return nil
	}
	return err
}

// httpError is an error with its status code.
type httpError struct {
	code int
	text string
}

func (e *httpError) Error() string { return e.text }

func notFound(text string) error { return &httpError{http.StatusNotFound, text} }

// answer turns a function that makes a page into a handler.
func (s *Server) answer(make func(*http.Request) (*page.Page, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, err := make(r)
		if errors.Is(err, errReading) {
			w.Header().Set("Refresh", "1")
			body := []template.HTML{fragment("reading", err.Error())}
			s.write(w, http.StatusOK, &page.Page{Title: "Reading", Body: body, Links: s.links(r)})
			return
		}
		var moved *redirect
		if errors.As(err, &moved) {
			move(w, rootOf(r)+moved.target)
			return
		}
		code := http.StatusOK
		if err != nil {
			code = http.StatusInternalServerError
			var httpErr *httpError
			if errors.As(err, &httpErr) {
				code = httpErr.code
			}
			p = &page.Page{Title: http.StatusText(code), Body: []template.HTML{fragment("failure", err.Error())},
				Links: home(r)}
		}
		s.write(w, code, p)
	}
}

func home(r *http.Request) []page.Link { return []page.Link{{Href: rootOf(r), Text: "All runs"}} }

// redirect is an error that sends the browser to another page, whose address begins below the list of runs.
type redirect struct{ target string }

func (r *redirect) Error() string { return "see " + r.target }

// write writes a page. Its head is written once the page is made, which can fail.
func (s *Server) write(w http.ResponseWriter, code int, p *page.Page) {
	p.Live = true
	p.Body = append(p.Body, fragment("keys", nil))
	p.Scripts = append(p.Scripts, filterScript)
	p.Styles = append(p.Styles, trajectory.Style, style)
	p.Scripts = append(p.Scripts, page.Script)
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", p.Policy()+"; frame-ancestors 'none'")
	w.WriteHeader(code)
	_ = p.Write(w) // an error is one of the connection
}

var (
	//go:embed view.html
	viewText string
	//go:embed view.css
	style template.CSS
	//go:embed filter.js
	filterScript template.JS
	//go:embed live.js
	liveScript template.JS

	templates = template.Must(template.New("view.html").
			Funcs(template.FuncMap{"ago": spanText, "counted": table.Counted}).Parse(viewText))
)

// occupy waits for a place among those who do what takes time. The caller calls leave.
func (s *Server) occupy(ctx context.Context) (leave func(), err error) {
	select {
	case s.busy <- struct{}{}:
		return func() { <-s.busy }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
