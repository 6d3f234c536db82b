package bench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
)

// family is a family of perturbations with its number of grades.
type family struct {
	id     string
	grades int
}

// at names the family at a grade, or at its highest if it has no such grade.
func (f family) at(grade int) string { return fmt.Sprintf("%s:%d", f.id, min(grade, f.grades)) }

// suiteNames names the perturbations of a suite: at each grade every family alone,
// in pairs, in fours, and all at once. Families are interleaved so that each pair is
// part of a group of four and each family is in as many pairs and fours as the
// others; if the numbers do not divide, the first family fills the last group.
func suiteNames(families []family, grades []int) (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) { // a family may have fewer grades
			names = append(names, name)
		}
	}
	n := len(families)
	for _, grade := range grades {
		for _, f := range families {
			add(f.at(grade))
		}
	}
	for _, grade := range grades {
		for _, size := range []int{2, 4} {
			for first := 0; first < n && size < n; first += size {
				var at []int
				for i := first; i < first+size; i++ {
					at = append(at, interleaved(i%n, n))
				}
				slices.Sort(at)
				var parts []string
				for _, i := range at {
					parts = append(parts, families[i].at(grade))
				}
				add(strings.Join(parts, "+"))
			}
		}
		if n > 1 {
			add(fmt.Sprintf("all:%d", grade))
		}
	}
	return names
}

// interleaved permutes 0 to n-1: the first half and the second take turns.
func interleaved(i, n int) int {
	if i%2 == 0 {
		return i / 2
	}
	return (n+1)/2 + i/2
}

// suite names the perturbations of the suite for an environment.
func (j *Job) suite(env string) ([]string, error) {
	grades, err := suiteGrades(j.Config)
	if err != nil {
		return nil, err
	}
	found, err := configs.LoadFamilies(env)
	if err != nil {
		return nil, err
	}
	var families []family
	for _, f := range found.All {
		if f.None == "" {
			families = append(families, family{f.ID, len(f.Grades)})
		}
	}
	return suiteNames(families, grades), nil
}

// suiteGrades reads the grades of a suite.
func suiteGrades(r configs.Run) (grades []int, err error) {
	for _, text := range r.Grades {
		grade, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || grade < 1 || grade > 9 {
			return nil, fmt.Errorf("grades: %q is no grade; want numbers such as 1,2,3", text)
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
