package jericho

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/engine/zmachine"
	"heldout/envs/sharedtest"
)

// At the beginning of every game, for given names, the commands that are tried,
// those that change something, their groups and the answer are the recorded ones.
func TestValidActionFilter(t *testing.T) {
	type pairs = []zmachine.Pair
	var golden struct {
		Games map[string]struct {
			Location   uint16   `json:"location_obj"`
			Subtree    []string `json:"subtree_names"`
			Dictionary int      `json:"dictionary_words"`
			Longest    int      `json:"max_dict_word_len"`
			Words      []string `json:"object_words"`
			Candidates int
			Count      int `json:"valid_count"`
			Groups     []struct {
				Diff    [4]pairs `json:"diff_moves_sets_clears_ram"`
				Actions []string
				N       int
				Chosen  string
			}
			Valid []string `json:"valid_actions"`
		}
	}
	var b goldenBindings
	counts := &goldenCounts{}
	sharedtest.JSON(t, "jericho/jericho_valid_filter_check.json", &golden)
	sharedtest.JSON(t, "jericho/thirdparty_jericho_bindings_20.json", &b)
	sharedtest.JSON(t, "jericho/jericho_verb_counts_used.json", counts)
	every := sharedtest.Every(t, 10)
	for i := 0; i < len(games); i += every {
		g := &games[i]
		t.Run(g.Name, func(t *testing.T) {
			want := golden.Games[g.Name]
			s, _ := official(t, g)
			sharedtest.Equal(t, s.machine.Object(g.Player).Parent, want.Location, "the player is in")
			sharedtest.Same(t, s.surroundings(), want.Subtree, "names around:")
			v := newVocabulary(s.machine)
			if v.length != want.Longest || len(s.machine.Dictionary()) != want.Dictionary {
				t.Errorf("%d words of at most %d letters, want %d, %d", len(s.machine.Dictionary()), v.length,
					want.Dictionary, want.Longest)
			}
			tried := candidates(reduceTemplates(b.Games[g.Name].Grammar, g.WordLength, counts), want.Words)
			sharedtest.Equal(t, len(tried), want.Candidates, "candidates")
			groups := s.effective(newPlay(g, officialStory(t, g), g.Seed, binding{}).actions(), s.snapshot(), tried)
			if len(groups) != len(want.Groups) {
				t.Fatalf("%d groups, want %d", len(groups), len(want.Groups))
			}
			n := 0
			for i, w := range want.Groups {
				got := groups[i]
				n += len(got.actions)
				if len(got.actions) != w.N || !cmp.Equal(got.actions[:len(w.Actions)], w.Actions) {
					t.Errorf("group %d: %q, want %q", i, got.actions, w.Actions)
				}
				for k, list := range got.diff {
					if len(list)+len(w.Diff[k]) > 0 && !cmp.Equal(pairs(list), w.Diff[k]) {
						t.Errorf("group %d: list %d is %v, want %v", i, k, list, w.Diff[k])
					}
				}
			}
			sharedtest.Equal(t, n, want.Count, "valid commands")
			for _, c := range []verbCounts{counts, usualVerbs()} {
				sharedtest.Same(t, choose(groups, c), want.Valid, "answer by", c)
			}
		})
	}
}

// A story without commands has a list without entries, again and again.
func TestNoCommands(t *testing.T) {
	p := newPlay(&lowlight.game, sharedtest.Must(zmachine.Load(lowlightImage))(t), 0, binding{})
	s := newSession(p.game, p.story, zmachine.Options{Seed: p.seed})
	if _, err := s.start(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if groups := s.effective(p.actions(), s.snapshot(), nil); len(groups) > 0 {
			t.Errorf("groups %v", groups)
		}
	}
}

// A story that knows only the short forms of directions is asked for those.
func TestShortDirections(t *testing.T) {
	image := slices.Clone(lowlightImage)
	story := sharedtest.Must(zmachine.Load(image))(t)
	templates := []string{"north", "take OBJ", "north OBJ", "south"}
	sharedtest.Same(t, understood(templates, story), templates, "a story that knows both:")
	for _, w := range zmachine.New(story, zmachine.Options{}).Dictionary() {
		if w.Text == "north" {
			image[w.Address+1] ^= 0x20 // another letter
		}
	}
	story = sharedtest.Must(zmachine.Load(image))(t)
	sharedtest.Same(t, understood(templates, story), []string{"n", "take OBJ", "north OBJ", "south"},
		"a story that does not know north:")
}

// The benchmark's games understand the long forms.
func TestOfficialDirections(t *testing.T) {
	for i := range games {
		sharedtest.Same(t, understood(words().Basic, officialStory(t, &games[i])), words().Basic, games[i].Name)
	}
}
