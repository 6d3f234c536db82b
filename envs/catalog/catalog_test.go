package catalog

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/babyai"
	"heldout/envs/hotpotqa"
	"heldout/envs/jericho"
	"heldout/envs/sciworld"
	"heldout/envs/sharedtest"
)

func TestAll(t *testing.T) {
	var names []string
	for _, e := range Entries() {
		if e.Name == "" || e.Summary == "" || strings.ContainsAny(e.Summary, "\n|") || e.Open == nil {
			t.Errorf("%+v", e)
		}
		names = append(names, e.Name)
	}
	slices.Sort(names)
	sharedtest.Equal(t, len(slices.Compact(slices.Clone(names))), len(names), "names are not unique", names)
}

// Every environment serves tasks of its own when there are no data, and says what
// they are. None needs more than heldout.
func TestGeneratedByDefault(t *testing.T) {
	for _, entry := range Entries() {
		setup := envs.Setup{GeneratorSeed: envs.GeneratorSeeds{First: 3, Last: 3}}
		e, err := Open(entry.Name, setup, envs.Outside{})
		if err != nil {
			t.Errorf("%s: %v", entry.Name, err)
			continue
		}
		info := e.Info()
		// what it has of its own was not drawn
		written := entry.Name == "hotpotqa" || len(entry.Folders) == 0 && !entry.Generates
		if info.Name != entry.Name || info.Source != envs.Generated || !written && len(info.Settings) == 0 ||
			len(e.Tasks()) == 0 {
			t.Errorf("%s: %+v with %d tasks", entry.Name, info, len(e.Tasks()))
		}
	}
}

// Tasks of its own never stand in for data that are missing.
func TestMissingData(t *testing.T) {
	for _, entry := range Entries() {
		if len(entry.Folders) == 0 { // it has no other tasks
			continue
		}
		if e, err := Open(entry.Name, envs.Setup{Data: t.TempDir()}, envs.Outside{}); err == nil {
			t.Errorf("%s: %d tasks from an empty folder", entry.Name, len(e.Tasks()))
		}
	}
}

func TestUnknownVariant(t *testing.T) {
	for _, entry := range Entries() {
		if !slices.ContainsFunc(entry.Settings, func(s envs.Setting) bool { return s.Name == "variant" }) {
			continue
		}
		sharedtest.Fails(t, sharedtest.Err(Open(entry.Name,
			envs.Setup{Settings: envs.Settings{"variant": "chess"}}, envs.Outside{})), "chess", entry.Name)
	}
}

// The values that entries.yaml lists are those that the environments know.
func TestValues(t *testing.T) {
	var dialects []struct{ Name string }
	sharedtest.OK(t, json.Unmarshal(sharedtest.Must(os.ReadFile("../outside/agentgym/dialects.json"))(t), &dialects))
	servers := []string{"auto"}
	for _, d := range dialects {
		servers = append(servers, d.Name)
	}
	for name, want := range map[string][]string{
		"alfworld split": alfworld.Splits(), "alfworld variant": {alfworld.AgentBoard, alfworld.ALFWorld},
		"sciworld split":   sciworld.Splits(),
		"sciworld variant": {sciworld.AgentBoard, sciworld.ScienceWorld, sciworld.AgentGym, sciworld.Newer},
		"jericho variant":  {jericho.AgentBoard, jericho.Jericho},
		"jericho huntdark": {jericho.HuntdarkUpstream, jericho.HuntdarkFixed},
		"babyai variant":   {babyai.AgentBoard, babyai.AgentGym},
		"hotpotqa wiki":    hotpotqa.Origins(), "agentgym:x agentgym-env": servers,
	} {
		env, setting, _ := strings.Cut(name, " ")
		sharedtest.Same(t, settingOf(t, env, setting).Values, want, name)
	}
	_, names, _ := strings.Cut(settingOf(t, "sciworld", "simplifications").Help, ": ")
	_, err := Open("sciworld", envs.Setup{Settings: envs.Settings{"simplifications": "chess"}}, envs.Outside{})
	sharedtest.Fails(t, err, "there are "+names+";")
}

func settingOf(t *testing.T, env, name string) envs.Setting {
	settings := sharedtest.Must(Find(env))(t).Settings
	return settings[slices.IndexFunc(settings, func(s envs.Setting) bool { return s.Name == name })]
}

func TestUnknownName(t *testing.T) {
	_, err := Open("chess", envs.Setup{}, envs.Outside{})
	if err == nil || !strings.HasPrefix(err.Error(), `unknown environment "chess"; there are: `) {
		t.Fatal(err)
	}
	for _, e := range Entries() {
		if !strings.Contains(err.Error(), e.Name) {
			t.Errorf("%v does not name %s", err, e.Name)
		}
	}
}

// What is shown of an address has no secrets.
func TestSecretAddress(t *testing.T) {
	for _, name := range []string{"openenv:http://me:secret@127.0.0.1:1/a?key=secret#secret",
		"agentgym:ws://secret@127.0.0.1:1", "chess:http://me:secret@127.0.0.1:1"} {
		e, err := Find(name)
		said := []error{err, CheckSettings([]string{name}, envs.Settings{"wiki": "x"})}
		if err == nil {
			_, err = e.Open(envs.Setup{}, envs.Outside{})
			said = append(said, errors.New(e.Name), err)
		}
		if text := errors.Join(said...).Error(); strings.Contains(text, "secret") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// What cannot be played is left out, with the reason; what is unknown is not judged here.
func TestAvailable(t *testing.T) {
	data := t.TempDir()
	for _, folder := range []string{"pddl", "babyai"} {
		sharedtest.OK(t, os.Mkdir(filepath.Join(data, folder), 0o700))
	}
	got, missing := Available([]string{"pddl", "sciworld", "chess", "babyai"}, envs.Setup{Data: data})
	if !slices.Equal(got, []string{"pddl", "chess", "babyai"}) || len(missing) != 1 ||
		!strings.HasPrefix(missing[0].Error(), "sciworld has no official tasks in "+data) {
		t.Errorf("%q, %v", got, missing)
	}
}

// Nothing is missing for an environment that has no official tasks.
func TestNothingMissing(t *testing.T) {
	sharedtest.OK(t, (Entry{Name: "safe"}).unavailable(envs.Setup{Data: t.TempDir()}))
	sharedtest.Fails(t, (Entry{Name: "safe", Folders: []string{"safes"}}).unavailable(envs.Setup{Data: t.TempDir()}),
		"", "no folder of the data is needed")
}
