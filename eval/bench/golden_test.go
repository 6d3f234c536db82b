package bench

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

// recorded is a file of requests that an original harness sent. configs/compared.yaml has
// how far presets reproduce it.
type recorded struct {
	file string
	// preset plays it, {env} standing for the last word of the file's protocol.
	preset string
	// originals is the checkout of the source in the folder of originals.
	originals string
	// elsewhere: the recorded tasks are not those of the preset.
	elsewhere bool
	// settings replace those of the preset.
	settings map[string]string
	// whole: what is compared holds for all parts of the preset.
	whole bool
	// served: the game of AgentGym whose server answers as it did.
	served string
}

// goldenFiles are all files of recorded protocols.
var goldenFiles = []recorded{
	{file: "agentbench-hh", preset: "agentbench-hh", originals: "agentbench_v02"},
	{file: "agentbench-hh-fc", preset: "agentbench-hh-fc:official", originals: "agentbench", elsewhere: true,
		whole: true},
	{file: "agentbench-hh-filter", preset: "agentbench-hh", originals: "agentbench_v02", elsewhere: true},
	{file: "agentbench-hh-long", preset: "agentbench-hh", originals: "agentbench_v02"},
	{file: "agentboard-alfworld", preset: "agentboard:alfworld", originals: "agentboard"},
	{file: "agentboard-babyai", preset: "agentboard:babyai", originals: "agentboard"},
	{file: "agentboard-context-error", preset: "agentboard:alfworld", originals: "agentboard"},
	{file: "agentboard-jericho", preset: "agentboard:jericho", originals: "agentboard"},
	{file: "agentboard-long", preset: "agentboard:{env}", originals: "agentboard"},
	{file: "agentboard-open-alfworld", preset: "agentboard-open:{env}", originals: "agentboard"},
	{file: "agentboard-open-babyai", preset: "agentboard-open:{env}", originals: "agentboard"},
	{file: "agentboard-open-jericho", preset: "agentboard-open:{env}", originals: "agentboard"},
	{file: "agentboard-open-pddl", preset: "agentboard-open:{env}", originals: "agentboard"},
	{file: "agentboard-open-sciworld", preset: "agentboard-open:{env}", originals: "agentboard"},
	{file: "agentboard-pddl", preset: "agentboard:pddl", originals: "agentboard"},
	{file: "agentboard-sciworld", preset: "agentboard:sciworld", originals: "agentboard"},
	{file: "agentboard-vllm-prompts", preset: "agentboard-open:{env}", originals: "agentboard"},
	{file: "agentgym-alfworld", preset: "agentgym-alfworld", originals: "agentgym", elsewhere: true,
		settings: map[string]string{"split": "valid_unseen"}},
	{file: "agentgym-babyai", preset: "agentgym-babyai", originals: "agentgym", elsewhere: true},
	{file: "agentgym-babyai-one-line", preset: "agentgym-babyai", originals: "agentgym", elsewhere: true},
	{file: "agentgym-sciworld", preset: "agentgym-sciworld", originals: "agentgym", elsewhere: true},
	{file: "eto-alfworld", preset: "eto-alfworld:unseen", originals: "eto", whole: true},
	{file: "eto-context-error", preset: "eto-alfworld:unseen", originals: "eto", whole: true},
	{file: "eto-sciworld", preset: "eto-sciworld:unseen", originals: "eto"},
	{file: "eto-sciworld-seen", preset: "eto-sciworld:seen", originals: "eto"},
	{file: "react-alfworld", preset: "react-alfworld", originals: "react"},
	{file: "react-alfworld-pairs", preset: "react-alfworld", originals: "react"},
	{file: "react-hotpotqa", preset: "react-hotpotqa:500", originals: "react", whole: true},
	{file: "reflexion-alfworld", preset: "reflexion-alfworld", originals: "reflexion"},
	{file: "rlvmr-sciworld/L0", preset: "rlvmr-sciworld:L0", originals: "epo", elsewhere: true},
	{file: "rlvmr-sciworld/L1", preset: "rlvmr-sciworld:L1", originals: "epo", elsewhere: true},
	{file: "rlvmr-sciworld/L2", preset: "rlvmr-sciworld:L2", originals: "epo", elsewhere: true},
	{file: "rlvmr-sciworld/mc"}, // RLVMR's own agent
	{file: "tales", preset: "tales-{env}", originals: "tales", elsewhere: true, whole: true},
	{file: "tales-llm-0.36", preset: "tales-variants:newer-client", originals: "tales", elsewhere: true},
	{file: "verl-agent-alfworld/2025-seen", preset: "gigpo-alfworld-2025:seen", originals: "verl-agent-2025"},
	{file: "verl-agent-alfworld/2025-unseen", preset: "gigpo-alfworld-2025:unseen", originals: "verl-agent-2025"},
	{file: "verl-agent-alfworld/seen", preset: "gigpo-alfworld:seen", originals: "verl-agent"},
	{file: "verl-agent-alfworld/unseen", preset: "gigpo-alfworld:unseen", originals: "verl-agent"},
}

