package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// publishedPage is what the page on statistics says of published numbers.
func publishedPage(t *testing.T) string {
	t.Helper()
	return part(t, "statistics", "Compare with a published number") +
		part(t, "statistics", "How far one run is off by chance")
}

// pageCommands lists the commands of a text, without the remarks behind them.
func pageCommands(text string) (out [][]string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	remark := regexp.MustCompile(`\S {3,}[a-z].*$`)
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    heldout ")
		if !ok {
			continue
		}
		if !strings.Contains(command, " --") { // a command with flags has no remark
			command = remark.ReplaceAllStringFunc(command, func(s string) string { return s[:1] })
		}
		out = append(out, strings.Fields(command))
	}
	return out
}

// Every command of the page is one: runs are planned, pulls say what they would fetch, and
// the others read runs of the same names.
func TestPublishedPage(t *testing.T) {
	sharedtest.Heavy(t)
	dir := t.TempDir()
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	commands := pageCommands(publishedPage(t))
	if len(commands) < 15 {
		t.Fatalf("%d commands: %q", len(commands), commands)
	}
	for _, args := range commands {
		switch args[0] {
		case "run":
			planned(t, dir, server.URL, args)
			continue
		case "compare", "power":
			for _, run := range args[1:] {
				if !strings.HasPrefix(run, "runs/") {
					continue
				}
				small := []string{"run", "--preset", "agentrefine:pddl", "--model", "random", "--model", "expert",
					"--limit", "4", "--quiet", "--out", run}
				if out, err := in(t, dir, small...); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
		case "data", "preset":
			args = append(args, "--dry-run")
		}
		if out, err := in(t, dir, args...); err != nil {
			t.Errorf("heldout %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// notThere matches what a run says without originals, or without official data where
// generated tasks cannot take their place.
var notThere = regexp.MustCompile(`heldout preset pull [a-z-]+ fetches it|generated games come from no split|` +
	`has more questions than the file`)

// planned plans a run of the page. Without the originals or the data it has to say so.
func planned(t *testing.T, dir, server string, args []string) {
	t.Helper()
	args = append(slices.Clone(args), "--dry-run")
	for i, arg := range args {
		if strings.HasSuffix(arg, ":NAME") {
			args[i] = strings.TrimSuffix(arg, "NAME") + "fake"
			args = append(args, "--base-url", server+"/v1")
		}
	}
	out, err := in(t, dir, args...)
	if err != nil && !notThere.MatchString(out) {
		t.Errorf("heldout %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// The page's figures are what heldout power says of the official tasks. The short
// form plays BabyAI, whose expert takes the least time, and the whole one ALFWorld, which takes most.
func TestPublishedPageFigures(t *testing.T) {
	data := sharedtest.AgentBoard(t)
	row := regexp.MustCompile(`(?m)^    (\w+) +(\d+) +(\d+) +(\d+)% +([\d.]+)$`)
	rows := row.FindAllStringSubmatch(publishedPage(t), -1)
	if len(rows) != 4 {
		t.Fatalf("%q", rows)
	}
	for _, row := range append(rows[1:], rows[0])[:sharedtest.Times(t, 3, 1, 4)] {
		part, tasks, steps, solved, visible := row[1], row[2], row[3], row[4], row[5]
		t.Run(part, func(t *testing.T) {
			dir := t.TempDir()
			out, err := in(t, dir, "run", "--preset", "agentboard:"+part, "--model", "random", "--model", "expert",
				"--step-limit", steps, "--data", data, "--quiet", "--out", "pilot", "--format", "csv", "--table",
				"results")
			if err != nil || !regexp.MustCompile(`(?m)^agentboard[^,]*,`+tasks+` official,expert,`).MatchString(out) {
				t.Fatalf("%v\n%s", err, out)
			}
			var rate float64
			line := regexp.MustCompile(`(?m),expert,expert,\d+,\d+,([\d.]+),`).FindStringSubmatch(out)
			if line == nil {
				t.Fatal(out)
			}
			sharedtest.OK(t, sharedtest.Err(fmt.Sscan(line[1], &rate)))
			sharedtest.Equal(t, fmt.Sprintf("%.0f", 100*rate), solved, "the expert solves", rate, "the page says")
			out, err = in(t, dir, "power", "pilot")
			if want := regexp.MustCompile(`(?m)^ SR +1 .* ` + regexp.QuoteMeta(visible) + ` `); err != nil ||
				!want.MatchString(out) {
				t.Errorf("want %s: %v\n%s", visible, err, out)
			}
		})
	}
}

// With the originals and the data there, the runs of the page can be planned.
func TestPublishedPageWithOriginals(t *testing.T) {
	sharedtest.Heavy(t)
	dir, data := t.TempDir(), sharedtest.AgentBoard(t)
	originals := sharedtest.Golden(t, "protocols/originals")
	for folder, name := range map[string]string{"agentboard": "AgentBoard-bb7255e", "eto": "ETO-a2fc5da",
		"react": "ReAct-6bdb3a1", "agentbench_v02": "AgentBench-41e6807", "tales": "tale-suite-fdbdf2b"} {
		to := filepath.Join(dir, "home", "heldout", "originals", name)
		sharedtest.OK(t, os.CopyFS(to, os.DirFS(filepath.Join(originals, folder))))
	}
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	for _, preset := range []string{"agentboard:pddl", "eto-alfworld:unseen", "eto-sciworld:unseen",
		"react-alfworld", "agentbench-hh", "tales-sciworld:seed-1"} {
		out, err := in(t, dir, "run", "--preset", preset, "--model", "vllm:fake", "--base-url", server.URL+"/v1",
			"--data", data, "--dry-run")
		if err != nil || !strings.Contains(out, "(official)") || strings.Contains(out, "@1+") {
			t.Errorf("%s: %v\n%s", preset, err, out)
		}
	}
}
