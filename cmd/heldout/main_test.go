package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"heldout/envs/sharedtest"
)

// collect is by how many percent the memory of commands grows before garbage is
// collected. The tests start hundreds, and few of them live long enough to need it.
const collect = "400"

func TestMain(m *testing.M) {
	// The data folder of whoever runs the tests stays out of them. The commands
	// of scripts are this program too, and have what their script says.
	if strings.HasPrefix(filepath.Base(os.Args[0]), "heldout.test") {
		if err := os.Setenv("XDG_DATA_HOME", "/nonexistent"); err != nil {
			panic(err)
		}
		if err := os.Setenv("GOGC", collect); err != nil {
			panic(err)
		}
		sharedtest.Crowd("8")
	}
	testscript.Main(m, map[string]func(){
		"heldout":          main,
		"fakeserver":       serveFake,
		"checkpointserver": serveCheckpoint,
		"loadserver":       serveLoad,
		"bareclient":       bareClient,
		"natsserver":       serveNATS,
		"echoenv":          echoEnvironment,
		"firstagent":       firstAgent,
	})
}

// makeHostileYAML writes documents that would keep a parser busy: deep.yaml, bomb.yaml, big.yaml and rule.yaml.
func makeHostileYAML(ts *testscript.TestScript, _ bool, _ []string) {
	bomb := "extra-body:\n  a: &a [x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("  %c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 10))
	}
	for name, text := range map[string]string{
		"deep.yaml": "env: " + strings.Repeat("[", 200_000),
		"bomb.yaml": bomb,
		"big.yaml":  "model: " + strings.Repeat("x", 2_000_000),
		"rule.yaml": "name: X\nenv: alfworld\nactions: {look: " + strings.Repeat("look ", 40_000) + "}\n",
	} {
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// An error that quotes a long text is shortened.
func TestLongErrors(t *testing.T) {
	got := printableLines(errors.New("first\n" + strings.Repeat("é", 100_000)))
	if len(got) > longestLine+100 || !strings.HasPrefix(got, "first\né") ||
		!strings.HasSuffix(got, "é… (200000 bytes)") {
		t.Errorf("%d bytes: %.40q", len(got), got)
	}
}

// makeLongLines is a command of the scripts: it writes files with a line that is too long.
func makeLongLines(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(os.WriteFile(ts.MkAbs("long.txt"), []byte("http://127.0.0.1:1/v1\n"+strings.Repeat("y", 300_000)+"\n"),
		0o600))
	ts.Check(os.WriteFile(ts.MkAbs("long.json"), []byte("{\"action\": \"look\"}\n{\"action\": \""+
		strings.Repeat("x", 2_000_000)+"\"}\n"), 0o600))
}

// TestScripts runs the command line as users do. Every script has a fake model
// server at $SERVER, one that wants the key "sesame" at $LOCKED, a fake Wikipedia
// at $WIKI, which the command wiki makes refuse, and a story file at $STORY.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "..")) // calls change the working directory
	sharedtest.OK(t, err)
	shared := filepath.Join(filepath.Dir(root), "shared")
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join(root, "cmd", "heldout", "testdata", "script"),
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
			e.Setenv("GOGC", collect)
			e.Setenv("WIKI", wikipedia.URL)
			e.Setenv("SERVER", open.URL)
			e.Setenv("LOCKED", locked.URL)
			e.Setenv("DATA", shared)
			e.Setenv("STORY", filepath.Join(root, "envs", "jericho", "lowlight", "lowlight.z5"))
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "data-home"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"wiki": wikiAnswers, "edit": editFile,
			"mkyaml": makeHostileYAML, "longlines": makeLongLines, "call": call, "exits": exits, "old": makeOld},
		Condition: func(cond string) (bool, error) {
			_, err := os.Stat(filepath.Join(shared, "data"))
			return cond == "long" && sharedtest.Long() || cond == "whole" && sharedtest.Whole() ||
				cond == "data" && err == nil, nil
		},
	})
}

// makeOld is a command of the scripts: old FOLDER makes all below a folder an hour old.
func makeOld(ts *testscript.TestScript, _ bool, args []string) {
	then := time.Now().Add(-time.Hour)
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, then, then))
	}))
}

// editFile is a command of the scripts: edit FILE OLD NEW replaces a text where it stands first.
func editFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	content := ts.ReadFile(args[0])
	if !strings.Contains(content, args[1]) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(content, args[1], args[2], 1)), 0o644))
}
