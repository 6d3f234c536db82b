package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
)

// redacted stands wherever a secret would have been printed.
const redacted = "[redacted]"

// Secret is an API key. It never prints: formatting, logging and encoding it
// give "[redacted]". The zero Secret is not a key.
type Secret struct {
	// A pointer, because fmt prints the unexported fields of whatever struct
	// holds a Secret without asking for the methods below.
	value *string
	// extra are other values that are masked with it; nil for none.
	extra *[]string
}

// NewSecret keeps a key. White space around it, such as the line break at the
// end of a file, is dropped; an empty key gives the zero Secret.
func NewSecret(key string) Secret {
	key = strings.TrimSpace(key)
	if key == "" {
		return Secret{}
	}
	return Secret{value: &key}
}

// leastMasked is the length from which values beside the key are masked: shorter ones are
// such as a number, and texts would be unreadable without them.
const leastMasked = 4

// masking is the key that other values are masked with, and words within them that are as long as a key.
func (s Secret) masking(values []string) Secret {
	var extra []string
	for _, value := range values {
		if len(value) >= leastMasked {
			extra = append(extra, value)
		}
		for _, word := range strings.Fields(value) {
			if len(word) >= leastSecret && word != value {
				extra = append(extra, word)
			}
		}
	}
	if extra != nil {
		slices.SortFunc(extra, func(a, b string) int { return len(b) - len(a) })
		s.extra = &extra
	}
	return s
}

// values are all that is masked, the key first.
func (s Secret) values() (list []string) {
	if s.value != nil {
		list = append(list, *s.value)
	}
	if s.extra != nil {
		list = append(list, *s.extra...)
	}
	return list
}

// String returns "[redacted]".
func (Secret) String() string { return redacted }

// Format writes "[redacted]" for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText returns "[redacted]"; encoders of JSON and YAML use it.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue returns "[redacted]".
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// Reveal returns the key, to send it to where it belongs; empty for no key.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// validate reports a key that cannot be sent in a header. The error does not tell the key.
func (s Secret) validate() error {
	for _, b := range []byte(s.Reveal()) {
		if b <= ' ' || b > '~' {
			return errors.New("the API key holds a character that no header may carry: check the variable it came from")
		}
	}
	return nil
}

// scrub replaces the values that have at least so many bytes in a text, also where they are escaped as in JSON, HTML
// or a URL.
func (s Secret) scrub(text string, shortest int) string {
	for _, value := range s.values() {
		if len(value) < shortest {
			continue
		}
		for _, form := range escaped(value) {
			text = strings.ReplaceAll(text, form, redacted)
		}
	}
	return text
}

// leastSecret is the length from which a key is kept out of replies too. Shorter keys are placeholders such as
// EMPTY, for servers that need no key, and may be words of a game.
const leastSecret = 8

// scrubReply is scrub for what a model says.
func (s Secret) scrubReply(text string) string {
	if text == "" {
		return text
	}
	return s.scrub(text, leastSecret)
}

// escaped lists a key as it is and as it may be escaped, the longest first.
func escaped(key string) []string {
	quoted, _ := json.Marshal(key) // texts are JSON
	forms := []string{key, strings.ReplaceAll(key, "/", `\/`), strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key),
		html.EscapeString(key), url.QueryEscape(key), url.PathEscape(key), strings.Trim(string(quoted), `"`)}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(forms)
}
