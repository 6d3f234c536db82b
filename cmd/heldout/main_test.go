package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"heldout":    main,
		"fakeserver": serveFake,
	})
}

// TestScripts runs the command line as users do. Every script has a fake model
// server at $SERVER, one that wants the key "sesame" at $LOCKED, a fake Wikipedia
// at $WIKI, which the command wiki makes refuse, and a story file at $STORY.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			open := httptest.NewServer(&fakeServer{context: 16384})
			e.Defer(open.Close)
			locked := httptest.NewServer(&fakeServer{context: 16384, key: "sesame"})
			e.Defer(locked.Close)
			pages := &fakeWiki{}
			pages.allowed.Store(1 << 40)
			wikipedia := httptest.NewServer(pages)
			e.Defer(wikipedia.Close)
			e.Values["wiki"] = pages
			e.Setenv("WIKI", wikipedia.URL)
			e.Setenv("SERVER", open.URL)
			e.Setenv("LOCKED", locked.URL)
			shared, err := filepath.Abs(filepath.Join("..", "..", "..", "shared"))
			if err != nil {
				return err
			}
			e.Setenv("DATA", shared)
			story, err := filepath.Abs(filepath.Join("..", "..", "envs", "jericho", "lowlight", "lowlight.z5"))
			e.Setenv("STORY", story)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"wiki": wikiAnswers},
		Condition: func(cond string) (bool, error) {
			_, err := os.Stat(filepath.Join("..", "..", "..", "shared", "data"))
			return cond == "data" && err == nil, nil
		},
	})
}
