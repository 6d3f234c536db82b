package envs

import (
	"net/url"
	"time"
)

// Outside is what an environment may need to know about the world outside the
// process. Most environments need none of it.
type Outside struct {
	// Now returns the time.
	Now func() time.Time
	// Proxy finds the proxy for an address, nil for none; it may itself be nil.
	Proxy func(*url.URL) (*url.URL, error)
	// Keep is a folder that stores fetched data for later runs; empty to store nothing.
	Keep string
	// Tool is the name that heldout sends to servers, such as "heldout/1.2".
	Tool string
}
