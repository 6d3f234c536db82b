package view

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"heldout/eval/serve/guard"
)

// tokenCookie holds the token after the first request; tokenKey is its key in that request's address.
const (
	tokenCookie = "heldout-token"
	tokenKey    = "token"
)

// guard refuses requests that other sites have browsers send, and those without the
// token, and sets the headers of all answers.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, name := w.Header(), guard.NameOf(r.Host)
		ip := net.ParseIP(name)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // no-referrer would have browsers send forms without their origin
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		switch {
		case !ip.IsLoopback() && (ip == nil || s.options.Token == "") && !s.options.Name(name):
			http.Error(w, fmt.Sprintf("this server does not answer to the name %q; if it belongs to a proxy of yours, give "+
				"heldout view --proxy-host %[1]s", name), http.StatusForbidden)
		case r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" ||
			!s.options.OwnPage(r):
			http.Error(w, "this server answers only its own pages", http.StatusForbidden)
		case r.Method != http.MethodGet && r.Method != http.MethodHead && (r.Method != http.MethodPost || !s.maySet(r)):
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "this server only shows; labels of runs are set from its own pages, on its machine",
				http.StatusMethodNotAllowed)
		case s.options.Token == "":
			next.ServeHTTP(w, relative(r))
		default:
			s.askToken(w, relative(r), next)
		}
	})
}

// pages matches what addresses of the server end in.
var pages = regexp.MustCompile(`/(|compare|runs/[^/]+(|/|/live|/labels|/download/[^/]+|/episodes/[^/]+(|/prompts)))$`)

// relative is a request without the path that a proxy has put before the addresses of the server.
// The pages lead to each other by relative addresses, so they need not know it.
func relative(r *http.Request) *http.Request {
	path := r.URL.EscapedPath()
	place := pages.FindStringIndex(path)
	if place == nil || place[0] == 0 {
		return r
	}
	inner := r.Clone(r.Context())
	inner.URL.RawPath = path[place[0]:]
	if plain, err := url.PathUnescape(inner.URL.RawPath); err == nil {
		inner.URL.Path = plain
	}
	return inner
}

// rootOf leads from a page to the list of runs.
func rootOf(r *http.Request) string {
	if climb := strings.Repeat("../", strings.Count(r.URL.EscapedPath(), "/")-1); climb != "" {
		return climb
	}
	return "./"
}

// move sends the browser to a relative address. http.Redirect would make it absolute, without the
// path that a proxy takes away.
func move(w http.ResponseWriter, target string) {
	w.Header().Set("Location", target)
	w.WriteHeader(http.StatusSeeOther)
}

// askToken answers requests that have the token. A token in the address moves into a cookie, so that it does not
// stay in the history. The cookie is for addresses below the list of runs.
func (s *Server) askToken(w http.ResponseWriter, r *http.Request, next http.Handler) {
	query := r.URL.Query()
	if s.options.Know(query.Get(tokenKey)) {
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
	if c, err := r.Cookie(tokenCookie); err != nil || !s.options.Know(c.Value) {
		http.Error(w, "the token is missing or wrong: open the address that heldout view printed",
			http.StatusUnauthorized)
		return
	}
	next.ServeHTTP(w, r)
}
