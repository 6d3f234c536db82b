package originals

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

const (
	oneCommit     = "0123456789abcdef0123456789abcdef01234567"
	anotherCommit = "fedcba9876543210fedcba9876543210fedcba98"
)

// writeFiles writes files under a folder.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		name = filepath.Join(dir, name)
		sharedtest.OK(t, os.MkdirAll(filepath.Dir(name), 0o755))
		sharedtest.OK(t, os.WriteFile(name, []byte(content), 0o644))
	}
}

func TestCommitOf(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Name  string
		Files map[string]string
		Want  string
	}](t, "commits.yaml") {
		dir := t.TempDir()
		writeFiles(t, dir, c.Files)
		sharedtest.Equal(t, commitOf(dir), c.Want, c.Name)
	}
}

// A checkout of another commit is told, and so is what differs in it.
func TestCheck(t *testing.T) {
	p := configs.Preset{
		Source: configs.PresetSource{Commit: oneCommit[:7]},
		Texts: map[string]configs.SourceText{
			"same":    {File: "a.py", Recipe: "python", Lines: "1", SHA256: "ca978112ca1bbdca"}, // a
			"changed": {File: "a.py", Recipe: "python", Lines: "2", SHA256: "3e23e8160039594a"}, // b
		},
		Prompt: configs.PresetPrompt{
			Instruction: "{text:same}{text:changed}",
			// c
			Files: []configs.PresetFile{{Path: "x/whole.txt", SHA256: "2e7d2c03a9507ae2"}, {Path: "missing.txt"}},
		},
	}
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"a.py": "'a'\n'z'\n", "x/whole.txt": "c", ".git/HEAD": anotherCommit})
	files, other := Check(dir, []configs.Preset{p, p})
	if len(files) != 3 || len(files[0].Differs) > 0 || len(files[1].Differs) != 1 || files[2].Texts != 2 {
		t.Fatalf("%+v", files)
	}
	if why := files[2].Differs; len(why) != 1 || !strings.HasPrefix(why[0], "changed: a.py: line 2 has no text") {
		t.Errorf("%q", why)
	}
	if !strings.Contains(other, "git checkout "+oneCommit[:7]) {
		t.Errorf("the other commit: %q", other)
	}
	p.Source.Commit = anotherCommit[:7]
	if _, other := Check(dir, []configs.Preset{p}); other != "" {
		t.Errorf("the right commit: %q", other)
	}
}

// What no run takes is told of the file, though it is the original.
func TestCheckUnfit(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"a.py": "'a'\n", "p.yaml": "template: {next: a}\n"})
	for name, prompt := range map[string]configs.PresetPrompt{
		"a.py":   {Template: &configs.Template{Next: "{text:same}"}},
		"p.yaml": {Format: "template", Files: []configs.PresetFile{{Path: "p.yaml"}}},
	} {
		p := configs.Preset{Prompt: prompt, Texts: map[string]configs.SourceText{
			"same": {File: "a.py", Recipe: "python", Lines: "1", SHA256: "ca978112ca1bbdca"}}}
		files, _ := Check(dir, []configs.Preset{p})
		if len(files) != 1 || files[0].Path != name || len(files[0].Differs) != 1 ||
			!strings.Contains(files[0].Differs[0], "template.next lacks the slot {observation}") {
			t.Errorf("%s: %+v", name, files)
		}
	}
}

// Only files that can be fetched are said to be.
func TestHints(t *testing.T) {
	own := configs.Preset{Name: "mine"}
	released := configs.Preset{Name: "theirs", Source: configs.PresetSource{Repository: "a/b", Commit: oneCommit}}
	for _, dir := range []string{"", t.TempDir()} {
		for _, p := range []*configs.Preset{&own, &released} {
			_, err := Find(dir, p, "x/prompt.yaml")
			if err == nil || strings.Contains(err.Error(), "preset pull theirs fetches it") != (p == &released) ||
				strings.Contains(err.Error(), "pull mine") {
				t.Errorf("%s in %q: %v", p.Name, dir, err)
			}
		}
	}
}
