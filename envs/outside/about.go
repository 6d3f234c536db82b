package outside

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
)

// The limits of what an environment says of itself.
const (
	MostTasks       = 100_000
	mostForms       = 1000
	mostSteps       = 1000
	longestText     = 64 << 10 // of an instruction and an observation, in bytes
	longestAction   = 4 << 10
	longestKey      = 4 << 10
	mostActions     = 10_000
	longestIDLength = 200
)

// Profile is what an environment says of itself.
type Profile struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Hash identifies the program and its data, in hex.
	Hash      string `json:"hash"`
	Tasks     []Task `json:"tasks"`
	StepLimit int    `json:"step_limit"`
	// Instruction explains rules and actions, Instructions do so for single kinds of tasks.
	Instruction  string            `json:"instruction"`
	Instructions map[string]string `json:"instructions,omitzero"`
	// Actions are the forms of all actions, such as "take {thing}".
	Actions []string `json:"actions,omitzero"`
	// Can lists what the environment can besides.
	Can []string `json:"can,omitzero"`
	// Success says that the environment knows when a task is solved.
	Success bool `json:"success,omitzero"`
	// Progress says that its steps have a progress in [0,1], Return that they have a
	// reward: it is the least and the largest sum of rewards.
	Progress bool        `json:"progress,omitzero"`
	Return   *[2]float64 `json:"return,omitzero"`
	// Settings are choices of the user that are part of conditions.
	Settings map[string]string `json:"-"`
}

// What an environment can.
const (
	CanList   = "actions"   // list the valid actions
	CanAdvise = "expert"    // say what a competent player would do
	CanFork   = "fork"      // go on from one moment in several worlds
	CanKey    = "state_key" // name the state of a world
)

// abilities are what an environment may say that it can.
var abilities = []string{CanList, CanAdvise, CanFork, CanKey}

// Task is a task of an environment.
type Task struct {
	ID   string `json:"id"`
	Kind string `json:"kind,omitzero"`
	// Use is what the task is for; empty for test.
	Use string `json:"use,omitzero"`
}

// uses are what a task may be for.
var uses = []string{"", "train", "dev", "test"}

var (
	goodName    = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	goodVersion = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`)
	goodHash    = regexp.MustCompile(`^[0-9a-f]{8,64}$`)
	goodID      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+=#-]*$`)
)

// check reports what an environment must not say.
func (a *Profile) check() error {
	for _, f := range []struct {
		field, value string
		good         *regexp.Regexp
		want         string
	}{
		{"name", a.Name, goodName, "1 to 64 of the characters a-z, 0-9, ., _ and -"},
		{"version", a.Version, goodVersion, "1 to 64 letters, digits and characters of ._+-"},
		{"hash", a.Hash, goodHash, "8 to 64 hex digits in lower case"},
	} {
		if !f.good.MatchString(f.value) {
			return fmt.Errorf("%s is %.80q, want %s", f.field, f.value, f.want)
		}
	}
	if a.StepLimit < 1 || a.StepLimit > mostSteps {
		return fmt.Errorf("step_limit is %d, want 1 to %d", a.StepLimit, mostSteps)
	}
	for _, can := range a.Can {
		if !slices.Contains(abilities, can) {
			return fmt.Errorf("can has %.40q, want %s", can, strings.Join(abilities, ", "))
		}
	}
	return errors.Join(a.checkTexts(), a.checkMeasure(), a.checkTasks())
}

func (a *Profile) checkTexts() error {
	if len(a.Actions) > mostForms {
		return fmt.Errorf("actions has %d forms, want at most %d", len(a.Actions), mostForms)
	}
	forms := len(strings.Join(a.Actions, "\n"))
	for _, text := range append(slices.Collect(maps.Values(a.Instructions)), a.Instruction) {
		if n := len(text) + forms; n > longestText-100 { // room for what stands between them
			return fmt.Errorf("an instruction with the forms of actions has %d bytes, want at most %d", n, longestText-100)
		}
	}
	return nil
}

func (a *Profile) checkMeasure() error {
	switch r := a.Return; {
	case a.Progress && r != nil:
		return errors.New("it has both progress and return, want one")
	case !a.Progress && r == nil && !a.Success:
		return errors.New("it has none of success, progress and return, so that nothing can be measured")
	case r != nil && !(r[0] < r[1] && math.Abs(r[0]) <= math.MaxFloat32 && math.Abs(r[1]) <= math.MaxFloat32):
		return fmt.Errorf("return is %v, want two finite numbers, the smaller first", *r)
	}
	return nil
}

func (a *Profile) checkTasks() error {
	if n := len(a.Tasks); n == 0 || n > MostTasks {
		return fmt.Errorf("there are %d tasks, want 1 to %d", n, MostTasks)
	}
	found := map[string]bool{}
	for i, t := range a.Tasks {
		switch {
		case len(t.ID) > longestIDLength || !goodID.MatchString(t.ID):
			return fmt.Errorf("the id of tasks[%d] is %.80q, want 1 to %d letters, digits and characters of ._:/@+=#-",
				i, t.ID, longestIDLength)
		case t.Kind != "" && (len(t.Kind) > longestIDLength || !goodID.MatchString(t.Kind)):
			return fmt.Errorf("the kind of tasks[%d] is %.80q, want letters, digits and characters of ._:/@+=#-", i,
				t.Kind)
		case !slices.Contains(uses, t.Use):
			return fmt.Errorf("the use of tasks[%d] is %.40q, want train, dev or test", i, t.Use)
		case found[t.ID]:
			return fmt.Errorf("tasks[%d] has the id %q, which an earlier task has", i, t.ID)
		case strings.TrimSpace(cmp.Or(a.Instructions[t.Kind], a.Instruction)) == "":
			return fmt.Errorf("tasks[%d] of the kind %q has no instruction", i, t.Kind)
		}
		found[t.ID] = true
	}
	return nil
}

var numbers = regexp.MustCompile(`^(\d{1,9})(?:-(\d{1,9}))?$`)

// Range reads the first and the last of a range of numbers such as 0-99, or one number.
func Range(text string) (first, last int, ok bool) {
	m := numbers.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	first, _ = strconv.Atoi(m[1]) // it has digits
	last, _ = strconv.Atoi(cmp.Or(m[2], m[1]))
	return first, last, true
}

// tasks are the environment's tasks in the order that it gave.
func (a *Profile) tasks() []envs.Task {
	out := make([]envs.Task, len(a.Tasks))
	for i, t := range a.Tasks {
		out[i] = envs.Task{ID: t.ID, Index: i, Type: t.Kind, Use: t.Use,
			Digest: envs.Digest(a.Name, a.Version, a.Hash, t.ID, t.Kind)}
	}
	return out
}
