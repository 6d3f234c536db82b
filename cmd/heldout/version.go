package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"heldout/eval/record"
)

func newVersion(sys *system) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print which build this is",
		Args:  args(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(sys.stdout, versionLine(sys.tool))
			return err
		},
	}
}

// versionLine says which build this is.
func versionLine(t record.Tool) string {
	line := "heldout " + t.Version
	if t.Commit != "" {
		line += " (" + t.Commit + ")"
	}
	return line + " " + t.Go
}

// unknownVersion is the version of a build that knows none.
const unknownVersion = "dev"

// version and commit are set by release builds.
var version, commit string

// about says which build this is: what a release build was told, or else what the
// Go tool noted.
func about(info *debug.BuildInfo) record.Tool {
	t := record.Tool{Version: version, Commit: commit}
	if info == nil {
		info = &debug.BuildInfo{}
	}
	t.Go = info.GoVersion
	if v := info.Main.Version; t.Version == "" && v != "(devel)" {
		t.Version = v
	}
	modified := false
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && t.Commit == "":
			t.Commit = s.Value
		case s.Key == "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if t.Version == "" {
		t.Version = unknownVersion
	}
	if modified && commit == "" && t.Commit != "" {
		t.Commit += "-modified"
	}
	return t
}
