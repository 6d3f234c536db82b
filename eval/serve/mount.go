package serve

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"heldout/envs"
	"heldout/eval/agent"
	"heldout/scoring/table"
)

// MountOptions say what a mount serves and how.
type MountOptions struct {
	Name string // the mount's name in addresses, such as "alfworld"
	// Splits are the sets of tasks; the first is the default. There is at least one.
	Splits []Split
	Reward Reward // the meaning of rewards; empty for RewardSuccess
	// StepCost is taken off the reward of every step, InvalidPenalty off that of a step
	// whose action was not valid; both from 0 to 1.
	StepCost, InvalidPenalty float64
	Actions                  bool // every observation has the valid actions
	// MaxSteps truncates episodes; 0 uses the environment's own limit.
	MaxSteps int
	// Form writes observations as a preset shows them to its model; nil for the
	// environment's own texts. Preset is the preset's name.
	Form   *agent.Renderer
	Preset string
	// Limit is the step limit of tasks of a type, if MaxSteps is 0; nil uses the environment's own.
	Limit func(taskType string) int
	// Generated opens the split of generated tasks of some seeds, such as generated:1-100;
	// nil if the environment generates none.
	Generated func(seeds envs.GeneratorSeeds) (envs.Env, []envs.Task, error)
	// Perturbation names the perturbation around the environment, empty for none.
	// PerturbationHash identifies its rules.
	Perturbation, PerturbationHash string
}

// Split is a set of tasks of a mount.
type Split struct {
	Name string // the name of the split, such as "valid_unseen"
	// Open opens the environment and selects its tasks. It is called once, when the
	// split is first used. An error is tried again.
	Open func() (envs.Env, []envs.Task, error)
}

// Mount is an environment as configured, under a name.
type Mount struct {
	MountOptions
	sets    []*Set
	counter atomic.Uint64 // of resets that name no task
	gym     bool          // it is one of AgentGym's

	mu        sync.Mutex
	generated map[string]*Set // by name
}

// generatedPrefix begins the names of splits of generated tasks, mostGenerated is the
// largest number of such splits: each holds an environment.
const (
	generatedPrefix = "generated:"
	mostGenerated   = 16
)

// Set is an opened split.
type Set struct {
	Split
	Env   envs.Env    // the environment, with its perturbation
	Tasks []envs.Task // the tasks that are served, in benchmark order

	mu   sync.Mutex     // held while the split is opened
	byID map[string]int // index in Tasks; nil until then
}

// NewMount returns a mount. It opens nothing yet.
func NewMount(o MountOptions) *Mount {
	if o.Reward == "" {
		o.Reward = RewardSuccess
	}
	return &Mount{MountOptions: o, generated: map[string]*Set{},
		sets: table.Each(o.Splits, func(s Split) *Set { return &Set{Split: s} })}
}

// Set returns a split, opened; an empty name stands for the default. The error is a
// *ChoiceError if there is no such split.
func (m *Mount) Set(name string) (*Set, error) {
	if seeds, ok := strings.CutPrefix(name, generatedPrefix); ok && m.Generated != nil {
		set, err := m.generatedSet(seeds)
		if err != nil {
			return nil, err
		}
		return set, set.open()
	}
	i := 0
	if name != "" {
		i = slices.IndexFunc(m.sets, func(s *Set) bool { return strings.EqualFold(s.Name, name) })
	}
	if i < 0 {
		return nil, &ChoiceError{Field: "split", Text: fmt.Sprintf("unknown split %q; there are %s", name,
			strings.Join(m.SplitNames(), ", "))}
	}
	return m.sets[i], m.sets[i].open()
}

// generatedSet returns the split of generated tasks of some seeds.
func (m *Mount) generatedSet(text string) (*Set, error) {
	seeds, err := envs.ParseGeneratorSeeds(text)
	if err != nil {
		return nil, &ChoiceError{Field: "split", Text: generatedPrefix + " " + err.Error()}
	}
	name := generatedPrefix + seeds.String()
	m.mu.Lock()
	defer m.mu.Unlock()
	if set, ok := m.generated[name]; ok {
		return set, nil
	}
	if len(m.generated) == mostGenerated {
		return nil, &ChoiceError{Field: "split", Text: fmt.Sprintf(
			"%d splits of generated tasks are open already: ask for one range of seeds", mostGenerated)}
	}
	set := &Set{Split: Split{Name: name, Open: func() (envs.Env, []envs.Task, error) { return m.Generated(seeds) }}}
	m.generated[name] = set
	return set, nil
}

// SplitNames returns the names of the splits, the default first.
func (m *Mount) SplitNames() []string {
	return table.Each(m.Splits, func(s Split) string { return s.Name })
}

