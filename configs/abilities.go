package configs

import "slices"

// BoardEnvironments are the environments of AgentBoard, in its order. heldout plays the first five.
var BoardEnvironments = []string{"alfworld", "sciworld", "babyai", "jericho", "pddl", "webshop", "webarena",
	"tool-query", "tool-operation"}

// Ability is an ability of agents as AgentBoard scores it: a mean of success rates.
type Ability struct {
	Name string
	// weights has the weight of each of BoardEnvironments.
	weights []float64
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
