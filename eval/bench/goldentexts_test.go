package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

// Every fixed text of the originals is found by file, place and hash.
func TestGoldenTexts(t *testing.T) {
	folder := sharedtest.Golden(t, "protocols")
	var all struct {
		Texts []struct{ Protocol, Place, Repo, Path, Lines, Recipe, Assembly, SHA256 string }
	}
	sharedtest.JSON(t, "protocols/texts.json", &all)
	found := 0
	for _, x := range all.Texts {
		text := configs.SourceText{File: x.Path, Recipe: "python", Lines: strings.TrimSuffix(x.Lines, "-"),
			SHA256: x.SHA256}
		switch recipe, rest, _ := strings.Cut(x.Recipe, " "); recipe {
		case "JSON":
			if strings.Contains(x.Place, "joined with U+0001") {
				continue // turns of an example, which the prompt's file has
			}
			text.Recipe, text.Lines = "json", ""
			text.Path = strings.Trim(strings.NewReplacer("['", "/", "']", "", "[", "/", "]", "").Replace(rest), "/")
		case "YAML":
			text.Recipe, text.Lines = "yaml", ""
			text.Path = map[string]string{"14": "name", "15": "description",
				"21": "parameters/properties/action/description"}[x.Lines]
			text.Path = "default/parameters/tools/0/function/" + text.Path
			if rest == "env.*.check_actions" {
				text.Path = "env/alfworld/check_actions"
			}
		case "whole":
			text.Recipe, text.Lines = "file", ""
		}
		if strings.HasPrefix(x.Recipe, "string constant of the code cell") {
			text.Recipe, text.Lines = "notebook", ""
		}
		b := sharedtest.Must(os.ReadFile(filepath.Join(folder, "originals", x.Repo, x.Path)))(t)
		if _, err := text.Read(b); err != nil {
			t.Errorf("%s, %s: %v", x.Protocol, x.Place, err)
			continue
		}
		found++
	}
	t.Logf("%d of %d texts are found", found, len(all.Texts))
}
