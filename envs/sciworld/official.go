package sciworld

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// official is the official simulator: virtual machines for games, and one for solutions.
type official struct {
	machines *pool
	gold     *goldPaths
	scratch  *scratch
}

// newOfficial returns the simulator of a file. It starts no virtual machine.
func newOfficial(j jar, machines int) *official {
	folders := &scratch{}
	launch := launcher(j, folders)
	return &official{newPool(launch, machines), newGoldPaths(newPool(launch, 1)), folders}
}

func (o *official) take(ctx context.Context) (game, error) {
	s, err := o.machines.take(ctx)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (o *official) giveBack(g game) { o.machines.giveBack(g.(*simulator)) }

func (o *official) discard(g game) { o.machines.discard(g.(*simulator)) }

func (o *official) solution(ctx context.Context, p place, simplifications string) ([]string, error) {
	return o.gold.path(ctx, p, simplifications)
}

// close ends all virtual machines, including those in use.
func (o *official) close() error {
	return errors.Join(o.machines.close(), o.gold.machines.close(), o.scratch.remove())
}

func (s *simulator) inventory(ctx context.Context) (string, error) {
	return call[string](ctx, s, "freeActionInventory")
}

func (s *simulator) description(ctx context.Context) (string, error) {
	return call[string](ctx, s, "getTaskDescription")
}

func (s *simulator) forms(ctx context.Context) ([]string, error) {
	return s.list(ctx, "getPossibleActions")
}

func (s *simulator) objects(ctx context.Context) ([]string, error) {
	return s.list(ctx, "getPossibleObjects")
}

func (s *simulator) goals(ctx context.Context) (string, error) {
	return call[string](ctx, s, "getGoalProgressStr")
}

func (s *simulator) tree(ctx context.Context) (string, error) {
	return call[string](ctx, s, "getObjectTree", "")
}

func (s *simulator) valid(ctx context.Context) ([]string, error) { return s.items(ctx, s.listing) }

func (s *simulator) judge(ctx context.Context, action string) (bool, error) {
	text, err := call[string](ctx, s, "getValidActionObjectCombinationsJSON")
	if err != nil {
		return false, err
	}
	var list struct {
		Actions []struct {
			Action string `json:"action"`
		} `json:"validActions"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return false, fmt.Errorf("sciworld: the list of valid actions: %w", err)
	}
	for _, a := range list.Actions {
		if a.Action == action {
			return true, nil
		}
	}
	return false, nil
}
