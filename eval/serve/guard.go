package serve

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// guard refuses requests that other sites have browsers send, requests without the
// token, and bodies that are too long.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		switch {
		case !s.allowedHost(r.Host):
			refuse(w, http.StatusForbidden, "this server does not answer under that name")
		case !sameOrigin(r):
			refuse(w, http.StatusForbidden, "this server does not answer pages of other sites")
		case s.options.Token != "" && !isProbe(r) && !s.hasToken(r):
			h.Set("WWW-Authenticate", `Bearer realm="heldout"`)
			refuse(w, http.StatusUnauthorized,
				"the token is missing or wrong: send it as Authorization: Bearer TOKEN, as X-API-Key, or as the "+
					"password of http://x:TOKEN@HOST")
		default:
			limit := int64(maxBody)
			if r.URL.Path == batchPath {
				limit = maxBatchBody
			}
			r.Body = http.MaxBytesReader(w, r.Body, limit)
			next.ServeHTTP(w, r)
		}
	})
}

func refuse(w http.ResponseWriter, code int, text string) {
	writeJSON(w, code, map[string]string{"detail": text})
}

// isProbe reports whether a request asks only whether the server is alive.
func isProbe(r *http.Request) bool {
	return r.Method == http.MethodGet && (r.URL.Path == "/health" || strings.HasPrefix(r.URL.Path, "/openenv/") &&
		strings.HasSuffix(r.URL.Path, "/health"))
}

// hasToken reports whether a request has the token: as a bearer, a key, or a
// password.
func (s *Server) hasToken(r *http.Request) bool {
	if s.isToken(r.Header.Get("X-API-Key")) {
		return true
	}
	if _, password, ok := r.BasicAuth(); ok {
		return s.isToken(password)
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && s.isToken(strings.TrimSpace(token))
}

func (s *Server) isToken(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) == 1
}

// allowedHost reports whether clients may call the server by that name. Another
// name would let the site of that name use the server from a browser (DNS
// rebinding).
func (s *Server) allowedHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") || s.options.Token != "" {
		return true
	}
	if net.ParseIP(name) != nil {
		return true // no site has such a name
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
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return false
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// addressOf returns the address of a client without the port.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
