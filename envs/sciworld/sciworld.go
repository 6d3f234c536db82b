// Package sciworld is ScienceWorld, played by a simulator of our own. Above it stands AgentBoard's layer, or the
// plain order of the official simulator's own Python package.
//
// The simulator draws from one random generator, and so do some calls that only
// list things. The order of calls is therefore part of the result. It is the same
// as in the reference, and a game gets no calls that the reference does not make.
//
// Section numbers in comments refer to the specification of the reference's behaviour.
package sciworld

import (
	"fmt"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/envs/engine/scienceworld"
)

// Name is the environment's name.
const Name = "sciworld"

// The variants.
const (
	AgentBoard   = "agentboard"
	ScienceWorld = "scienceworld"
	// AgentGym is ScienceWorld with the tasks of AgentGym's server, in its order. The simulator is then as
	// version 1.2.3, which the server has.
	AgentGym = "agentgym"
	// Newer is ScienceWorld as version 1.2.3, which RL papers play.
	Newer = "scienceworld-1.2.3"
)

// The largest numbers of steps in the published configurations.
const (
	boardStepLimit = 30
	plainStepLimit = 100
)

// Options say how the environment is set up.
type Options struct {
	// Data is a folder laid out as AgentBoard's data folder, from which the
	// labels come. If it is empty, progress is the simulator's own score.
	Data string
	// Variant is AgentBoard, ScienceWorld, Newer or AgentGym; empty for AgentBoard. ScienceWorld and Newer have all
	// tasks of the simulator, its own score, and no layer around them.
	Variant string
	// Split is the part of ScienceWorld's tasks, one of Splits; empty for the
	// first. AgentBoard's and AgentGym's tasks have none.
	Split string
	// Simplifications are names and commas; empty for the variant's, "none" for none.
	Simplifications string
	// Moves is the number of moves after which the simulator of the variants ScienceWorld and AgentGym ends an
	// episode; 0 for 100. Moves are ticks of its clock: "wait" takes several.
	Moves int
}

// Configured returns the options for settings.
func Configured(s envs.Settings) Options {
	return Options{
		Variant: s["variant"], Split: s["split"],
		Simplifications: s["simplifications"], Moves: s.Number("simulator-limit"),
	}
}

// Env implements envs.Env and envs.Finder.
type Env struct {
	envs.Roster
	labels          []goalLabel // by task index; nil if progress is the simulator's score
	board           bool        // AgentBoard's layer
	simplifications string
	moves           int    // that end an episode of the variant ScienceWorld; 0 for its own number
	digest          string // says which simulator plays
	native          *native
	newGame         func() game // of native
}

// New sets up the environment.
func New(o Options) (*Env, error) {
	e := &Env{Roster: envs.Roster{About: envs.Info{Name: Name, Source: envs.Official}}}
	places, err := e.choose(o)
	if err != nil {
		return nil, err
	}
	if err := e.simplify(o.Simplifications); err != nil {
		return nil, err
	}
	e.setSimulator(o.Variant == AgentGym || o.Variant == Newer)
	for _, p := range places {
		if !e.board && e.cannotPlay(p.task) {
			continue
		}
		e.Add(e.task(p, len(e.List)))
	}
	return e, nil
}

// setSimulator sets the simulator, in its version 1.1.3 or, as far as they differ, a newer one.
func (e *Env) setSimulator(newer bool) {
	e.native = &native{newer: newer, library: scienceworld.NewLibrary()}
	e.newGame = e.native.game
	e.digest = "native " + nativeVersion
	if newer && strings.Contains(e.simplifications, "openContainers") {
		e.digest += ", portals and containers as 1.2.3"
	} else if newer {
		e.digest += ", portals as 1.2.3"
	}
	e.Set("simulator", e.digest)
}

// choose settles the variant and its tasks, and reads labels.
func (e *Env) choose(o Options) ([]taskVariation, error) {
	owner := map[string]string{"": "AgentBoard", AgentBoard: "AgentBoard", AgentGym: "AgentGym"}[o.Variant]
	if owner != "" && o.Split != "" {
		return nil, fmt.Errorf("sciworld: unknown split %q in %s's tasks; splits are for --variant %s", o.Split, owner,
			ScienceWorld)
	}
	switch o.Variant {
	case "", AgentBoard:
		e.board = true
		e.About.StepLimit = boardStepLimit
		return boardPlaces(), e.readLabels(o.Data)
	case AgentGym:
		e.plain(o)
		return gymPlaces(), nil
	case ScienceWorld, Newer:
		split, err := findSplit(o.Split)
		if err != nil {
			return nil, err
		}
		e.plain(o)
		e.Set("split", split.name)
		return split.places(), nil
	}
	return nil, fmt.Errorf("sciworld: unknown variant %q; there are %s, %s, %s and %s", o.Variant, AgentBoard,
		ScienceWorld, AgentGym, Newer)
}

// plain settles what the variants without a layer have in common.
func (e *Env) plain(o Options) {
	e.About.StepLimit, e.moves = plainStepLimit, o.Moves
	if e.moves != 0 && e.moves != plainStepLimit {
		e.Set("simulator-limit", strconv.Itoa(e.moves))
	}
	e.Set("variant", o.Variant)
}

// readLabels reads AgentBoard's labels. Without them no task counts as an official one.
func (e *Env) readLabels(dir string) error {
	if dir == "" {
		e.About.Source = envs.Generated
		e.Set("labels", "none, simulator's score")
		return nil
	}
	labels, raw, err := readLabels(dir)
	if err != nil {
		return err
	}
	e.labels = labels
	e.Set("labels", "agentboard")
	e.About.DataHash = envs.Digest(raw)
	return nil
}

// task returns the task of a place; outside the benchmark the index is -1.
func (e *Env) task(p taskVariation, index int) envs.Task {
	t := envs.Task{ID: p.id(), Index: index, Type: p.task}
	texts := []string{p.id(), e.digest, e.simplifications, strconv.FormatBool(e.board)}
	if l := e.label(t); l != nil {
		t.Difficulty = l.difficulty
		texts = append(texts, l.goal, string(l.difficulty))
		for _, re := range l.subgoals {
			texts = append(texts, re.String())
		}
	}
	t.Digest = envs.Digest(texts...)
	return t
}

// label is the label of a task, nil if it has none.
func (e *Env) label(t envs.Task) *goalLabel {
	if e.labels == nil || t.Index < 0 {
		return nil
	}
	return &e.labels[t.Index]
}

// Task implements envs.Finder: any variation of any task, such as boil/5. Outside
// the benchmark there are no labels, and progress is the simulator's score.
func (e *Env) Task(id string) (envs.Task, error) {
	p, err := parsePlace(id)
	if err != nil {
		return envs.Task{}, err
	}
	if e.cannotPlay(p.task) {
		return envs.Task{},
			fmt.Errorf("sciworld: the task %s is about electricity and cannot be played with the simplification %s",
				p.task, noElectricalAction)
	}
	canonical := p.id()
	for _, t := range e.List {
		if t.ID == canonical {
			return t, nil
		}
	}
	return e.task(p, -1), nil
}

// NewWorld implements envs.Env.
func (e *Env) NewWorld(t envs.Task) (envs.World, error) {
	if unknown := e.Verify(t); unknown != nil {
		if own, err := e.Task(t.ID); err != nil || own != t {
			return nil, unknown
		}
	}
	p, err := parsePlace(t.ID)
	if err != nil {
		return nil, err
	}
	return newWorld(e, p, e.label(t)), nil
}
