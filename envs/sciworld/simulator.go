package sciworld

import (
	"context"
	"fmt"
	"strings"

	"heldout/envs/sciworld/py4j"
)

// simulator is one running simulator: an object in its own virtual machine,
// because generator and settings are global there (§5). It belongs to one
// goroutine.
type simulator struct {
	conn   *py4j.Conn
	object py4j.Ref
	// listing is the last list of valid actions in the virtual machine; "" for none.
	listing py4j.Ref
	// alive reports whether the virtual machine still runs, and end ends it.
	alive func() bool
	end   func() error
}

func newSimulator(ctx context.Context, conn *py4j.Conn) (*simulator, error) {
	object, err := conn.New(ctx, simulatorClass)
	if err != nil {
		return nil, fmt.Errorf("the simulator of ScienceWorld does not start: %w", err)
	}
	return &simulator{conn: conn, object: object}, nil
}

// call calls a method whose result is a T.
func call[T any](ctx context.Context, s *simulator, method string, args ...any) (T, error) {
	var want T
	v, err := s.conn.Call(ctx, s.object, method, args...)
	if err != nil {
		return want, fmt.Errorf("sciworld: %s: %w", method, err)
	}
	got, ok := v.(T)
	if !ok {
		return want, fmt.Errorf("sciworld: %s answers with a %T, want a %T", method, v, want)
	}
	return got, nil
}

func (s *simulator) load(ctx context.Context, p place, simplifications string, goldPath bool) error {
	trouble, err := call[string](ctx, s, "load", p.task, p.variation, simplifications, goldPath)
	if err == nil && trouble != "" {
		err = fmt.Errorf("sciworld: the simulator does not load %s: %s", p.id(), trouble)
	}
	return err
}

// list calls a method that yields a list of strings.
func (s *simulator) list(ctx context.Context, method string) ([]string, error) {
	list, err := call[py4j.Ref](ctx, s, method)
	if err != nil {
		return nil, err
	}
	out, err := s.items(ctx, list)
	if err != nil {
		return nil, err
	}
	return out, s.conn.Free(ctx, list)
}

// items reads a list of strings, in which no line feeds occur (§1.3).
func (s *simulator) items(ctx context.Context, list py4j.Ref) ([]string, error) {
	v, err := s.conn.CallStatic(ctx, "java.lang.String", "join", "\n", list)
	if err != nil {
		return nil, fmt.Errorf("sciworld: reading a list: %w", err)
	}
	text, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("sciworld: a list reads as a %T", v)
	}
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\n"), nil
}

// listValid makes the simulator list valid actions, which can draw, and keeps the list.
func (s *simulator) listValid(ctx context.Context) error {
	list, err := call[py4j.Ref](ctx, s, "getValidActionObjectCombinations")
	if err != nil {
		return err
	}
	old := s.listing
	s.listing = list
	if old.ID == "" {
		return nil
	}
	return s.conn.Free(ctx, old)
}

// act makes a step and then all the calls that the simulator's own Python
// package makes after one, in its order (§3).
func (s *simulator) act(ctx context.Context, action string) (r report, err error) {
	if r.observation, err = call[string](ctx, s, "step", action); err != nil {
		return r, err
	}
	if r.score, err = call[float64](ctx, s, "getScore"); err != nil {
		return r, err
	}
	if r.completed, err = call[bool](ctx, s, "getCompleted"); err != nil {
		return r, err
	}
	moves, err := call[int32](ctx, s, "getNumMoves")
	if err != nil {
		return r, err
	}
	r.moves = int(moves)
	for _, free := range []string{"freeActionLook", "freeActionInventory", "freeActionTaskDesc"} {
		if _, err := call[string](ctx, s, free); err != nil {
			return r, err
		}
	}
	return r, s.listValid(ctx)
}

// start loads a task and looks around, as the Python package does.
func (s *simulator) start(ctx context.Context, p place, simplifications string) (report, error) {
	if err := s.load(ctx, p, simplifications, false); err != nil {
		return report{}, err
	}
	trouble, err := call[string](ctx, s, "reset")
	if err == nil && trouble != "" {
		err = fmt.Errorf("sciworld: the simulator does not reset %s: %s", p.id(), trouble)
	}
	if err != nil {
		return report{}, err
	}
	return s.act(ctx, "look around")
}
