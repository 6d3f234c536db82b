package configs

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"

	"heldout/envs/datafile"
	"heldout/envs/testset"
)

// About is what the authors of results say of themselves and of the models. Nothing of it
// can be proven from records.
type About struct {
	// Authors made the results, Contact is how to reach them, Licence covers the records.
	Authors string                `yaml:"who" json:"who,omitempty"`
	Contact string                `yaml:"contact" json:"contact,omitempty"`
	Licence string                `yaml:"licence" json:"licence,omitempty"`
	Models  map[string]AboutModel `yaml:"models" json:"models,omitempty"` // by the names that --model takes
}

// AboutModel is what is said of a model.
type AboutModel struct {
	// Revision is the commit or version of the weights, SHA256 the hash of their file.
	Revision   string  `yaml:"revision" json:"revision,omitempty"`
	SHA256     string  `yaml:"sha256" json:"sha256,omitempty"`
	Parameters float64 `yaml:"parameters" json:"parameters,omitempty"` // in billions; 0 is unknown
	Base       string  `yaml:"base" json:"base,omitempty"`             // trained from this one; empty if unknown
	// TrainingData names what it was trained on for these tasks: nil if that is not declared, empty for nothing.
	TrainingData []string `yaml:"training_data" json:"training_data"`
	// TrainingTasks are manifests of heldout export: the tasks in them were trained on. A
	// bundle has Tasks, their digests, in place of the names.
	TrainingTasks []string     `yaml:"training_tasks" json:"-"`
	Tasks         testset.List `yaml:"-" json:"training_tasks,omitempty"`
}

// The limits of texts and lists of About.
const (
	longestAbout  = 300 // characters
	mostAbout     = 100 // models, and training data of one
	mostBillions  = 1e6
	maxAboutBytes = 1 << 20
)

// LoadAbout reads a YAML file of the user.
func LoadAbout(file string) (About, error) {
	b, err := datafile.Read(file, maxAboutBytes)
	if err != nil {
		return About{}, err
	}
	a, err := Parse[About](file, b)
	if err == nil && a.Authors+a.Contact+a.Licence == "" && len(a.Models) == 0 {
		err = fmt.Errorf("%s says nothing: want who, contact, licence or models", file)
	}
	return a, err
}

var sha256Digits = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Check reports texts that are too long or do not print, and hashes that are none.
func (a About) Check() error { return a.check() }

func (a About) check() error {
	if len(a.Models) > mostAbout {
		return fmt.Errorf("models: there are %d, the limit is %d", len(a.Models), mostAbout)
	}
	texts := map[string]string{"who": a.Authors, "contact": a.Contact, "licence": a.Licence}
	for _, name := range slices.Sorted(maps.Keys(a.Models)) {
		m := a.Models[name]
		switch {
		case m.SHA256 != "" && !sha256Digits.MatchString(m.SHA256):
			return fmt.Errorf("models: the sha256 of %.80q is not 64 hex digits in lower case", name)
		case !(m.Parameters >= 0 && m.Parameters <= mostBillions):
			return fmt.Errorf("models: the parameters of %.80q are %v, want billions", name, m.Parameters)
		case len(m.TrainingTasks) > mostAbout:
			return fmt.Errorf("models: the training_tasks of %.80q has %d entries, the limit is %d", name,
				len(m.TrainingTasks), mostAbout)
		case len(m.TrainingData) > mostAbout:
			return fmt.Errorf("models: the training_data of %.80q has %d entries, the limit is %d", name,
				len(m.TrainingData), mostAbout)
		}
		if err := m.Tasks.Check(); err != nil {
			return fmt.Errorf("models: the training_tasks of %.80q: %w", name, err)
		}
		texts["the name "+name], texts["revision of "+name], texts["base of "+name] = name, m.Revision, m.Base
		for i, data := range m.TrainingData {
			texts[fmt.Sprintf("training_data %d of %s", i+1, name)] = data
		}
	}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		text := texts[key]
		if utf8.RuneCountInString(text) > longestAbout || !utf8.ValidString(text) ||
			slices.ContainsFunc([]rune(text), func(r rune) bool { return !unicode.IsPrint(r) }) {
			return fmt.Errorf("%.100q: the text is longer than %d characters, or some do not print", key, longestAbout)
		}
	}
	return nil
}
