package babyai

import "heldout/envs/engine/minigrid"

// noun is the name of a key, ball, box or door, as an index into nounTexts.
// Doors in different states have different names.
type noun uint8

const (
	colors = int(minigrid.AnyColor)
	shapes = 6 // key, ball, box and the three states of a door
	nouns  = colors * shapes
)

// nounOf returns the noun of a key, ball, box or door.
func nounOf(c minigrid.Code) noun {
	shape := noun(c.Kind - minigrid.Key)
	if c.Kind == minigrid.Door {
		shape = 3 + noun(c.State)
	}
	return noun(c.Color)*shapes + shape
}

// nounTexts are the texts of all nouns, such as "red closed door".
var nounTexts = func() (out [nouns]string) {
	for color := range minigrid.AnyColor {
		for _, kind := range []minigrid.Kind{minigrid.Key, minigrid.Ball, minigrid.Box} {
			out[nounOf(minigrid.Code{Kind: kind, Color: color})] = color.String() + " " + kind.String()
		}
		for state := range minigrid.Locked + 1 {
			c := minigrid.Code{Kind: minigrid.Door, Color: color, State: state}
			out[nounOf(c)] = color.String() + " " + state.String() + " door"
		}
	}
	return out
}()

func (n noun) String() string { return nounTexts[n] }

type nounCounts [nouns]uint8

// next counts a thing and returns how many with its noun were counted so far.
func (c *nounCounts) next(n noun) uint8 {
	c[n]++
	return c[n]
}
