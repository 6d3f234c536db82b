// Package serve serves environments to trainers and other harnesses, over the protocols that they already speak.
// One table holds the sessions of all protocols; a protocol only translates between its messages and Reset, Step
// and Close of a session.
package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"heldout/eval/model"
	"heldout/eval/serve/guard"
)

// Options say what is served, to whom, and within which limits.
type Options struct {
	Mounts []*Mount // the environments, each under a name of its own
	Gyms   []*Gym   // environments as AgentGym's servers serve them
	// Now tells the time.
	Now func() time.Time
	// Log receives events: sessions opened and closed, panics. About are names and
	// values in turn. It is called from many goroutines.
	Log func(event string, about ...any)
	// Callers are who may call the server; with a token, by any name, and without by any address.
	guard.Callers
	// MaxSessions and MaxPerAddress bound the open sessions, of all and of one client address.
	MaxSessions, MaxPerAddress int
	Memory                     Memory // the memory that the process may use: what needs more is refused
	// Idle ends a session without a request.
	Idle time.Duration
	// Record opens the recorder of a set of tasks, under a name for it; nil records
	// nothing. Recorded reports whether there is a record of that name already.
	Record   func(name string, m *Mount, set *Set) (Recorder, error)
	Recorded func(name string) bool
	Notices  []string // lines about recordings that whoever started the server should see
	// Deflate offers compression to WebSockets.
	Deflate bool
	// Profiles serves profiles of the process below /debug/pprof/.
	Profiles bool
	Version  string // heldout's own version
}

// Server serves environments. It implements http.Handler.
type Server struct {
	options Options
	table   *Table
	metrics *metrics
	mux     *http.ServeMux
	handler http.Handler
	sockets *websocket.Upgrader
	open    atomic.Int64 // WebSockets
}

// New returns a server. It opens no environment yet.
func New(o Options) (*Server, error) {
	if len(o.Mounts) == 0 {
		return nil, errors.New("no environment to serve")
	}
	s := &Server{options: o, metrics: newMetrics(), mux: http.NewServeMux()}
	s.table = &Table{options: o, metrics: s.metrics, sessions: map[string]*Session{}, addresses: map[string]int{},
		room: room{Memory: o.Memory}}
	if o.Record != nil {
		s.table.recorders = &recorders{open: o.Record, opened: map[*Set]Recorder{}}
	}
	s.sockets = s.upgrader()
	if err := s.routes(); err != nil {
		return nil, err
	}
	s.handler = s.guard(s.mux)
	return s, nil
}

func (s *Server) routes() error {
	s.mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { writeHealth(w) })
	s.mux.Handle("GET /metrics", s.metrics.handler())
	s.mux.HandleFunc("/openenv/{env}/{path...}", s.openEnvMount)
	s.mux.HandleFunc("/", s.openEnvRoot)
	s.batchRoutes()
	if s.options.Profiles {
		s.mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		s.mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	}
	return s.agentgymRoutes()
}

// Mount returns the mount with that name.
func (s *Server) Mount(name string) (*Mount, bool) {
	for _, m := range s.options.Mounts {
		if m.Name == name {
			return m, true
		}
	}
	return nil, false
}

// Table returns the sessions.
func (s *Server) Table() *Table { return s.table }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// The limits of HTTP.
const (
	readTime   = 10 * time.Second
	maxHeaders = 16 << 10
	// writeWholeTime is the time from the end of the headers to the end of the reply:
	// for a batch, its last step, and a slow network.
	writeWholeTime = 2 * time.Minute
	lastWords      = 4 * time.Second // of sessions; the process ends within five
	sweepEvery     = time.Second     // the time between two looks for sessions that are to end
)

// Serve answers requests until ctx is done. Then it refuses new sessions, closes the
// open ones, and returns within five seconds.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: readTime, ReadTimeout: readTime, WriteTimeout: writeWholeTime,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: maxHeaders,
	}
	defer model.Repeat(sweepEvery, s.table.Sweep)()
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		s.shutDown(server)
	})
	err := server.Serve(l)
	if !stop() {
		<-ended
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
	}
	return errors.Join(err, s.table.recorders.close())
}

// shutDown closes all sessions, and waits for replies and good-byes on their way.
func (s *Server) shutDown(server *http.Server) {
	patience, done := context.WithTimeout(context.Background(), lastWords)
	defer done()
	s.table.CloseAll()
	if server.Shutdown(patience) != nil {
		server.Close()
	}
	s.awaitSockets(patience)
}

// awaitSockets waits until no WebSocket is open, or ctx is done.
func (s *Server) awaitSockets(ctx context.Context) {
	for s.open.Load() > 0 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
}
