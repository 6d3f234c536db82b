package originals

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs/official"
	"heldout/envs/sharedtest"
)

// presets lists the parts of all released presets.
func presets(t *testing.T) []configs.Preset {
	t.Helper()
	return sharedtest.Must(configs.PresetParts())(t)
}

// Every file that a released preset reads has a source, and every source a name of its own.
func TestCheckouts(t *testing.T) {
	list := sharedtest.Must(Checkouts(presets(t)))(t)
	folders, addresses := map[string]official.Checkout{}, map[string]bool{}
	for _, c := range list {
		folders[c.Folder] = c
	}
	for _, s := range official.CheckoutSources(list) {
		if addresses[s.URL] || !strings.HasPrefix(s.URL, "https://") || s.Licence == "" || s.For == "" {
			t.Errorf("%+v", s)
		}
		addresses[s.URL] = true
	}
	sharedtest.Equal(t, len(folders), len(list), "folders for checkouts")
	for _, p := range presets(t) {
		for _, f := range Files(&p) {
			if !slices.ContainsFunc(folders[folder(p.Source)].Files, func(w official.RepoFile) bool {
				return w.Path == f.Path && w.Check([]byte("something else")) != nil
			}) {
				t.Errorf("%s: %s has no source, or can be anything", p.ID(false), f.Path)
			}
		}
	}
}

// A list from elsewhere is fetched only for a preset that reads it.
func TestCheckoutsOfOne(t *testing.T) {
	for part, want := range map[string]string{
		"agentgym-alfworld": "AgentGym-3ef9235", "agentgym-babyai": "AgentGym-3ef9235 AgentEval-babyai_test.json",
		"agentrefine": "",
	} {
		found := sharedtest.Must(configs.FindPresets(part, nil))(t)
		list, err := Checkouts(found)
		var names []string
		for _, s := range official.CheckoutSources(list) {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", part, got, err, want)
		}
	}
	nameless := configs.Preset{Name: "mine", Prompt: configs.PresetPrompt{Files: []configs.PresetFile{{Path: "a"}}}}
	sharedtest.Fails(t, sharedtest.Err(Checkouts([]configs.Preset{nameless})), "--originals DIR")
}

func TestPlaces(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	s := configs.PresetSource{Repository: "me/toy", Commit: oneCommit}
	pulled := filepath.Join(two, "originals", "toy-0123456")
	sharedtest.OK(t, os.MkdirAll(pulled, 0o755))
	for _, c := range []struct {
		places Places
		source configs.PresetSource
		want   string
	}{
		{Places{Dir: "here", Data: []string{two}}, s, "here"},
		{Places{Data: []string{"", one, two}}, s, pulled},
		{Places{Data: []string{one}}, s, ""},
		{Places{}, s, ""},
		{Places{Data: []string{two}}, configs.PresetSource{Repository: "me/toy"}, ""},
		{Places{Data: []string{two}}, configs.PresetSource{Repository: "me/toy", Commit: anotherCommit}, ""},
	} {
		sharedtest.Equal(t, c.places.Find(c.source), c.want, c.places)
	}
}

// folderOf names the recordings' folder of a source.
var folderOf = map[string]string{
	"AgentBench-41e6807": "agentbench_v02", "AgentBench-578c5e9": "agentbench", "AgentBoard-bb7255e": "agentboard",
	"AgentGym-3ef9235": "agentgym", "ETO-a2fc5da": "eto", "ReAct-6bdb3a1": "react", "reflexion-218cf0e": "reflexion",
	"tale-suite-fdbdf2b": "tales",
}

// unrecorded are files that presets read and the recordings' folders lack.
var unrecorded = []string{"agentenv/agentenv/envs/lmrlgym.py", "agentenv/agentenv/envs/textcraft.py"}

// The files of the originals, packed as GitHub packs them, are what the presets want.
func TestPullOriginals(t *testing.T) {
	root := sharedtest.Golden(t, "protocols/originals")
	withoutLists := slices.DeleteFunc(presets(t), func(p configs.Preset) bool {
		return p.Env.Tasks.List != nil && p.Env.Tasks.List.DataSet != ""
	})
	list := sharedtest.Must(Checkouts(withoutLists))(t)
	list = slices.DeleteFunc(list, func(c official.Checkout) bool { return folderOf[c.Archive.Name] == "" })
	for i := range list {
		list[i].Files = slices.DeleteFunc(list[i].Files, func(f official.RepoFile) bool {
			return slices.Contains(unrecorded, f.Path)
		})
	}
	sharedtest.Equal(t, len(list), len(folderOf), "checkouts of")
	o := options(t)
	for _, s := range official.CheckoutSources(list) {
		s.URL = packed(t, filepath.Join(root, folderOf[s.Name]), s.Name)
		o.Sources = append(o.Sources, s)
	}
	sharedtest.OK(t, official.PullCheckouts(t.Context(), o, list))
	for _, p := range withoutLists {
		if folderOf[short(p.Source)] == "" {
			continue
		}
		dir := Places{Data: []string{o.Dir}}.Find(p.Source)
		files, _ := Check(dir, []configs.Preset{p})
		for _, f := range files {
			if dir == "" || len(f.Differs) > 0 {
				t.Errorf("%s: %s: %q", p.ID(false), f.Path, f.Differs)
			}
		}
	}
}

// options are the options of a pull into a new folder.
func options(t *testing.T) official.Options {
	return official.Options{Dir: t.TempDir(), Now: func() time.Time { return time.Unix(0, 0) },
		Tell: func(official.Progress) {}, Note: func(string) {}}
}

// packed packs a folder as GitHub packs a commit, and returns the file.
func packed(t *testing.T, dir, name string) string {
	t.Helper()
	top, file := t.TempDir(), filepath.Join(t.TempDir(), name+".tar.gz")
	f := sharedtest.Must(os.Create(file))(t)
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	sharedtest.OK(t, os.CopyFS(filepath.Join(top, name), os.DirFS(dir)))
	sharedtest.OK(t, errors.Join(w.AddFS(os.DirFS(top)), w.Close(), z.Close(), f.Close()))
	return file
}
