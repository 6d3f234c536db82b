package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"heldout/envs/sharedtest"
)

// online serves over a loopback connection, by the real clock.
func online(t testing.TB, change func(*Options)) (*Server, string) {
	t.Helper()
	s, _ := testServer(t, func(o *Options) {
		o.Now = time.Now
		if change != nil {
			change(o)
		}
	})
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Table().CloseAll()
		s.awaitSockets(context.Background())
		h.Close()
	})
	return s, h.URL
}

// wsClient is a WebSocket client that fails its test on any error.
type wsClient struct {
	*websocket.Conn
	t *testing.T
}

func dial(t *testing.T, url string) *wsClient {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http"), nil)
	sharedtest.OK(t, err)
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second)) // a hang is a failure
	return &wsClient{conn, t}
}

func (c *wsClient) send(text string) {
	c.t.Helper()
	sharedtest.OK(c.t, c.WriteMessage(websocket.TextMessage, []byte(text)))
}

// begun is a client whose episode has begun.
func begun(t *testing.T, url string) *wsClient {
	t.Helper()
	c := dial(t, url+"/ws")
	c.send(`{"type":"reset"}`)
	c.next()
	return c
}

// wantNoEpisode asks for the state. The session must have no episode.
func (c *wsClient) wantNoEpisode() {
	c.t.Helper()
	c.want(`{"type":"state"}`,
		`{"type":"state","data":{"episode_id":null,"step_count":0,"task_id":null,"progress":0.0,"done":false}}`)
}

// want sends a frame and compares the reply.
func (c *wsClient) want(frame, reply string) {
	c.t.Helper()
	c.send(frame)
	c.wantNext(reply)
}

func (c *wsClient) wantNext(reply string) {
	c.t.Helper()
	if got := c.next(); string(got) != reply {
		c.t.Errorf("got  %s\nwant %s", got, reply)
	}
}

// next reads a reply.
func (c *wsClient) next() []byte {
	c.t.Helper()
	_, got, err := c.ReadMessage()
	sharedtest.OK(c.t, err)
	return got
}

// wantClose reads the end of the connection.
func (c *wsClient) wantClose(code int) {
	c.t.Helper()
	_, got, err := c.ReadMessage()
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != code {
		c.t.Errorf("got %q, %v, want close code %d", got, err, code)
	}
}

func TestSocketFrames(t *testing.T) {
	_, url := online(t, nil)
	c := dial(t, url+"/openenv/echo/ws")
	for _, f := range sharedtest.Cases[struct{ Frame, Reply string }](t, "socket-frames.yaml") {
		c.want(f.Frame, f.Reply)
	}
	c.send(`{"type": "close"}`)
	c.wantClose(websocket.CloseNormalClosure)
}

// With a single environment, it is at the root as well.
func TestSocketAtTheRoot(t *testing.T) {
	_, url := online(t, nil)
	dial(t, url+"/ws").wantNoEpisode()
	_, url = online(t, func(o *Options) {
		o.Mounts = append(o.Mounts, NewMount(MountOptions{Name: "other", Splits: o.Mounts[0].Splits}))
	})
	if _, response, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+"/ws", nil); err == nil ||
		response.StatusCode != http.StatusNotFound {
		t.Errorf("the root of two environments: %v", err)
	}
}

