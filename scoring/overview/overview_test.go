package overview

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/report"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

var keep = flag.String("keep", "", "write the run directories of TestLooks here and leave them")

// looks are runs that reports have to look good on.
func looks() map[string]synthetic {
	six := []string{"alfworld", "babyai", "hotpotqa", "jericho", "pddl", "sciworld"}
	var thirty []string
	for i := range 30 {
		thirty = append(thirty, fmt.Sprintf("vllm:qwen3-8b-agent-sft-lr1e-5/checkpoint-%d", 500*(i+1)))
	}
	three := []string{"vllm:base", "vllm:tuned", "vllm:tuned-longer"}
	return map[string]synthetic{
		"empty":      {environments: six[:2], tasks: 10, models: three[:1], seeds: 1, steps: 30, missing: 2},
		"one":        {environments: six[4:5], tasks: 1, models: three[:1], seeds: 1, steps: 30},
		"incomplete": {environments: six[:4], tasks: 30, models: three, seeds: 2, steps: 30, missing: 0.3},
		"thirty":     {environments: six, tasks: 24, models: thirty, seeds: 1, steps: 30},
		"three":      {environments: six, tasks: 80, models: three, seeds: 3, steps: 30},
	}
}

// read reads a run and makes its tables.
func read(t testing.TB, dir string) ([]report.Run, []table.Table) {
	t.Helper()
	run, err := scoring.ReadRun(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := scoring.Compute(run, stats.TheseKinds)
	if err != nil {
		t.Fatal(err)
	}
	w, err := configs.LoadWeights()
	if err != nil {
		t.Fatal(err)
	}
	runs := []report.Run{{Name: dir, Scores: scores}}
	return runs, report.Tables(runs, nil, w)
}

// Sections of every kind of run are well-formed and show what there is.
func TestLooks(t *testing.T) {
	want := map[string]string{
		"empty":      "summary rates failures",
		"one":        "summary rates tasks steps failures refinement cost",
		"incomplete": "summary rates differences tasks steps failures refinement seeds cost",
		"thirty":     "summary rates differences tasks steps failures refinement cost",
		"three":      "summary rates differences tasks steps failures refinement seeds cost",
	}
	for name, s := range looks() {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), name)
			if *keep != "" {
				dir = filepath.Join(*keep, name)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			s.write(t, dir)
			sections, err := Sections(read(t, dir))
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, s := range sections {
				ids = append(ids, s.ID)
				wellFormed(t, s)
			}
			if got := strings.Join(ids, " "); got != want[name] {
				t.Errorf("sections %s, want %s", got, want[name])
			}
		})
	}
}

// wellFormed reports a section that is no tree of elements.
func wellFormed(t *testing.T, s Section) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(s.HTML)))
	d.Entity = xml.HTMLEntity
	d.Strict = true
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("section %s: %v", s.ID, err)
			return
		}
	}
}
