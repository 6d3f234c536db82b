package envs

import (
	"crypto/sha256"
	"fmt"
)

// StateKey returns 16 hex digits for the state of a world of a task: equal for two
// worlds if both have the same task and, but for the hash of 64 bits, the same state.
// See StateAppender for what that means. It returns "" for a world that cannot write
// its state.
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
