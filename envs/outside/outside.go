// Package outside plays environments that others run. A Provider reaches one; what it says is
// checked here, whatever way it came, and made an envs.Env.
package outside

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"heldout/envs"
)

// Provider reaches an environment. It is safe for concurrent use.
type Provider interface {
	// Describe returns what the environment says of itself.
	Describe(context.Context) (*Profile, error)
	// Begin begins an instance of a task.
	Begin(ctx context.Context, task string, seed int64) (Instance, Beginning, error)
	// Close ends what the provider has started.
	Close() error
}

// Instance is a task that is being played. It belongs to one goroutine.
type Instance interface {
	Step(ctx context.Context, action string) (StepReply, error)
	// Actions lists the valid actions, and Advice is what a competent player would do; an
	// environment that cannot is not asked.
	Actions(context.Context) ([]string, error)
	Advice(context.Context) (string, error)
	// Fork returns another instance that goes on from the present moment by itself, and StateKey
	// names that moment; both as envs has it, and only where the environment can.
	Fork() (Instance, error)
	StateKey() (string, error)
	Close() error
}

// Plain is a part of instances whose environment can do nothing besides: nobody asks it.
type Plain struct{}

// Actions implements Instance.
func (Plain) Actions(context.Context) ([]string, error) { return nil, nil }

// Advice implements Instance.
func (Plain) Advice(context.Context) (string, error) { return "", nil }

// Fork implements Instance.
func (Plain) Fork() (Instance, error) { return nil, errors.ErrUnsupported }

// StateKey implements Instance.
func (Plain) StateKey() (string, error) { return "", nil }

// Beginning is what an environment says before the first action.
type Beginning struct {
	Goal, Observation string
	Progress          *float64
}

// StepReply is what an environment says to an action; nil for what it leaves out.
type StepReply struct {
	Observation      string
	Progress, Reward *float64
	Done             bool
	Success, Valid   *bool
	// Unjudged is as in envs.Step.
	Unjudged bool
}

// Options say how an environment is run and measured.
type Options struct {
	// Processes is the number of its processes, and Timeout how long an answer may take.
	Processes int
	Timeout   time.Duration
	// Address is the address of its server, without what may be secret; empty if it has none.
	Address string
	// Threshold is the least progress of a success where the environment does not know
	// success; 0 if the user gave none.
	Threshold float64
}

// Env is an environment that others run.
type Env struct {
	provider Provider
	about    *Profile
	envs.Roster
	Options
}

// New describes the environment behind a provider, which belongs to a scheme such as "exec".
func New(ctx context.Context, scheme string, provider Provider, o Options) (*Env, error) {
	about, err := provider.Describe(ctx)
	if err != nil {
		return nil, err
	}
	name := scheme + ":" + about.Name
	if err := about.check(); err != nil {
		return nil, fmt.Errorf("the environment %s describes itself wrongly: %w", Quoted(name), err)
	}
	switch {
	case about.Success && o.Threshold > 0:
		return nil, fmt.Errorf("%s says itself which tasks are solved: leave out --%s", name, thresholdName)
	case !about.Success && o.Threshold == 0:
		return nil, fmt.Errorf("%s does not say which tasks are solved: give the least progress of a success, such as "+
			"--%s 1", name, thresholdName)
	}
	e := &Env{provider: provider, about: about, Options: o}
	e.List = about.tasks()
	e.About = envs.Info{Name: name, Source: envs.External, StepLimit: about.StepLimit, Settings: e.settings(),
		Address: o.Address, Instructions: about.instructions()}
	return e, nil
}

// hashDigits is how many digits of a hash conditions have; digests of tasks have all.
const hashDigits = 16

// settings identify the environment in every condition.
func (e *Env) settings() map[string]string {
	out := map[string]string{"version": e.about.Version, "hash": e.about.Hash[:min(len(e.about.Hash), hashDigits)]}
	maps.Copy(out, e.about.Settings)
	if r := e.about.Return; r != nil {
		out["return"] = fmt.Sprintf("%g to %g", r[0], r[1])
	}
	if e.Threshold > 0 {
		out[thresholdName] = strconv.FormatFloat(e.Threshold, 'g', -1, 64)
	}
	return out
}

// NewWorld implements envs.Env.
func (e *Env) NewWorld(t envs.Task) (envs.World, error) {
	if t.Index < 0 || t.Index >= len(e.List) || e.List[t.Index].ID != t.ID {
		return nil, fmt.Errorf("%s has no task %q", e.About.Name, t.ID)
	}
	return world{&checked{env: e, task: t.ID}}, nil
}

// Close ends what runs the environment.
func (e *Env) Close() error { return e.provider.Close() }

// instructions are the instructions in prompts, by the kind of tasks, with the forms of actions.
func (a *Profile) instructions() map[string]string {
	out := map[string]string{}
	for _, t := range a.Tasks {
		if out[t.Kind] != "" {
			continue
		}
		text := strings.TrimRight(cmp.Or(a.Instructions[t.Kind], a.Instruction), "\n") + "\n"
		if len(a.Actions) > 0 {
			text += "You can take these actions:\n" + strings.Join(a.Actions, "\n") + "\n"
		}
		out[t.Kind] = text
	}
	return out
}

// sorted lists actions as envs.Lister has them.
func sorted(actions []string) ([]string, error) {
	if len(actions) > mostActions {
		return nil, fmt.Errorf("it lists %d valid actions, want at most %d", len(actions), mostActions)
	}
	for _, a := range actions {
		if len(a) > longestAction {
			return nil, fmt.Errorf("a valid action has %d bytes, want at most %d", len(a), longestAction)
		}
	}
	slices.Sort(actions)
	return slices.Compact(actions), nil
}

const (
	processesName = "env-processes"
	timeoutName   = "env-timeout"
	thresholdName = "success-threshold"
)

// longestAnswer is how long an answer may take by default.
const longestAnswer = 2 * time.Minute

// Configured returns the options that settings choose.
func Configured(s envs.Settings) (o Options) {
	o.Processes, o.Timeout = max(1, s.Number(processesName)), longestAnswer
	if d, err := time.ParseDuration(s[timeoutName]); err == nil {
		o.Timeout = d
	}
	if x, err := strconv.ParseFloat(s[thresholdName], 64); err == nil {
		o.Threshold = x
	}
	return o
}
