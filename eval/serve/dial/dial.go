// Package dial opens WebSockets to servers.
package dial

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/gorilla/websocket"

	"heldout/envs"
)

const (
	longestFrame = 1 << 20 // in bytes
	// mostPings is how many pings a server may send in place of a frame.
	mostPings = 10_000
)

// socket is a WebSocket.
type socket struct {
	conn  *websocket.Conn
	pings int
}

// New returns what opens WebSockets through the proxy that an address has.
func New(proxy func(*http.Request) (*url.URL, error)) envs.Dial {
	return func(ctx context.Context, address string, header map[string][]string) (envs.Socket, error) {
		dialer := websocket.Dialer{Proxy: proxy}
		conn, response, err := dialer.DialContext(ctx, address, header)
		if err != nil && response != nil {
			return nil, fmt.Errorf("it refuses a WebSocket with the status %s", response.Status)
		}
		if err != nil {
			return nil, err
		}
		conn.SetReadLimit(longestFrame)
		s := &socket{conn: conn}
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
	s.pings = 0
	return frame, err
}

// Write implements envs.Socket.
func (s *socket) Write(frame []byte) error { return s.conn.WriteMessage(websocket.TextMessage, frame) }

// Close implements envs.Socket.
func (s *socket) Close() error { return s.conn.Close() }
