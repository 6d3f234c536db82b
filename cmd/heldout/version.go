package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/eval/bench"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

func newVersion(sys *system, c *cobra.Command) {
	c.RunE = func(*cobra.Command, []string) error {
		_, err := fmt.Fprint(sys.stdout, versionLine(sys.tool)+"\n"+surroundings(sys))
		return err
	}
}

// surroundings says what else a bug report needs, without anything secret.
func surroundings(sys *system) string {
	data := bench.DefaultSetup(sys.bench()).Data
	var set []string
	names := []string{configs.DataVariable, hfVariable, "OLLAMA_HOST", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
		"http_proxy", "https_proxy", "no_proxy"}
	for _, name := range names {
		if sys.getenv(name) != "" {
			set = append(set, name)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "system     %s/%s, %s\n", runtime.GOOS, runtime.GOARCH,
		table.Counted(runtime.NumCPU(), "processor"))
	fmt.Fprintf(&b, "records    schema %d\n", record.Schema)
	fmt.Fprintf(&b, "data       %s\n", cmp.Or(data, "none: generated tasks"))
	fmt.Fprintf(&b, "variables  %s\n", cmp.Or(strings.Join(set, ", "), "none that matter are set"))
	for _, limit := range missingOn(runtime.GOOS) {
		fmt.Fprintf(&b, "limit      %s\n", limit)
	}
	return table.PrintableLines(b.String()) + "\n"
}

// missingOn says what does not work on this system as on others.
func missingOn(goos string) []string {
	if goos != "windows" {
		return nil
	}
	return []string{
		"killed and interrupted runs, and file locks, are tested on Unix systems alone",
		"names of new files are not flushed: after a power failure a run may have to start again",
	}
}

func versionLine(t record.Tool) string {
	line := "heldout " + t.Version
	if t.Commit != "" {
		line += " (" + t.Commit + ")"
	}
	return line + " " + t.Go
}

const unknownVersion = "dev"

// version and commit are set by release builds.
var version, commit string

// about says which build this is, as a release build or the Go tool recorded it.
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
	t.Version = cmp.Or(t.Version, unknownVersion)
	if modified && commit == "" && t.Commit != "" {
		t.Commit += "-modified"
	}
	return t
}
