package perturb

import (
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
)

// GradeName names a family at a grade, or at its highest if it has no such grade.
func GradeName(f configs.Family, grade int) string {
	return fmt.Sprintf("%s:%d", f.ID, min(grade, len(f.Grades)))
}

// SuiteNames names the perturbations of a suite: at each grade every family alone,
// in pairs, in fours, and all at once. Families are interleaved so that each pair is
// part of a group of four and each family is in as many pairs and fours as the
// others; if the numbers do not divide, the first family fills the last group.
func SuiteNames(families []configs.Family, grades []int) (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) { // a family may have fewer grades
			names = append(names, name)
		}
	}
	n := len(families)
	for _, grade := range grades {
		for _, f := range families {
			add(GradeName(f, grade))
		}
	}
	for _, grade := range grades {
		for _, size := range []int{2, 4} {
			for first := 0; first < n && size < n; first += size {
				var indices []int
				for i := first; i < first+size; i++ {
					indices = append(indices, interleaved(i%n, n))
				}
				slices.Sort(indices)
				var parts []string
				for _, i := range indices {
					parts = append(parts, GradeName(families[i], grade))
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
