package sciworld

import "context"

// PossibleActions lists the templates of actions, such as "open OBJ", sorted.
func (w *world) PossibleActions(ctx context.Context) ([]string, error) {
	if w.game == nil {
		return nil, errNotRunning
	}
	return w.game.forms(ctx)
}

// PossibleObjects lists what can be spoken of here, sorted. As in the reference,
// asking can draw random numbers, and then the episode goes on differently.
func (w *world) PossibleObjects(ctx context.Context) ([]string, error) {
	if w.game == nil {
		return nil, errNotRunning
	}
	return w.game.objects(ctx)
}

// Goals is the simulator's table of the goals and whether they are reached.
func (w *world) Goals(ctx context.Context) (string, error) {
	if w.game == nil {
		return "", errNotRunning
	}
	return w.game.goals(ctx)
}

// ObjectTree is all objects with their properties, as JSON. Only the official
// simulator has it, from version 1.2 on.
func (w *world) ObjectTree(ctx context.Context) (string, error) {
	if w.game == nil {
		return "", errNotRunning
	}
	return w.game.tree(ctx)
}
