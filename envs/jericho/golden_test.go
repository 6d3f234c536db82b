package jericho

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"heldout/envs/engine/zmachine"
	"heldout/envs/sharedtest"
)

// suite is where the story files are in AgentBoard's data folder.
const suite = "jericho/z-machine-games-master/jericho-game-suite"

// officialStory loads the story file of a game, or skips the test.
func officialStory(t testing.TB, g *game) *zmachine.Story {
	t.Helper()
	b := sharedtest.Must(os.ReadFile(filepath.Join(sharedtest.AgentBoard(t), suite, g.File)))(t)
	return sharedtest.Must(zmachine.Load(b))(t)
}

// official starts a game as the benchmark does, twice.
func official(t testing.TB, g *game) (s *storySession, first string) {
	t.Helper()
	s = newSession(g, officialStory(t, g), zmachine.Options{Seed: g.Seed})
	for range 2 {
		first = sharedtest.Must(s.start())(t)
	}
	return s, first
}

// latin1 is text in the form of the reference, a byte a character.
func latin1(text string) []byte {
	var b []byte
	for _, r := range text {
		b = append(b, byte(r))
	}
	return b
}

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// bindings are the reference's walkthroughs and templates.
type goldenBindings struct {
	Games map[string]struct {
		Seed          int
		MaxWordLength int `json:"max_word_length"`
		Grammar       string
		Walkthrough   string
	}
}

// numeric is how the records write a boolean.
func numeric(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Every step of every walkthrough gives the recorded text, score, moves and end.
func TestWalkthroughDigests(t *testing.T) {
	var golden struct {
		Games map[string]struct {
			Initial string  `json:"initial_obs_sha256"`
			Chain   string  `json:"chain_sha256"`
			Steps   [][]any `json:"steps"`
		}
	}
	var b goldenBindings
	sharedtest.JSON(t, "jericho/jericho_walkthrough_digests.json", &golden)
	sharedtest.JSON(t, "jericho/thirdparty_jericho_bindings_20.json", &b)
	every := sharedtest.Every(t, 5)
	for i := 0; i < len(games); i += every {
		g := &games[i]
		t.Run(g.Name, func(t *testing.T) {
			want := golden.Games[g.Name]
			s, first := official(t, g)
			if got := sha(latin1(first)); got != want.Initial {
				t.Fatalf("initial observation %q", first)
			}
			chain := latin1(first)
			actions := splitWalkthrough(b.Games[g.Name].Walkthrough)
			if len(actions) != len(want.Steps) || len(actions) == 0 {
				t.Fatalf("%d actions, %d recorded", len(actions), len(want.Steps))
			}
			for n, a := range actions {
				text := sharedtest.Must(s.step(a))(t)
				chain = append(append(chain, 0x1e), latin1(text)...)
				got := []any{sha(latin1(text))[:16], sha([]byte(observation(text)))[:16],
					float64(s.score()), float64(s.moves()), numeric(s.won()), numeric(s.lost())}
				for k := range got {
					if got[k] != want.Steps[n][k] {
						t.Fatalf("step %d, %q: %v, want %v; %q", n, a, got, want.Steps[n], text)
					}
				}
			}
			sharedtest.Equal(t, sha(chain), want.Chain, "the chain of all texts differs")
			if !s.won() {
				t.Error("no victory")
			}
		})
	}
}

// The same for a script of prompts, menus, saving, restarting and odd input.
func TestMixedDigests(t *testing.T) {
	var golden struct {
		Commands []string
		Games    map[string]struct {
			Steps  [][]any
			Halted float64
			Chain  string `json:"chain_sha256"`
		}
	}
	sharedtest.JSON(t, "jericho/jericho_mixed_digests.json", &golden)
	for i := range games {
		g := &games[i]
		t.Run(g.Name, func(t *testing.T) {
			want := golden.Games[g.Name]
			s, first := official(t, g)
			chain := latin1(first)
			if len(want.Steps) != len(golden.Commands) {
				t.Fatalf("%d commands, %d recorded", len(golden.Commands), len(want.Steps))
			}
			for n, a := range golden.Commands {
				text := sharedtest.Must(s.step(a))(t)
				raw := latin1(text)
				chain = append(append(chain, 0x1e), raw...)
				got := []any{sha(raw)[:16], float64(len(raw)), float64(s.score()), float64(s.moves()), numeric(s.won()),
					numeric(s.lost())}
				for k := range got {
					if got[k] != want.Steps[n][k] {
						t.Errorf("step %d, %q: %v, want %v; %q", n, a, got, want.Steps[n], text)
						break
					}
				}
			}
			if numeric(s.machine.Halted()) != want.Halted || sha(chain) != want.Chain {
				t.Errorf("halted %v, chain %s; want %v, %s", s.machine.Halted(), sha(chain), want.Halted, want.Chain)
			}
		})
	}
}
