package model

import (
	"strings"
)

// Tokens that end or begin a turn. A checkpoint whose configuration lacks the first kind
// goes on after them, often with the next turn.
const (
	endToken = `(?:<[|｜][^<>|｜\s]{1,40}[|｜]>|</s>|<(?:\w+_)?(?:eos|eot|eom|eod|end|endoftext|pad)(?:_\w+)?>|` +
		`<\w+\|>|\[(?:EOS|PAD|/INST)\])`
	startToken = `(?:<s>|<bos>|<start_\w+>|<\|\w+>|\[INST\])`
)

var (
	lastTokens = lazyPattern(`(?i)(?:\s*` + endToken + `)+\s*$`)
	nextTurn   = lazyPattern(`(?i)\S(\s*` + endToken + `\s*(?:` + endToken + `|` + startToken + `))`)
)

// cutAtEnd ends a text before the tokens that end a turn, and reports whether there are
// any: before the last ones, and before one that another token follows.
func cutAtEnd(s string) (string, bool) {
	if !strings.ContainsAny(s, ">]") {
		return s, false
	}
	cut := len(s)
	if at := lastTokens().FindStringIndex(s); at != nil {
		cut = at[0]
	}
	if at := nextTurn().FindStringSubmatchIndex(s[:cut]); at != nil {
		cut = at[2]
	}
	return s[:cut], cut < len(s)
}
