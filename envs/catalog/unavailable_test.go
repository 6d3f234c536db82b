package catalog

import (
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// Nothing is missing for an environment that has no official tasks.
func TestNothingMissing(t *testing.T) {
	sharedtest.OK(t, (Entry{Name: "safe"}).unavailable(envs.Setup{Data: t.TempDir()}))
	sharedtest.Fails(t, (Entry{Name: "safe", Folders: []string{"safes"}}).unavailable(envs.Setup{Data: t.TempDir()}),
		"", "no folder of the data is needed")
}
