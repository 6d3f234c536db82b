package sciworld

// game is one running simulation, for one goroutine. It is an interface because
// tests also play made-up games, and games of the official simulator.
type game interface {
	// start loads a task and looks around, as the Python package does.
	start(p taskVariation, simplifications string) (report, error)
	// act makes a step and then lists what is valid, as the Python package does.
	act(action string) report
	inventory() string
	// description is what the task asks for.
	description() string
	// forms lists the templates of actions.
	forms() []string
	// objects lists what can be spoken of. It can draw random numbers.
	objects() []string
	// goals is the simulator's table of the goals and whether they are reached.
	goals() string
	// valid lists what was valid after the last step. It changes nothing.
	valid() []string
	// judge makes another list of what is valid, which can draw random numbers,
	// and reports whether an action is on it.
	judge(action string) bool
	// fork returns a game that goes on from the present moment by itself.
	fork() game
	appendState(b []byte) []byte
	// tree shows the tree of objects.
	tree() string
}

// report is what a game says after an action.
type report struct {
	observation string
	score       float64 // 0 to 1; negative when the task has failed
	completed   bool
	moves       int // ticks so far
}
