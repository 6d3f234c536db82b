package envs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Setting is one option of an environment's configuration. The environment declares it; the flag, the key in
// configuration files, completion and documentation follow from the declaration.
type Setting struct {
	// Name is the name of the flag and of the key in configuration files, such
	// as "split". Environments may share a name.
	Name string
	// Help says in a few words what the setting does.
	Help string
	// Type says how values are written.
	Type SettingType
	// Values are all values of a Choice, the default first.
	Values []string
	// Default describes the default if Values do not show it.
	Default string
	// Most is the largest value of a Count; 0 stands for no bound.
	Most int
	// Measured says that another value changes what is measured, so the value is part of the condition of every
	// episode. Other settings say where things are, or how fast they run.
	Measured bool
}

// SettingType says how the values of a Setting are written.
type SettingType string

// The types of settings.
const (
	Choice SettingType = "choice" // one of Values
	Words  SettingType = "words"  // any text
	Switch SettingType = "switch" // true or false
	Count  SettingType = "count"  // a whole number, 0 or more
	Path   SettingType = "path"   // a file or folder
	// Duration is a time such as 90s, Share a number above 0 and at most 1.
	Duration SettingType = "duration"
	Share    SettingType = "share"
)

// Check reports an invalid value of the setting. The empty one stands for the default.
func (s Setting) Check(value string) error {
	if value == "" {
		return nil
	}
	switch s.Type {
	case Choice:
		if !slices.Contains(s.Values, value) {
			return fmt.Errorf("unknown %s %q; there are %s", s.Name, value, strings.Join(s.Values, ", "))
		}
	case Switch:
		if _, err := strconv.ParseBool(value); err != nil {
			return fmt.Errorf("%s is %q, want true or false", s.Name, value)
		}
	case Count:
		if n, err := strconv.Atoi(value); err != nil || n < 0 {
			return fmt.Errorf("%s is %q, want a whole number, 0 or more", s.Name, value)
		} else if s.Most > 0 && n > s.Most {
			return fmt.Errorf("%s is %d, want at most %d", s.Name, n, s.Most)
		}
	case Duration:
		if d, err := time.ParseDuration(value); err != nil || d <= 0 {
			return fmt.Errorf("%s is %q, want a time such as 90s", s.Name, value)
		}
	case Share:
		if x, err := strconv.ParseFloat(value, 64); err != nil || !(x > 0 && x <= 1) {
			return fmt.Errorf("%s is %q, want a number above 0 and at most 1", s.Name, value)
		}
	}
	return nil
}

// Settings are the chosen values by name; a missing name has its default.
type Settings map[string]string

// On reports whether a Switch is on.
func (s Settings) On(name string) bool {
	on, err := strconv.ParseBool(s[name])
	return err == nil && on
}

// Number returns the value of a Count, 0 if none is given.
func (s Settings) Number(name string) int {
	n, err := strconv.Atoi(s[name])
	if err != nil {
		return 0 // Check refuses values that are not numbers
	}
	return n
}

// Setup says how environments are set up. Empty fields have the benchmark's values.
type Setup struct {
	Data          string         `yaml:"data"` // empty for generated tasks
	GeneratorSeed GeneratorSeeds `yaml:"generator-seed"`
	// Settings are further choices, by the names that the environments declare. In
	// YAML each setting is a key of its own.
	Settings Settings `yaml:"-"`
	// Partial opens official tasks of which some are not there: the others can be played by
	// hand, but no rate of them is the benchmark's.
	Partial bool `yaml:"-"`
	// External is what the user names of the environments that others run, such as exec:COMMAND:
	// records of it are played there again, and of no other.
	External string `yaml:"-"`
}
