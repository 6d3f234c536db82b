package sciworld

import "context"

// game is one running simulation, our own or the official one, for one goroutine.
type game interface {
	// start loads a task and looks around, as the Python package does.
	start(ctx context.Context, p place, simplifications string) (report, error)
	// act makes a step and then lists what is valid, as the Python package does.
	act(ctx context.Context, action string) (report, error)
	inventory(ctx context.Context) (string, error)
	// description is what the task asks for.
	description(ctx context.Context) (string, error)
	// forms lists the templates of actions.
	forms(ctx context.Context) ([]string, error)
	// objects lists what can be spoken of. It can draw random numbers.
	objects(ctx context.Context) ([]string, error)
	// goals is the simulator's table of the goals and whether they are reached.
	goals(ctx context.Context) (string, error)
	// tree is all objects with their properties, as JSON.
	tree(ctx context.Context) (string, error)
	// valid lists what was valid after the last step. It changes nothing.
	valid(ctx context.Context) ([]string, error)
	// judge makes another list of what is valid, which can draw random numbers,
	// and reports whether an action is on it.
	judge(ctx context.Context, action string) (bool, error)
}

// games is a source of games.
type games interface {
	// take returns a free game. The caller gives it back, or discards a broken one.
	take(ctx context.Context) (game, error)
	giveBack(game)
	discard(game)
	// solution returns the actions that solve a task.
	solution(ctx context.Context, p place, simplifications string) ([]string, error)
	close() error
}

// report is what a game says after an action.
type report struct {
	observation string
	score       float64 // 0 to 1; negative when the task has failed
	completed   bool
	moves       int // ticks so far
}
