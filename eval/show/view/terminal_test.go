package view

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// listed lists two runs, one of them with two models and a bad line, and a folder that is no run.
func listed(t *testing.T) (l Listing, warnings *[]string) {
	t.Helper()
	root := t.TempDir()
	newTestRun(t, filepath.Join(root, "base"), 4, "vllm:one", "vllm:two").record(6).addLine("{\"schema\":1,\n{}\n")
	newTestRun(t, filepath.Join(root, "deeper", "tuned"), 2, "vllm:one")
	sharedtest.OK(t, os.MkdirAll(filepath.Join(root, "broken"), 0o777))
	warnings = new([]string)
	for _, dir := range []string{"base", "broken", "deeper/tuned"} {
		l.Runs = append(l.Runs, record.Parts{filepath.Join(root, dir)})
	}
	l.Root, l.Now = root, func() time.Time { return start }
	l.Warn = func(line string) { *warnings = append(*warnings, line) }
	return l, warnings
}

// A list has a line for each model with its rates, and warns of what cannot be read.
func TestListingTable(t *testing.T) {
	l, warnings := listed(t)
	got := sharedtest.Must(l.Table())(t)
	var lines []string
	for _, row := range got.Rows {
		line := ""
		for i, c := range row {
			if got.Columns[i].Key != "started" {
				line += c.Text + c.Mark + "|"
			}
		}
		lines = append(lines, line)
	}
	want := []string{"base|one|incomplete|4/4|50.0|", "|two||2/4|50.0*|", "deeper/tuned|one|incomplete|0/2|–|"}
	sharedtest.Equal(t, cmp.Diff(want, lines), "")
	text := strings.Join(*warnings, "\n")
	for _, want := range []string{"broken", "base: 2 lines of the records cannot be read"} {
		sharedtest.Contains(t, text, want)
	}
}

// Rates have a line for each model; columns that tell none apart are not there.
func TestListingRates(t *testing.T) {
	l, _ := listed(t)
	got, err := l.Rates()
	if err != nil || len(got.Rows) != 3 {
		t.Fatalf("%d lines, %v", len(got.Rows), err)
	}
	for i, run := range []string{"base", "", filepath.Join("deeper", "tuned")} {
		sharedtest.Equal(t, got.Rows[i][0].Text, run, "line is of", i)
	}
	for _, c := range got.Columns {
		if c.Key == "agent" || c.Key == "perturbation" || c.Key == "preset" {
			t.Errorf("the column %s is there", c.Key)
		}
	}
}

// For programs every run is an object; a rate that is not known is null.
func TestListingJSON(t *testing.T) {
	l, _ := listed(t)
	var b strings.Builder
	sharedtest.OK(t, l.WriteJSON(&b))
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%q", lines)
	}
	var got jsonRun
	if err := json.Unmarshal([]byte(lines[0]), &got); err != nil || got.Finished != 6 || got.Planned != 8 ||
		got.BadLines != 2 || len(got.Rates) != 2 || got.Rates[0].Success == nil {
		t.Errorf("%v: %s", err, lines[0])
	}
	if !strings.Contains(lines[1], `"success":null`) || !strings.Contains(lines[1], `"state":"incomplete"`) {
		t.Error(lines[1])
	}
}
