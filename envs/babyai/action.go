package babyai

import (
	"strconv"
	"sync"
)

// verb is a kind of action of the text layer.
type verb uint8

// The verbs. The verbs up to the last of simple take no object.
const (
	turnLeft verb = iota
	turnRight
	moveForward
	drop
	toggle
	check
	pickup
	goTo
	goThrough
	toggleThrough

	simple = check
	verbs  = int(toggleThrough) + 1
)

const checkActions = "check available actions"

var words = [verbs]string{
	"turn left", "turn right", "move forward", "drop", "toggle", checkActions,
	"pickup", "go to", "go through", "toggle and go through",
}

// fewThings is the largest number of things with the same noun for which the texts of actions are cached.
const fewThings = 9

// texts are cached texts of actions with an object, by verb, noun and number.
var texts = sync.OnceValue(func() *[verbs][nouns][fewThings + 1]string {
	var out [verbs][nouns][fewThings + 1]string
	for v := simple + 1; int(v) < verbs; v++ {
		for l := range noun(nouns) {
			for n := range uint8(fewThings + 1) {
				out[v][l][n] = words[v] + " " + numbered(l, n)
			}
		}
	}
	return &out
})

func numbered(object noun, n uint8) string { return object.String() + " " + strconv.Itoa(int(n)) }

// actionText formats an action with the n-th thing of a noun, if its verb takes one.
func actionText(v verb, object noun, n uint8) string {
	switch {
	case v <= simple:
		return words[v]
	case n <= fewThings:
		return texts()[v][object][n]
	}
	return words[v] + " " + numbered(object, n)
}
