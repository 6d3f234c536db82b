package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/scoring/table"
)

// describeFamilies lists the families of perturbations of an environment with their
// grades, or with the reason why the environment lacks them.
func describeFamilies(env string) (string, error) {
	families, err := configs.LoadFamilies(env)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("\nPerturbations (--perturb FAMILY:GRADE; heldout help perturbations):\n")
	for _, f := range families.All {
		fmt.Fprintf(&b, "  %-10s %s\n", f.ID, f.Title)
		text := "none: " + f.None
		if f.None == "" {
			grades := make([]string, len(f.Grades))
			for i, g := range f.Grades {
				grades[i] = strconv.Itoa(i+1) + " " + g.Title
			}
			text = strings.Join(grades, "; ")
		}
		for _, line := range table.Wrap(text, plainWidth-13) {
			b.WriteString("             " + line + "\n")
		}
	}
	return b.String(), nil
}

// perturbationNames completes perturbations: those with names of their own, and
// families in their grades.
func perturbationNames() ([]string, error) {
	names, err := configs.PerturbationNames()
	if err != nil {
		return nil, err
	}
	envs, err := configs.FamilyEnvs()
	if err != nil {
		return nil, err
	}
	grades := map[string]int{}
	highest := 0
	for _, env := range envs {
		families, err := configs.LoadFamilies(env)
		if err != nil {
			return nil, err
		}
		for _, f := range families.All {
			grades[f.ID] = max(grades[f.ID], len(f.Grades))
			highest = max(highest, len(f.Grades))
		}
	}
	grades["all"] = highest
	for _, id := range append(slices.Clone(configs.FamilyIDs()), "all") {
		for grade := 1; grade <= grades[id]; grade++ {
			names = append(names, fmt.Sprintf("%s:%d", id, grade))
		}
	}
	return append(names, "random:0:1", "random:0:all"), nil
}
