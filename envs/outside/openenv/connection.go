package openenv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"heldout/envs"
	"heldout/envs/outside"
)

const (
	// capacityReached is the code of a server that has no room for another session, and
	// notValid the code of a server that does not take a message, and goes on.
	capacityReached = "CAPACITY_REACHED"
	notValid        = "VALIDATION_ERROR"
	// farewell is how long saying good-bye may take.
	farewell = time.Second
)

// complaint is an error that the server reports.
type complaint struct {
	Message string         `json:"message"`
	Code    string         `json:"code"`
	Errors  jsontext.Value `json:"errors"`
	Max     int            `json:"max_sessions"`
}

func (r *complaint) Error() string {
	text := r.Message
	if len(r.Errors) > 0 {
		text += " " + string(r.Errors)
	}
	return fmt.Sprintf("it says: %s (%s)", outside.Quoted(text), outside.Quoted(r.Code))
}

// about says what is wrong with a text; "" if something else is.
func (r *complaint) about(text string) string {
	var faults []struct {
		Message string `json:"msg"`
		Input   any    `json:"input"`
	}
	if r.Code != notValid || jsonv2.Unmarshal(r.Errors, &faults) != nil {
		return ""
	}
	var lines []string
	for _, f := range faults {
		if f.Input != text {
			return ""
		}
		lines = append(lines, f.Message)
	}
	return strings.Join(lines, "\n")
}

// connection is a WebSocket of a server, which has one environment. One goroutine reads, so that
// pings are answered while the agent thinks.
type connection struct {
	socket  envs.Socket
	timeout time.Duration
	frames  chan []byte   // what the server has sent
	ended   chan struct{} // closed when it sends nothing more

	mu      sync.Mutex
	failure error // why it can no longer be used
}

// dial opens a session.
func (d *Remote) dial(ctx context.Context) (*connection, error) {
	if d.out.Dial == nil {
		return nil, errors.New("WebSockets are not available here")
	}
	ctx, cancel := context.WithTimeout(ctx, d.options.Timeout)
	defer cancel()
	u := *d.server.Base.JoinPath("ws")
	u.Scheme = map[string]string{"http": "ws", "https": "wss"}[u.Scheme]
	socket, err := d.out.Dial(ctx, u.String(), d.server.Header())
	if err != nil {
		return nil, d.server.Unreached(ctx, u.Path, err)
	}
	s := &connection{socket: socket, timeout: d.options.Timeout, frames: make(chan []byte, 1),
		ended: make(chan struct{})}
	go s.read()
	return s, nil
}

// read reads until the connection ends.
func (s *connection) read() {
	defer close(s.ended)
	for {
		frame, err := s.socket.Read()
		if err != nil {
			s.fail(fmt.Errorf("the connection has ended: %w", err))
			return
		}
		select {
		case s.frames <- frame:
		default:
			s.fail(errors.New("it sends more frames than it was asked for"))
			return
		}
	}
}

// fail ends the connection.
func (s *connection) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = err
		_ = s.socket.Close() // nobody needs it any more
	}
}

// ask sends a request, and reads the data of its answer.
func (s *connection) ask(ctx context.Context, kind, data, want string, into any) error {
	late := time.AfterFunc(s.timeout, func() {
		s.fail(fmt.Errorf("it has not answered %q within %v", kind, s.timeout))
	})
	defer late.Stop()
	defer context.AfterFunc(ctx, func() { s.fail(ctx.Err()) })()
	request := `{"type":"` + kind + `"`
	if data != "" {
		request += `,"data":` + data
	}
	var frame []byte
	select {
	case frame = <-s.frames: // unasked, it may say why there is no session
		want = "error"
	default:
		if err := s.socket.Write([]byte(request + "}")); err != nil && s.silent() {
			s.fail(err)
		}
		frame = s.next()
	}
	if frame == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.failure
	}
	err := parse(frame, want, into)
	if err != nil && !errors.As(err, new(*complaint)) {
		s.fail(err)
	}
	return err
}

// silent reports that a connection that cannot be written has nothing left to read.
func (s *connection) silent() bool {
	select {
	case <-s.ended:
		return len(s.frames) == 0
	case <-time.After(farewell):
		return true
	}
}

// next is the next frame; nil if there is none before the end.
func (s *connection) next() []byte {
	select {
	case frame := <-s.frames:
		return frame
	case <-s.ended:
	}
	select {
	case frame := <-s.frames:
		return frame
	default:
		return nil
	}
}

// parse reads a frame, which may be an error.
func parse(frame []byte, want string, into any) error {
	var f struct {
		Type string         `json:"type"`
		Data jsontext.Value `json:"data"`
	}
	err := outside.Unmarshal(frame, &f)
	if err == nil && f.Type == "error" {
		r := &complaint{}
		if err = outside.Unmarshal(f.Data, r); err == nil {
			return r
		}
	}
	if err == nil && f.Type == want {
		err = outside.Unmarshal(f.Data, into)
	} else if err == nil {
		err = fmt.Errorf("its type is %.40q, want %q", f.Type, want)
	}
	if err != nil {
		return fmt.Errorf("it sends a frame that cannot be read: %w", err)
	}
	return nil
}

// close says good-bye, and ends the connection.
func (s *connection) close() {
	late := time.AfterFunc(farewell, func() { s.fail(errors.New("it was closed")) })
	defer late.Stop()
	_ = s.socket.Write([]byte(`{"type":"close"}`)) // the server may be gone
	s.fail(errors.New("it was closed"))
}
