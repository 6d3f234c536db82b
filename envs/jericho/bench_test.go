package jericho

import (
	"testing"

	"heldout/envs/jericho/zmachine"
	"heldout/envs/sharedtest"
)

// BenchmarkWalkthrough plays whole games, and reports Z-instructions a second.
func BenchmarkWalkthrough(b *testing.B) {
	var bindings goldenBindings
	sharedtest.JSON(b, "jericho/thirdparty_jericho_bindings_20.json", &bindings)
	for _, name := range []string{"zork1", "loose", "weapon", "afflicted"} {
		b.Run(name, func(b *testing.B) {
			g := findGame(name)
			story := officialStory(b, g)
			actions := splitWalkthrough(bindings.Games[name].Walkthrough)
			spent := 0
			for b.Loop() {
				s := newSession(g, story, zmachine.Options{Seed: g.seed})
				if _, err := s.start(); err != nil {
					b.Fatal(err)
				}
				for _, a := range actions {
					if err := s.play(a); err != nil {
						b.Fatal(err)
					}
					spent += s.machine.Spent()
				}
			}
			b.ReportMetric(float64(spent)/b.Elapsed().Seconds()/1e6, "Minstr/s")
			b.ReportMetric(float64(spent)/float64(b.N)/float64(len(actions)), "instr/action")
		})
	}
}

// BenchmarkSnapshot takes and restores moments of the game with the largest
// memory.
func BenchmarkSnapshot(b *testing.B) {
	s, _ := official(b, findGame("afflicted"))
	m := s.snapshot()
	b.Run("take", func(b *testing.B) {
		for b.Loop() {
			m = s.snapshot()
		}
	})
	b.Run("restore", func(b *testing.B) {
		for b.Loop() {
			if err := s.restore(m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkHelp lists the valid actions at the beginning of the games where that
// takes longest, and of one where it takes no time, with nothing remembered.
func BenchmarkHelp(b *testing.B) {
	var golden goldenBindings
	sharedtest.JSON(b, "jericho/thirdparty_jericho_bindings_20.json", &golden)
	for _, name := range []string{"loose", "weapon", "afflicted", "zork1"} {
		b.Run(name, func(b *testing.B) {
			g := findGame(name)
			s, _ := official(b, g)
			x := golden.Games[name]
			for b.Loop() {
				p := newPlay(g, s.machine.Story(), g.seed, binding{Grammar: x.Grammar, MaxWordLength: x.MaxWordLength})
				if _, err := s.validActions(p.actions()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
