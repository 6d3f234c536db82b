package envs

import (
	"context"
	"net/url"
	"time"
)

// Outside is what an environment may need to know about the world outside the
// process. Most environments need none of it.
type Outside struct {
	// Context ends when the process is to end; nil for never. What takes long as an environment is
	// opened ends with it.
	Context context.Context
	// Now returns the time.
	Now func() time.Time
	// Proxy finds the proxy for an address, nil for none; it may itself be nil.
	Proxy func(*url.URL) (*url.URL, error)
	// Keep is a folder that stores fetched data for later runs; empty to store nothing.
	Keep string
	// Tool is the name that heldout sends to servers, such as "heldout/1.2".
	Tool string
	// Dial opens a WebSocket; nil where there are none. The core links no library for them:
	// callers that set up environments hand in eval/serve/dial.
	Dial Dial
}

// Dial opens a WebSocket at an address such as ws://127.0.0.1:8000/ws. Header is sent with the
// first request, as a http.Header, which the core does not link.
type Dial func(ctx context.Context, address string, header map[string][]string) (Socket, error)

// Socket is an open WebSocket. One goroutine reads frames, one writes them, and any closes it.
type Socket interface {
	Read() ([]byte, error)
	Write(frame []byte) error
	Close() error
}
