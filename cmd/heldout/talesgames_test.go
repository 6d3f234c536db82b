package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// With some of TALES' 54 stories, everything that shows the preset says how many, that it is
// changed, and that it does not compare.
func TestPartOfTALES(t *testing.T) {
	sharedtest.Heavy(t)
	const suite = "jericho/z-machine-games-master/jericho-game-suite"
	stories, dir := filepath.Join(sharedtest.AgentBoard(t), suite), t.TempDir()
	for _, file := range []string{"zork1.z5", "905.z5", "detective.z5"} {
		b, err := os.ReadFile(filepath.Join(stories, file))
		if err == nil {
			err = os.MkdirAll(filepath.Join(dir, "data", suite), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "data", suite, file), b, 0o600)
		}
		sharedtest.OK(t, err)
	}
	preset := []string{"--preset", "tales-jericho:seed-1", "--data", "data"}
	play := append([]string{"run", "--model", "random", "--step-limit", "2", "--quiet", "--out", "run"}, preset...)
	for _, command := range []struct {
		args []string
		want string
	}{
		{append([]string{"run", "--dry-run", "--model", "random"}, preset...),
			"tales-jericho@3+:seed-1 %: jericho (official), % 3 episodes of at most 100 steps"},
		{append([]string{"doctor"}, preset...), "the data have 3 of its 54 tasks: results do not compare"},
		{play, "does not compare with published results: 3 of the 54 games of TALES are there"},
		{[]string{"compare", "run"}, "does not compare with published results: 3 of the 54 games of TALES are there"},
		{[]string{"report", "run"}, "report.html"},
		{[]string{"compare", "run", "--table", "presets"},
			"tales-jericho@3+: 3 official %changed, so it does not compare with results of the preset: % " +
				"env.tasks.count 3 instead of 54"},
	} {
		name := strings.Join(command.args, " ")
		out, err := in(t, dir, command.args...)
		if err != nil && command.args[0] != "doctor" { // which misses the originals
			t.Fatalf("heldout %s: %v\n%s", name, err, out)
		}
		told := strings.Join(strings.Fields(out), " ")
		for _, want := range strings.Split(command.want, "%") {
			_, after, ok := strings.Cut(told, strings.TrimSpace(want))
			if !ok {
				t.Fatalf("heldout %s has no %q:\n%s", name, want, out)
			}
			told = after
		}
		for line := range strings.Lines(out) {
			if n := len([]rune(line)); n > 81 && command.args[0] != "run" {
				t.Errorf("heldout %s: a line of %d columns: %s", name, n-1, line)
			}
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !strings.Contains(string(page), "3 of the 54 games of TALES are there") {
		t.Errorf("the page does not say how many games there are: %v", err)
	}
}
