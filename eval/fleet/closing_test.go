package fleet

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// closer is a model server behind a balancer that closes connections.
type closer struct {
	// nth request of a connection or, with all, of the server is not answered. It is read before, or not; the
	// connection is closed, or reset; broken: after a part of the answer; after: once it is answered.
	nth                              int64
	all, reads, reset, broken, after bool

	requests, answered, closed atomic.Int64
}

func (c *closer) String() string {
	return fmt.Sprintf("request %d, of all %v, read %v, reset %v, broken %v, answered %v", c.nth, c.all, c.reads, c.reset,
		c.broken, c.after)
}

// serve answers the requests on a connection.
func (c *closer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for mine := int64(1); ; mine++ {
		if _, err := in.Peek(1); err != nil {
			return
		}
		n := mine
		if total := c.requests.Add(1); c.all {
			n = total
		}
		last := n%c.nth == 0
		if last && !c.reads {
			c.closed.Add(1)
			c.end(conn)
			return
		}
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		body := `{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`
		if r.Method == http.MethodGet {
			body = `{"data":[{"id":"m","max_model_len":4096}]}`
		}
		if last && !c.after {
			c.closed.Add(1)
			if c.broken {
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n"+body[:10])
			}
			c.end(conn)
			return
		}
		if r.Method == http.MethodPost {
			c.answered.Add(1)
		}
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body),
			body)
		if last {
			c.closed.Add(1)
			return
		}
	}
}

// end closes a connection as the closer does.
func (c *closer) end(conn net.Conn) {
	if c.reset {
		_ = conn.(*net.TCPConn).SetLinger(0)
	}
	_ = conn.Close()
}

func (c *closer) start(t *testing.T) (address string) {
	l := sharedtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go c.serve(conn)
		}
	}()
	return "http://" + l.Addr().String() + "/v1"
}

// Balancers and sidecars close connections at any request. A run gets on, asks for no reply twice that came, and
// blames no server.
func TestClosedConnections(t *testing.T) {
	var closers []*closer
	for _, nth := range []int64{2, 3, 4, 7} {
		for bits := range 16 {
			c := &closer{nth: nth, all: bits&1 > 0, reads: bits&2 > 0, reset: bits&4 > 0, broken: bits&8 > 0}
			if c.reads || !c.broken {
				closers = append(closers, c)
			}
		}
	}
	for _, nth := range []int64{1, 2, 3} {
		for _, all := range []bool{false, true} {
			closers = append(closers, &closer{nth: nth, all: all, reads: true, after: true})
		}
	}
	for _, c := range sharedtest.Sample(t, closers, 6) {
		for _, inFlight := range []int{1, 8} {
			t.Run(fmt.Sprintf("%v, %d in flight", c, inFlight), func(t *testing.T) {
				const calls = 40
				c := &closer{nth: c.nth, all: c.all, reads: c.reads, reset: c.reset, broken: c.broken, after: c.after}
				// Half of the requests may fail, in any order: eight in a row do so now and then.
				f := sharedtest.Must(Open(Options{Servers: []string{c.start(t)}, Attempts: 20, Now: time.Now,
					Tell: func(line string) { t.Errorf("told %q", line) },
					Open: func(address string) (*model.Client, error) {
						return model.Open(model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"},
							BaseURL: address, Now: time.Now, Concurrency: inFlight,
							Retry: model.Retry{FirstWait: time.Millisecond}})
					}}))(t)
				defer f.Close()
				ctx := sharedtest.Limited(t)
				sharedtest.OK(t, sharedtest.Err(f.server(ctx)))
				var episodes sync.WaitGroup
				var replies atomic.Int64
				for range inFlight {
					episodes.Go(func() {
						for conversation := f.Conversation(); ctx.Err() == nil && c.answered.Load() < calls; {
							if _, err := conversation.Chat(ctx, request("hello")); err != nil {
								t.Error(err)
								return
							}
							replies.Add(1)
						}
					})
				}
				episodes.Wait()
				sharedtest.Equal(t, replies.Load(), c.answered.Load(), "replies came of")
				if c.closed.Load() == 0 && inFlight == 1 {
					t.Error("no connection was closed")
				}
			})
		}
	}
}
