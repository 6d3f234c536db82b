package jericho

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// own sets up the game of our own.
func own(t testing.TB, seed int64) *Env {
	t.Helper()
	return sharedtest.Must(New(Options{GeneratorSeed: seed}))(t)
}

// steps plays actions and returns the last answer.
func steps(t testing.TB, w envs.World, actions ...string) (s envs.Step) {
	t.Helper()
	for _, a := range actions {
		s = sharedtest.Must(w.Step(context.Background(), a))(t)
	}
	return s
}

// The expert reaches one sub-goal after the other and wins within the limit of steps, whatever the weather is.
func TestOwnGameIsWon(t *testing.T) {
	for seed := range int64(5) {
		e := own(t, seed)
		w, start := startedWorld(t, e, 0)
		if start.Goal != lowlight.Goal || !strings.Contains(start.Observation, "Clifftop") ||
			strings.Contains(start.Observation, "\n") {
			t.Fatalf("%+v", start)
		}
		var s envs.Step
		reached := 0.0
		n := 0
		for ; !s.Done; n++ {
			action, err := w.(envs.Expert).ExpertAction(context.Background())
			if err != nil || action == "" {
				t.Fatalf("seed %d: the expert gives up after %d steps: %v", seed, n, err)
			}
			s = steps(t, w, action)
			if s.Progress != reached && s.Progress != reached+1.0/8 || !s.Valid {
				t.Errorf("seed %d, %q: %+v after %v", seed, action, s, reached)
			}
			reached = s.Progress
		}
		if !s.Success || s.Progress != 1 || n > e.Info().StepLimit {
			t.Errorf("seed %d: %+v after %d steps", seed, s, n)
		}
		sharedtest.Equal(t, w.(*world).session.score(), lowlight.Max, "seed", seed, "the score is")
		if got := w.(*world).session.moves(); got != n {
			t.Errorf("seed %d: %d moves in %d steps", seed, got, n)
		}
	}
}

// The ways to lose end the episode without success.
func TestOwnGameIsLost(t *testing.T) {
	wait := func(n int) []string { return slices.Repeat([]string{"wait"}, n) }
	tower := splitWalkthrough(lowlight.Walkthrough)[:27]
	for name, actions := range map[string][]string{
		"causeway": {"down", "south", "east", "east"},
		"tide":     append([]string{"down", "south"}, wait(78)...),
		"ship":     wait(110),
		"gallery":  append(slices.Clone(tower), "east", "jump"),
	} {
		w, _ := startedWorld(t, own(t, 1), 0)
		if s := steps(t, w, actions[:len(actions)-1]...); s.Done {
			t.Errorf("%s: over too early: %+v", name, s)
		}
		if s := steps(t, w, actions[len(actions)-1]); !s.Done || s.Success ||
			!strings.Contains(s.Observation, "*** You have died ***") {
			t.Errorf("%s: %+v", name, s)
		}
		if actions, err := w.(envs.Lister).Actions(context.Background()); err != nil || len(actions) != 0 {
			t.Errorf("%s: after the end there is %q to do: %v", name, actions, err)
		}
	}
}

// The help command lists what changes the world, and changes nothing itself.
func TestHelp(t *testing.T) {
	w, _ := startedWorld(t, own(t, 2), 0)
	steps(t, w, "west")
	before := w.(*world).session.snapshot()
	const want = "You can take the following actions: west, push windlass, north, east, check valid actions"
	for _, action := range []string{"check valid actions", "Check the reaction", "ACTION CHECK. Now, please."} {
		if s := steps(t, w, action); s.Observation != want || !s.Valid || s.Done || s.Progress != 0 {
			t.Errorf("%q: %+v", action, s)
		}
	}
	if after := w.(*world).session.snapshot(); !before.machine.Equal(after.machine) {
		t.Error("asking for help changed the game")
	}
	actions, err := w.(envs.Lister).Actions(context.Background())
	if d := cmp.Diff([]string{"east", "north", "push windlass", "west"}, actions); d != "" || err != nil {
		t.Error(d, err)
	}
}

// Worlds that ask for help at the same time, of games that differ, get what each would get alone.
func TestHelpTogether(t *testing.T) {
	walk := splitWalkthrough(lowlight.Walkthrough)
	ask := func(t *testing.T, seed int64) (lists []string) {
		w, _ := startedWorld(t, own(t, seed), 0)
		for _, action := range walk[:6] {
			lists = append(lists, steps(t, w, "check valid actions").Observation)
			steps(t, w, action)
		}
		return lists
	}
	alone := [][]string{ask(t, 0), ask(t, 1)}
	for i := range sharedtest.Times(t, 12, 2) {
		t.Run(fmt.Sprint("world ", i), func(t *testing.T) {
			t.Parallel()
			sharedtest.Same(t, ask(t, int64(i%2)), alone[i%2])
		})
	}
}

// The same seed and actions give the same bytes, worlds share nothing, and forks go on as their world did.
func TestRepeatable(t *testing.T) {
	actions := append(slices.Repeat([]string{"wait"}, 30), splitWalkthrough(lowlight.Walkthrough)...)
	play := func(w envs.World, actions []string) (out []envs.Step) {
		for _, a := range actions {
			out = append(out, steps(t, w, a))
		}
		return out
	}
	e := own(t, 3)
	a, _ := startedWorld(t, e, 0)
	b, _ := startedWorld(t, e, 0)
	first := play(a, actions[:35])
	forks := []envs.World{forked(t, a), forked(t, a)}
	forks = append(forks, forked(t, forks[0]))
	rest := play(a, actions[35:])
	sharedtest.Same(t, play(b, actions), append(slices.Clone(first), rest...))
	for _, f := range forks {
		sharedtest.Same(t, play(f, actions[35:]), rest)
	}
	other, _ := startedWorld(t, own(t, 4), 0)
	if cmp.Equal(first, play(other, actions[:35])) {
		t.Error("another seed gives the same weather")
	}
}

func forked(t sharedtest.Ender, w envs.World) envs.World {
	return sharedtest.Must(w.(envs.Forker).Fork())(t)
}

// The story file is what its source compiles to.
func TestOwnGameCompiles(t *testing.T) {
	compiler, err := exec.LookPath("inform6")
	const library = "/usr/share/inform6/library"
	if _, missing := os.Stat(library); err != nil || missing != nil {
		t.Skip("needs Inform 6.41 and its library 6.12.6: apt-get install inform6-compiler inform6-library")
	}
	out := filepath.Join(t.TempDir(), "lowlight.z5")
	c := exec.Command(compiler, "-v5", "+include_path="+library, "lowlight/lowlight.inf", out)
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	b, err := os.ReadFile(out)
	if err != nil || !bytes.Equal(b, lowlightImage) {
		t.Errorf("the compiler's story file, of %d bytes, is not ours, of %d: %v", len(b), len(lowlightImage), err)
	}
}

func (s *storySession) moves() int {
	if s.game.Moves == 0 {
		return 0
	}
	return int(s.machine.Word(s.game.Moves)) - s.game.MoveOffset
}
