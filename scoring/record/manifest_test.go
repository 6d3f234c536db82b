package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
)

// manifest has everything in it that can be.
func manifest() *Manifest {
	ended := time.Date(2026, 1, 2, 3, 5, 0, 0, time.UTC)
	condition := Condition{
		Env: "boxes", Source: envs.Generated, Settings: map[string]string{"generator-seed": "7"},
		Model: "vllm:M", Agent: "react",
		Decoding: &Decoding{Temperature: 0.7, TopP: 1, MaxTokens: 512, Stop: []string{"\nObservation:"},
			Extra: map[string]any{"top_k": json.Number("20")}},
		Context: 8192, PromptHash: "abc", Perturbation: "none", StepLimit: 30, Seed: 7,
	}
	tool := Tool{Version: "v1", Commit: "abc", Go: "go1.26"}
	m := &Manifest{
		Schema: Schema, Tool: tool, Behaviour: 1,
		Environments: []Environment{{
			Info: envs.Info{Name: "boxes", Source: envs.Generated, Settings: map[string]string{"generator-seed": "7"},
				StepLimit: 30, DataHash: "abc"},
			Total: 60, Tasks: []envs.Task{{ID: "box/01", Index: 3, Type: "box", Difficulty: envs.Hard, Digest: "def"}},
		}},
		Groups:  []Group{{Condition: condition, Episodes: []string{"a"}}},
		Prompts: map[string]Prompt{"boxes": {File: "built-in", SHA256: "abc"}},
		Servers: map[string][]ServerReport{"vllm:M": {{Software: "vllm", Version: "1", Models: []string{"M"},
			Present:       true,
			ContextLength: 8192}}},
		Sessions: []Session{{Tool: tool, Started: ended.Add(-time.Minute), Ended: &ended},
			{Tool: tool, Started: ended}},
	}
	id, err := EpisodeID(1, m.Environments[0].Tasks[0], condition)
	if err != nil {
		panic(err) // it is made of nothing but text and numbers
	}
	m.Groups[0].Episodes[0] = id
	return m
}

func TestManifestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	if s.Manifest != nil {
		t.Errorf("a new run has the manifest %v", s.Manifest)
	}
	sharedtest.OK(t, s.SetManifest(manifest()))
	got := sharedtest.Must(ReadManifest(s.dir))(t)
	sharedtest.Same(t, got, manifest())
	env, ok := got.EnvironmentOf(Condition{Env: "boxes"})
	if !ok || env.Total != 60 {
		t.Errorf("environment %v, %v", env, ok)
	}
	if _, ok := got.EnvironmentOf(Condition{Env: "chess"}); ok {
		t.Error("there is an environment that is not there")
	}
}

// TestManifestIsReplacedAsAWhole reads while writing: what is read is one of the
// two manifests, and nothing else is left in the directory.
func TestManifestIsReplacedAsAWhole(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	short, long := manifest(), manifest()
	long.Tool.Version = strings.Repeat("long", 10_000)
	sharedtest.OK(t, s.SetManifest(short))
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := range 50 {
			if err := s.SetManifest([]*Manifest{long, short}[i%2]); err != nil {
				t.Error(err)
			}
		}
	})
	for range 200 {
		if _, err := ReadManifest(dir); err != nil {
			t.Error(err)
		}
	}
	writer.Wait()
	files := sharedtest.Must(os.ReadDir(dir))(t)
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
		if info, err := f.Info(); err != nil || info.Mode().Perm()&0o444 == 0 {
			t.Errorf("%s: mode %v, error %v", f.Name(), info.Mode(), err)
		}
	}
	sharedtest.Same(t, names, []string{episodesFile, lockFile, manifestFile})
}

func TestManifestCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	sharedtest.OK(t, s.SetManifest(manifest()))
	m := manifest()
	m.Groups[0].Condition.Decoding.Extra["top_k"] = func() {}
	sharedtest.Fails(t, s.SetManifest(m), "", "a function was written")
	got, err := ReadManifest(s.dir)
	if diff := cmp.Diff(manifest(), got); diff != "" || err != nil {
		t.Errorf("error %v, the old one is gone (-want +got):\n%s", err, diff)
	}
}

func TestReadManifestRefuses(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"empty":   {"", "run.json:1: it ends in the middle"},
		"no JSON": {"hello", "run.json:1: hello is neither"},
		"two":     {"{\"schema\":1}\n{\"schema\":1}", "run.json: there is more after the end of the value"},
		"a list":  {"[]", "run.json:1: want an object"},
		"somebody else's": {`{"name": "package", "version": "1.0.0"}`,
			"run.json: it has schema 0, this version of heldout reads 1 to 2"},
		"of the future": {`{"schema": 3}`, "run.json: it has schema 3, this version of heldout reads 1 to 2"},
		"other fields":  {`{"schema": 1, "groups": {}}`, `run.json:1: "groups": want a list`},
		"unknown env": {`{"schema": 1, "groups": [{"condition": {"env": "boxes", "model": "M"}}]}`,
			"run.json: groups[0].episodes: the plan for M on boxes does not fit its tasks"},
		"too many episodes": {
			`{"schema": 1, "environments": [{"name": "boxes"}], "groups": [{"condition": {"env": "boxes"}, "episodes": ["a"]}]}`, "does not fit its tasks"},
		"too few episodes": {
			`{"schema": 1, "environments": [{"name": "boxes", "tasks": [{}]}], "groups": [{"condition": {"env": "boxes"}}]}`, "does not fit its tasks"},
		"newer, same schema": {string(Seal([]byte(`{"schema": 2, "new": true}`))), ""},
		"older":              {`{"schema": 1, "new": true}`, ""},
		"no checksum":        {`{"schema": 2, "new": true}`, "run.json: checksum: it is not the end of the file"},
		"changed": {strings.Replace(string(Seal([]byte(`{"schema": 2, "behaviour": 3}`))), "3", "4", 1),
			"run.json: checksum: the file says"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			overwrite(t, dir, manifestFile, []byte(c.content))
			m, err := ReadManifest(dir)
			if c.want == "" {
				if err != nil || (m.Schema == Schema) != (m.Uncovered == nil) {
					t.Errorf("%+v, %v", m, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if s, err := Open(dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("opened: %v, error %v", s, err)
			}
		})
	}
}

func TestReadManifestOfNoRun(t *testing.T) {
	for dir, want := range map[string]string{
		t.TempDir(): " is not a run directory", filepath.Join(t.TempDir(), "nowhere"): " does not exist",
	} {
		_, err := ReadManifest(dir)
		if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), dir+want) {
			t.Errorf("error %v", err)
		}
	}
}

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
