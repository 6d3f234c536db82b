package scienceworld

import "slices"

// actionID says what an action does.
type actionID uint8

const (
	openThing actionID = iota
	closeThing
	goTo
	lookAround
	lookAt
	lookIn
	activate
	deactivate
	eat
	move
	pour
	dunk
	focusOn
	resetTask
	useOn
	read
	flush
	connect
	disconnect
	wait1
	wait10
	viewInventory
	pickUp
	putDown
	mixContents
	taskText
	teleport
)

// action is a kind of action: how it is typed and listed (core §9, actions §1).
type action struct {
	id       actionID
	name     string
	number   int // template id
	verbs    []string
	slots    int
	links    []string // between two slots
	template string
	listed   string // the verb in the list of valid actions, if not the template's
	link     string // the link there
	bucket   int    // in the reference's map by names; decides the order of matches
}

// actions is the table of actions, in the order of registration.
var actions = [...]action{
	{openThing, "open door", 0, []string{"open"}, 1, nil, "open OBJ", "open", "", 3},
	{closeThing, "close door", 1, []string{"close"}, 1, nil, "close OBJ", "close", "", 1},
	{goTo, "move through door", 2, []string{"go", "go through", "walk through", "move through", "go to", "walk to",
		"move to", "go into", "move into"}, 1, nil, "go OBJ", "go to", "", 0},
	{lookAround, "look around", 3, []string{"look around", "look"}, 0, nil, "look around", "look around", "", 8},
	{lookAt, "look at", 4, []string{"look at", "look on", "examine"}, 1, nil, "look at OBJ", "look at", "", 1},
	{lookIn, "look in", 5, []string{"look in"}, 1, nil, "look in OBJ", "look in", "", 14},
	{activate, "activate", 6, []string{"activate", "turn on"}, 1, nil, "activate OBJ", "activate", "", 8},
	{deactivate, "deactivate", 7, []string{"deactivate", "turn off"}, 1, nil, "deactivate OBJ", "deactivate", "", 8},
	{eat, "eat", 8, []string{"eat", "consume"}, 1, nil, "eat OBJ", "eat", "", 11},
	{move, "move object", 9, []string{"move", "put"}, 2, []string{"to", "in", "into", "on"}, "move OBJ to OBJ", "move",
		"to", 6},
	{pour, "pour object", 10, []string{"pour"}, 2, []string{"in", "into", "on", "to"}, "pour OBJ in OBJ", "pour",
		"into", 8},
	{dunk, "dunk object", 26, []string{"dunk"}, 2, []string{"in", "into"}, "dunk OBJ in OBJ", "dunk", "into", 7},
	{focusOn, "focus on", 11, []string{"focus on", "focus"}, 1, nil, "focus on OBJ", "focus on", "", 13},
	{resetTask, "reset task", 12, []string{"reset task"}, 0, nil, "reset task", "reset task", "", 7},
	{useOn, "use object", 13, []string{"use"}, 2, []string{"on", "with"}, "use OBJ on OBJ", "use", "on", 0},
	{read, "read", 14, []string{"read"}, 1, nil, "read OBJ", "read", "", 3},
	{flush, "flush", 15, []string{"flush"}, 1, nil, "flush OBJ", "flush", "", 8},
	{connect, "connect electrically", 16, []string{"connect"}, 2, []string{"to", "in", "into"}, "connect OBJ to OBJ",
		"connect", "to", 8},
	{disconnect, "disconnect electrically", 17, []string{"disconnect"}, 1, nil, "disconnect OBJ", "disconnect", "", 6},
	{wait1, "wait1", 18, []string{"wait1"}, 0, nil, "wait1", "wait1", "", 4},
	{wait10, "wait10", 19, []string{"wait"}, 0, nil, "wait", "wait", "", 2},
	{viewInventory, "view inventory", 20, []string{"inventory"}, 0, nil, "inventory", "inventory", "", 7},
	{pickUp, "pick up", 21, []string{"pick up", "get", "take"}, 1, nil, "pick up OBJ", "pick up", "", 6},
	{putDown, "put down", 22, []string{"put down", "drop"}, 1, nil, "put down OBJ", "put down", "", 6},
	{mixContents, "mix", 23, []string{"mix", "stir"}, 1, nil, "mix OBJ", "mix", "", 8},
	{taskText, "task description", 24, []string{"task"}, 0, nil, "task", "task", "", 14},
	{teleport, "teleport to location", 2, []string{"teleport", "teleport to", "teleport into"}, 1, nil, "teleport OBJ",
		"teleport to", "", 9},
}

// The orders in which the reference's map of actions enumerates them: it is
// larger if there are more actions (core §9.2).
var (
	orderWithElectricity = []actionID{lookIn, taskText, focusOn, eat, teleport, activate, connect, mixContents,
		lookAround, pour, deactivate, flush, resetTask,
		dunk, viewInventory, move, pickUp, putDown, disconnect, wait1, read, openThing, wait10, lookAt, closeThing,
		goTo, useOn}
	orderOfFew = []actionID{taskText, lookIn, focusOn, eat, mixContents, activate, flush, lookAround, deactivate, pour,
		resetTask, dunk, viewInventory,
		putDown, pickUp, move, wait1, read, openThing, wait10, lookAt, closeThing, goTo, useOn}
)

// actionOrder lists the available actions in the order in which the parser tries
// them.
func actionOrder(enabled simplification) (out []*action) {
	order := orderWithElectricity
	if enabled&(noElectricalAction|teleportAction) == noElectricalAction {
		order = orderOfFew
	}
	for _, id := range order {
		if isEnabled(id, enabled) {
			out = append(out, &actions[id])
		}
	}
	return out
}

// isEnabled reports whether an action is available under the given
// simplifications.
func isEnabled(id actionID, enabled simplification) bool {
	switch id {
	case teleport:
		return enabled&teleportAction != 0
	case connect, disconnect:
		return enabled&noElectricalAction == 0
	}
	return true
}

// deed is an action with its objects. Two objects are in the order in which they
// are typed.
type deed struct {
	id   actionID
	a, b *Object
}

// free reports whether a deed takes no time.
func (d deed) free() bool { return d.id == lookAround || d.id == viewInventory || d.id == taskText }

// PossibleActions lists the templates of actions, sorted.
func (w *World) PossibleActions() []string {
	var out []string
	for _, a := range w.actions {
		out = append(out, a.template)
	}
	return sorted(out)
}

func sorted(texts []string) []string {
	slices.Sort(texts)
	return texts
}
