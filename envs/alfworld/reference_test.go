package alfworld

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// play is what testdata/reference/play.py writes of a game.
type play struct {
	Intro       string
	Admissible0 []string
	Steps       []playStep
}

// playStep is a step of a play.
type playStep struct {
	Action     string
	Obs        string
	Won        bool
	Admissible []string
}

// The reference engine says of games that were exported, and of game files, what ours says of them.
func TestReference(t *testing.T) {
	python := os.Getenv("HELDOUT_TEST_ALFWORLD")
	if python == "" {
		t.Skip("needs the reference engine: see testdata/reference/README.md")
	}
	games, err := strconv.Atoi(os.Getenv("HELDOUT_TEST_ALFWORLD_GAMES"))
	if err != nil {
		games = 12
	}
	for _, d := range []string{"v1", "v2"} {
		t.Run(d, func(t *testing.T) {
			e := sharedtest.Must(NewGenerated(int64(games), Options{Dialect: d}))(t)
			compareWithReference(t, python, e, games)
		})
		t.Run(d+" household", func(t *testing.T) { compareWithReference(t, python, householdEnv(t, d), 1) })
		t.Run(d+" official", func(t *testing.T) {
			compareWithReference(t, python, official(t, Options{Dialect: d}), games)
		})
	}
	t.Run("files", func(t *testing.T) { // as they are
		others := filepath.SplitList(os.Getenv("HELDOUT_TEST_ALFWORLD_DATA"))
		for _, dir := range append(others, sharedtest.AgentBoard(t)) {
			e := sharedtest.Must(NewOfficial(dir, Options{Dialect: "file"}))(t)
			compareWithReference(t, python, e, games)
		}
	})
}

func compareWithReference(t *testing.T, python string, e *Env, games int) {
	var files []string
	var ours []play
	for _, task := range e.Tasks()[:min(games, len(e.Tasks()))] {
		file := filepath.Join(e.folder, filepath.FromSlash(task.ID), gameName)
		if e.options.Dialect != "file" {
			b := sharedtest.Must(e.export(task))(t)
			file = filepath.Join(t.TempDir(), gameName)
			sharedtest.OK(t, os.WriteFile(file, b, 0o644))
		}
		files = append(files, file)
		ours = append(ours, wander(t, e, task, stream.New(1, task.ID)))
	}
	steps, wins := 0, 0
	for i, theirs := range reference(t, python, files, ours) {
		sharedtest.Same(t, ours[i], theirs, e.Tasks()[i].ID, "-reference +ours")
		steps += len(theirs.Steps)
		if theirs.Steps[len(theirs.Steps)-1].Won {
			wins++
		}
	}
	t.Logf("%d games, %d steps, %d won", len(ours), steps, wins)
}

// householdEnv has the one task of testdata/household.pddl.
func householdEnv(t *testing.T, speech string) *Env {
	t.Helper()
	text := sharedtest.Must(os.ReadFile("testdata/household.pddl"))(t)
	o := Options{Dialect: speech}
	e := sharedtest.Must(newEnv(envs.Generated, o))(t)
	d := sharedtest.Must(o.speech(classic))(t)
	game := gameSource{problem: string(text), goal: "heat some apple and put it in fridge.", dialect: d}
	e.add(newTask(envs.Task{ID: "household"}, game, gameLabel{difficulty: envs.Hard}))
	return e
}

// reference plays the commands of our plays on the reference engine.
func reference(t *testing.T, python string, files []string, ours []play) (theirs []play) {
	t.Helper()
	var input bytes.Buffer
	for _, p := range ours {
		var actions []string
		for _, s := range p.Steps {
			actions = append(actions, s.Action)
		}
		sharedtest.OK(t, json.NewEncoder(&input).Encode(actions))
	}
	cmd := exec.CommandContext(t.Context(), python, append([]string{"testdata/reference/play.py"}, files...)...)
	cmd.Stdin = &input
	cmd.Stderr = os.Stderr
	out := sharedtest.Must(cmd.Output())(t)
	for dec := json.NewDecoder(bytes.NewReader(out)); len(theirs) < len(ours); {
		var p play
		sharedtest.OK(t, dec.Decode(&p))
		theirs = append(theirs, p)
	}
	return theirs
}

