package serve

import (
	"net"
	"net/http"
	"strings"

	"heldout/eval/serve/guard"
)

// guard refuses requests that other sites have browsers send, requests without the
// token, and bodies that are too long.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, name := w.Header(), guard.NameOf(r.Host)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		switch {
		case s.options.Token == "" && net.ParseIP(name) == nil && !s.options.Name(name): // no site is an address
			refuse(w, http.StatusForbidden, "this server does not answer under that name")
		case r.Header.Get("Sec-Fetch-Site") == "cross-site" || !s.options.OwnPage(r):
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

// hasToken reports whether a request has the token: as a bearer, a key, or a password.
func (s *Server) hasToken(r *http.Request) bool {
	if s.options.Know(r.Header.Get("X-API-Key")) {
		return true
	}
	if _, password, ok := r.BasicAuth(); ok {
		return s.options.Know(password)
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && s.options.Know(strings.TrimSpace(token))
}

// addressOf returns the address of a client without the port.
func addressOf(r *http.Request) string { return guard.NameOf(r.RemoteAddr) }
