package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/gorilla/websocket"
)

type socket struct {
	conn *websocket.Conn
	now  func() time.Time
	stop func() bool // of what closes conn with the load
	out  []byte
	in   bytes.Buffer
}

func (d *dialer) dialSocket(ctx context.Context) (*socket, error) {
	dialer := websocket.Dialer{HandshakeTimeout: requestTime, ReadBufferSize: 4 << 10, WriteBufferSize: 1 << 10}
	c, _, err := dialer.DialContext(ctx, d.socketURL, d.header)
	if err != nil {
		return nil, err
	}
	// The load may end while the server is silent.
	return &socket{conn: c, now: d.o.Now, stop: context.AfterFunc(ctx, func() { c.Close() })}, nil
}

func (s *socket) do(_ context.Context, requests []request, done []bool) error {
	q := requests[0]
	if q.reset {
		s.out = append(strconv.AppendInt(append(s.out[:0], `{"type":"reset","data":{"index":`...), int64(q.task), 10),
			"}}"...)
	} else {
		s.out = append(append(append(s.out[:0], `{"type":"step","data":{"message":`...), q.action...), "}}"...)
	}
	reply, err := s.exchange(s.out)
	if err != nil {
		return err
	}
	// Quotes inside texts are escaped, so this can only be the key itself.
	done[0] = bytes.Contains(reply, []byte(`"done":true`))
	return nil
}

// exchange sends a frame and returns the reply, which is no error and lasts until the next
// one.
func (s *socket) exchange(frame []byte) ([]byte, error) {
	if err := s.conn.WriteMessage(websocket.TextMessage, frame); err != nil {
		return nil, err
	}
	_, r, err := s.conn.NextReader()
	if err != nil {
		return nil, err
	}
	s.in.Reset() // to read into new memory would have garbage collected while others wait
	if _, err := s.in.ReadFrom(r); err != nil {
		return nil, err
	}
	reply := s.in.Bytes()
	if bytes.HasPrefix(reply, []byte(`{"type":"error"`)) {
		return nil, fmt.Errorf("the server answers %.300s", reply)
	}
	return reply, nil
}

func (s *socket) close(drop bool) {
	s.stop()
	if !drop {
		_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""),
			s.now().Add(time.Second))
	}
	s.conn.Close()
}

func (s *socket) valid(_ context.Context, q request) ([]string, error) {
	frame := fmt.Appendf(nil, `{"type":"step","data":{"message":%s}}`, q.action)
	if q.reset {
		frame = fmt.Appendf(nil, `{"type":"reset","data":{"index":%d,"actions":true}}`, q.task)
	}
	reply, err := s.exchange(frame)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data struct {
			Observation struct{ Actions []string }
			Done        bool
		}
	}
	if err := json.Unmarshal(reply, &answer); err != nil || answer.Data.Done {
		return nil, err
	}
	return answer.Data.Observation.Actions, nil
}
