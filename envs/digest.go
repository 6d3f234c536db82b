package envs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// contentDigits is the length of a Task.Content.
const contentDigits = 16

// TextContent is the Task.Content of a text: it depends on the letters and digits of its words alone, without case.
func TextContent(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return Digest(words...)[:contentDigits]
}

// Digest returns the SHA-256, in hex, of texts, each prefixed with its length.
// It makes Task.Digest and Info.DataHash.
func Digest(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		h.Write([]byte(strconv.Itoa(len(t)) + ":"))
		h.Write([]byte(t))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// StateKey returns 16 hex digits for the state of a world of a task: equal for two worlds if both have the same
// task and, but for the hash of 64 bits, the same state. See StateAppender for what that means. It returns "" for a
// world that cannot write its state.
func StateKey(t Task, w World) (string, error) {
	s, ok := As[StateAppender](w)
	if !ok {
		return "", nil
	}
	state, err := s.AppendState([]byte(t.Digest))
	if err != nil {
		return "", fmt.Errorf("the state of %s: %w", t.ID, err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(state))[:16], nil
}
