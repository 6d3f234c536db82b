package scienceworld

import (
	_ "embed"
	"slices"
)

// phase is a state of matter.
type phase uint8

const (
	solid phase = iota
	liquid
	gas
)

var phases = []string{"solid", "liquid", "gas"}

// String is the word by which goals name the state.
func (s phase) String() string { return phases[s] }

// UnmarshalText reads that word.
func (s *phase) UnmarshalText(text []byte) error {
	*s = phase(slices.Index(phases, string(text)))
	return nil
}

// material holds what all things made of it have in common (processes §2). Temperatures are in degrees Celsius.
type material struct {
	Substance           string
	Names               [3]string // by state, all empty if a change of state does not rename
	State               phase     // at creation
	Melts, Boils, Burns float64
	Conductivity        float64 // of heat
	Electric            bool
	Friction            float64
	Start               float64 // temperature at creation, if not defaultStart
}

const (
	defaultStart = 10.0
	// burnTicks is how long a thing burns.
	burnTicks = 100
)

//go:embed materials.json
var materialsFile []byte

// materials is the table of materials.
var materials = table[map[string]*material](materialsFile)

// defaultFriction is the surface of a plane that has no other.
var defaultFriction = materials["default friction"]
