package configs

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Published is a file of published results, to stand beside a run.
type Published struct {
	// Title names the publication.
	Title string `yaml:"title"`
	// Source says where the numbers were read.
	Source string `yaml:"source"`
	// Notes say what a reader must know, such as where the publication
	// contradicts itself.
	Notes  []string         `yaml:"notes"`
	Tables []PublishedTable `yaml:"tables"`
}

// PublishedTable is one table. A column is an environment or, in a table of
// perturbations, a condition.
type PublishedTable struct {
	ID      string   `yaml:"id"`
	Title   string   `yaml:"title"`
	Notes   []string `yaml:"notes"`
	Columns []string `yaml:"columns"`
	// Env is set where the columns are conditions of one environment.
	Env  string         `yaml:"env"`
	Rows []PublishedRow `yaml:"rows"`
}

// PublishedRow is one method. Every list has a value for each column, in
// percent, as printed; null where none was published.
type PublishedRow struct {
	Model string `yaml:"model"`
	// Base is the model that the method builds on.
	Base        string     `yaml:"base"`
	Success     []*float64 `yaml:"success"`
	Progress    []*float64 `yaml:"progress"`
	Grounding   []*float64 `yaml:"grounding"`
	SuccessStd  []*float64 `yaml:"success-std"`
	ProgressStd []*float64 `yaml:"progress-std"`
	// HeldIn are the columns whose data the model was tuned on.
	HeldIn []string `yaml:"held-in"`
	// Average and Std are the row's summary as printed: success, progress.
	Average []float64 `yaml:"average"`
	Std     []float64 `yaml:"std"`
}

// PublishedNames lists the embedded files of published results.
func PublishedNames() ([]string, error) {
	found, err := fs.Glob(files, "baselines/*.yaml")
	for i, f := range found {
		found[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return found, err
}

// LoadPublished returns an embedded file of published results by name.
func LoadPublished(name string) (Published, error) {
	file := "baselines/" + name + ".yaml"
	b, err := files.ReadFile(file)
	if err != nil {
		names, _ := PublishedNames()
		return Published{}, fmt.Errorf("there are no published results named %q; there are %s, or give a YAML file", name, strings.Join(names, ", "))
	}
	return ParsePublished(file, b)
}

// ParsePublished reads a file of published results.
func ParsePublished(file string, b []byte) (Published, error) {
	var p Published
	if err := decode(file, b, &p); err != nil {
		return p, err
	}
	ids := map[string]bool{}
	for _, t := range p.Tables {
		if t.ID == "" || ids[t.ID] {
			return p, fmt.Errorf("%s: every table needs an id of its own, and %q is missing or taken", file, t.ID)
		}
		ids[t.ID] = true
		for _, r := range t.Rows {
			if err := r.check(t.Columns); err != nil {
				return p, fmt.Errorf("%s: table %s, model %q: %w", file, t.ID, r.Model, err)
			}
		}
	}
	return p, nil
}

// check reports lists that do not fit the columns.
func (r PublishedRow) check(columns []string) error {
	lists := map[string][]*float64{
		"success": r.Success, "progress": r.Progress, "grounding": r.Grounding,
		"success-std": r.SuccessStd, "progress-std": r.ProgressStd,
	}
	for name, values := range lists {
		if len(values) != 0 && len(values) != len(columns) {
			return fmt.Errorf("%s has %d values for %d columns", name, len(values), len(columns))
		}
		for _, v := range values {
			if v != nil && (*v < 0 || *v > 100) {
				return fmt.Errorf("%s has the value %g, which is not a percentage", name, *v)
			}
		}
	}
	for _, s := range [][]float64{r.Average, r.Std} {
		if len(s) != 0 && len(s) != 2 {
			return fmt.Errorf("average and std have two values, success and progress")
		}
	}
	return nil
}

// Table returns the table with that id; ok is false if there is none.
func (p Published) Table(id string) (t PublishedTable, ok bool) {
	for _, t := range p.Tables {
		if t.ID == id {
			return t, true
		}
	}
	return PublishedTable{}, false
}