func TestSocketEnds(t *testing.T) {
	_, url := online(t, nil)
	for _, frame := range []string{`[1]`, `"x"`} {
		c := dial(t, url+"/ws")
		c.want(frame,
			`{"type":"error","data":{"message":"want a JSON object with the key type","code":"SESSION_ERROR"}}`)
		c.wantClose(websocket.CloseNormalClosure)
	}
	c := dial(t, url+"/ws")
	sharedtest.OK(t, c.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"state"}`)))
	c.wantNext(
		`{"type":"error","data":{"message":"binary frames are not supported: send text frames","code":"SESSION_ERROR"}}`)
	c.wantClose(websocket.CloseNormalClosure)

	c = dial(t, url+"/ws")
	c.send(`{"type":"` + strings.Repeat("x", maxFrame) + `"}`)
	c.wantClose(websocket.CloseMessageTooBig)

	c = dial(t, url+"/ws")
	if _, err := c.NetConn().Write([]byte{0xf1, 0x80, 0, 0, 0, 0}); err != nil { // reserved bits
		t.Fatal(err)
	}
	c.wantClose(websocket.CloseProtocolError)

	c = dial(t, url+"/ws?session_id=nope")
	c.wantNext(`{"type":"error","data":{"message":"Unknown session_id: nope","code":"SESSION_ERROR"}}`)
	c.wantClose(websocket.CloseNormalClosure)
}

func TestSocketPanic(t *testing.T) {
	s, url := online(t, nil)
	c := begun(t, url)
	other := dial(t, url+"/ws")
	other.wantNoEpisode()
	c.want(`{"type":"step","data":{"message":"boom"}}`,
		`{"type":"error","data":{"message":"the environment panicked, and the session has ended: bang","code":"EXECUTION_ERROR"}}`)
	c.wantClose(websocket.CloseNormalClosure)
	other.wantNoEpisode()
	sharedtest.Equal(t, s.Table().Len(), 1, "sessions are open")
}

// Whatever is answered before a session's end arrives before the close frame, however
// slow the goroutine that answers is.
func TestSocketLastAnswer(t *testing.T) {
	var ended atomic.Bool
	_, url := online(t, func(o *Options) {
		o.Log = func(event string, _ ...any) {
			if event == "session closed" {
				ended.Store(true)
			}
		}
		o.Now = func() time.Time { // is asked between the end of the session and its last answer
			if ended.Load() {
				for range 1000 {
					runtime.Gosched()
				}
			}
			return time.Now()
		}
	})
	for range 20 {
		ended.Store(false)
		c := begun(t, url)
		c.want(`{"type":"step","data":{"message":"boom"}}`,
			`{"type":"error","data":{"message":"the environment panicked, and the session has ended: bang","code":"EXECUTION_ERROR"}}`)
		c.wantClose(websocket.CloseNormalClosure)
	}
}

// A step that never ends does not keep its client from learning why the session ended.
func TestSocketHangs(t *testing.T) {
	t.Parallel()
	s, url := online(t, nil)
	c := begun(t, url)
	c.send(`{"type":"step","data":{"message":"hang"}}`)
	<-waiting(t, s)
	s.Table().CloseAll()
	c.wantNext(
		`{"type":"error","data":{"message":"the session has ended: the server shuts down","code":"SESSION_ERROR"}}`)
	c.wantClose(websocket.CloseGoingAway)
	set := sharedtest.Must(s.options.Mounts[0].Set(""))(t)
	close(set.Env.(*echo).closed)
}

func TestSocketCapacity(t *testing.T) {
	_, url := online(t, func(o *Options) { o.MaxSessions = 1 })
	first := dial(t, url+"/ws")
	first.wantNoEpisode()
	c := dial(t, url+"/ws")
	c.wantNext(
		`{"type":"error","data":{"message":"Server at capacity: 1/1 sessions active. Cannot accept new connections.","code":"CAPACITY_REACHED","active_sessions":1,"max_sessions":1}}`)
	c.wantClose(websocket.CloseNormalClosure)
}

// A session dies with its connection, also while a step runs, and pings are answered meanwhile.
func TestSocketPingsAndDrop(t *testing.T) {
	s, url := online(t, nil)
	c := begun(t, url)
	c.send(`{"type":"step","data":{"message":"wait"}}`)
	<-waiting(t, s)
	pong := make(chan string, 1)
	c.SetPongHandler(func(text string) error {
		pong <- text
		return errors.New("enough")
	})
	sharedtest.OK(t, c.WriteControl(websocket.PingMessage, []byte("hello"), time.Now().Add(time.Second)))
	if _, _, err := c.ReadMessage(); err == nil {
		t.Error("a reply came before the pong")
	}
	sharedtest.Equal(t, <-pong, "hello", "pong")
	c.Close()
	s.awaitSockets(t.Context()) // the reader has seen the end
	sharedtest.Equal(t, s.Table().Len(), 0, "sessions are open after the connection broke")
}

func TestSocketPipeline(t *testing.T) {
	s, url := online(t, nil)
	c := begun(t, url)
	c.send(`{"type":"step","data":{"message":"wait"}}`)
	<-waiting(t, s)
	for range maxPipelined + 1 {
		c.send(`{"type":"state"}`)
	}
	c.wantNext(
		`{"type":"error","data":{"message":"more than 64 requests without waiting for a reply","code":"SESSION_ERROR"}}`)
}

func TestSocketIdleAndSlow(t *testing.T) {
	s, url := online(t, func(o *Options) { o.Idle = time.Nanosecond })
	c := dial(t, url+"/ws")
	c.wantNoEpisode()
	s.Table().Sweep()
	c.wantClose(closeIdle)

	var clock clock
	clock.now = time.Now()
	s, url = online(t, func(o *Options) { o.Now = clock.Now })
	c = begun(t, url)
	c.send(`{"type":"step","data":{"message":"wait"}}`)
	<-waiting(t, s)
	clock.pass(MaxStepTime + time.Second)
	s.Table().Sweep()
	_, got, err := c.ReadMessage()
	if err != nil || !strings.Contains(string(got), "a step took longer than 30s") {
		t.Errorf("slow step: %s, %v", got, err)
	}
}

func TestSocketDeflate(t *testing.T) {
	_, url := online(t, func(o *Options) { o.Deflate = true })
	dialer := websocket.Dialer{EnableCompression: true}
	conn, response, err := dialer.Dial("ws"+strings.TrimPrefix(url, "http")+"/ws", nil)
	sharedtest.OK(t, err)
	defer conn.Close()
	if got := response.Header.Get("Sec-WebSocket-Extensions"); !strings.Contains(got, "permessage-deflate") {
		t.Errorf("extensions %q", got)
	}
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second)) // a hang is a failure
	c := &wsClient{conn, t}
	c.want(`{"type":"nope"}`, `{"type":"error","data":{"message":"Unknown message type: nope","code":"UNKNOWN_TYPE"}}`)
	c.want(`{"type":"`+strings.Repeat("x", 100*maxFrame)+`"}`,
		`{"type":"error","data":{"message":"a frame has more than 65536 bytes","code":"SESSION_ERROR"}}`)
	c.wantClose(websocket.CloseNormalClosure)
}

// Serve ends within its time: clients are told, and nothing of the server is left.
func TestShutdown(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s, _ := testServer(t, func(o *Options) { o.Now = time.Now })
	l := sharedtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error)
	go func() { served <- s.Serve(ctx, l) }()
	c := dial(t, "http://"+l.Addr().String()+"/ws")
	c.wantNoEpisode()
	stop()
	c.wantClose(websocket.CloseGoingAway)
	if err := <-served; err != nil {
		t.Error(err)
	}
	sharedtest.Fails(t, sharedtest.Err(s.Table().Open(Owner{})), "", "a session can be opened after the end")
	c.Close()
}

// The same task and actions give the same bytes to all clients.
func TestSameBytes(t *testing.T) {
	_, url := online(t, nil)
	frames := []string{`{"type":"reset","data":{"index":2,"actions":true}}`,
		`{"type":"step","data":{"message":"look"}}`, `{"type":"step","data":{"message":"bad"}}`,
		`{"type":"step","data":{"message":"win"}}`}
	const clients = 8
	replies := make(chan string, clients)
	for range clients {
		c := dial(t, url+"/ws")
		go func() {
			var all strings.Builder
			for _, frame := range frames {
				if err := c.WriteMessage(websocket.TextMessage, []byte(frame)); err != nil {
					fmt.Fprintln(&all, err)
				}
				_, got, err := c.ReadMessage()
				fmt.Fprintln(&all, string(got), err)
			}
			replies <- all.String()
		}()
	}
	first := <-replies
	for range clients - 1 {
		sharedtest.Equal(t, <-replies, first, "two clients got and")
	}
}
