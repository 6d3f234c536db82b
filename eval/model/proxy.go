package model

import (
	"net/http"
	"net/url"
	"strings"
)

// proxyHost returns the host of the proxy that requests to an address go through.
// Its user name and password stay out.
func proxyHost(proxy func(*http.Request) (*url.URL, error), target *url.URL) string {
	if proxy == nil {
		return ""
	}
	u, err := proxy(&http.Request{URL: target})
	if err != nil || u == nil {
		return ""
	}
	return u.Host
}

// viaProxy adds to a message that requests go through a proxy: it may be what
// refused.
func (c *caller) viaProxy(message string) string {
	if c.proxy == "" {
		return message
	}
	return strings.TrimPrefix(message+"; the request went through the HTTP proxy "+c.proxy+
		", which may have answered in the server's place", "; ")
}
