package babyai

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

func TestPatterns(t *testing.T) {
	const seen = "In front of you in this room, you can see several objects: There is a red ball 1 right in front of you 1 steps away.  " +
		"There is a blue closed door 2 3 steps in front of you and 1 steps to your left.  The room has walls around you. You are carrying a green key."
	for pattern, want := range sharedtest.Table[bool](t, "patterns.yaml") {
		p := newPattern(pattern)
		g := newSubgoals([][]string{{pattern}})
		if share, got := g.score(seen); got != want || got && share != 1 {
			t.Errorf("%q: %v, share %v, want %v (pieces %q)", pattern, got, share, want, p.pieces)
		}
	}
}

// One sub-goal counts at a time, the first that matches.
func TestScore(t *testing.T) {
	g := newSubgoals([][]string{{"a", "b", "a", "z"}})
	var shares []float64
	for range 4 {
		share, _ := g.score("a b c.")
		shares = append(shares, share)
	}
	if diff := cmp.Diff([]float64{0.25, 0.5, 0.75, 0}, shares); diff != "" || len(g.ways[0]) != 1 {
		t.Errorf("%s; left %v", diff, g.ways)
	}
}

// Of several ways, what one reaches is reached in all.
func TestScoreWays(t *testing.T) {
	g := newSubgoals([][]string{{"red open", "red closed"}, {"blue open", "blue closed"}})
	before := g.clone()
	for _, s := range []struct {
		observation string
		share       float64
	}{{"blue closed.", 0.5}, {"red closed.", 0}, {"blue closed. red open.", 1}, {"blue open.", 0}} {
		if share, _ := g.score(s.observation); share != s.share {
			t.Errorf("%q: share %v, want %v", s.observation, share, s.share)
		}
	}
	if len(before.ways[0]) != 2 || len(before.ways[1]) != 2 || before.points != 0 {
		t.Errorf("the clone changed: %+v", before)
	}
}

// A sub-goal that comes twice in a way is removed at its first place.
func TestScoreTwice(t *testing.T) {
	g := newSubgoals([][]string{{"a", "x", "a"}, {"p", "q", "r"}})
	g.score("r.")
	var left []string
	for _, way := range g.ways {
		left = append(left, fmt.Sprint(len(way), way[0].text, way[1].text))
	}
	sharedtest.Same(t, left, []string{"2xa", "2pq"})
}
