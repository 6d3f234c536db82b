package scienceworld

import (
	"slices"
	"strconv"
	"strings"
)

// Solver makes solutions as one process of the reference does, which remembers its tours of the building.
type Solver struct{ known tours }

func NewSolver() *Solver { return &Solver{tours{}} }

func (s *Solver) Path(task string, variation int, simplifications string) ([]string, error) {
	return goldPath(task, variation, simplifications, s.known)
}

// Undrawn asks for a list and takes back what was drawn for it.
func (w *World) Undrawn(list func(*World) []string) []string {
	before := w.random
	defer func() { w.random = before }()
	return list(w)
}

// TaskNames lists the tasks, sorted.
func TaskNames() []string {
	var names []string
	for i := range registry() {
		names = append(names, registry()[i].Name)
	}
	slices.Sort(names)
	return names
}

// Variations is the number of variations of a task; -1 for an unknown task.
func Variations(name string) int {
	if i := findTaskNamed(name); i >= 0 {
		return registry()[i].Variations
	}
	return -1
}

// Look is what the agent sees, as it is: nothing is trimmed, no time passes.
func (w *World) Look() string { return w.freely(lookAround) }

// TaskText is the description of the task as the agent can look at it.
func (w *World) TaskText() string { return w.freely(taskText) }

// State is the state of the generator and the number of the newest object.
// Together with the objects they decide all that follows.
func (w *World) State() (random uint64, numbers int) { return w.random.state, int(w.numbers) }

// ValidActions lists what can be done now, sorted; while a question is open, the numbers of the choices. It draws.
func (w *World) ValidActions() []string { return w.DrawValidActions().Sorted() }

// ValidActionsJSON is the list of valid actions with the numbers of the objects (core §12.4). It draws.
func (w *World) ValidActionsJSON() string {
	if w.universe == nil {
		return notInitialized
	}
	var entries []string
	if w.choices != nil {
		for i, d := range w.choices {
			entries = append(entries, entry(strconv.Itoa(i), 100+i, d.variables(), nil))
		}
	} else {
		list := w.DrawValidActions().lister()
		for v := range list.deeds(actions) {
			objects := list.objectsOf(v)
			entries = append(entries, entry(string(list.append(nil, v)), actions[v.id].Number, objects, objects))
		}
	}
	return `{"validActions": [` + strings.Join(entries, ",") + `]}`
}

// variables lists the objects of a deed as the reference's map of variables enumerates them (core §9.3).
func (d deed) variables() []*Object {
	switch {
	case d.a == nil:
		return nil
	case actions[d.id].Slots < 2:
		return []*Object{d.a}
	}
	return []*Object{d.b, d.a}
}

// entry is an action in a JSON list.
func entry(text string, template int, objects, types []*Object) string {
	ids := make([]string, len(objects))
	for i, o := range objects {
		ids[i] = strconv.Itoa(int(o.id))
	}
	kinds := make([]string, len(types))
	for i, o := range types {
		kinds[i] = strconv.Itoa(int(o.kind))
	}
	return `{ "action":"` + text + `", "template_id":` + strconv.Itoa(template) + `, "obj_ids":[` + strings.Join(ids, ", ") +
		`], "type_ids":[` + strings.Join(kinds, ", ") + `] }`
}

// objectsOf returns the objects of an entry.
func (l *validLister) objectsOf(v validDeed) (out []*Object) {
	for _, i := range []int32{v.a, v.b} {
		if i >= 0 {
			out = append(out, l.objects[i])
		}
	}
	return out
}

// SimplificationsUsed lists the simplifications in force.
func (w *World) SimplificationsUsed() string {
	var names []string
	for _, s := range simplifications {
		if w.enabled&s.bit != 0 {
			names = append(names, s.label)
		}
	}
	return strings.Join(slices.Sorted(slices.Values(names)), ", ")
}
