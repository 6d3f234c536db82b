package configs

import (
	"testing"

	"heldout/envs/sharedtest"
)

// Another instruction has another hash, which a directory of calls keeps.
func TestHashOfThinkPrompt(t *testing.T) {
	ours := sharedtest.Must(LoadThink())(t)
	hash := sharedtest.Must(HashJSON(ours))(t)
	sharedtest.Equal(t, len(hash), 64, hash)
	ours.Instruction += "."
	if other, err := HashJSON(ours); err != nil || other == hash {
		t.Errorf("another instruction has the hash %q, %v", other, err)
	}
}
