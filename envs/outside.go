package envs

import (
	"net/http"
	"net/url"
	"time"
)

// Outside is what an environment may have to know of the world outside the
// process. Most need none of it.
type Outside struct {
	// Now tells the time.
	Now func() time.Time
	// Proxy finds the proxy for a request, as http.Transport wants it; nil for
	// none.
	Proxy func(*http.Request) (*url.URL, error)
	// Keep is a folder for what was fetched and is to be found again by the next
	// run; empty to keep nothing.
	Keep string
	// Tool is how heldout names itself to servers, such as "heldout/1.2".
	Tool string
}
