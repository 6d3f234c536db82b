package configs

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Perturbation is a rewriting of an environment's interface that keeps the tasks
// as they are: rules over the forms of envs.Interface.
type Perturbation struct {
	// Name is what tables call it.
	Name string `yaml:"name"`
	// Title says in a line what changes.
	Title string `yaml:"title"`
	// Env is the environment whose forms the rules are about.
	Env string `yaml:"env"`
	// Actions maps forms of actions to new ones with the same slots, such as
	// "take {obj} from {recep}" to "from {recep} take {obj}".
	Actions map[string]string `yaml:"actions"`
	// Names is how names are written, from the parts that the environment has,
	// such as "{class}{number}"; empty to leave them.
	Names string `yaml:"names"`
	// Replies maps fixed answers of the environment to new ones.
	Replies map[string]string `yaml:"replies"`
	// Model is NoInd if the model changes and not the interface.
	Model string `yaml:"model"`
}

// NoInd is the Model of a perturbation that replaces a model trained with data of
// the environment by one trained without.
const NoInd = "no-ind"

// PerturbationNames lists the embedded perturbations.
func PerturbationNames() ([]string, error) {
	found, err := fs.Glob(files, "perturbations/*.yaml")
	for i, f := range found {
		found[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	slices.Sort(found)
	return found, err
}

// LoadPerturbation returns an embedded perturbation by name.
func LoadPerturbation(name string) (Perturbation, error) {
	file := "perturbations/" + name + ".yaml"
	b, err := files.ReadFile(file)
	if err != nil {
		names, _ := PerturbationNames()
		return Perturbation{}, fmt.Errorf("there is no perturbation %q; there are %s, or give a YAML file", name, strings.Join(names, ", "))
	}
	return ParsePerturbation(file, b)
}

// The limits of a perturbation: the time to check rules grows with the product
// of their lengths. The longest of our own has 60 bytes.
const (
	maxRules      = 200
	maxRuleLength = 500 // bytes
)

// checkLength reports rules that are too many or too long.
func (p Perturbation) checkLength() error {
	if n := len(p.Actions) + len(p.Replies); n > maxRules {
		return fmt.Errorf("there are %d rules, more than %d", n, maxRules)
	}
	texts := []string{p.Name, p.Title, p.Env, p.Names}
	for _, rules := range []map[string]string{p.Actions, p.Replies} {
		for _, from := range slices.Sorted(maps.Keys(rules)) {
			texts = append(texts, from, rules[from])
		}
	}
	for _, text := range texts {
		if len(text) > maxRuleLength {
			return fmt.Errorf("a rule has more than %d bytes: %.20q…", maxRuleLength, text)
		}
	}
	return nil
}

// ParsePerturbation reads a perturbation. The rules are checked against the
// environment later, when the environment is wrapped.
func ParsePerturbation(file string, b []byte) (Perturbation, error) {
	var p Perturbation
	if err := decode(file, b, &p); err != nil {
		return p, err
	}
	if err := p.checkLength(); err != nil {
		return p, fmt.Errorf("%s: %w", file, err)
	}
	changes := len(p.Actions) + len(p.Replies)
	if p.Names != "" {
		changes++
	}
	switch {
	case p.Name == "" || p.Name == "base" || p.Name == "none":
		return p, fmt.Errorf("%s: the perturbation needs a name, and %q is none", file, p.Name)
	case p.Env == "":
		return p, fmt.Errorf("%s: env does not say which environment the rules are about", file)
	case p.Model != "" && p.Model != NoInd:
		return p, fmt.Errorf("%s: unknown model %q; there is only %s", file, p.Model, NoInd)
	case p.Model != "" && changes > 0:
		return p, fmt.Errorf("%s: change either the interface or the model, so that an effect has one cause", file)
	case p.Model == "" && changes == 0:
		return p, fmt.Errorf("%s: the perturbation changes nothing; give actions, names or replies", file)
	}
	return p, nil
}
