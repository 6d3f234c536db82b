package jericho

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"heldout/envs/engine/zmachine"
	"heldout/envs/sharedtest"
)

// A list is made once for a moment, and again when it was forgotten or could not be made.
// Who gets one may change it.
func TestListsAreMadeOnce(t *testing.T) {
	l := newLists(2*(entrySize+actionSize) + 10)
	made := 0
	get := func(key byte, actions ...string) []string {
		got, err := l.get(momentKey{key}, func() ([]string, error) {
			made++
			return actions, nil
		})
		if err != nil || !slices.Equal(got, actions) {
			t.Errorf("%q, %v, want %q", got, err, actions)
		}
		return got
	}
	get(1, "east")[0] = "changed"
	get(1, "east")
	get(2, "west")
	if get(1, "east"); made != 2 {
		t.Errorf("%d lists were made, want 2", made)
	}
	get(3, "north") // the generation is full
	if get(1, "east"); made != 3 {
		t.Errorf("%d lists were made, want 3", made)
	}
	get(4, "south")
	get(5, "up")
	if get(1, "east"); made != 6 {
		t.Errorf("%d lists were made, want 6, since the first was forgotten", made)
	}
	broken := errors.New("broken")
	if _, err := l.get(momentKey{6}, func() ([]string, error) { return nil, broken }); err != broken {
		t.Error(err)
	}
	get(6, "up")
	func() {
		defer func() { _ = recover() }()
		_, _ = l.get(momentKey{7}, func() ([]string, error) { panic("a bug") })
	}()
	get(7, "down")
}

// Worlds that ask for a list while it is made get that one.
func TestListsAreMadeByOne(t *testing.T) {
	l := newLists(2*(entrySize+actionSize) + 10)
	made := 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := l.get(momentKey{}, func() ([]string, error) {
				made++
				return []string{"east"}, nil
			})
			if err != nil || !slices.Equal(got, []string{"east"}) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if wg.Wait(); made != 1 {
		t.Errorf("%d lists were made", made)
	}
}

// The key of a moment says all that its list depends on, and nothing else: a world
// that comes to the same moment by another way has the same one.
func TestKeysOfMoments(t *testing.T) {
	key := func(p *play, score int, actions ...string) momentKey {
		s := newSession(p.game, p.story, zmachine.Options{Seed: p.seed})
		if _, err := s.start(); err != nil {
			t.Fatal(err)
		}
		for _, a := range actions {
			sharedtest.OK(t, s.play(a))
		}
		s.parsed += score
		return p.actions().key(s.snapshot())
	}
	first := key(attic(t), 0)
	sharedtest.Equal(t, key(attic(t), 0), first, "worlds at one moment have two keys")
	other := attic(t)
	other.actions().attemptBudget--
	game := *other.game
	game.Max++
	for i, k := range []momentKey{
		key(attic(t), 1), key(attic(t), 0, "east"), key(other, 0),
		key(newPlay(other.game, other.story, other.seed+1, binding{}), 0),
		key(newPlay(&game, other.story, other.seed, binding{}), 0),
		key(newPlay(other.game, other.story, other.seed, binding{Grammar: "take OBJ", MaxWordLength: 9}), 0),
	} {
		if k == first {
			t.Errorf("moment %d has the key of another", i)
		}
	}
}
