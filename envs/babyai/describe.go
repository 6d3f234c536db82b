package babyai

import (
	"strconv"

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
	b := make([]byte, 0, 1024)
	if len(things) == 0 {
		b = append(b, nothingInSight...)
	} else {
		b = append(b, inSight...)
		b = appendThings(b, things)
	}
	b = append(b, wallsAround...)
	if t := barrier(things); t != nil {
		b = append(b, "You are facing a "...)
		b = append(b, t.Kind.String()...)
		b = append(b, ' ')
		b = strconv.AppendInt(b, int64(t.distance()), 10)
		b = append(b, " steps away. "...)
	}
	if carried.Kind == minigrid.Empty {
		return string(append(b, emptyHanded...))
	}
	b = append(b, "You are carrying a "...)
	b = append(b, carried.Color.String()...)
	b = append(b, ' ')
	b = append(b, carried.Kind.String()...)
	return string(append(b, '.'))
}

// appendThings lists every thing except walls, numbered by name.
func appendThings(b []byte, things []thing) []byte {
	var count nounCounts
	for i := range things {
		t := &things[i]
		if t.Kind == minigrid.Wall {
			continue
		}
		b = append(b, "There is a "...)
		l := nounOf(t.Code)
		b = append(b, nounTexts[l]...)
		b = append(b, ' ')
		b = strconv.AppendInt(b, int64(count.next(l)), 10)
		b = append(b, ' ')
		if t.side == 0 {
			b = append(b, "right in front of you "...)
			b = strconv.AppendInt(b, int64(t.forward), 10)
			b = append(b, " steps away.  "...)
			continue
		}
		b = strconv.AppendInt(b, int64(t.forward), 10)
		b = append(b, " steps in front of you and "...)
		b = strconv.AppendInt(b, int64(max(t.side, -t.side)), 10)
		if t.side > 0 {
			b = append(b, " steps to your right.  "...)
		} else {
			b = append(b, " steps to your left.  "...)
		}
	}
	return b
}
