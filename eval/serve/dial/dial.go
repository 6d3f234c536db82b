// Package dial opens WebSockets to servers.
package dial

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/gorilla/websocket"

	"heldout/envs"
)

const (
	longestFrame = 1 << 20 // in bytes
	// mostBytes is how many bytes a server may send for a frame, or an answer to the handshake.
	mostBytes = 2 * longestFrame
	mostPings = 10_000 // how many pings a server may send in place of a frame
)

// socket is a WebSocket.
type socket struct {
	conn  *websocket.Conn
	line  *metered
	pings int
}

// metered counts what a server sends, since headers and fragments could go on for ever.
type metered struct {
	net.Conn
	remaining int
}

func (m *metered) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	if m.remaining -= n; m.remaining < 0 {
		return 0, fmt.Errorf("it sends more than %d bytes in place of a frame", mostBytes)
	}
	return n, err
}

// New returns what opens WebSockets through the proxy that an address has.
func New(proxy func(*http.Request) (*url.URL, error)) envs.Dial {
	return func(ctx context.Context, address string, header map[string][]string) (envs.Socket, error) {
		var line *metered
		dialer := websocket.Dialer{Proxy: proxy,
			NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
				line = &metered{conn, mostBytes}
				return line, err
			}}
		conn, response, err := dialer.DialContext(ctx, address, header)
		if err != nil && response != nil {
			return nil, fmt.Errorf("it refuses a WebSocket with the status %s", response.Status)
		}
		if err != nil {
			return nil, err
		}
		conn.SetReadLimit(longestFrame)
		s := &socket{conn: conn, line: line}
		pong := conn.PingHandler()
		conn.SetPingHandler(func(data string) error {
			if s.pings++; s.pings > mostPings {
				return fmt.Errorf("it sends more than %d pings in place of a frame", mostPings)
			}
			return pong(data)
		})
		return s, nil
	}
}

// Read implements envs.Socket.
func (s *socket) Read() ([]byte, error) {
	_, frame, err := s.conn.ReadMessage()
	s.pings, s.line.remaining = 0, mostBytes
	return frame, err
}

// Write implements envs.Socket.
func (s *socket) Write(frame []byte) error { return s.conn.WriteMessage(websocket.TextMessage, frame) }

// Close implements envs.Socket.
func (s *socket) Close() error { return s.conn.Close() }
