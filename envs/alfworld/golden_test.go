package alfworld

import (
	"path"
	"slices"
	"sync"
	"testing"

	"heldout/envs"
	"heldout/envs/engine/planning"
	"heldout/envs/sharedtest"
)

// official returns the official tasks, or skips the test.
func official(t testing.TB, o Options) *Env {
	t.Helper()
	return sharedtest.Must(NewOfficial(sharedtest.AgentBoard(t), o))(t)
}

// read are the official tasks that tests share.
var read = map[Options]*Env{}

// shared returns official tasks that are read once for all tests, or skips the test.
func shared(t testing.TB, o Options) *Env {
	t.Helper()
	if read[o] == nil {
		read[o] = official(t, o)
	}
	return read[o]
}

// newTestWorld makes a world of a task.
func newTestWorld(t testing.TB, e *Env, task envs.Task) *world {
	t.Helper()
	w := sharedtest.Must(e.NewWorld(task))(t).(*world)
	sharedtest.OK(t, w.load())
	return w
}

// loaded reads and grounds a game and returns a world of it.
func loaded(s gameSource, domain *planning.Domain) (*world, error) {
	r, err := s.read(domain)
	if err != nil {
		return nil, err
	}
	l := &loading{goal: r.game.goal, room: r.game.room}
	l.rules = sync.OnceValues(func() (*rules, error) { return s.finish(r) })
	w := newWorld(l)
	return w, w.load()
}

// taskNamed finds a task by its ID.
func taskNamed(t testing.TB, e *Env, id string) envs.Task {
	t.Helper()
	i := slices.IndexFunc(e.Tasks(), func(task envs.Task) bool { return task.ID == id })
	if i < 0 {
		t.Fatalf("there is no task %s", id)
	}
	return e.Tasks()[i]
}

// The records of AgentBoard's own environment: what its step got and gave.
func TestGoldenAgentBoard(t *testing.T) {
	type step struct {
		Action        string
		InActionSpace bool `json:"in_action_space"`
		Obs           string
		Reward        float64
		Done          bool
		ValidBefore   []string `json:"valid_before"`
	}
	type trace struct {
		Index      int
		Game       string
		RawReset   string `json:"raw_reset"`
		InitObs    string `json:"init_obs"`
		Goal       string
		Difficulty envs.Difficulty
		Subgoals   []string
		Steps      []step
	}
	e := shared(t, Options{})
	steps := 0
	for _, tr := range sharedtest.Lines[trace](t, "alfworld/agentboard_unseen134_v1.jsonl.gz", 12) {
		task := e.Tasks()[tr.Index]
		w := newTestWorld(t, e, task)
		l := sharedtest.Must(derivedLabel(path.Dir(task.ID)))(t)
		got := trace{
			Index: task.Index, Game: "valid_unseen/" + task.ID + "/game.tw-pddl", RawReset: w.engine.intro(),
			InitObs: w.view, Goal: goalPrefix + w.rules.game.goal, Difficulty: task.Difficulty, Subgoals: l.subgoals,
		}
		for _, want := range tr.Steps {
			s := step{Action: want.Action, InActionSpace: w.valid(want.Action),
				ValidBefore: append(w.engine.commands(), checkAction)}
			out := w.step(want.Action)
			s.Obs, s.Reward, s.Done = out.Observation, out.Progress, out.Done
			got.Steps = append(got.Steps, s)
			steps++
		}
		sharedtest.Same(t, got, tr, "game", tr.Index)
	}
	t.Logf("%d steps", steps)
}

// The runs of models through AgentBoard's driver.
func TestGoldenLogs(t *testing.T) {
	type step struct {
		Action, Observation string
		Progress            float64
	}
	type trace struct {
		ID         int
		TaskName   string `json:"task_name"`
		Goal       string
		Difficulty envs.Difficulty
		Done       bool
		Progress   float64
		Grounding  float64
		Steps      []step
	}
	e := shared(t, Options{})
	steps := 0
	for _, tr := range sharedtest.Lines[trace](t, "agentboard-logs/alfworld.jsonl.gz", 12) {
		task := e.Tasks()[tr.ID]
		w := newTestWorld(t, e, task)
		start := sharedtest.Must(w.Start(t.Context()))(t)
		got := trace{ID: task.Index, TaskName: path.Dir(task.ID), Goal: start.Goal, Difficulty: task.Difficulty}
		valid := 0
		for _, want := range tr.Steps {
			s := sharedtest.Must(w.Step(t.Context(), want.Action))(t)
			if s.Valid {
				valid++
			}
			got.Steps = append(got.Steps, step{want.Action, s.Observation, s.Progress})
			got.Done, got.Progress = s.Done, s.Progress
			steps++
		}
		if len(tr.Steps) > 0 {
			got.Grounding = float64(valid) / float64(len(tr.Steps))
		}
		sharedtest.Same(t, got, tr, "task", tr.ID)
	}
	t.Logf("%d steps", steps)
}

// intro is the text before the first command.
func (e *engine) intro() string { return intro(e.game.room, e.game.goal) }

// The label file and the rule that replaces it say the same.
func TestGoldenLabels(t *testing.T) {
	e := shared(t, Options{})
	type line struct {
		ID         int
		Goal       string
		Subgoals   []string
		Difficulty envs.Difficulty
		Info       struct{ Description string } `json:"additional_info"`
	}
	for _, want := range sharedtest.Lines[line](t, "alfworld/labels_unseen134_derived.jsonl.gz", 12) {
		task := e.Tasks()[want.ID]
		l := sharedtest.Must(derivedLabel(path.Dir(task.ID)))(t)
		got := line{ID: task.Index, Goal: newTestWorld(t, e, task).rules.game.goal, Subgoals: l.subgoals,
			Difficulty: l.difficulty}
		got.Info.Description = task.ID
		sharedtest.Same(t, got, want, "task", want.ID)
		sharedtest.Equal(t, task.Difficulty, l.difficulty, "difficulty of task", want.ID)
	}
}
