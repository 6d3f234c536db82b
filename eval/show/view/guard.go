package view

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// tokenCookie holds the token after the first request; tokenKey is its key in that
// request's address.
const (
	tokenCookie = "heldout-token"
	tokenKey    = "token"
)

// guard refuses requests that other sites have browsers send, and those without the
// token, and sets the headers of all answers.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // no-referrer would have browsers send forms without their origin
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		switch {
		case !s.allowedHost(r.Host):
			http.Error(w, fmt.Sprintf("this server does not answer to the name %q; if it is that of a proxy of yours, give "+
				"heldout view --proxy-host %[1]s", nameOf(r.Host)), http.StatusForbidden)
		case !s.sameOrigin(r):
			http.Error(w, "this server answers only its own pages", http.StatusForbidden)
		case r.Method != http.MethodGet && r.Method != http.MethodHead && (r.Method != http.MethodPost || !s.maySet(r)):
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "this server only shows; labels of runs are set from its own pages, on its machine",
				http.StatusMethodNotAllowed)
		case s.options.Token == "":
			next.ServeHTTP(w, below(r))
		default:
			s.askToken(w, below(r), next)
		}
	})
}

// allowedHost reports whether a browser may call the server by that name. A name of
// somebody else's would let their site read the pages (DNS rebinding).
func (s *Server) allowedHost(host string) bool {
	name := nameOf(host)
	if strings.EqualFold(name, "localhost") {
		return true
	}
	if ip := net.ParseIP(name); ip != nil {
		return ip.IsLoopback() || s.options.Token != ""
	}
	return among(s.options.Names, name) || s.options.proxy(name)
}

func among(names []string, name string) bool {
	return slices.ContainsFunc(names, func(own string) bool { return own != "" && strings.EqualFold(name, own) })
}

// nameOf is a host without its port.
func nameOf(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.Trim(host, "[]")
}

// sameOrigin reports whether a request comes from no page, or from one of this
// server, perhaps through a proxy that has another name and tells only its own.
func (s *Server) sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		return false
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && u.Host != "" &&
		(strings.EqualFold(u.Host, r.Host) || s.options.proxy(u.Hostname()))
}

// pages matches what addresses of the server end in.
var pages = regexp.MustCompile(`/(|compare|runs/[^/]+(|/|/live|/labels|/download/[^/]+|/episodes/[^/]+(|/prompts)))$`)

// below is a request without the path that a proxy has put before the addresses of the server.
// The pages lead to each other by relative addresses, so they need not know it.
func below(r *http.Request) *http.Request {
	path := r.URL.EscapedPath()
	at := pages.FindStringIndex(path)
	if at == nil || at[0] == 0 {
		return r
	}
	inner := r.Clone(r.Context())
	inner.URL.RawPath = path[at[0]:]
	if plain, err := url.PathUnescape(inner.URL.RawPath); err == nil {
		inner.URL.Path = plain
	}
	return inner
}

// rootOf leads from a page to the list of runs.
func rootOf(r *http.Request) string {
	if up := strings.Repeat("../", strings.Count(r.URL.EscapedPath(), "/")-1); up != "" {
		return up
	}
	return "./"
}

// move sends the browser to a relative address. http.Redirect would make it absolute, without the
// path that a proxy takes away.
func move(w http.ResponseWriter, target string) {
	w.Header().Set("Location", target)
	w.WriteHeader(http.StatusSeeOther)
}

// askToken answers requests that have the token. A token in the address moves into
// a cookie, so that it does not stay in the history. The cookie is for addresses below that of the
// list of runs.
func (s *Server) askToken(w http.ResponseWriter, r *http.Request, next http.Handler) {
	query := r.URL.Query()
	if s.isToken(query.Get(tokenKey)) {
		if root := rootOf(r); root != "./" { // where the cookie is for all pages
			move(w, root+"?"+query.Encode())
			return
		}
		http.SetCookie(w, &http.Cookie{Name: tokenCookie, Value: s.options.Token, HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
		query.Del(tokenKey)
		target := url.URL{Path: "./" + strings.TrimPrefix(r.URL.Path, "/"), RawQuery: query.Encode()}
		move(w, target.String())
		return
	}
	if c, err := r.Cookie(tokenCookie); err != nil || !s.isToken(c.Value) {
		http.Error(w, "the token is missing or wrong: open the address that heldout view printed",
			http.StatusUnauthorized)
		return
	}
	next.ServeHTTP(w, r)
}

func (s *Server) isToken(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) == 1
}
