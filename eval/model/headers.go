package model

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
)

var (
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
	headerValue = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)

	// ownHeaders are those that a request has of itself.
	ownHeaders = []string{"Accept", "Content-Length", "Content-Type", "Host", "Transfer-Encoding"}
)

// validateHeaders reports headers that cannot be sent. The error does not tell their values.
func (o Options) validateHeaders() error {
	for name, value := range o.Headers {
		switch {
		case !headerName.MatchString(name):
			return fmt.Errorf("%.100q is not a name of a header", name)
		case slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)):
			return fmt.Errorf("the header %s is heldout's own", name)
		case !headerValue.MatchString(value.Reveal()):
			return fmt.Errorf("the value of the header %s is empty or holds a character that no header may carry: "+
				"check the variable it came from", name)
		}
	}
	return nil
}

// headers are the headers of every request to an address.
func (o Options) headers(base *url.URL) http.Header {
	h := http.Header{}
	if o.UserAgent != "" {
		h.Set("User-Agent", o.UserAgent)
	}
	switch key := o.Key.Reveal(); {
	case key == "":
	case base.Query().Has(azureVersion): // Azure takes tokens alone as Bearer
		h["api-key"] = []string{key}
	default:
		h.Set("Authorization", "Bearer "+key)
	}
	for name, value := range o.Headers {
		if own := http.CanonicalHeaderKey(name); h[own] != nil {
			name = own
		}
		h[name] = []string{value.Reveal()} // in the case that was given: some gateways tell cases apart
	}
	return h
}

// azureVersion is the parameter that every address of Azure has.
const azureVersion = "api-version"

// secrets are what texts must not show beside the key: the values of headers and of the
// address's query.
func (o Options) secrets(base *url.URL) (values []string) {
	for _, value := range o.Headers {
		values = append(values, value.Reveal())
	}
	for name, list := range base.Query() {
		if name != azureVersion {
			values = append(values, list...)
		}
	}
	return values
}
