// Package address takes what may be secret out of the addresses in texts that are shown.
package address

import (
	"regexp"
	"strings"
)

// pattern finds an address: its scheme, the user, host and path, and the query or fragment.
var pattern = regexp.MustCompile(`(\w+://)(?:[^\s/?#@"'<>]*@)?([^\s?#"'<>]*)(?:[?#][^\s"'<>]*)?`)

// Plain takes users, passwords, queries and fragments out of the addresses in a text.
func Plain(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return pattern.ReplaceAllString(text, "$1$2")
}