func (s *Set) open() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID != nil {
		return nil
	}
	env, tasks, err := s.Open()
	if err != nil {
		return fmt.Errorf("split %s cannot be opened: %w", s.Name, err)
	}
	s.Env, s.Tasks, s.byID = env, tasks, make(map[string]int, len(tasks))
	for i, t := range tasks {
		s.byID[t.ID] = i
	}
	return nil
}

// limit is the step limit of a task whose reset names none.
func (m *Mount) limit(set *Set, t envs.Task) int {
	switch {
	case m.MaxSteps != 0:
		return m.MaxSteps
	case m.Limit != nil:
		return m.Limit(t.Type)
	}
	return set.Env.Info().StepLimit
}

// TaskChoice says which task an episode plays: TaskID; or Index in a split; or Level
// and Seed, in environments with levels; or Seed alone, which counts tasks modulo
// their number; or, with none of them, the next task of the mount's counter.
type TaskChoice struct {
	TaskID string
	Split  string // the name of the split; empty for the default
	Level  string // the name of a level, such as BabyAI's
	// Index is the 0-based number of the task in the split; nil for none. Seed is not negative; nil for none.
	Index, Seed *int64
}

// ChoiceError says that a request chose something that does not exist. Field is the argument, such as "index".
type ChoiceError struct{ Field, Text string }

func (e *ChoiceError) Error() string { return e.Text }

// Find returns the set and the task of a choice. The error is a *ChoiceError unless the environment failed.
func (m *Mount) Find(c TaskChoice) (*Set, envs.Task, error) {
	set, err := m.Set(c.Split)
	if err != nil {
		return nil, envs.Task{}, err
	}
	t, err := m.find(set, c)
	return set, t, err
}

func (m *Mount) find(set *Set, c TaskChoice) (envs.Task, error) {
	n := int64(len(set.Tasks))
	switch {
	case c.TaskID != "":
		return set.named("task_id", c.TaskID)
	case c.Level != "":
		if c.Seed == nil {
			return envs.Task{}, &ChoiceError{"level", "a level needs a seed"}
		}
		return set.named("level", c.Level+"/"+strconv.FormatInt(*c.Seed, 10))
	case c.Index != nil:
		if *c.Index < 0 || *c.Index >= n {
			return envs.Task{}, &ChoiceError{"index",
				fmt.Sprintf("index %d is not in split %s, which has the tasks 0 to %d", *c.Index, set.Name, n-1)}
		}
		return set.Tasks[*c.Index], nil
	case c.Seed != nil:
		if *c.Seed < 0 {
			return envs.Task{}, &ChoiceError{"seed", fmt.Sprintf("seed %d is negative", *c.Seed)}
		}
		return set.Tasks[*c.Seed%n], nil
	}
	return set.Tasks[(m.counter.Add(1)-1)%uint64(n)], nil
}

// named returns the task with that name: of the set or, if the environment can, one outside its benchmark.
func (s *Set) named(field, id string) (envs.Task, error) {
	if i, ok := s.byID[id]; ok {
		return s.Tasks[i], nil
	}
	err := errors.New("there is none")
	if f, ok := envs.As[envs.Finder](s.Env); ok {
		var t envs.Task
		if t, err = f.Task(id); err == nil {
			return t, nil
		}
	}
	return envs.Task{}, &ChoiceError{field, fmt.Sprintf("no task %q in split %s: %v", id, s.Name, err)}
}

// Reward says what the reward of a step is.
type Reward string

// The rewards.
const (
	// RewardSuccess is 1 at the step that solves the task and 0 at every other, so
	// that the sum of an episode and its last value agree.
	RewardSuccess  Reward = "success"
	RewardProgress Reward = "progress" // the progress after the step
	RewardDelta    Reward = "delta"    // the change of the progress
)

// Rewards are all rewards, the default first.
func Rewards() []Reward { return []Reward{RewardSuccess, RewardProgress, RewardDelta} }

// Check reports a reward that does not exist.
func (r Reward) Check() error {
	if slices.Contains(Rewards(), r) {
		return nil
	}
	return fmt.Errorf("unknown reward %q; there are %s", r, strings.Trim(fmt.Sprint(Rewards()), "[]"))
}

// CheckCost reports a cost that is not from 0 to 1.
func CheckCost(name string, cost float64) error {
	if !(cost >= 0 && cost <= 1) {
		return fmt.Errorf("%s is %v, want a number from 0 to 1", name, cost)
	}
	return nil
}

// reward returns the reward of a step. prev is the progress before it.
func (o *MountOptions) reward(s envs.Step, prev float64) float64 {
	r := o.Reward.gross(s, prev) - o.StepCost
	if !s.Valid {
		r -= o.InvalidPenalty
	}
	return r
}

// gross returns the reward of a step without its costs.
func (r Reward) gross(s envs.Step, prev float64) float64 {
	switch r {
	case RewardProgress:
		return s.Progress
	case RewardDelta:
		return s.Progress - prev
	}
	if s.Success {
		return 1
	}
	return 0
}
