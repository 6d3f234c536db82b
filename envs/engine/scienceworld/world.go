// Package scienceworld is ScienceWorld 1.1.3: a house with ten rooms in which things heat, melt, burn, conduct,
// grow and mix, and thirty tasks to do there. It answers as the official simulator does, byte for byte, if all
// objects of the official simulator have one hash code. It knows nothing of agents or benchmarks.
//
// Global state of the reference (generator, object numbers, enabled simplifications) belongs to a World here.
//
// Section numbers in comments refer to the specification of the reference's
// behaviour, whose five parts are core, objects, processes, actions and tasks.
package scienceworld

import "strings"

// The fixed texts of the interface (core §11, §12).
const (
	notInitialized = "ERROR: Interface is not initialized -- call reset() before beginning."
	unknownAction  = "Unknown action.  Type 'help' for a list of actions, and 'objects' for a list of possible object referents. "
	// NotUnderstood is the answer to an input that is not an action.
	NotUnderstood = "No known action matches that input."
)

// World is one running simulation. The zero value is not usable; New makes one.
// It belongs to one goroutine. Worlds share a
// library and nothing that changes what they say.
type World struct {
	random      random
	numbers     int32 // the last number that an object took
	created     int32 // objects made by this world
	presetGenes *genes

	universe  *Object
	agent     *Object
	inventory *Object
	focus     *Object // what the agent focuses on, or nil

	goals       *goals
	variation   variation // what the task was made of
	description string    // of the task, not trimmed
	trouble     string    // why the task could not be set up
	failure     string    // the text of the error state

	enabled simplification
	actions []*action // in the order in which the parser tries them

	queue   []deed
	history []deed // all that the agent did, free actions too
	choices []deed // what an ambiguous input can mean
	waiting int

	// Portals has looks at doors and drains say what they are, as from version 1.2 of the reference on. In 1.1.3 they
	// say that something is wrong. Loading ends it.
	Portals bool

	// Score and Completed are what the last step made of the task: from 0 to 1, or -1 if it has failed, and whether
	// it was completed. Moves is the number of ticks so far.
	Score     float64
	Completed bool
	Moves     int

	// names, places and opens count changes of the names of things, of their places, and of what is open. Results
	// derived from them are kept until they change.
	names, places, opens uint32
	listed               listed
	nearby               search // among what is seen
	everywhere           search // among all objects
	reach, scene         cache
	*shelf
	library *Library
}

// New returns a world in which nothing is loaded, with a library of its own.
func New() *World { return NewLibrary().New() }

// Load starts a variation of a task. The simplifications are separated by commas. It returns what is wrong with the
// task, empty if nothing is. The following steps report errors in the simplifications.
func (w *World) Load(task string, variation int, simplifications string) string {
	built := w.library.New()
	built.shelf, built.Score, built.Completed = w.library.open(), w.Score, w.Completed
	built.trouble = built.setUp(task, variation)
	built.simplify(task, simplifications)
	w.become(built) // without what was made and thrown away
	return w.trouble
}

// SetNewer sets Portals in a world that was just loaded. The newer reference's openContainers opens what can be
// closed; in 1.1.3 it does nothing.
func (w *World) SetNewer(newer bool) {
	w.Portals = newer
	if newer && w.enabled&openContainers != 0 {
		for _, x := range allContents(w.universe) {
			x.open = x.open || x.isVessel && x.closable
		}
	}
}

// place is the place where the agent is.
func (w *World) place() *Object { return w.agent.container }

// Description is what the task asks for.
func (w *World) Description() string { return javaTrim(w.description) }

// Progress is the reference's table of the goals and whether they are reached.
func (w *World) Progress() string { return w.goals.progress() }

// javaError is the text of an exception that the reference throws inside a step.
type javaError string

// simplification is a set of simplifications.
type simplification uint8

const (
	openDoors simplification = 1 << iota
	openContainers
	teleportAction
	noElectricalAction
	selfWateringFlowerPots
)

// simplifications are the labels in the order of the reference's table.
var simplifications = []struct {
	label string
	bit   simplification
}{
	{"openDoors", openDoors}, {"openContainers", openContainers}, {"teleportAction", teleportAction},
	{"noElectricalAction", noElectricalAction}, {"selfWateringFlowerPots", selfWateringFlowerPots},
}

// easy stands for several simplifications (core §12.1).
func easy(task string) string {
	if t := strings.ToLower(task); strings.Contains(t, "power-component") || strings.Contains(t, "conductivity") {
		return "teleportAction,openDoors,selfWateringFlowerPots"
	}
	return "teleportAction,noElectricalAction,openDoors,selfWateringFlowerPots"
}

// simplify reads the simplifications, applies them and makes the actions.
func (w *World) simplify(task, labels string) {
	if labels == "easy" {
		labels = easy(task)
	}
	w.readSimplifications(labels)
	if w.enabled&openDoors != 0 {
		for _, place := range w.universe.contents.items() {
			for _, p := range place.portals.items() {
				p.open = true
			}
		}
	}
	w.actions = actionOrder(w.enabled)
}

func (w *World) readSimplifications(labels string) {
	if labels == "" {
		return
	}
	labels = javaTrim(strings.ToLower(labels))
	fields := strings.Split(labels, ",")
	for labels != "" && len(fields) > 0 && fields[len(fields)-1] == "" { // Java drops them
		fields = fields[:len(fields)-1]
	}
next:
	for _, field := range fields {
		for _, s := range simplifications {
			if javaTrim(field) == strings.ToLower(s.label) {
				w.enabled |= s.bit
				continue next
			}
		}
		w.failure = "ERROR: Unknown simplification label: " + field
		return
	}
}
