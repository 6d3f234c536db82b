// Package pddl is AgentBoard's PDDL environment: four strategy games (gripper, blockworld, barman, tyreworld)
// played in text. Its answers match the reference byte for byte. If the reference lists facts or actions in
// hash-table order, ours are sorted.
package pddl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"heldout/envs"
	"heldout/envs/engine/planning"
	"heldout/envs/pytext"
)

// Name is the environment's name.
const Name = "pddl"

// stepLimit is the largest number of steps in the published configuration.
const stepLimit = 30

// Env implements envs.Env.
type Env struct {
	envs.Roster
	problems []*problem // by task index
}

func newEnv(src envs.Source) *Env {
	return &Env{Roster: envs.Roster{About: envs.Info{Name: Name, Source: src, StepLimit: stepLimit}}}
}

// problem is the source of a task. It is grounded when it is first played.
type problem struct {
	game    *strategyGame
	content string // see envs.Task
	parsed  *planning.Problem
	ready   func() (*instance, error)
}

// newProblem reads a problem. Progress needs a goal that is a conjunction of facts.
func newProblem(g *strategyGame, domain *planning.Domain, file, text string) (*problem, error) {
	parsed, err := planning.ParseProblem(file, text, domain)
	if err != nil {
		return nil, err
	}
	targets, ok := parsed.Goal.Literals()
	if !ok || len(targets) == 0 {
		return nil, fmt.Errorf("%s: the goal is not a conjunction of facts", file)
	}
	p := &problem{game: g, parsed: parsed}
	if p.content, err = planning.Sameness(file, text); err != nil {
		return nil, err
	}
	p.ready = sync.OnceValues(func() (*instance, error) {
		task, err := planning.Ground(parsed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return newInstance(g, task, targets), nil
	})
	return p, nil
}

func (e *Env) add(p *problem, id string, difficulty envs.Difficulty, texts ...string) {
	e.Add(envs.Task{
		ID:         id,
		Type:       p.game.Name,
		Difficulty: difficulty,
		Digest:     envs.Digest(append(texts, string(difficulty))...),
		Content:    p.content,
	})
	e.problems = append(e.problems, p)
}

// NewWorld implements envs.Env.
func (e *Env) NewWorld(t envs.Task) (envs.World, error) {
	if err := e.Verify(t); err != nil {
		return nil, err
	}
	in, err := e.problems[t.Index].ready()
	if err != nil {
		return nil, err
	}
	return newWorld(in), nil
}

// SameObservation implements envs.Comparer. The reference lists the valid actions, and the facts seen by looking
// around, in hash-table order. These lists are compared as collections, everything else as it is.
func (e *Env) SameObservation(action, recorded, ours string) bool {
	if recorded == ours {
		return true
	}
	switch action = pytext.Lower(action); {
	case strings.Contains(action, "check"):
		return sameLists(recorded, ours)
	case strings.Contains(action, lookAction):
		return sameParts(splitFacts(recorded), splitFacts(ours))
	default:
		return false
	}
}

// sameLists compares lists of valid actions. Their ends are fixed.
func sameLists(a, b string) bool {
	a, okA := strings.CutPrefix(a, listPrefix)
	b, okB := strings.CutPrefix(b, listPrefix)
	partsA, partsB := strings.Split(a, ", "), strings.Split(b, ", ")
	end := slices.Index(partsB, checkAction)
	return okA && okB && end >= 0 && len(partsA) == len(partsB) &&
		slices.Equal(partsA[end:], partsB[end:]) && sameParts(partsA[:end], partsB[:end])
}

// sameParts sorts two collections and reports whether they hold the same elements.
func sameParts(a, b []string) bool {
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// oneFact matches one of several facts: only the start of a fact has a capital.
var oneFact = regexp.MustCompile(`(?s).[^A-Z]*`)

// splitFacts splits facts joined by spaces. Each has the space behind it.
func splitFacts(text string) []string { return oneFact.FindAllString(text+" ", -1) }
