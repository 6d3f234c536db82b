// Package babyai is BabyAI in text, as AgentBoard plays it. The worlds of MiniGrid match the reference's worlds for
// the same seeds. The agent sees descriptions and acts in words, and the answers match the reference byte for byte.
// The package also has AgentGym's variant.
//
// Section numbers in comments refer to the specification of the reference's behaviour.
package babyai

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"heldout/envs"
	"heldout/envs/engine/minigrid"
	"heldout/envs/engine/nprand"
)

// Name is the environment's name.
const Name = "babyai"

// stepLimit is the largest number of steps in the published configuration.
const stepLimit = 30

// The variants.
const (
	AgentBoard = "agentboard"
	AgentGym   = "agentgym"
)

// Options configure the environment.
type Options struct {
	// Data is a folder with the layout of AgentBoard's data folder, which supplies the sub-goals. If it is empty,
	// the sub-goals come from the instruction.
	Data string
	// Variant is AgentBoard (also when empty) or AgentGym, without sub-goals and data.
	Variant string
}

// Env implements envs.Env.
type Env struct {
	envs.Roster
	gym    bool
	labels []levelLabel // by task index; nil if sub-goals are made from the instruction
}

// New sets up the environment.
//
// The worlds need no data. But sub-goals decide progress, and therefore
// success: a task is official only if its sub-goals are AgentBoard's.
func New(o Options) (*Env, error) {
	e := &Env{Roster: envs.Roster{About: envs.Info{Name: Name, Source: envs.Generated, StepLimit: stepLimit}}}
	switch o.Variant {
	case "", AgentBoard:
		e.Set("labels", "instruction")
		if o.Data != "" {
			if err := e.readLabels(o.Data); err != nil {
				return nil, err
			}
		}
	case AgentGym:
		e.gym = true
		e.Set("variant", AgentGym)
	default:
		return nil, fmt.Errorf("babyai: unknown variant %q; there are %s and %s", o.Variant, AgentBoard, AgentGym)
	}
	for i, p := range benchmark() {
		t := envs.Task{ID: p.id(), Type: p.level.ID, Digest: e.digest(p, i)}
		if e.labels != nil {
			t.Difficulty = e.labels[i].difficulty
		}
		e.Add(t)
	}
	return e, nil
}

func (e *Env) readLabels(dir string) error {
	labels, raw, err := readLabels(dir)
	if err != nil {
		return err
	}
	e.labels = labels
	e.About.Source = envs.Official
	e.Set("labels", "agentboard")
	e.About.DataHash = envs.Digest(raw)
	return nil
}

// digest identifies all that defines a task; the index is -1 outside the benchmark.
func (e *Env) digest(p worldID, index int) string {
	texts := []string{p.id()}
	switch {
	case e.gym:
		texts = append(texts, AgentGym)
	case index < 0 || e.labels == nil:
		texts = append(texts, "sub-goals from the instruction")
	default:
		texts = append(texts, string(e.labels[index].difficulty))
		for _, way := range e.labels[index].ways {
			texts = append(texts, strconv.Itoa(len(way)))
			texts = append(texts, way...)
		}
	}
	return envs.Digest(texts...)
}

// Task implements envs.Finder. The name of a task is its level and seed, such as BabyAI-GoToRedBallGrey-v0/1234 or
// 1/1234. The sub-goals of tasks outside the benchmark come from the instruction.
func (e *Env) Task(id string) (envs.Task, error) {
	p, err := parsePlace(id)
	if err != nil {
		return envs.Task{}, err
	}
	canonical := p.id()
	if i := slices.IndexFunc(e.List, func(t envs.Task) bool { return t.ID == canonical }); i >= 0 {
		return e.List[i], nil
	}
	return envs.Task{ID: canonical, Index: -1, Type: p.level.ID, Digest: e.digest(p, -1)}, nil
}

// NewWorld implements envs.Env.
func (e *Env) NewWorld(t envs.Task) (envs.World, error) {
	if own, err := e.Task(t.ID); err != nil || own != t {
		return nil, fmt.Errorf("babyai: unknown task %s", t.ID)
	}
	p, err := parsePlace(t.ID)
	if err != nil {
		return nil, err
	}
	generator := minigrid.NewGenerator(p.level)
	w, err := generate(generator, p.seed)
	if err != nil {
		return nil, err
	}
	if e.gym { // AgentGym resets its environment once more, and the environment has memory (§6)
		if w, err = generate(generator, p.seed); err != nil {
			return nil, err
		}
		return &world{game: newGame(w, nil), gym: true}, nil
	}
	ways := [][]string{instructionGoals(w.Instruction())}
	if e.labels != nil && t.Index >= 0 {
		ways = e.labels[t.Index].ways
	}
	return &world{game: newGame(w, ways)}, nil
}

func generate(g *minigrid.Generator, seed *big.Int) (*minigrid.World, error) {
	rng, err := nprand.New(seed)
	if err != nil {
		return nil, err
	}
	w, err := g.Generate(rng)
	if err != nil {
		return nil, fmt.Errorf("babyai: seed %v: %w", seed, err)
	}
	return w, nil
}
