package catalog

import (
	"testing"

	"heldout/envs"
)

// Nothing is missing for an environment that has no official tasks.
func TestNothingMissing(t *testing.T) {
	if err := (Entry{Name: "safe"}).unavailable(envs.Setup{Data: t.TempDir()}); err != nil {
		t.Error(err)
	}
	if err := (Entry{Name: "safe", Folders: []string{"safes"}}).unavailable(envs.Setup{Data: t.TempDir()}); err == nil {
		t.Error("no folder of the data is needed")
	}
}
