package bench

import (
	"slices"
	"strings"
	"testing"

	"heldout/configs"
)

func TestReadPaths(t *testing.T) {
	for _, c := range []struct {
		name, json string
		want       []string
	}{
		{"a list of files", `["json_2.1.1/valid_unseen/put-A-None-B-10/trial_1/game.tw-pddl"]`,
			[]string{"put-A-None-B-10/trial_1"}},
		{"folders by type", `{"b": ["put-A-None-B-10/trial_2"], "a": ["x/put-A-None-B-10/trial_1"]}`,
			[]string{"put-A-None-B-10/trial_2", "put-A-None-B-10/trial_1"}},
		{"folders and trials", `[["put-A-None-B-10", "trial_T1"], {"folder": "put-A-None-B-11", "trial": "trial_T2"}]`,
			[]string{"put-A-None-B-10/trial_T1", "put-A-None-B-11/trial_T2"}},
		{"fields of objects", `[{"id": 1, "task": {"path": "/x/put-A-None-B-10/trial_1/"}}]`,
			[]string{"put-A-None-B-10/trial_1"}},
	} {
		list := configs.PresetList{Format: "alfworld-paths"}
		got, err := readList(configs.PromptFile{Name: "f", Content: []byte(c.json)}, list)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "{", "[]", `["trial_1"]`, `"no path"`} {
		if got, err := readPaths([]byte(bad)); err == nil {
			t.Errorf("%s: %q", bad, got)
		}
	}
}

// FuzzReadPaths: names have the two folders that tasks are named after.
func FuzzReadPaths(f *testing.F) {
	f.Add([]byte(`{"a": ["x/put/trial_1/game.tw-pddl"]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		names, err := readPaths(b)
		for _, name := range names {
			if err == nil && strings.Count(name, "/") != 1 {
				t.Errorf("%q", name)
			}
		}
	})
}
