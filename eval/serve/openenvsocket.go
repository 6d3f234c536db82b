package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// The limits of a WebSocket.
const (
	maxFrame     = 64 << 10
	maxPipelined = 64
	writeTime    = 10 * time.Second // of one frame
	pingEvery    = 30 * time.Second
	pongTime     = 2*pingEvery + 10*time.Second // two pings were missed
	closeTime    = 2 * time.Second              // until the client's own close frame
)

// closeIdle is the code that closes the WebSocket of an idle session.
const closeIdle = 4408

// socket is a client on a WebSocket: one goroutine reads, so that pings are answered
// while a step runs, and another one carries out requests as long as there are any.
type socket struct {
	server  *Server
	mount   *Mount
	conn    *websocket.Conn
	session *Session
	ping    *time.Timer
	out     sync.Mutex

	mu      sync.Mutex
	waiting [][]byte // frames that came while a request ran
	working bool
	settled chan struct{} // once the session has ended: closed when the last answer is written
}

// upgrader makes WebSockets. The guard has checked the origin.
func (s *Server) upgrader() *websocket.Upgrader {
	return &websocket.Upgrader{
		HandshakeTimeout: readTime, ReadBufferSize: 1 << 10, WriteBufferSize: 4 << 10, WriteBufferPool: &sync.Pool{},
		CheckOrigin: func(*http.Request) bool { return true }, EnableCompression: s.options.Deflate,
	}
}

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request, m *Mount) {
	s.open.Add(1)
	conn, err := s.sockets.Upgrade(w, r, nil)
	if err != nil {
		s.open.Add(-1)
		return // Upgrade has answered
	}
	conn.SetReadLimit(maxFrame)
	c := &socket{server: s, mount: m, conn: conn}
	ended := func(reason EndReason) { go c.finish(reason) }
	if query := r.URL.Query(); query.Has("session_id") {
		err = c.attach(query.Get("session_id"), ended)
	} else {
		c.session, err = s.table.Open(Owner{Protocol: openEnv, Mount: m, Address: addressOf(r), Ended: ended})
	}
	if err != nil {
		c.refuse(errorFrame(err))
		return
	}
	conn.SetPongHandler(func(string) error {
		if c.session.endErr.Load() != nil {
			return nil // the time until the end of the connection is set
		}
		return conn.SetReadDeadline(s.options.Now().Add(pongTime))
	})
	_ = conn.SetReadDeadline(s.options.Now().Add(pongTime)) // reading reports a broken connection
	c.ping = time.AfterFunc(pingEvery, c.sendPing)
	go c.read() // the handler's goroutine holds more memory
}

// refuse sends an error to a client that gets no session.
func (c *socket) refuse(e *frameError) {
	c.write(errorReply(e))
	c.end(websocket.CloseNormalClosure, "")
	go func() {
		defer c.server.open.Add(-1)
		for { // until the client has closed, or the time is over
			if _, _, err := c.conn.NextReader(); err != nil {
				c.conn.Close()
				return
			}
		}
	}()
}

// sendPing sends a ping, and plans the next one.
func (c *socket) sendPing() {
	if c.conn.WriteControl(websocket.PingMessage, nil, c.server.options.Now().Add(writeTime)) == nil {
		c.ping.Reset(pingEvery)
	}
}

func (c *socket) read() {
	defer c.server.open.Add(-1)
	err := c.readFrames()
	reason := Failed // the client has been told in a close frame
	if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway,
		websocket.CloseNoStatusReceived) {
		reason = ByClient
	} else if errors.As(err, new(*websocket.CloseError)) || errors.As(err, new(net.Error)) {
		reason = Gone
	}
	c.session.Close(reason)
	c.ping.Stop()
	if reason == Failed {
		c.drain()
	}
	c.conn.Close()
}

// drain reads what the client still sends, for a while: a connection that is closed
// before that is reset, and the close frame with it.
func (c *socket) drain() {
	_ = c.conn.SetReadDeadline(c.server.options.Now().Add(closeTime)) // reading reports a broken connection
	_, _ = io.Copy(io.Discard, c.conn.NetConn())
}

func (c *socket) readFrames() error {
	for {
		kind, r, err := c.conn.NextReader()
		if err != nil {
			return err
		}
		frame, err := io.ReadAll(io.LimitReader(r, maxFrame+1))
		if err != nil {
			return err
		}
		switch {
		case len(frame) > maxFrame: // what was compressed
			c.fail(fmt.Sprintf("a frame has more than %d bytes", maxFrame))
		case kind != websocket.TextMessage:
			c.fail("binary frames are not supported: send text frames")
		case !c.accept(frame):
			c.fail(fmt.Sprintf("more than %d requests without waiting for a reply", maxPipelined))
		}
	}
}

