package eval

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode/episodetest"
	"heldout/scoring/record"
)

// who plays in a session, as far as it says so.
type who struct {
	name     string
	named    bool
	identity record.Identity
}

func (w who) known() *record.Identity {
	if w.identity.Zero() {
		return nil
	}
	return &w.identity
}

// kept is what a directory should hold, by the rule.
type kept struct {
	owner    *who             // of the first result; nil if nothing was played
	last     *record.Identity // of the last player
	accepted bool             // another player went on
	lines    int
	first    map[string]string   // the player of the attempt that counts, by episode
	players  map[string][]string // of all attempts of a group
}

// refuses is the rule: a directory has one player, and whoever goes on must be known to be that
// one, or be accepted under its name.
func (k *kept) refuses(w who, accept bool) bool {
	switch {
	case k.owner == nil:
		return false
	case k.owner.name != w.name:
		return true
	case accept:
		return false
	}
	return !record.SamePlayer(k.last, w.known()) || !w.named && w.known() == nil
}

// Sessions of players who start, mend, rename, sample otherwise, play more seeds, are killed or
// meet in one directory never put two players into one group, unless the user accepts it and
// run.json says so. No attempt is lost, and the same player goes on with what it lacks.
func TestPlayersKeepApart(t *testing.T) {
	t.Parallel()
	tasks := []envs.Task{
		{ID: "a/1", Type: "a", Digest: strings.Repeat("a", 64)}, {ID: "a/2", Index: 1, Type: "a",
			Digest: strings.Repeat("b", 64)},
	}
	identities := []record.Identity{{}, {}, {Version: "1"}, {Version: "2"}, {Source: "0123456789"},
		{Source: "0123456789", Sampling: map[string]any{"temperature": 0.5}}}
	clock := func() time.Time { return time.Unix(1, 0) }
	rapid.Check(t, func(t *rapid.T) {
		root := sharedtest.Must(os.MkdirTemp("", "players"))(t)
		defer os.RemoveAll(root)
		dirs := map[string]string{"x": filepath.Join(root, "x"), "y": filepath.Join(root, "y")}
		state := map[string]*kept{}
		for dir := range dirs {
			state[dir] = &kept{first: map[string]string{}, players: map[string][]string{}}
		}
		for session := range rapid.IntRange(1, 7).Draw(t, "sessions") {
			dir := rapid.SampledFrom([]string{"x", "x", "x", "y"}).Draw(t, "dir")
			w := who{rapid.SampledFrom([]string{"p", "p", "p", "q"}).Draw(t, "name"), rapid.Bool().Draw(t, "named"),
				rapid.SampledFrom(identities).Draw(t, "identity")}
			accept := rapid.IntRange(0, 3).Draw(t, "accept") == 0
			k := state[dir]
			about := RolloutPlan{Player: w.name, Named: w.named, Identity: w.known(), Accept: accept,
				Info: envs.Info{Name: "pddl", Source: envs.Generated, StepLimit: 9}, Total: 2}
			r, err := OpenRollouts(dirs[dir], about, clock)
			if refused := k.refuses(w, accept); (err != nil) != refused {
				t.Fatalf("session %d of %+v in %s, accept %v: %v, want refused %v", session, w, dir, accept, err,
					refused)
			}
			if err != nil {
				continue
			}
			if _, err := OpenRollouts(dirs[dir], about, clock); !errors.Is(err, record.ErrBusy) {
				t.Fatalf("a second process at once: %v", err)
			}
			label := fmt.Sprintf("%s %+v", w.name, w.identity)
			here := map[string]bool{}
			for play := range rapid.IntRange(0, 6).Draw(t, "plays") {
				task, limit := rapid.IntRange(0, 1).Draw(t, "task"), rapid.SampledFrom([]int{9, 9, 5}).Draw(t, "limit")
				rollout := rapid.IntRange(-3, 2).Draw(t, "rollout")
				final := rapid.IntRange(0, 3).Draw(t, "final") > 0
				e := &record.Episode{Result: record.Result{Outcome: record.Failure, Started: clock(), Ended: clock()},
					Goal: label}
				if !final {
					e.Outcome, e.Error = record.EnvError, "it broke"
				}
				if err := r.Append(tasks[task], limit, rollout, e); err != nil {
					t.Fatalf("play %d: %v", play, err)
				}
				key := func(seed int) string { return fmt.Sprintf("%s %d %d", tasks[task].ID, limit, seed) }
				seed := max(0, rollout)
				for rollout < 0 && here[key(seed)] {
					seed++
				}
				if e.Seed != int64(seed) {
					t.Fatalf("rollout %d of %s has seed %d, want %d", rollout, tasks[task].ID, e.Seed, seed)
				}
				group := fmt.Sprintf("%d %d", limit, seed)
				k.players[group] = append(k.players[group], label)
				k.lines++
				if here[key(seed)] = here[key(seed)] || final; final && k.first[key(seed)] == "" {
					k.first[key(seed)] = label
				}
				if k.owner == nil {
					k.owner, k.last = &w, w.known()
				}
				if r.Finished(tasks[task], limit, seed) != (k.first[key(seed)] != "") {
					t.Fatalf("%s: finished is wrong", key(seed))
				}
			}
			if k.owner != nil && !record.SamePlayer(k.last, w.known()) {
				k.accepted, k.last = true, w.known()
			}
			if rapid.Bool().Draw(t, "killed") { // what a kill leaves: the files as they are, and no lock
				next := filepath.Join(root, fmt.Sprint("after", session))
				sharedtest.OK(t, os.CopyFS(next, os.DirFS(dirs[dir])))
				dirs[dir] = next
			}
			sharedtest.OK(t, r.Close())
		}
		for dir, k := range state {
			k.compare(t, dirs[dir])
		}
	})
}

