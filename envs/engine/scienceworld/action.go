package scienceworld

import (
	_ "embed"
	"slices"
)

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
	ID       actionID
	Name     string
	Number   int // template id
	Verbs    []string
	Slots    int
	Links    []string // between two slots
	Template string
	Listed   string // the verb in the list of valid actions
	Link     string // the link there
	Bucket   int    // in the reference's map by names; decides the order of matches
	Ranks    [2]int // in the order in which that map has them, which is larger if there are more (core §9.2)
}

//go:embed actions.json
var actionsFile []byte

// actions is the table of actions by their ids, in the order of registration.
var actions = table[[]action](actionsFile)

// actionOrder lists the available actions in the order in which the parser tries them.
func actionOrder(enabled simplification) (out []*action) {
	size := 0
	if enabled&(noElectricalAction|teleportAction) == noElectricalAction {
		size = 1
	}
	for i := range actions {
		if isEnabled(actions[i].ID, enabled) {
			out = append(out, &actions[i])
		}
	}
	slices.SortFunc(out, func(a, b *action) int { return a.Ranks[size] - b.Ranks[size] })
	return out
}

// isEnabled reports whether an action is available under the given simplifications.
func isEnabled(id actionID, enabled simplification) bool {
	switch id {
	case teleport:
		return enabled&teleportAction != 0
	case connect, disconnect:
		return enabled&noElectricalAction == 0
	}
	return true
}

// deed is an action with its objects. Two objects are in the order in which they are typed.
type deed struct {
	id   actionID
	a, b *Object
}

// PossibleActions lists the templates of actions, sorted.
func (w *World) PossibleActions() []string {
	var out []string
	for _, a := range w.actions {
		out = append(out, a.Template)
	}
	slices.Sort(out)
	return out
}
