package model

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// base returns the address that all paths are appended to, without a slash at its end.
func (o Options) base() (*url.URL, error) {
	if strings.Contains(authority(o.BaseURL), "@") {
		// Not quoted: the part before the @ may be a password.
		return nil, errors.New("base URL holds a user name: give a key through --api-key-env instead")
	}
	u, err := o.read()
	if err != nil && strings.Contains(o.BaseURL, "@") {
		return nil, errors.New("base URL cannot be read, and is not shown because a password may stand before its @; " +
			"give a key through --api-key-env")
	}
	return u, err
}

// read reads an address without a user name.
func (o Options) read() (*url.URL, error) {
	extra := "#"
	if o.Spec.Provider == Ollama {
		extra = "?#"
	}
	switch place := strings.IndexAny(o.BaseURL, extra); {
	case place >= 0:
		// Not quoted whole: services take keys there.
		return nil, fmt.Errorf("base URL %q goes on after its path: leave out everything from the %s",
			o.BaseURL[:place], strings.Join(strings.Split(extra, ""), " or "))
	case o.Spec.Provider == Ollama:
		return ollamaBase(o.BaseURL)
	case o.BaseURL != "":
		return parseBase(o.BaseURL)
	case o.Spec.Provider == OpenAI:
		return parseBase("https://api.openai.com/v1")
	default:
		return parseBase("http://localhost:8000/v1")
	}
}

// authority is the part of an address that names user and host: what comes before the path.
func authority(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	host, _, _ := strings.Cut(address, "/")
	return host
}

// brokenScheme is a scheme without all of its signs.
var brokenScheme = regexp.MustCompile(`^https?(?::/?|/+)`)

func parseBase(text string) (*url.URL, error) {
	text, query, _ := strings.Cut(text, "?") // which may hold a key, so that no error quotes it
	if !validQuery(query) {
		return nil, fmt.Errorf("base URL %q has a query after its ? that cannot be sent", text)
	}
	if !strings.Contains(text, "://") {
		rest := brokenScheme.ReplaceAllString(text, "")
		return nil, fmt.Errorf("base URL %q has no scheme: write %q or %q", text, "http://"+rest, "https://"+rest)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("base URL %q is no address: want one such as http://HOST:8000/v1", text)
	}
	u.RawQuery = query
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("base URL %q: unknown scheme %q: use http or https", text, u.Scheme)
	case u.Hostname() == "":
		return nil, fmt.Errorf("base URL %q names no host", text)
	}
	u.Path, u.RawPath = beforeEndpoint(u.Path), beforeEndpoint(u.RawPath)
	return u, nil
}

// beforeEndpoint takes a slash and the path of a call from the end of a path: people copy whole addresses.
func beforeEndpoint(path string) string {
	path = strings.TrimRight(path, "/")
	for _, endpoint := range []string{"/chat/completions", "/completions"} {
		if root, ok := strings.CutSuffix(path, endpoint); ok {
			return strings.TrimRight(root, "/")
		}
	}
	return path
}

// validQuery reports whether a query holds nothing but pairs, in characters of addresses.
func validQuery(query string) bool {
	_, err := url.ParseQuery(query)
	return err == nil && !strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r > '~' })
}

// ollamaBase parses the forms of OLLAMA_HOST as Ollama's own client does, but treats a wrong port as an error.
func ollamaBase(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	scheme, rest, found := strings.Cut(text, "://")
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	if !found {
		scheme, rest, port = "http", text, "11434"
	}
	authority, path, _ := strings.Cut(rest, "/")
	host := strings.Trim(authority, "[]")
	if h, p, err := net.SplitHostPort(authority); err == nil {
		host, port = h, p
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "" {
		return nil, fmt.Errorf("base URL %q: port %q is not a number up to 65535", text, port)
	}
	// Servers listen on the unspecified address; clients cannot go there.
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "", err == nil && ip.IsUnspecified() && ip.Is4():
		host = "127.0.0.1"
	case err == nil && ip.IsUnspecified():
		host = "::1"
	}
	return parseBase(scheme + "://" + net.JoinHostPort(host, port) + "/" + path)
}
