// Package guard tells whom an HTTP server answers: not the pages of other sites, and none without its token.
package guard

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Callers are who may call a server.
type Callers struct {
	Token string // what they must know; empty asks for none
	// Names are the host names by which they may call the server, besides localhost, and
	// Proxies the names of proxies through which browsers may call it.
	Names, Proxies []string
}

// Know reports whether a text is the token.
func (c *Callers) Know(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(c.Token)) == 1
}

// Name reports whether they may call the server by a name that is no address. Another name would let the
// site of that name use the server from a browser (DNS rebinding).
func (c *Callers) Name(name string) bool {
	return strings.EqualFold(name, "localhost") || contains(c.Names, name) || contains(c.Proxies, name)
}

// OwnPage reports whether a request comes from no page, or from one of the server, perhaps through a proxy that
// has another name and tells only the server's.
func (c *Callers) OwnPage(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && u.Host != "" &&
		(strings.EqualFold(u.Host, r.Host) || contains(c.Proxies, u.Hostname()))
}

func contains(names []string, name string) bool {
	return slices.ContainsFunc(names, func(own string) bool { return own != "" && strings.EqualFold(name, own) })
}

// NameOf returns a host without its port.
func NameOf(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.Trim(host, "[]")
}
