package envs

import (
	"net/url"
	"time"
)

// Outside is what an environment may have to know of the world outside the
// process. Most need none of it.
type Outside struct {
	// Now tells the time.
	Now func() time.Time
	// Proxy finds the proxy for an address, nil for none; it may itself be nil.
	Proxy func(*url.URL) (*url.URL, error)
	// Keep is a folder for what was fetched and is to be found again by the next
	// run; empty to keep nothing.
	Keep string
	// Tool is how heldout names itself to servers, such as "heldout/1.2".
	Tool string
}
