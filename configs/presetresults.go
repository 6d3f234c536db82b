package configs

import (
	"path"
	"slices"
)

// PresetResults are published results that were made by a preset's protocol.
type PresetResults struct {
	Preset string         `yaml:"preset"` // name and version
	Notes  []string       `yaml:"notes"`
	Rows   []PresetResult `yaml:"rows"`
}

// PresetResult is one published number.
type PresetResult struct {
	Model string  `yaml:"model"`
	Part  string  `yaml:"part"`  // the part of the preset; empty for a preset without parts, or a mean of all
	Value float64 `yaml:"value"` // the preset's metric in percent, as printed
	Seeds int     `yaml:"seeds"` // the number of seeds, 0 if it is not known
	// Source says where the number was read, and Mark what that is: one of Marks.
	Source string `yaml:"source"`
	Mark   string `yaml:"mark"`
	// Kind is "reproduction" for a number by somebody else than the authors, which may
	// contradict theirs; empty otherwise.
	Kind string `yaml:"kind"`
}

// marks are the values of PresetResult.Mark: the project's repository, an issue
// thread, or a page such as a data card.
func marks() []string { return []string{"repository", "thread", "page"} }

// LoadPresetResults returns the published results of a preset, if there are any.
func LoadPresetResults(preset string) (PresetResults, error) {
	file := path.Join("published", preset+".yaml")
	b, err := files.ReadFile(file)
	if err != nil {
		return PresetResults{}, nil
	}
	return Parse[PresetResults](file, b)
}

func (r PresetResults) check() error {
	var errs Faults
	for _, row := range r.Rows {
		errs.want(row.Model != "" && row.Source != "", "a row lacks model or source")
		errs.want(isPercentage(row.Value), "%s: %v is not a percentage", row.Model, row.Value)
		errs.oneOf(row.Model+": mark", row.Mark, marks())
		errs.optional(row.Model+": kind", row.Kind, []string{"reproduction"})
	}
	if len(errs) > 0 {
		return errs[0]
	}
	return nil
}

// ForPart returns the rows of a part.
func (r PresetResults) ForPart(part string) []PresetResult {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(row PresetResult) bool {
		return row.Part != part && row.Part != ""
	})
}
