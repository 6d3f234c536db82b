package main

import (
	"runtime/debug"
	"testing"

	"heldout/envs/sharedtest"
)

// A build that was told no version says what the Go tool noted.
func TestAbout(t *testing.T) {
	modified := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	for want, info := range map[string]*debug.BuildInfo{
		"heldout dev ":                      nil,
		"heldout dev go1.26":                {GoVersion: "go1.26", Main: debug.Module{Version: "(devel)"}},
		"heldout dev (abc-modified) go1.26": {GoVersion: "go1.26", Settings: modified},
		"heldout v1.2.3 (abc) go1.26": {GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"},
			Settings: modified[:1]},
		"heldout v0.0.0-2026-abc+dirty go1.2": {GoVersion: "go1.2", Main: debug.Module{
			Version: "v0.0.0-2026-abc+dirty"}},
	} {
		sharedtest.Equal(t, versionLine(about(info)), want)
	}
}
