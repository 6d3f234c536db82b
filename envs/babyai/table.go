package babyai

import (
	"slices"
	"strconv"
	"strings"

	"heldout/envs/engine/minigrid"
)

// table holds the actions that are possible now, in order, and the actions that are refused with a reason (§5.4).
// For every view, it computes only what decides between the two. It computes the primitive actions of an action and
// the words of a refusal on demand.
type table struct {
	agent   minigrid.Pose
	carried minigrid.Object // Empty if nothing
	things  []thing
	paths   paths
	entries []tableAction
}

// tableAction is an action of the table, offered or refused.
type tableAction struct {
	verb   verb
	noun   noun  // of the object, if the verb has one
	n      uint8 // its number among the things of its noun
	reason refusal
	pos    minigrid.Point // where the object is
}

// refusal says why an action is refused.
type refusal uint8

const (
	offered refusal = iota
	barred
	noWay
	handsEmpty
	frontTaken
	doorClosed
	noKey
	wrongKey
)

// text is the action as the agent types it.
func (e *tableAction) text() string { return actionText(e.verb, e.noun, e.n) }

// fill finds the possible actions, given what the agent sees and carries.
func (t *table) fill(view *minigrid.View, agent minigrid.Pose, carried minigrid.Object) {
	t.agent, t.carried = agent, carried
	t.things = scan(view, agent, t.things[:0])
	t.paths.around(agent, t.things)
	t.entries = t.entries[:0]
	t.add(turnLeft, offered)
	t.add(turnRight, offered)
	if b := barrier(t.things); b == nil || b.distance() > 1 {
		t.add(moveForward, offered)
	} else {
		t.add(moveForward, barred)
	}
	if carried.Kind == minigrid.Empty {
		t.fillReached(pickup)
	}
	t.fillDrop()
	t.fillDoors()
	t.fillReached(goTo)
	t.add(check, offered)
}

func (t *table) add(v verb, r refusal) {
	t.entries = append(t.entries, tableAction{verb: v, reason: r})
}

// fillReached numbers the things of a noun as far as they are reachable.
func (t *table) fillReached(v verb) {
	var reached nounCounts
	for i := range t.things {
		th := &t.things[i]
		if th.Kind == minigrid.Wall || v == pickup && th.Kind == minigrid.Door {
			continue
		}
		l := nounOf(th.Code)
		e := tableAction{verb: v, noun: l, n: reached[l] + 1, reason: noWay, pos: th.pos}
		if t.paths.toFace(th.pos) {
			reached[l]++
			e.reason = offered
		}
		t.entries = append(t.entries, e)
	}
}

func (t *table) fillDrop() {
	reason, front := offered, t.agent.Front()
	switch {
	case t.carried.Kind == minigrid.Empty:
		reason = handsEmpty
	case slices.ContainsFunc(t.things, func(th thing) bool { return th.pos == front && th.blocks() }):
		reason = frontTaken
	}
	t.add(drop, reason)
}

func (t *table) fillDoors() {
	var counts nounCounts
	for i := range t.things {
		door := &t.things[i]
		if door.Kind != minigrid.Door {
			continue
		}
		l := nounOf(door.Code)
		e := tableAction{noun: l, n: counts.next(l), pos: door.pos}
		if door.State == minigrid.Open {
			e.verb = goThrough
			if !t.paths.toEnter(door.pos) {
				e.reason = noWay
			}
			t.entries = append(t.entries, e)
			continue
		}
		e.verb, e.reason = toggleThrough, t.opening(door)
		t.entries = append(t.entries, e)
		if e.reason == offered && door.pos == t.agent.Front() {
			t.add(toggle, offered)
		}
		if door.State == minigrid.Closed {
			e.verb, e.reason = goThrough, doorClosed
			t.entries = append(t.entries, e)
		}
	}
}

// opening returns the reason why a closed door stays closed, if there is one.
func (t *table) opening(door *thing) refusal {
	switch {
	case door.State == minigrid.Locked && t.carried.Kind != minigrid.Key:
		return noKey
	case door.State == minigrid.Locked && t.carried.Color != door.Color:
		return wrongKey
	case !t.paths.toFace(door.pos):
		return noWay
	}
	return offered
}

func (t *table) choice(text string) *tableAction {
	for i := range t.entries {
		if e := &t.entries[i]; e.reason == offered && e.text() == text {
			return e
		}
	}
	return nil
}

// acts reports whether an offered action has an effect: "go to" a faced thing has none.
func (t *table) acts(e *tableAction) bool {
	return e.verb != check && !(e.verb == goTo && e.pos == t.agent.Front())
}

// moves returns the primitive actions of an action.
func (t *table) moves(e *tableAction) []minigrid.Action {
	switch e.verb {
	case turnLeft:
		return []minigrid.Action{minigrid.TurnLeft}
	case turnRight:
		return []minigrid.Action{minigrid.TurnRight}
	case moveForward:
		return []minigrid.Action{minigrid.Forward}
	case drop:
		return []minigrid.Action{minigrid.Drop}
	case toggle:
		return []minigrid.Action{minigrid.Toggle}
	case check:
		return nil
	case goThrough:
		return t.paths.entering(e.pos)
	}
	moves := t.paths.facing(e.pos)
	switch e.verb {
	case pickup:
		return append(moves, minigrid.Pickup)
	case toggleThrough:
		return append(moves, minigrid.Toggle, minigrid.Forward)
	}
	return moves
}

func (t *table) list() []string {
	out := make([]string, 0, len(t.entries))
	for i := range t.entries {
		if e := &t.entries[i]; e.reason == offered {
			out = append(out, e.text())
		}
	}
	return out
}

// reason returns why an action is refused: a later reason overrides others.
func (t *table) reason(text string) string {
	for i := len(t.entries) - 1; i >= 0; i-- {
		if e := &t.entries[i]; e.reason != offered && e.text() == text {
			return t.explain(e)
		}
	}
	return notRecognized
}

func (t *table) explain(e *tableAction) string {
	cannot := "You cannot " + e.text() + ", as "
	switch e.reason {
	case barred:
		return barrierAhead
	case handsEmpty:
		return "You cannot drop the object, as you are not carrying anything."
	case frontTaken:
		return "You cannot drop the object, as there is already an object in front of you."
	case doorClosed:
		return cannot + "it is closed. You should toggle it first."
	case noKey:
		return cannot + "you are not carrying a key."
	case wrongKey:
		return cannot + "the color of the key you are carrying does not match the color of door."
	}
	if e.verb == toggleThrough {
		// The reference prints its table of counts instead of the number.
		cannot = "You cannot " + words[e.verb] + " " + e.noun.String() + " " + t.doorsUpTo(e.pos) + ", as "
	}
	return cannot + "there is no path leading to it."
}

// doorsUpTo counts the doors by name up to the door in a cell, and formats the counts as Python prints a
// dictionary: in the order in which the nounTexts occurred.
func (t *table) doorsUpTo(pos minigrid.Point) string {
	var counts nounCounts
	var order []noun
	for i := range t.things {
		door := &t.things[i]
		if door.Kind != minigrid.Door {
			continue
		}
		l := nounOf(door.Code)
		if counts.next(l) == 1 {
			order = append(order, l)
		}
		if door.pos == pos {
			break
		}
	}
	var parts []string
	for _, l := range order {
		parts = append(parts, "'"+l.String()+"': "+strconv.Itoa(int(counts[l])))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