// accept has a frame carried out after those before it, unless too many wait.
func (c *socket) accept(frame []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.settled != nil: // nothing more is carried out
		return true
	case !c.working:
		c.working = true
		go c.work(frame)
		return true
	case len(c.waiting) >= maxPipelined:
		return false
	}
	c.waiting = append(c.waiting, frame)
	return true
}

// work carries out a frame and those that wait.
func (c *socket) work(frame []byte) {
	for frame != nil {
		c.answer(frame)
		frame = c.next()
	}
}

// next returns the next frame that waits; nil ends the work.
func (c *socket) next() (frame []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled != nil || len(c.waiting) == 0 {
		c.working, c.waiting = false, nil
		if c.settled != nil {
			close(c.settled)
		}
		return nil
	}
	frame, c.waiting = c.waiting[0], c.waiting[1:]
	return frame
}

func (c *socket) answer(frame []byte) {
	began := c.server.options.Now()
	q, err := readFrame(frame)
	if err == errBroken {
		c.fail("want a JSON object with the key type")
		return
	}
	if err == nil && q.kind == "close" {
		c.session.Close(ByClient)
		return
	}
	var answer reply
	if err == nil {
		answer, err = c.carryOut(q)
	}
	if err != nil {
		answer = errorReply(err)
	}
	c.write(answer)
	if err == nil && (q.kind == "step" || q.kind == "reset") {
		c.server.metrics.observeRequest(c.mount, openEnv, q.kind, c.server.options.Now().Sub(began))
	}
}

func (c *socket) carryOut(q request) (reply, error) {
	switch q.kind {
	case "step":
		r, err := c.session.Take(q.action)
		return reply{"observation", observationOf(&r, false)}, err
	case "reset":
		r, err := c.session.resetBy(q.data)
		return reply{"observation", observationOf(&r, true)}, err
	case "state":
		s, err := c.session.State()
		return reply{"state", stateOf(s)}, err
	case "fork":
		return c.fork(q)
	case "actions":
		actions, err := c.session.Actions()
		return reply{"actions", actionList{actions}}, err
	}
	return reply{"mcp", answerMCP(q.data)}, nil
}

// write sends a text frame; after the close frame it does nothing. A client that does
// not take the frame loses its session.
func (c *socket) write(r reply) {
	frame, err := marshal(r)
	c.out.Lock()
	defer c.out.Unlock()
	_ = c.conn.SetWriteDeadline(c.server.options.Now().Add(writeTime)) // always nil
	if err == nil {
		err = c.conn.WriteMessage(websocket.TextMessage, frame)
	}
	if err != nil && err != websocket.ErrCloseSent && c.session != nil {
		c.conn.Close() // ends reading, and so the session
	}
}

// fail tells the client what it did wrong, and ends the session.
func (c *socket) fail(text string) {
	c.write(errorReply(&frameError{Code: sessionError, Message: text}))
	c.session.Close(Failed)
}

// finish says good-bye after the end of the session. What the running request answers goes before it.
func (c *socket) finish(reason EndReason) {
	if reason == Gone {
		c.conn.Close()
		return
	}
	if !c.settle() {
		c.write(errorReply(&EndedError{reason}))
	}
	switch reason {
	case Idle:
		c.end(closeIdle, fmt.Sprintf("no request for %v", c.server.options.Idle))
	case ShutDown:
		c.end(websocket.CloseGoingAway, "the server shuts down")
	default:
		c.end(websocket.CloseNormalClosure, "")
	}
}

// settle waits until the running request is answered, and reports whether that was in
// time. Frames after it are not carried out.
func (c *socket) settle() bool {
	settled := make(chan struct{})
	c.mu.Lock()
	if c.settled = settled; !c.working {
		close(settled)
	}
	c.mu.Unlock()
	_, ok := last(settled)
	return ok
}

// end sends a close frame, and bounds the time until the client's own.
func (c *socket) end(code int, text string) {
	c.out.Lock()
	defer c.out.Unlock()
	now := c.server.options.Now()
	// the client may be gone
	_ = c.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, text), now.Add(closeTime))
	_ = c.conn.SetReadDeadline(now.Add(closeTime)) // reading reports a broken connection
}
