package configs

import (
	"errors"
	"fmt"
	"path"
	"slices"
)

// Published is a file of published results to compare a run with.
type Published struct {
	Title  string `yaml:"title"`  // the title of the publication
	Source string `yaml:"source"` // where the numbers come from
	// Notes say what a reader must know, such as contradictions in the publication.
	Notes  []string         `yaml:"notes"`
	Tables []PublishedTable `yaml:"tables"`
}

// PublishedTable is one table. A column is an environment, a condition of Env
// in a table of perturbations, or a mean over several environments.
type PublishedTable struct {
	ID      string         `yaml:"id"`
	Title   string         `yaml:"title"`
	Notes   []string       `yaml:"notes"`
	Columns []string       `yaml:"columns"`
	Env     string         `yaml:"env"` // set where the columns are conditions of one environment
	Rows    []PublishedRow `yaml:"rows"`
}

// PublishedRow is one method; no other of its table has the same Model and Base. Every list has a value for each
// column, in percent, as printed; null where none was published.
type PublishedRow struct {
	Model       string     `yaml:"model"`
	Base        string     `yaml:"base"` // the model that the method builds on
	Success     []*float64 `yaml:"success"`
	Progress    []*float64 `yaml:"progress"`
	Grounding   []*float64 `yaml:"grounding"`
	SuccessStd  []*float64 `yaml:"success-std"`
	ProgressStd []*float64 `yaml:"progress-std"`
	// BestOf is the number of tries of which the best counts; 0 for a single try.
	BestOf int      `yaml:"best-of"`
	HeldIn []string `yaml:"held-in"` // the columns whose data the model was tuned on
	// Average and Std are the row's summary as printed: success, progress.
	Average []float64 `yaml:"average"`
	Std     []float64 `yaml:"std"`
}

// HasBestOf reports whether a row of the table is the best of several tries.
func (t PublishedTable) HasBestOf() bool {
	return slices.ContainsFunc(t.Rows, func(r PublishedRow) bool { return r.BestOf > 1 })
}

// PublishedNames lists the embedded files of published results.
func PublishedNames() []string { return namesIn("baselines") }

// LoadPublished returns an embedded file of published results by name.
func LoadPublished(name string) (Published, error) {
	b, err := named("baselines", "published results", name, "or give a YAML file")
	if err != nil {
		return Published{}, err
	}
	return ParsePublished("baselines/"+name+".yaml", b)
}

// ParsePublished reads a file of published results.
func ParsePublished(file string, b []byte) (Published, error) {
	return Parse[Published](file, b)
}

func (p Published) check() error {
	if len(p.Tables) == 0 {
		return errors.New("tables are missing")
	}
	ids := map[string]bool{}
	for i, t := range p.Tables {
		if t.ID == "" {
			return fmt.Errorf("table number %d has no id", i+1)
		}
		if ids[t.ID] {
			return fmt.Errorf("two tables have the id %q", t.ID)
		}
		ids[t.ID] = true
		if err := t.check(); err != nil {
			return fmt.Errorf("table %s: %w", t.ID, err)
		}
	}
	return nil
}

// check reports columns and rows that look alike, and values that fit no column.
func (t PublishedTable) check() error {
	for i, c := range t.Columns {
		if c == "" || slices.Contains(t.Columns[:i], c) {
			return fmt.Errorf("the column %q is empty or there twice", c)
		}
	}
	type name struct{ model, base string }
	names := map[name]bool{}
	for i, r := range t.Rows {
		if r.Model == "" {
			return fmt.Errorf("row number %d names no model", i+1)
		}
		row := fmt.Sprintf("model %q", r.Model)
		if r.Base != "" {
			row += fmt.Sprintf(" on base %q", r.Base)
		}
		if names[name{r.Model, r.Base}] {
			return fmt.Errorf("%s: another row has the same model and base", row)
		}
		names[name{r.Model, r.Base}] = true
		if err := r.check(t.Columns); err != nil {
			return fmt.Errorf("%s: %w", row, err)
		}
	}
	return nil
}

// check reports lists that do not fit the columns, and values that are not percentages.
func (r PublishedRow) check(columns []string) error {
	for _, l := range []struct {
		name   string
		values []*float64
	}{
		{"success", r.Success}, {"progress", r.Progress}, {"grounding", r.Grounding},
		{"success-std", r.SuccessStd}, {"progress-std", r.ProgressStd},
	} {
		if len(l.values) != 0 && len(l.values) != len(columns) {
			return fmt.Errorf("%s has %d values for %d columns", l.name, len(l.values), len(columns))
		}
		for _, v := range l.values {
			if v != nil && !isPercentage(*v) {
				return fmt.Errorf("%s has the value %g, which is not a percentage", l.name, *v)
			}
		}
	}
	for _, l := range []struct {
		name   string
		values []float64
	}{{"average", r.Average}, {"std", r.Std}} {
		if len(l.values) != 0 && len(l.values) != 2 {
			return fmt.Errorf("%s has %d values, not two: success and progress", l.name, len(l.values))
		}
		for _, v := range l.values {
			if !isPercentage(v) {
				return fmt.Errorf("%s has the value %g, which is not a percentage", l.name, v)
			}
		}
	}
	if r.BestOf < 0 {
		return fmt.Errorf("best-of is %d, which is not a number of tries", r.BestOf)
	}
	for _, c := range r.HeldIn {
		if !slices.Contains(columns, c) {
			return fmt.Errorf("held-in names %q, which is not a column", c)
		}
	}
	return nil
}

// isPercentage is false for NaN, which YAML can write, too.
func isPercentage(v float64) bool { return v >= 0 && v <= 100 }

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
