package perturb

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/stream"
)

// ofEachTask ends the recorded names of perturbations that are drawn for each task.
const ofEachTask = "/task"

// Drawn is an environment in which every task has a perturbation of its own, drawn from
// the families of the environment.
type Drawn struct {
	envs.Env
	families configs.Families
	seed     int64
	count    string
}

// Draw puts perturbations around the tasks of an environment: by random:SEED:K, each task
// has K families in any grades. The draw of a task follows from the seed and the task.
func Draw(env envs.Env, name string) (*Drawn, error) {
	families, err := configs.LoadFamilies(env.Info().Name)
	if err != nil {
		return nil, err
	}
	kind, rest, _ := strings.Cut(name, ":")
	if kind != randomName {
		return nil, fmt.Errorf("perturbation %q is not drawn: want %s:SEED:K", name, randomName)
	}
	if _, err := random(families, rest); err != nil {
		return nil, fmt.Errorf("perturbation %q of %s: %w", name, families.Env, err)
	}
	d := &Drawn{Env: env, families: families}
	_, d.count, _ = strings.Cut(rest, ":")
	_, err = fmt.Sscan(rest[:len(rest)-len(d.count)-1], &d.seed)
	return d, err
}

// IsDrawn reports whether a name is one for Draw.
func IsDrawn(name string) bool { return strings.HasPrefix(name, randomName+":") }

// DrawnFrom returns what was drawn from, if a recorded name belongs to a Drawn.
func DrawnFrom(recorded string) (name string, ok bool) {
	return strings.CutSuffix(recorded, ofEachTask)
}

// Name is what records call the perturbations, Hash identifies what they are drawn from.
func (d *Drawn) Name() string {
	return fmt.Sprintf("%s:%d:%s%s", randomName, d.seed, d.count, ofEachTask)
}

// Hash identifies the families and the draw.
func (d *Drawn) Hash() (string, error) {
	b, err := json.Marshal([]any{d.Name(), d.families, version})
	return fmt.Sprintf("%x", sha256.Sum256(b)), err
}

// ForTask returns the environment as a task has it: the rules are checked against the interface of its type only.
func (d *Drawn) ForTask(t envs.Task) (*Env, error) {
	seed := stream.Seed(d.seed, "perturbation of a task", d.families.Env, t.ID, t.Digest)
	rules, err := random(d.families, fmt.Sprintf("%d:%s", seed, d.count))
	if err != nil {
		return nil, err
	}
	return wrapTasks(d.Env, []envs.Task{t}, rules)
}

// NewWorld implements envs.Env.
func (d *Drawn) NewWorld(t envs.Task) (envs.World, error) {
	env, err := d.ForTask(t)
	if err != nil {
		return nil, err
	}
	return env.NewWorld(t)
}

// Unwrap implements envs.Wrapper.
func (d *Drawn) Unwrap() any { return d.Env }

// Rewrites implements envs.Wrapper. Which task an answer belongs to is not known, so
// answers are compared byte for byte.
func (d *Drawn) Rewrites() []any {
	return []any{
		func(envs.Comparer) envs.Comparer { return nil },
		func(envs.Describer) envs.Describer { return nil },
	}
}
