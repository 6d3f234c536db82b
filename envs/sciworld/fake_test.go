package sciworld

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// madeUp is a game of which a test has written what it says. It notes what it is asked
// for, in order. It has nothing beside that.
type madeUp struct {
	game
	reports []report   // of the start and of each action; "You wait." after them
	lists   [][]string // by which each action is judged, in order; nothing is valid after them
	broken  bool       // its task cannot be loaded
	asked   []string
}

func (m *madeUp) note(format string, args ...any) {
	m.asked = append(m.asked, fmt.Sprintf(format, args...))
}

func (m *madeUp) start(p taskVariation, simplifications string) (report, error) {
	if m.broken {
		return report{}, errors.New("no such task")
	}
	m.note("start %s with %s", p.id(), simplifications)
	return m.next(), nil
}

func (m *madeUp) act(action string) report {
	m.note("act %q", action)
	return m.next()
}

func (m *madeUp) next() report {
	if len(m.reports) == 0 {
		return report{observation: "You wait.", moves: 1}
	}
	r := m.reports[0]
	m.reports = m.reports[1:]
	return r
}

func (m *madeUp) inventory() string {
	m.note("inventory")
	return "You carry:\n\ta pear\n"
}

func (m *madeUp) description() string {
	m.note("description")
	return "Rake the leaves."
}

func (m *madeUp) forms() []string {
	m.note("forms")
	return []string{"go OBJ", "rake OBJ", "reset task", "wait"}
}

func (m *madeUp) valid() []string {
	m.note("valid")
	return []string{"go shed", "wait"}
}

func (m *madeUp) judge(action string) bool {
	m.note("judge %q", action)
	if len(m.lists) == 0 {
		return false
	}
	list := m.lists[0]
	m.lists = m.lists[1:]
	return slices.Contains(list, action)
}

// madeUpEnv is an environment that plays one made-up game.
func madeUpEnv(t testing.TB, m *madeUp, board bool, labels []goalLabel) *Env {
	t.Helper()
	e := &Env{Roster: envs.Roster{About: envs.Info{Name: Name, Source: envs.Official, StepLimit: boardStepLimit}},
		board: board, labels: labels, simplifications: "openDoors", native: &native{},
		newGame: func() game { return m }}
	e.List = []envs.Task{e.task(boardPlaces()[0], 0)}
	return e
}

// play starts a world of the first task and makes steps.
func play(t testing.TB, e *Env, actions ...string) (envs.Start, []envs.Step) {
	t.Helper()
	w := newStarted(t, e)
	defer w.Close()
	var steps []envs.Step
	for _, a := range actions {
		steps = append(steps, sharedtest.Must(w.Step(context.Background(), a))(t))
	}
	return w.started, steps
}

// startedWorld is a world with what it said.
type startedWorld struct {
	*world
	started envs.Start
}

func newStarted(t testing.TB, e *Env) startedWorld {
	t.Helper()
	w := sharedtest.Must(e.NewWorld(e.Tasks()[0]))(t)
	return startedWorld{w.(*world), sharedtest.Must(w.Start(context.Background()))(t)}
}
