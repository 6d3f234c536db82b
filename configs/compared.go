package configs

import (
	"strings"
	"sync"
)

// Comparison counts how far a preset reproduces a file of requests that the original
// code sent. The tests keep the counts true.
type Comparison struct {
	// File is the recording; Preset is what it vouches for: a preset, or a part of one.
	// It is empty if no preset plays the recording.
	File   string `yaml:"file"`
	Preset string `yaml:"preset,omitempty"`
	// Requests were compared. Equal of them equal the original's, UpTo do so after what
	// Preset.UpTo names was applied to both.
	Requests int `yaml:"requests"`
	Equal    int `yaml:"equal"`
	UpTo     int `yaml:"up-to,omitempty"`
	// Outcomes were compared, Same of them are as the original reported them.
	Outcomes int `yaml:"outcomes"`
	Same     int `yaml:"same"`
	Extra    int `yaml:"more,omitempty"` // requests beyond the original's
}

// Comparisons lists all comparisons, one for each file and preset, read once: a list of presets asks for them with
// each. The list is shared: nobody changes it.
var Comparisons = sync.OnceValues(func() (list []Comparison, err error) {
	err = embedded("compared.yaml", &list)
	return list, err
})

// Add adds the counts of another comparison.
func (c *Comparison) Add(o Comparison) {
	c.Requests, c.Equal, c.UpTo = c.Requests+o.Requests, c.Equal+o.Equal, c.UpTo+o.UpTo
	c.Outcomes, c.Same, c.Extra = c.Outcomes+o.Outcomes, c.Same+o.Same, c.Extra+o.Extra
}

// Compared sums up the comparisons that vouch for a preset of one part.
func (p *Preset) Compared() (sum Comparison, err error) {
	list, err := Comparisons()
	for _, c := range list {
		if name, part, _ := strings.Cut(c.Preset, ":"); name == p.Name && (part == "" || part == p.Env.Part) {
			sum.Add(c)
		}
	}
	return sum, err
}

// StatusText says how near a preset is to its source, such as "exact up to set-order".
func (p *Preset) StatusText() string {
	if p.Status == Exact && len(p.UpTo) > 0 {
		return Exact + " up to " + strings.Join(p.UpTo, " and ")
	}
	return p.Status
}

const heatOrder = "heat-order"

// equalUpTo are the values of Preset.UpTo, in what an original differs from itself from run to run:
//
//   - set-order: the order of what PDDL's games list, which comes from a Python set
//   - room-order: the order of what ScienceWorld's rooms hold, which comes from a Java set
//   - choice-order: the order of the choices of a request that ScienceWorld finds ambiguous
//   - thing-names: by which of its names ScienceWorld calls a thing that shares one with others, in the list of
//     what can be named; things that draw one name stand there once
//   - heat-order: the order in which things of ScienceWorld exchange heat, which comes
//     from a Java set, and so what thermometers read
//   - trial-statistics: in Reflexion, the counts of a trial, which the reflection on its last
//     game holds; which game that is depends on the file system
//
// or in how it asks for the same:
//
//   - stream: stream and stream_options, which say how a reply travels
func equalUpTo() []string {
	return []string{"set-order", "room-order", heatOrder, "choice-order", "thing-names", "stream", "trial-statistics"}
}