// compare compares a directory with what it should hold.
func (k *kept) compare(t *rapid.T, dir string) {
	if k.owner == nil {
		return
	}
	first, lines := map[string]string{}, 0
	ranks := map[string]record.Rank{}
	m := sharedtest.Must(record.EachEpisode(record.Parts{dir}, func(m *record.Manifest, e *record.Episode) {
		pos, _ := m.Plan().Find(e.ID)
		key := fmt.Sprintf("%s %d %d", e.Task, m.Groups[pos.Group].Condition.StepLimit, e.Seed)
		lines++
		if e.Outcome.Final() && (first[key] == "" || e.Rank().CountsBefore(ranks[key])) {
			first[key], ranks[key] = e.Goal, e.Rank()
		}
	}))(t)
	if lines != k.lines || !maps.Equal(first, k.first) {
		t.Fatalf("%d lines with %v, want %d with %v", lines, first, k.lines, k.first)
	}
	if marked := len(m.Players) > 0; marked != k.accepted {
		t.Fatalf("run.json has the players %v, want some %v", m.Players, k.accepted)
	}
	for group, players := range k.players {
		slices.Sort(players)
		if len(slices.Compact(players)) > 1 && !k.accepted {
			t.Fatalf("group %s has episodes of %v", group, players)
		}
	}
	for _, g := range m.Groups {
		c := g.Condition
		if c.Model != record.Remote+":"+k.owner.name || !record.SamePlayer(c.Player, k.owner.known()) {
			t.Fatalf("a condition of %s %v, want that of %+v", c.Model, c.Player, k.owner)
		}
	}
}

// A run of an agent goes on with the same one. Another one begins where nothing was played, is
// refused where something was, and goes on there if the user accepts it, which run.json notes.
func TestRunsKeepPlayersApart(t *testing.T) {
	one, two := &record.Identity{Source: "1111111111"}, &record.Identity{Source: "2222222222", Version: "b"}
	plan := func(in *record.Identity, seeds ...int64) *Plan {
		p := served(episodetest.Saying("down"))
		p.Identity = in
		return planOne(t, benchmark(episodetest.NewCountdown(3)), p, seeds...)
	}
	dir := filepath.Join(t.TempDir(), "run")
	session := func(p *Plan, now *record.Identity, play bool) error {
		fits := Fits(dir, p)
		s, err := Begin(dir, p, About{Manifest: record.Manifest{Tool: record.Tool{Version: "test"}},
			Identities: map[string]*record.Identity{"vllm:m": now}}, clock())
		sharedtest.Equal(t, (err == nil), fits == nil, "to begin says, to look says", err, fits)
		if err == nil && play {
			err = Run(t.Context(), p, s.Store, Options{Now: clock()})
		}
		if s != nil {
			err = errors.Join(err, s.End())
		}
		return err
	}
	for i, of := range []struct {
		plan, now *record.Identity // as bench says it: an accepted player plays on under the first one
		seeds     int64
		play      bool
		refused   string
		results   int
		players   int
	}{
		{plan: one, now: one, seeds: 1},
		{plan: two, now: two, seeds: 1, play: true, results: 3}, // nothing of the first was there
		{plan: two, now: two, seeds: 2, play: true, results: 6},
		{plan: one, now: one, seeds: 2, refused: "version b, source 22222222, now source 11111111; give another --out, or " +
			"--accept-changed-model", results: 6},
		{plan: nil, now: nil, seeds: 2, refused: "version b, source 22222222, now unknown", results: 6},
		{plan: two, now: one, seeds: 3, play: true, results: 9, players: 1},
		{plan: two, now: one, seeds: 3, results: 9, players: 1},
		{plan: two, now: two, seeds: 3, results: 9, players: 2},
	} {
		var seeds []int64
		for seed := range of.seeds {
			seeds = append(seeds, seed)
		}
		err := session(plan(of.plan, seeds...), of.now, of.play)
		if (err != nil) != (of.refused != "") || err != nil && !strings.Contains(err.Error(), of.refused) {
			t.Errorf("session %d: %v, want %q", i, err, of.refused)
		}
		m, results, err := record.Read(dir)
		if err != nil || len(results) != of.results || len(m.Players["vllm:m"]) != of.players {
			t.Errorf("session %d: %d results and %v, %v", i, len(results), m.Players, err)
		}
	}
}
