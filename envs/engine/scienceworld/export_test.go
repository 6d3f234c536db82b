package scienceworld

import "slices"

// Solver makes solutions as one process of the reference does, which remembers
// its tours of the building.
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
	for i := range registry {
		names = append(names, registry[i].name)
	}
	slices.Sort(names)
	return names
}

// Variations is the number of variations of a task; -1 for an unknown task.
func Variations(name string) int {
	if i := findTaskNamed(name); i >= 0 {
		return registry[i].variations
	}
	return -1
}
