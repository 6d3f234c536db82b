package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/eval/episode"
	"heldout/perturb"
)

// allOf names the combinations of all families after their parts, since some of the
// environment's families are not among them.
func allOf(names []string, families []configs.Family, grades []int) (out []string) {
	combined := map[string]string{}
	for _, grade := range grades {
		var parts []string
		for _, f := range families {
			parts = append(parts, perturb.GradeName(f, grade))
		}
		combined[fmt.Sprintf("all:%d", grade)] = strings.Join(parts, "+")
	}
	for _, name := range names {
		if name = cmp.Or(combined[name], name); !slices.Contains(out, name) { // four families may be all
			out = append(out, name)
		}
	}
	return out
}

func (j *Job) suite(base *episode.Benchmark) ([]string, error) {
	grades, err := suiteGrades(j.Config)
	if err != nil {
		return nil, err
	}
	found, err := configs.LoadFamilies(base.Env.Info().Name)
	if err != nil {
		return nil, err
	}
	families := slices.DeleteFunc(slices.Clone(found.All), func(f configs.Family) bool { return f.None != "" })
	fitting, err := j.fitting(base, families, grades)
	if err != nil || len(fitting) == len(families) {
		return perturb.SuiteNames(families, grades), err
	}
	return allOf(perturb.SuiteNames(fitting, grades), fitting, grades), nil
}

// lackedFamilies names the families that an environment does not have.
func lackedFamilies(env string) (ids []string) {
	found, err := configs.LoadFamilies(env)
	if err != nil {
		return nil
	}
	for _, f := range found.All {
		if f.None != "" {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func suiteGrades(r configs.Run) (grades []int, err error) {
	for _, text := range r.Grades {
		grade, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || grade < 1 || grade > 9 {
			return nil, fmt.Errorf("grades: %q is not a grade; want numbers such as 1,2,3", text)
		}
		if slices.Contains(grades, grade) {
			return nil, fmt.Errorf("grades: %d is there twice", grade)
		}
		grades = append(grades, grade)
	}
	if r.Suite != "" && len(grades) == 0 {
		return nil, fmt.Errorf("grades: a suite needs at least one")
	}
	slices.Sort(grades)
	return grades, nil
}
