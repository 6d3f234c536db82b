package configs

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Weights says which environments make up the held-out score.
type Weights struct {
	Source  string   `yaml:"source"`   // where the weights were published
	HeldOut []Weight `yaml:"held-out"` // the held-out environments by their tasks, in the published order
	HeldIn  []string `yaml:"held-in"`  // the environments whose data tuned models have usually seen
}

// Weight is one environment's part in the held-out score.
type Weight struct {
	Env    string  `yaml:"env"`
	Weight float64 `yaml:"weight"`
}

// LoadWeights returns the embedded weights.
func LoadWeights() (Weights, error) { return ours[Weights]("weights.yaml") }

func (w Weights) check() error {
	if len(w.HeldOut) == 0 {
		return errors.New("held-out lists no environment; want entries such as {env: babyai, weight: 112}")
	}
	for i, h := range w.HeldOut {
		switch {
		case h.Env == "":
			return fmt.Errorf("entry %d of held-out has no env", i+1)
		case !(h.Weight > 0) || math.IsInf(h.Weight, 0):
			return fmt.Errorf("the weight of %s is %v, want a positive number", h.Env, h.Weight)
		case slices.ContainsFunc(w.HeldOut[:i], func(previous Weight) bool { return previous.Env == h.Env }):
			return fmt.Errorf("%s has two weights", h.Env)
		}
	}
	return nil
}

// Contains reports whether an environment is held out or held in.
func (w Weights) Contains(env string) bool {
	return slices.Contains(w.HeldIn, env) || slices.ContainsFunc(w.HeldOut, func(h Weight) bool { return h.Env == env })
}

// BoardEnvironments are the environments of AgentBoard, in its order. heldout plays the first five.
var BoardEnvironments = []string{"alfworld", "sciworld", "babyai", "jericho", "pddl", "webshop", "webarena",
	"tool-query", "tool-operation"}

// Ability is an ability of agents as AgentBoard scores it: a mean of success rates.
type Ability struct {
	Name    string
	weights []float64 // the weight of each of BoardEnvironments
}

// Abilities are AgentBoard's abilities (Ma et al. 2024), with the weights of its SummaryLogger.
var Abilities = []Ability{
	{"memory", []float64{1, 2, 1, 1, 2, 1, 3, 2, 3}},
	{"planning", []float64{1, 2, 2, 3, 3, 2, 3, 2, 2}},
	{"world modelling", []float64{3, 3, 2, 3, 1, 1, 3, 1, 1}},
	{"self-reflection", []float64{3, 2, 2, 1, 3, 2, 2, 1, 1}},
	{"grounding", []float64{2, 3, 2, 1, 3, 3, 3, 3, 3}},
	{"spatial navigation", []float64{2, 2, 2, 2, 1, 1, 2, 1, 1}},
}

// Weight is the weight of an environment; 0 if AgentBoard does not have it.
func (a Ability) Weight(env string) float64 {
	if i := slices.Index(BoardEnvironments, env); i >= 0 {
		return a.weights[i]
	}
	return 0
}

// Total is the sum of the weights.
func (a Ability) Total() (sum float64) {
	for _, w := range a.weights {
		sum += w
	}
	return sum
}
