package model

import (
	"regexp"
	"sync"
)

// lazyPattern compiles a pattern when it is first needed: most commands talk to no server.
func lazyPattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
