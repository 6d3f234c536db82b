package babyai

import (
	"strconv"
	"strings"

	"heldout/envs/engine/minigrid"
)

// The fixed sentences of a description (§5.3).
const (
	nothingInSight = "You cannot see any objects within sight."
	inSight        = "In front of you in this room, you can see several objects: "
	wallsAround    = "The room has walls around you. "
	emptyHanded    = "You are not carrying anything."
)

// describe returns what the agent sees and carries; carried may be Empty.
func describe(things []thing, carried minigrid.Object) string {
	text := nothingInSight
	if len(things) > 0 {
		text = inSight + listThings(things)
	}
	text += wallsAround
	if t := barrier(things); t != nil {
		text += "You are facing a " + t.Kind.String() + " " + strconv.Itoa(t.distance()) + " steps away. "
	}
	if carried.Kind == minigrid.Empty {
		return text + emptyHanded
	}
	return text + "You are carrying a " + carried.Color.String() + " " + carried.Kind.String() + "."
}

// listThings lists every thing except walls, numbered by name.
func listThings(things []thing) string {
	var b strings.Builder
	var count nounCounts
	for i := range things {
		t := &things[i]
		if t.Kind == minigrid.Wall {
			continue
		}
		l, forward, side := nounOf(t.Code), strconv.Itoa(int(t.forward)), int(t.side)
		b.WriteString("There is a " + nounTexts[l] + " " + strconv.Itoa(int(count.next(l))) + " ")
		switch {
		case side == 0:
			b.WriteString("right in front of you " + forward + " steps away.  ")
		case side > 0:
			b.WriteString(forward + " steps in front of you and " + strconv.Itoa(side) + " steps to your right.  ")
		default:
			b.WriteString(forward + " steps in front of you and " + strconv.Itoa(-side) + " steps to your left.  ")
		}
	}
	return b.String()
}
