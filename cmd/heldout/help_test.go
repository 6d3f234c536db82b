package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/scoring/report"
)

// runLine executes a command line without a world outside and returns what it prints.
func runLine(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	sys := &system{stdout: &out, stderr: io.Discard, getenv: noVariables}
	if code := execute(t.Context(), args, sys); code != exitOK {
		t.Fatalf("heldout %s ends with %d: %s", strings.Join(args, " "), code, out.String())
	}
	return out.String()
}

// commands visits a command and all below it.
func commands(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		commands(sub, visit)
	}
}

// The help of every command, and the settings of every environment, fit 80 columns.
func TestHelpFits(t *testing.T) {
	check := func(what, text string) {
		for _, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > plainWidth {
				t.Errorf("%s: a line of %d characters: %s", what, n, line)
			}
		}
	}
	commands(newRoot(&system{getenv: noVariables}), func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		check(c.CommandPath(), runLine(t, append(path, "--help")...))
	})
	for _, e := range catalog.Entries() {
		text := runLine(t, "envs", e.Name)
		check("envs "+e.Name, text)
		for _, s := range e.Settings {
			sharedtest.Contains(t, text, "--"+s.Name+" ", "envs", e.Name, s.Name)
		}
	}
}

// Settings of environments are flags of commands, but not in their help.
func TestSettingsStandWhereTheyBelong(t *testing.T) {
	help := runLine(t, "run", "--help")
	for _, s := range catalog.Settings() {
		if strings.Contains(help, "--"+s.Name+" ") {
			t.Errorf("the help of run shows --%s", s.Name)
		}
	}
}

// The shell completes what may stand in a place.
func TestCompletion(t *testing.T) {
	for line, list := range sharedtest.Table[[]string](t, "completion.yaml") {
		args := append([]string{"__complete"}, strings.Split(line, " ")...)
		lines := strings.Split(runLine(t, args...), "\n")
		for _, want := range list {
			if !slices.Contains(lines, want) {
				t.Errorf("%q is completed to %q, without %q", line, lines, want)
			}
		}
	}
}

// The help of run fits two screens, and begins with what everybody needs; --help-all
// explains every flag, in groups.
func TestShortHelp(t *testing.T) {
	const twoScreens = 48
	for _, name := range []string{"run", "sweep"} {
		short, all := runLine(t, name, "--help"), runLine(t, name, "--help-all")
		if n := strings.Count(short, "\n"); n > twoScreens {
			t.Errorf("the help of %s has %d lines", name, n)
		}
		root := newRoot(&system{getenv: noVariables})
		c, _, err := root.Find([]string{name})
		sharedtest.OK(t, err)
		first := 0
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			if f.Annotations[flagFirst] != nil {
				first++
			}
			if f.Name != "help" && !strings.Contains(short, "--"+f.Name) {
				t.Errorf("the help of %s does not name --%s", name, f.Name)
			}
			if strings.Count(all, " --"+f.Name+" ") == 0 {
				t.Errorf("--help-all of %s does not explain --%s", name, f.Name)
			}
		})
		if first != 8 || !strings.Contains(short, "Flags to begin with:\n  --model ") {
			t.Errorf("%d flags to begin with: %s", first, short)
		}
	}
}

// Every command is in a group, but those that cobra adds.
func TestCommandsHaveGroups(t *testing.T) {
	root := newRoot(&system{getenv: noVariables})
	for _, c := range root.Commands() {
		if c.GroupID == "" && c.Name() != "help" && c.Name() != "completion" {
			t.Errorf("%s has no group", c.Name())
		}
	}
	text := runLine(t, "--help")
	for _, title := range []string{"Play and measure:", "Look:", "Share:", "Serve and train:", "Maintain:"} {
		sharedtest.Contains(t, text, "\n"+title+"\n", "group", title)
	}
}

// The reference names all tables, columns and keys.
func TestReference(t *testing.T) {
	tables, keys := runLine(t, "help", "tables"), runLine(t, "help", "keys")
	for _, k := range report.Kinds() {
		for _, c := range k.Columns() {
			if c.About == "" {
				t.Errorf("%s: column %s is not explained", k.ID, c.Key)
			}
		}
		if !strings.Contains(tables, "\n"+k.ID+": ") || !strings.Contains(tables, runLine(t, "help", "tables", k.ID)) {
			t.Errorf("table %s is not explained", k.ID)
		}
	}
	for _, o := range configs.Options() {
		sharedtest.Contains(t, keys, "\n- "+o.Name+": ", "key", o.Name)
	}
	for _, s := range catalog.Settings() {
		sharedtest.Contains(t, keys, "\n- "+s.Name+": ", "setting", s.Name)
	}
}
