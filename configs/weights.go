package configs

import (
	"fmt"
	"slices"
)

// Weights says which environments make up the held-out score.
type Weights struct {
	// Source says where the weights were published.
	Source string `yaml:"source"`
	// HeldOut weighs the held-out environments by their tasks, in the published order.
	HeldOut []Weight `yaml:"held-out"`
	// HeldIn are the environments whose data tuned models have usually seen.
	HeldIn []string `yaml:"held-in"`
}

// Weight is one environment's part in the held-out score.
type Weight struct {
	Env    string  `yaml:"env"`
	Weight float64 `yaml:"weight"`
}

// LoadWeights returns the embedded weights.
func LoadWeights() (Weights, error) {
	var w Weights
	if err := embedded("heldout.yaml", &w); err != nil {
		return w, err
	}
	for _, h := range w.HeldOut {
		if h.Weight <= 0 {
			return w, fmt.Errorf("heldout.yaml: the weight of %s is not positive", h.Env)
		}
	}
	return w, nil
}

// Has reports whether an environment is one of those held out or held in.
func (w Weights) Has(env string) bool {
	return slices.Contains(w.HeldIn, env) || slices.ContainsFunc(w.HeldOut, func(h Weight) bool { return h.Env == env })
}
