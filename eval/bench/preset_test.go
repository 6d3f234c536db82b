package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
)

// chosen resolves presets with changes of the user.
func chosen(t *testing.T, names []string, over func(*configs.Run)) []Chosen {
	t.Helper()
	given := Input{Override: func(r *configs.Run) error {
		r.Model, r.Preset = configs.Strings{"random"}, names
		if way, _, external := strings.Cut(r.Env[0], ":"); external {
			r.Env[0] = way + ":http://127.0.0.1:1"
		}
		over(r)
		return nil
	}}
	out, skipped, err := resolvePresets(Outside{Getenv: func(string) string { return "" }}, Plain, given, names)
	if err != nil || len(skipped) > 0 {
		t.Fatal(err, skipped)
	}
	return out
}

// A run that changes nothing plays the preset as it was released.
func TestUnchanged(t *testing.T) {
	names := configs.PresetNames()
	for _, c := range chosen(t, names, func(*configs.Run) {}) {
		played := c.effective()
		if got, err := changes(&c.Released, &played); err != nil || len(got) > 0 {
			t.Errorf("%s: %q, %v", c.Released.ID(false), got, err)
		}
		if err := Validate(c.Run, Plain); err != nil {
			t.Errorf("%s: %v", c.Released.ID(false), err)
		}
	}
}

// Everything that changes a number is told.
func TestChanges(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Preset, Keys string
		Want         []string
	}](t, "changes.yaml") {
		of := chosen(t, []string{c.Preset}, func(r *configs.Run) {
			_, err := configs.ParseRun("changes.yaml", []byte(c.Keys), r, []string{"split"}, nil)
			sharedtest.OK(t, err)
		})[0]
		played := of.effective()
		got, err := changes(&of.Released, &played)
		if diff := cmp.Diff(c.Want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.Preset, err, diff)
		}
	}
}

// Another agent needs a prompt that it can use.
func TestOtherAgent(t *testing.T) {
	for _, c := range []struct{ agent, prompt, want string }{
		{"react", "v2", ""}, {"single", "", ""}, {"react", "", "--prompt"}, {"chat", "v2", "there are react and act"},
	} {
		given := Input{Override: func(r *configs.Run) error { r.Agent, r.Prompt = c.agent, c.prompt; return nil }}
		_, _, err := resolvePresets(Outside{Getenv: func(string) string { return "" }}, Plain, given,
			[]string{"gigpo-alfworld:unseen"})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v", c.agent, c.prompt, err)
		}
	}
}

// A step limit replaces those by type.
func TestStepLimitReplacesTypes(t *testing.T) {
	c := chosen(t, []string{"eto-sciworld:unseen"}, func(r *configs.Run) { r.StepLimit = 7 })[0]
	played := c.effective()
	if played.Env.Limit.For("boil") != 7 || played.Env.Limit.Max() != 7 {
		t.Error(played.Env.Limit)
	}
}

func TestByRule(t *testing.T) {
	var tasks []envs.Task
	for _, id := range []string{"a/0", "a/1", "a/2", "b/0", "b/1", "c/0"} {
		tasks = append(tasks, envs.Task{ID: id, Type: id[:1]})
	}
	for _, c := range []struct {
		rule configs.PresetTasks
		want string
	}{
		{configs.PresetTasks{}, "a/0 a/1 a/2 b/0 b/1 c/0"},
		{configs.PresetTasks{FirstOfType: 2, SkipTypes: []string{"c"}}, "a/0 a/1 b/0 b/1"},
		{configs.PresetTasks{BySeed: 5}, "a/2 b/1 c/0"},
		{configs.PresetTasks{Sample: 3}, "a b c"},
		{configs.PresetTasks{Sample: 9}, "a/0 a/1 a/2 b/0 b/1 c/0"},
		{configs.PresetTasks{BySeed: 4, ByName: true}, "a/1 b/0 c/0"},
	} {
		var got []string
		given := slices.Clone(tasks)
		if c.rule.ByName {
			slices.Reverse(given)
		}
		for _, task := range SelectByRule(given, c.rule) {
			got = append(got, task.ID)
		}
		slices.Sort(got)
		text := strings.Join(got, " ")
		if c.rule.Sample == 3 { // one of each
			text = strings.NewReplacer("/0", "", "/1", "", "/2", "").Replace(text)
		}
		sharedtest.Equal(t, text, c.want, c.rule)
	}
}

func TestReadLists(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ Format, Key, Text, Want string }](t, "lists.yaml") {
		names, err := readList(configs.PromptFile{Name: "f", Content: []byte(c.Text)},
			configs.PresetList{Format: c.Format, Key: c.Key})
		got := strings.Join(names, " ")
		if err != nil {
			got = "error"
		}
		sharedtest.Equal(t, got, c.Want, c.Text, err)
	}
}

func FuzzReadList(f *testing.F) {
	f.Add([]byte(`{"test": [[0, 1]], "id": "sciworld_3"}`), "sciworld-pairs", "test")
	f.Add([]byte(`[{"item_id": "babyai_17"}]`), "agentgym-ids", "")
	f.Fuzz(func(t *testing.T, b []byte, format, key string) {
		names, err := readList(configs.PromptFile{Name: "f", Content: b}, configs.PresetList{Format: format, Key: key})
		if err == nil && format == "agentgym-ids" && len(names) == 0 {
			t.Error("no names and no error")
		}
	})
}

// ALFWorld's dialects have prompts of their own, as far as they have any.
func TestOwnPrompt(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Env, Want string // or what the error says
		Settings  map[string]string
	}](t, "ownprompts.yaml") {
		got, err := ownPrompt(envs.Info{Name: c.Env, Settings: c.Settings})
		if err == nil {
			_, err = configs.LoadPrompt(got, configs.PromptVersions()[0])
		}
		if got != c.Want && (err == nil || !strings.Contains(err.Error(), c.Want)) {
			t.Errorf("%s %v: %q, %v, want %q", c.Env, c.Settings, got, err, c.Want)
		}
	}
}
