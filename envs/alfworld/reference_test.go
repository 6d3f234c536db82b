package alfworld

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/stream"
)

// play is what testdata/reference/play.py writes of a game.
type play struct {
	Game        string
	Intro       string
	Admissible0 []string
	Steps       []playStep
}

type playStep struct {
	Action     string
	Obs        string
	Won        bool
	Admissible []string
}

// The reference engine says of games that were exported what ours says of them.
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
			e, err := NewGenerated(int64(games), Options{Dialect: d})
			if err != nil {
				t.Fatal(err)
			}
			compareWithReference(t, python, e, games)
		})
		t.Run(d+" official", func(t *testing.T) { compareWithReference(t, python, official(t, Options{Dialect: d}), games) })
	}
}

func compareWithReference(t *testing.T, python string, e *Env, games int) {
	args := []string{"testdata/reference/play.py"}
	var input bytes.Buffer
	var ours []play
	for i := range min(games, len(e.Tasks())) {
		task := e.Tasks()[i]
		b, err := e.Export(task)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "game.tw-pddl")
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
		p := wander(t, e, task, stream.New(1, task.ID))
		p.Game = file
		ours = append(ours, p)
		var actions []string
		for _, s := range p.Steps {
			actions = append(actions, s.Action)
		}
		if err := json.NewEncoder(&input).Encode(actions); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), python, args...)
	cmd.Stdin = &input
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	dec, steps, wins := json.NewDecoder(bytes.NewReader(out)), 0, 0
	for i := range ours {
		var theirs play
		if err := dec.Decode(&theirs); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(theirs, ours[i]); d != "" {
			t.Errorf("%s (-reference +ours):\n%s", e.Tasks()[i].ID, d)
		}
		steps += len(theirs.Steps)
		if theirs.Steps[len(theirs.Steps)-1].Won {
			wins++
		}
	}
	t.Logf("%d games, %d steps, %d won", len(ours), steps, wins)
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
		action, err := w.ExpertAction(context.Background())
		if err != nil {
			t.Fatal(err)
		}
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
