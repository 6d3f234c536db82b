package view

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
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
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		switch {
		case !s.allowedHost(r.Host):
			http.Error(w, "this server does not answer under that name", http.StatusForbidden)
		case !sameOrigin(r):
			http.Error(w, "this server answers only its own pages", http.StatusForbidden)
		case r.Method != http.MethodGet && r.Method != http.MethodHead && (r.Method != http.MethodPost || !maySet(r)):
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "this server only shows; labels of runs are set from its own pages, on its machine",
				http.StatusMethodNotAllowed)
		case s.options.Token == "":
			next.ServeHTTP(w, r)
		default:
			s.askToken(w, r, next)
		}
	})
}

// allowedHost reports whether a browser may call the server by that name. A name of
// somebody else's would let their site read the pages (DNS rebinding).
func (s *Server) allowedHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	if ip := net.ParseIP(name); ip != nil {
		return ip.IsLoopback() || s.options.Token != ""
	}
	for _, own := range s.options.Names {
		if own != "" && strings.EqualFold(name, own) {
			return true
		}
	}
	return false
}

// sameOrigin reports whether a request comes from no page, or from one of this
// server.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
		return false
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// askToken answers requests that have the token. A token in the address moves into
// a cookie, so that it does not stay in the history.
func (s *Server) askToken(w http.ResponseWriter, r *http.Request, next http.Handler) {
	query := r.URL.Query()
	if s.isToken(query.Get(tokenKey)) {
		http.SetCookie(w, &http.Cookie{Name: tokenCookie, Value: s.options.Token, Path: "/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
		query.Del(tokenKey)
		target := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/"), RawQuery: query.Encode()}
		http.Redirect(w, r, target.String(), http.StatusSeeOther)
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
