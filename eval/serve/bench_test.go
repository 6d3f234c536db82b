package serve

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// echoSteps is how many steps end an episode of an echo.
const echoSteps = 5

// line sends a reset or a step to each of its sessions, and returns the replies.
type line func(reset bool) ([]byte, error)

// episode plays an episode in each session.
func (l line) episode(sessions int) error {
	reply, err := l(true)
	for i := 0; i < echoSteps && err == nil; i++ {
		reply, err = l(false)
	}
	if err == nil && bytes.Count(reply, []byte(`"done":true`)) != sessions {
		err = fmt.Errorf("episodes go on: %.300s", reply)
	}
	return err
}

// batchLine speaks by the batch route.
func batchLine(s *Server, c *http.Client, url string, count int) (line, error) {
	sessions, err := s.openAll(sessionsWanted{Count: new(integer(count))}, Owner{Protocol: batchProtocol})
	if err != nil {
		return nil, err
	}
	body := func(request string) string {
		var steps []string
		for _, id := range idsOf(sessions) {
			steps = append(steps, `{"session":"`+id+`",`+request+`}`)
		}
		return `{"steps":[` + strings.Join(steps, ",") + `]}`
	}
	bodies := map[bool]string{true: body(`"reset":{"index":1}`), false: body(`"action":"look"`)}
	return func(reset bool) ([]byte, error) {
		answer, err := c.Post(url+"/v1/step", "application/json", strings.NewReader(bodies[reset]))
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		return io.ReadAll(answer.Body)
	}, nil
}

// socketLine speaks by OpenEnv's WebSocket, which has one session.
func socketLine(b *testing.B, url string) (line, error) {
	c, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+"/openenv/echo/ws", nil)
	if err != nil {
		return nil, err
	}
	b.Cleanup(func() { c.Close() })
	frames := map[bool]string{true: `{"type":"reset"}`, false: `{"type":"step","data":{"message":"look"}}`}
	return func(reset bool) ([]byte, error) {
		if err := c.WriteMessage(websocket.TextMessage, []byte(frames[reset])); err != nil {
			return nil, err
		}
		_, reply, err := c.ReadMessage()
		return reply, err
	}, nil
}

// BenchmarkSessions plays episodes of a reset and five steps over loopback connections, with 16 clients for each
// processor. The environment costs next to nothing, so it measures the server, and the clients beside it.
func BenchmarkSessions(b *testing.B) {
	play := func(name string, sessions int, open func(*testing.B, *Server, string) (line, error)) {
		b.Run(name, func(b *testing.B) {
			s, url := online(b, func(o *Options) { o.MaxSessions, o.MaxPerAddress = 1<<16, 1<<16 })
			b.SetParallelism(16)
			b.RunParallel(func(p *testing.PB) {
				l, err := open(b, s, url)
				for err == nil && p.Next() {
					err = l.episode(sessions)
				}
				if err != nil {
					b.Error(err)
				}
			})
			b.ReportMetric(float64(b.N*sessions*echoSteps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1 << 10}}
	for _, sessions := range []int{1, 64} {
		open := func(_ *testing.B, s *Server, url string) (line, error) { return batchLine(s, c, url, sessions) }
		play(fmt.Sprintf("v1/sessions=%d", sessions), sessions, open)
	}
	play("openenv", 1, func(b *testing.B, _ *Server, url string) (line, error) { return socketLine(b, url) })
}