// The six games in testdata/games, one of each task type and half of them in each dialect, as the reference played
// them. Run with -update, and with the reference engine, to make games and records anew.
func TestRecorded(t *testing.T) {
	const folder, records = "testdata/games", "testdata/recorded.jsonl.gz"
	if *update {
		record(t, folder, records)
	}
	e := sharedtest.Must(NewOfficial(folder, Options{Dialect: "file"}))(t)
	for i, theirs := range sharedtest.ReadLines[play](t, records) {
		w := newTestWorld(t, e, e.Tasks()[i])
		ours := play{Intro: w.engine.intro(), Admissible0: w.engine.commands()}
		for _, s := range theirs.Steps {
			obs := w.engine.do(s.Action)
			ours.Steps = append(ours.Steps, playStep{s.Action, obs, w.engine.won(), w.engine.commands()})
		}
		sharedtest.Same(t, ours, theirs, e.Tasks()[i].ID, "-reference +ours")
	}
}

var update = flag.Bool("update", false, "write games and records anew")

// record writes the smallest generated game of each task type, and what the reference does in it.
func record(t *testing.T, folder, records string) {
	smallest := map[string][]byte{}
	where := map[string]string{}
	for _, d := range []string{"v1", "v2"} {
		e := sharedtest.Must(NewGenerated(0, Options{Dialect: d}))(t)
		for _, task := range e.Tasks() {
			inModern := task.Type >= pickCool // half of the types
			if b, err := e.export(task); err != nil {
				t.Fatal(err)
			} else if inModern == (d == "v2") && (smallest[task.Type] == nil || len(b) < len(smallest[task.Type])) {
				smallest[task.Type], where[task.Type] = b, task.ID
			}
		}
	}
	sharedtest.OK(t, os.RemoveAll(folder))
	for typ, b := range smallest {
		file := filepath.Join(folder, "alfworld/json_2.1.1/valid_unseen", where[typ], gameName)
		sharedtest.OK(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, b, 0o644)))
	}
	e := sharedtest.Must(NewOfficial(folder, Options{Dialect: "file"}))(t)
	var files []string
	var ours []play
	for _, task := range e.Tasks() {
		files = append(files, filepath.Join(folder, "alfworld/json_2.1.1/valid_unseen", task.ID, gameName))
		ours = append(ours, wander(t, e, task, stream.New(1, task.ID)))
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, p := range reference(t, os.Getenv("HELDOUT_TEST_ALFWORLD"), files, ours) {
		sharedtest.OK(t, json.NewEncoder(z).Encode(p))
	}
	sharedtest.OK(t, errors.Join(z.Close(), os.WriteFile(records, b.Bytes(), 0o644)))
}

// wander plays forty steps: what is rare is done more often than going about, some
// commands are wrong. Then the expert brings the game to its end, where it can.
func wander(t *testing.T, e *Env, task envs.Task, rng *rand.Rand) play {
	w := newTestWorld(t, e, task)
	p := play{Intro: w.engine.intro(), Admissible0: w.engine.commands()}
	do := func(action string) {
		obs := w.engine.do(action)
		p.Steps = append(p.Steps, playStep{action, obs, w.engine.won(), w.engine.commands()})
	}
	for range 40 {
		commands := w.engine.commands()
		action := commands[rng.IntN(len(commands))]
		for range 3 {
			if strings.HasPrefix(action, "go to") || action == "inventory" {
				action = commands[rng.IntN(len(commands))]
			}
		}
		switch rng.IntN(20) {
		case 0:
			action = strings.ToUpper(action[:1]) + action[1:]
		case 1:
			action = "  " + action + "\t"
		case 2:
			action = strings.Replace(action, " ", "  ", 1)
		case 3:
			action = "go to " + randomContainer(w, rng)
		}
		do(action)
	}
	for range stepLimit {
		action := sharedtest.Must(w.ExpertAction(context.Background()))(t)
		if action == "" || w.engine.won() {
			break
		}
		do(action)
	}
	return p
}

// randomContainer names a receptacle, wherever it is.
func randomContainer(w *world, rng *rand.Rand) string {
	var names []string
	for _, thing := range w.rules.game.things {
		if thing.container != nil {
			names = append(names, thing.name)
		}
	}
	return names[rng.IntN(len(names))]
}
