package bench

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"heldout/configs"
	"heldout/envs/outside/gymtest"
	"heldout/envs/sharedtest"
)

// servedFiles are recordings of AgentGym's evaluator with AgentGym's servers, and where they are.
var servedFiles = []recorded{
	{File: "agentgym-maze", Preset: "agentgym-maze", Elsewhere: true, Served: "maze"},
	{File: "agentgym-textcraft", Preset: "agentgym-textcraft", Elsewhere: true, Served: "textcraft"},
	{File: "agentgym-wordle", Preset: "agentgym-wordle", Elsewhere: true, Served: "wordle"},
}

var servedFolder = filepath.Join("..", "..", "envs", "outside", "agentgym", "testdata")

// Every recorded task is played on a server that answers as AgentGym's did, and nothing else; every request
// to the model is compared with the request of AgentGym's evaluator, and so are reward and success.
func TestServedRequests(t *testing.T) {
	counted := sharedtest.Must(configs.Comparisons())(t)
	for _, file := range servedFiles {
		t.Run(file.File, func(t *testing.T) { file.check(t, servedFolder, counted) })
	}
}

// address starts the server that answered a task, and returns where it is.
func (f recorded) address(t *testing.T, task string) string {
	t.Helper()
	exchanges := sharedtest.ReadLines[gymtest.Exchange](t, filepath.Join(servedFolder, f.File+".server.jsonl.gz"))
	return "agentgym:" + gymtest.Serve(t, exchanges, task)
}

// standIn puts names in place of the texts of a preset, as its recording has them. The recorded texts are
// those that the preset wants.
func (f recorded) standIn(t *testing.T, c *Chosen) {
	t.Helper()
	var texts map[string]map[string]struct {
		StandsIn string `json:"stands-in"`
		SHA256   string
	}
	b, err := os.ReadFile(filepath.Join(servedFolder, "texts.json"))
	if err == nil {
		err = json.Unmarshal(b, &texts)
	}
	if err != nil || len(texts[f.Served]) != len(c.Released.Texts) {
		t.Fatalf("%v: %d texts", err, len(texts[f.Served]))
	}
	named := map[string]configs.SourceText{}
	for name, text := range texts[f.Served] {
		if c.Released.Texts[name].SHA256 != text.SHA256 {
			t.Errorf("the text %s of %s is another one than was recorded", name, c.Released.Name)
		}
		hash := fmt.Sprintf("%x", sha256.Sum256([]byte(text.StandsIn)))
		named[name] = configs.SourceText{File: name, Recipe: "file", SHA256: hash}
		sharedtest.OK(t, os.WriteFile(filepath.Join(c.Run.Originals, name), []byte(text.StandsIn), 0o644))
	}
	c.Released.Texts = named
}