// Every recorded file is in the table.
func TestGoldenFilesAreComplete(t *testing.T) {
	folder := sharedtest.Golden(t, "protocols")
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	deeper, err := filepath.Glob(filepath.Join(folder, "*", "*.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, deeper...) {
		name, err := filepath.Rel(folder, file)
		if err != nil {
			t.Fatal(err)
		}
		name = strings.TrimSuffix(filepath.ToSlash(name), ".jsonl.gz")
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
	counted, err := configs.Comparisons()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range goldenFiles {
		t.Run(file.file, func(t *testing.T) {
			t.Parallel()
			if strings.HasSuffix(file.preset, ":seen") && strings.Contains(file.preset, "gigpo") {
				seenGames(t)
			}
			file.check(t, folder, counted)
		})
	}
}

// check plays a file, and compares what is equal with what configs/compared.yaml has.
func (f recorded) check(t *testing.T, folder string, counted []configs.Comparison) {
	t.Helper()
	was := slices.DeleteFunc(slices.Clone(counted), func(c configs.Comparison) bool { return c.File != f.file })
	cases := readCases(t, folder, f.file)
	some := cases
	if f.served == "" && !slices.ContainsFunc(was, differs) {
		some = sharedtest.Sample(t, cases, 1)
	}
	var found []configs.Comparison
	var differences []string
	for _, c := range some {
		s := f.compare(t, folder, c)
		i := slices.IndexFunc(found, func(f configs.Comparison) bool { return f.Preset == s.Preset })
		if i < 0 {
			i, found = len(found), append(found, configs.Comparison{File: f.file, Preset: s.Preset})
		}
		found[i].Add(s.Comparison)
		differences = append(differences, s.differences...)
	}
	for _, line := range firstOfEach(differences) {
		t.Log(line)
	}
	if len(some) < len(cases) {
		if i := slices.IndexFunc(found, differs); i >= 0 {
			t.Errorf("all requests and outcomes were equal, and now there are\n%s", lines(found[i:i+1]))
		}
		return
	}
	slices.SortFunc(found, func(a, b configs.Comparison) int { return strings.Compare(a.String(), b.String()) })
	if !slices.Equal(was, found) {
		t.Errorf("configs/compared.yaml has\n%sand now there are\n%s"+
			"Write that if it is better, and mend the preset if it is not.", lines(was), lines(found))
	}
}

// differs reports whether not all of a comparison is equal.
func differs(c configs.Comparison) bool {
	return c.Equal < c.Requests || c.Same < c.Outcomes || c.Extra > 0
}

// lines writes comparisons as their file has them.
func lines(list []configs.Comparison) (text string) {
	for _, c := range list {
		text += c.String() + "\n"
	}
	return text
}
