package jericho

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// talesSums are digests by jericho 3.3.1, which testdata/tales.py writes: of each game, after each of talesTurns.
//
//go:embed testdata/tales.sums
var talesSums string

var talesTurns = [...]int{60, 400}

// The words of testdata/tales.py.
var (
	bareCommands = strings.Split("north south east west northeast northwest southeast southwest up down in out look "+
		"inventory wait listen smell jump sing sleep score xyzzy,take all,drop all,get up,examine me", ",")
	talesBare  = append(strings.Fields(bareCommands[0]), bareCommands[1:]...)
	talesVerbs = append(strings.Fields("take drop examine open close push pull turn enter eat read wear attack search "+
		"touch give throw climb move show ask unlock"), "talk to", "look under", "turn on", "sit on")
	seenWord = regexp.MustCompile(`[a-z]{3,}`)
)

// talesAction is what a number of 31 bits means after an observation.
func talesAction(number int, observation string) string {
	words := seenWord.FindAllString(strings.ToLower(observation), -1)
	number >>= 8
	kind, number := number%8, number/8
	if kind < 3 || len(words) == 0 {
		return talesBare[number%len(talesBare)]
	}
	verb, number := talesVerbs[number%len(talesVerbs)], number/len(talesVerbs)
	return verb + " " + words[number%len(words)]
}

// talesDigest plays a task for so many turns as testdata/tales.py does. What ended is started again.
func talesDigest(t *testing.T, e *Env, task, turns int) string {
	t.Helper()
	w, start := startedWorld(t, e, task)
	digest, observation, number := sha256.New(), start.Observation, 0
	fmt.Fprintln(digest, observation)
	for _, letter := range []byte(e.Tasks()[task].ID) {
		number += int(letter)
	}
	for range turns {
		number = (number*1103515245 + 12345) % (1 << 31)
		action := talesAction(number, observation)
		step := sharedtest.Must(w.Step(context.Background(), action))(t)
		session := w.(scored).session
		observation = step.Observation
		fmt.Fprintf(digest, "%s\n%s\n%d %.0f %.0f\n", action, observation, session.score(), numeric(step.Done),
			numeric(session.won()))
		if step.Done {
			w, start = startedWorld(t, e, task)
			observation = start.Observation
			fmt.Fprintln(digest, observation)
		}
	}
	return fmt.Sprintf("%x", digest.Sum(nil))[:32]
}

// talesWorlds are the games whose stories are in one of these data folders.
func talesWorlds(t *testing.T, folders ...string) map[string]*Env {
	t.Helper()
	found := map[string]*Env{}
	for _, folder := range folders {
		e, err := newPlain(Options{Data: folder, Seed: 202411061}, nil)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range e.Tasks() {
			found[task.ID] = e
		}
	}
	return found
}

// Each of TALES' 54 games whose story is here, or in the user's data folder, answers as jericho 3.3.1 does.
func TestTalesGames(t *testing.T) {
	turns := sharedtest.Times(t, talesTurns[1], talesTurns[0])
	column := 1 + slices.Index(talesTurns[:], turns)
	home, err := os.UserHomeDir()
	if err != nil {
		t.Log(err)
	}
	found := talesWorlds(t, filepath.Join("..", "..", "..", "shared", "data", "agentboard"), os.Getenv("HELDOUT_DATA"),
		filepath.Join(cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share")), "heldout"))
	var absent []string
	lines := strings.Split(strings.TrimSpace(talesSums), "\n")
	for _, line := range lines {
		want := strings.Fields(line)
		e, ok := found[want[0]]
		if !ok {
			absent = append(absent, want[0])
			continue
		}
		task := slices.IndexFunc(e.Tasks(), func(task envs.Task) bool { return task.ID == want[0] })
		sharedtest.Equal(t, talesDigest(t, e, task, turns), want[column], want[0], "the digest of", turns, "turns")
	}
	sharedtest.Equal(t, len(lines), 54, "games with digests")
	t.Run("missing", func(t *testing.T) {
		if len(absent) > 0 {
			sharedtest.Absent(t, "stories", fmt.Sprintf("%d of TALES' 54 stories are missing, such as %s; "+
				"heldout data pull jericho --with tales-stories fetches them", len(absent), absent[0]))
		}
	})
}
