package agent

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/stream"
)

// steps is a staircase: up and down change the floor, stay does nothing, and leap falls
// from any floor to the end of the episode. The task is solved on the top floor.
type steps struct {
	floor, top int
	over       bool
	open       *int // worlds that are not closed
}

func newSteps(top int) *steps { return &steps{top: top, open: new(int)} }

func (s *steps) Start(context.Context) (envs.Start, error) { return envs.Start{}, nil }

func (s *steps) Step(_ context.Context, action string) (envs.Step, error) {
	switch action {
	case "up":
		s.floor++
	case "down":
		s.floor = max(0, s.floor-1)
	case "leap":
		s.over = true
	case "break":
		return envs.Step{}, errors.New("it broke")
	}
	solved := s.floor == s.top
	return envs.Step{Progress: float64(s.floor) / float64(s.top), Done: s.over || solved, Success: solved}, nil
}

func (s *steps) Close() error { *s.open--; return nil }

func (s *steps) Actions(context.Context) ([]string, error) {
	return []string{"down", "leap", "stay", "up"}, nil
}

func (s *steps) Fork() (envs.World, error) {
	*s.open++
	f := *s
	return &f, nil
}

func (s *steps) AppendState(b []byte) ([]byte, error) {
	return strconv.AppendBool(strconv.AppendInt(b, int64(s.floor), 10), s.over), nil
}

// search plays a searching agent to its end.
func search(t *testing.T, w envs.World, s Searching) (actions string, cost int) {
	t.Helper()
	s.Random = stream.New(1, "search")
	a, err := NewSearch(w, s)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for {
		m, err := a.Act(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		cost += m.Usage.WorldSteps
		if m.GiveUp {
			return strings.Join(all, " "), cost
		}
		all = append(all, m.Action)
	}
}

func TestSearch(t *testing.T) {
	for _, way := range SearchWays() {
		w := newSteps(4)
		got, cost := search(t, w, Searching{Way: way, Budget: 1000, Limit: 10})
		if strings.Count(got, "up") < 4 || strings.Contains(got, "leap") || cost < 4 || cost >= 1000 {
			t.Errorf("%s plays %q after %d steps", way, got, cost)
		}
		if *w.open != 0 || w.floor != 0 {
			t.Errorf("%s leaves %d worlds open, and the first on floor %d", way, *w.open, w.floor)
		}
		again, _ := search(t, newSteps(4), Searching{Way: way, Budget: 1000, Limit: 10})
		if diff := cmp.Diff(got, again); diff != "" {
			t.Error(diff)
		}
	}
}

// A search that cannot reach the goal goes as far as it can, and no further than its
// budget and the limit of steps.
func TestSearchEndsShort(t *testing.T) {
	for _, way := range SearchWays() {
		if got, cost := search(t, newSteps(50), Searching{Way: way, Budget: 1000, Limit: 3}); got != "up up up" ||
			cost > 1000 {
			t.Errorf("%s plays %q after %d steps", way, got, cost)
		}
		if _, cost := search(t, newSteps(50), Searching{Way: way, Budget: 7, Limit: 30}); cost != 7 {
			t.Errorf("%s makes %d steps with a budget of 7", way, cost)
		}
	}
}

// A run that is stopped does not wait for a search.
func TestSearchStops(t *testing.T) {
	for _, way := range SearchWays() {
		a, err := NewSearch(newSteps(1000), Searching{Way: way, Budget: 100_000, Limit: 1000,
			Random: stream.New(1, "search")})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if m, err := a.Act(ctx); !errors.Is(err, context.Canceled) || m.Usage.WorldSteps > 1 {
			t.Errorf("%s: %d steps, %v", way, m.Usage.WorldSteps, err)
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	if _, err := NewSearch(newSteps(1), Searching{Way: "guess"}); err == nil {
		t.Error("there is no such way")
	}
	if _, err := NewSearch(struct{ envs.World }{newSteps(1)}, Searching{Way: MCTS}); err == nil {
		t.Error("the world does not fork")
	}
}

// breaking lists an action that breaks the world.
type breaking struct{ steps }

func (b *breaking) Actions(context.Context) ([]string, error) { return []string{"break"}, nil }

func (b *breaking) Fork() (envs.World, error) {
	*b.open++
	f := *b
	return &f, nil
}

func TestSearchOfABrokenWorld(t *testing.T) {
	for _, way := range SearchWays() {
		a, err := NewSearch(&breaking{*newSteps(1)}, Searching{Way: way, Budget: 10, Limit: 10,
			Random: stream.New(1, "search")})
		if err != nil {
			t.Fatal(err)
		}
		if m, err := a.Act(t.Context()); err == nil || m.Usage.WorldSteps != 1 {
			t.Errorf("%s: %+v, %v", way, m, err)
		}
	}
}
