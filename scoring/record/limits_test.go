package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

// What is beyond a limit is refused when it is read and when it is written, with the field.
func TestManifestLimits(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	for want, change := range map[string]func(*Manifest){
		"groups[0].condition.trials.most: 2000000000 is out of the limits, 1 to 100": func(m *Manifest) {
			m.Groups[0].Condition.Trials = &Trials{Limit: 2_000_000_000}
		},
		"groups[0].condition.step_limit: -1 is out of the limits, 0 to 65535": func(m *Manifest) {
			m.Groups[0].Condition.StepLimit = -1
		},
		"shard.count: 0 is out of the limits, 1 to 10000": func(m *Manifest) { m.Shard = &Shard{} },
		"groups: the number of trials of all episodes: 100000000 is out of the limits, 0 to 10000000": func(m *Manifest) {
			m.Groups[0].Condition.Trials = &Trials{Limit: configs.MaxTrials}
			m.Groups[0].Episodes = make([]string, 1_000_000)
		},
		`groups[0].condition.perturbation: "` + long[:40] + `"… has 70000 bytes, the limit is 500`: func(m *Manifest) {
			m.Groups[0].Condition.Perturbation = long
		},
		`environments[0].tasks[0].id: "` + long[:40] + `"… has 70000 bytes, the limit is 4096`: func(m *Manifest) {
			m.Environments[0].Tasks[0].ID = long
		},
		`tool.version: "` + long[:40] + `"… has 70000 bytes, the limit is 65536`: func(m *Manifest) {
			m.Tool.Version = long
		},
		"lists or objects are nested more than 100 deep": func(m *Manifest) {
			m.Protocols = []Protocol{{Definition: []byte(strings.Repeat("[", 200) + strings.Repeat("]", 200))}}
		},
	} {
		m := manifest()
		change(m)
		s := open(t, t.TempDir())
		sharedtest.Fails(t, s.SetManifest(m), want, "written")
		b := sharedtest.Must(EncodeFile(m))(t)
		sharedtest.OK(t, os.WriteFile(filepath.Join(s.dir, manifestFile), b, 0o644))
		if _, err := ReadManifest(s.dir); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), s.dir) {
			t.Errorf("read: %.200v, want %s", err, want)
		}
		s.Close()
	}
}

// SCHEMA.md names every limit.
func TestLimitsAreDocumented(t *testing.T) {
	text := sharedtest.Must(os.ReadFile("SCHEMA.md"))(t)
	for limit, most := range map[string]int{
		"trials of all episodes together, and pairs of groups and environments": mostPlanned,
		"trials of an episode": configs.MaxTrials, "steps of an episode": MaxSteps, "shards": mostShards,
		"lists and objects within each other in `run.json`": maxNesting,
	} {
		checkDocumented(t, string(text), limit, fmt.Sprint(most))
	}
	for limit, most := range map[string]int{
		"a text in `run.json`": maxText, "a name in `run.json`, or a key that is a name": maxName,
		"the rule of a perturbation drawn for each task": configs.MaxRuleLength,
	} {
		checkDocumented(t, string(text), limit, fmt.Sprintf("%d bytes", most))
	}
	checkDocumented(t, string(text), "size of `run.json`", fmt.Sprintf("%d MiB", maxManifest>>20))
	checkDocumented(t, string(text), "size of a line",
		fmt.Sprintf("%d MiB, half of that when it is written", maxLine>>20))
}

func checkDocumented(t *testing.T, text, limit, most string) {
	t.Helper()
	if line := "| " + limit + " | " + most + " |"; !strings.Contains(text, line) {
		t.Errorf("SCHEMA.md lacks %q", line)
	}
}
