package jericho

import (
	"math/rand/v2"
	"testing"

	"heldout/envs/engine/zmachine"
	"heldout/envs/sharedtest"
)

// The commands that an earlier moment spares do what they did there: every one is tried
// again by a machine that watches nothing, at moments behind drawn commands and moves of
// the walkthrough.
func TestSparedCommands(t *testing.T) {
	story, err := zmachine.Load(lowlightImage)
	if err != nil {
		t.Fatal(err)
	}
	spared := compareSpared(t, newPlay(&lowlight, story, 0, binding{Walkthrough: lowlightWalkthrough}), 8)
	if spared == 0 {
		t.Error("no command was spared")
	}
}

// Likewise in the benchmark's games.
func TestSparedCommandsOfGames(t *testing.T) {
	var golden goldenBindings
	sharedtest.JSON(t, "jericho/thirdparty_jericho_bindings_20.json", &golden)
	steps, spared := 4, 0
	if sharedtest.Long() {
		steps = 8
	}
	for i := range games {
		g := &games[i]
		if !sharedtest.Long() && g.name != "zork1" && g.name != "balances" && g.name != "detective" {
			continue
		}
		x := golden.Games[g.name]
		known := binding{Grammar: x.Grammar, MaxWordLength: x.MaxWordLength, Walkthrough: x.Walkthrough}
		n := compareSpared(t, newPlay(g, officialStory(t, g), g.seed, known), steps)
		t.Logf("%s: %d commands spared", g.name, n)
		spared += n
	}
	if spared == 0 {
		t.Error("no command was spared")
	}
}

// compareSpared plays commands, lists behind each of them, and returns how many commands
// were not tried.
func compareSpared(t *testing.T, p *play, steps int) (spared int) {
	t.Helper()
	w := newWorld(p)
	if _, err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, c := w.session, p.actions()
	plain := newSession(p.game, p.story, zmachine.Options{Seed: p.seed, Remember: true})
	draw := rand.New(rand.NewPCG(7, uint64(len(p.walkthrough))))
	var earlier *tried
	for step := range steps {
		start := s.snapshot()
		names, err := s.objectNames(start, c.words)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.restore(start); err != nil {
			t.Fatal(err)
		}
		s.machine.Prompt()
		at := s.snapshot()
		actions := distinct(candidates(c.templates, names))
		now, _ := s.effective(c, at, actions, earlier)
		plain.machine.SetBudget(now.budget)
		spared += now.spared
		for k, action := range actions {
			want, got := plain.attempt(at, now.score, action).diff, now.attempts[k].diff
			if (want == nil) != (got == nil) || want != nil && !want.equal(got) {
				t.Fatalf("%s, step %d: %q does %v, and %v if it is tried", p.game.name, step, action, got, want)
			}
		}
		earlier = now
		if err := s.restore(start); err != nil {
			t.Fatal(err)
		}
		next := actions[draw.IntN(len(actions))]
		if draw.IntN(3) > 0 {
			next = []string{"wait", "look", "inventory", "examine me"}[draw.IntN(4)]
		}
		if draw.IntN(4) == 0 && step < len(p.walkthrough) {
			next = p.walkthrough[step]
		}
		if err := s.play(next); err != nil {
			t.Fatal(err)
		}
		if s.over() || s.won() {
			break
		}
	}
	return spared
}

// The moments that were added first are forgotten when they take too much memory.
func TestMomentsAreForgotten(t *testing.T) {
	one := newTried(&moment{}, 0, []string{"look"})
	m := newMoments(2 * one.size())
	for i := range 3 {
		m.put(momentKey{byte(i)}, one)
		m.put(momentKey{byte(i)}, one) // is known
	}
	if m.get(momentKey{0}) != nil || m.get(momentKey{1}) == nil || m.get(momentKey{2}) == nil || len(m.order) != 2 {
		t.Errorf("%d moments are known, want the last two of three", len(m.known))
	}
}

// A story without commands has a list without entries, again and again.
func TestNoCommands(t *testing.T) {
	story, err := zmachine.Load(lowlightImage)
	if err != nil {
		t.Fatal(err)
	}
	p := newPlay(&lowlight, story, 0, binding{})
	s := newSession(p.game, p.story, zmachine.Options{Seed: p.seed})
	if _, err := s.start(); err != nil {
		t.Fatal(err)
	}
	first, _ := s.effective(p.actions(), s.snapshot(), nil, nil)
	if second, groups := s.effective(p.actions(), s.snapshot(), nil, first); len(groups) > 0 || second.watch == nil {
		t.Errorf("groups %v, watch %v", groups, second.watch)
	}
}

// Many commands are watched at first, later each time two turns further apart as long as that
// does not pay, and again where the player stays behind a move.
func TestPlan(t *testing.T) {
	var before *tried
	for i, turn := range []struct{ few, stayed, watched bool }{
		{stayed: true, watched: true}, // nothing is known yet
		{stayed: true}, {stayed: true}, {stayed: true, watched: true},
		{stayed: true}, {stayed: true}, {stayed: true}, {stayed: true}, {stayed: true, watched: true},
		{}, {stayed: true, watched: true}, // a move
		{stayed: true}, {few: true, stayed: true, watched: true}, // it pays
		{stayed: true, watched: true}, {stayed: true},
	} {
		now := &tried{}
		now.plan(before, turn.few, turn.stayed)
		if now.watched != turn.watched {
			t.Errorf("moment %d, %+v: watched %v", i, turn, now.watched)
		}
		before = now
	}
}
