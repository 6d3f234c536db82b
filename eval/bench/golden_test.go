package bench

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"heldout/envs/sharedtest"
)

// recorded is a file of requests that an original harness sent, and how far a preset
// reproduces it.
type recorded struct {
	file string
	// preset plays it, {env} standing for the last word of the file's protocol; empty
	// if there is none yet.
	preset string
	// originals is the checkout of the source in the folder of originals.
	originals string
	// elsewhere: the recorded tasks are not those of the preset.
	elsewhere bool
	// settings replace those of the preset.
	settings map[string]string
	// equal and outcomes count requests and outcomes that are equal today, more the
	// requests beyond those of the original. A change that raises the first two writes the
	// new numbers here; no change lowers them.
	equal, outcomes, more int
}

// goldenFiles are all files of recorded protocols.
var goldenFiles = []recorded{
	{file: "agentbench-hh", preset: "agentbench-hh", originals: "agentbench_v02", equal: 44, outcomes: 7},
	{file: "agentbench-hh-fc", preset: "agentbench-hh-fc", originals: "agentbench", elsewhere: true, equal: 51, outcomes: 7},
	{file: "agentbench-hh-filter", preset: "agentbench-hh", originals: "agentbench_v02", elsewhere: true, equal: 107, outcomes: 4},
	{file: "agentbench-hh-long", preset: "agentbench-hh", originals: "agentbench_v02", equal: 70, outcomes: 2},
	{file: "agentboard-alfworld", preset: "agentboard:alfworld", originals: "agentboard", outcomes: 5, more: 40},
	{file: "agentboard-babyai", preset: "agentboard:babyai", originals: "agentboard", outcomes: 8},
	{file: "agentboard-context-error", preset: "agentboard:alfworld", originals: "agentboard", more: 4},
	{file: "agentboard-jericho", preset: "agentboard:jericho", originals: "agentboard", outcomes: 6},
	{file: "agentboard-long", preset: "agentboard:{env}", originals: "agentboard", outcomes: 4},
	{file: "agentboard-open-alfworld"},
	{file: "agentboard-open-babyai"},
	{file: "agentboard-open-jericho"},
	{file: "agentboard-open-pddl"},
	{file: "agentboard-open-sciworld"},
	{file: "agentboard-pddl", preset: "agentboard:pddl", originals: "agentboard", outcomes: 5, more: 53},
	{file: "agentboard-sciworld", preset: "agentboard:sciworld", originals: "agentboard", outcomes: 3},
	{file: "agentboard-vllm-prompts"},
	{file: "agentgym-alfworld", preset: "agentgym-alfworld", originals: "agentgym", elsewhere: true,
		settings: map[string]string{"split": "valid_unseen"}, equal: 72, outcomes: 7},
	{file: "agentgym-babyai", preset: "agentgym-babyai", originals: "agentgym", elsewhere: true, equal: 64, outcomes: 4},
	{file: "agentgym-babyai-one-line", preset: "agentgym-babyai", originals: "agentgym", elsewhere: true, equal: 64, outcomes: 4},
	{file: "agentgym-sciworld", preset: "agentgym-sciworld", originals: "agentgym", elsewhere: true, equal: 111, outcomes: 6},
	{file: "eto-alfworld", preset: "eto-alfworld:unseen", originals: "eto", equal: 89, outcomes: 7},
	{file: "eto-context-error", preset: "eto-alfworld:unseen", originals: "eto", equal: 83, outcomes: 3},
	{file: "eto-sciworld", preset: "eto-sciworld:unseen", originals: "eto", equal: 203, outcomes: 6},
	{file: "eto-sciworld-seen", preset: "eto-sciworld:seen", originals: "eto", equal: 219, outcomes: 4},
	{file: "react-alfworld", preset: "react-alfworld", originals: "react", equal: 117, outcomes: 7},
	{file: "react-alfworld-pairs", preset: "react-alfworld", originals: "react", equal: 108, outcomes: 36},
	{file: "react-hotpotqa", preset: "react-hotpotqa:500", originals: "react", equal: 18, outcomes: 4},
	{file: "reflexion-alfworld"},
	{file: "tales", preset: "tales-{env}", originals: "tales", elsewhere: true},
	{file: "tales-llm-0.36", preset: "tales-{env}", originals: "tales", elsewhere: true},
}

// Every recorded file is in the table.
func TestGoldenFilesAreComplete(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedtest.Golden(t, "protocols"), "*.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		if strings.HasSuffix(name, ".outcomes") {
			continue
		}
		if !slices.ContainsFunc(goldenFiles, func(r recorded) bool { return r.file == name }) {
			t.Errorf("%s is in no table", name)
		}
	}
}

// Every recorded task is played under its preset with the recorded replies, by the client
// and the server of a run. Every request is compared with that of the original, and so are
// outcome and score.
func TestGoldenRequests(t *testing.T) {
	folder := sharedtest.Golden(t, "protocols")
	var mu sync.Mutex
	var all tally
	t.Cleanup(func() { t.Log(all) })
	for _, file := range goldenFiles {
		t.Run(file.file, func(t *testing.T) {
			t.Parallel()
			cases := readCases(t, folder, file.file)
			var sum tally
			for _, c := range cases {
				sum.add(file.compare(t, folder, c))
			}
			t.Logf("%s: %s", file.file, sum)
			mu.Lock()
			all.add(sum)
			mu.Unlock()
			for _, line := range sum.firstDifferences() {
				t.Log(line)
			}
			if sum.equal != file.equal || sum.outcomesEqual != file.outcomes || sum.more != file.more {
				t.Errorf("the table has equal: %d, outcomes: %d, more: %d; now they are %d, %d and %d: "+
					"write that if it is better, and mend the preset if it is not",
					file.equal, file.outcomes, file.more, sum.equal, sum.outcomesEqual, sum.more)
			}
		})
	}
}
