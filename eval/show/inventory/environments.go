// Package inventory shows what heldout has: environments with their perturbations, tasks, official
// data, and published results.
package inventory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// Environments are all environments, with what is missing for them. Origin says why the data folder
// is the one that applies; empty if the user named it.
func Environments(o envs.Setup, outside envs.Outside, origin string) table.Table {
	t := table.Table{ID: "environments", Title: "Environments",
		Columns: column.Heads("environment tasks task_source steps about")}
	if o.Data != "" {
		t.Notes = append(t.Notes, "Official data: "+o.Data+origin+".")
	}
	var generated []string
	for _, e := range catalog.Entries() {
		cells := []table.Cell{table.String(e.Name), table.None(), table.None(), table.None(), table.String(e.Summary)}
		if env, err := e.Open(o, outside); err != nil {
			t.Notes = append(t.Notes, e.Name+" is not available: "+err.Error())
		} else {
			cells[1] = table.Int(len(env.Tasks()))
			cells[2] = table.String(string(env.Info().Source))
			cells[3] = table.Int(env.Info().StepLimit)
			if env.Info().Source == envs.Generated && len(e.Folders) > 0 {
				generated = append(generated, e.Name)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	if len(generated) > 0 {
		t.Notes = append(t.Notes, "The tasks of "+table.List(generated)+
			" are generated; heldout data pull fetches the official ones.")
	}
	t.Notes = append(t.Notes, "Also "+table.List(catalog.Places())+": heldout help first-environment.")
	return t
}

// Tasks lists tasks of an environment.
func Tasks(info envs.Info, tasks []envs.Task) table.Table {
	t := table.Table{ID: "tasks", Title: "Tasks of " + info.Name + ", " + string(info.Source),
		Columns: column.Heads("task_index task type difficulty")}
	for _, task := range tasks {
		index := table.Int(task.Index)
		if task.Index < 0 {
			index = table.None()
		}
		t.Rows = append(t.Rows, []table.Cell{
			index, table.String(task.ID), table.String(task.Type), table.String(string(task.Difficulty)),
		})
	}
	return t
}

// Families lists the families of perturbations of an environment with their grades, or with the reason why the
// environment lacks them, in lines of that width. An environment may have none at all.
func Families(env string, width int) (string, error) {
	if !slices.Contains(configs.FamilyEnvs(), env) {
		return "\nPerturbations: none.\n", nil
	}
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
		for _, line := range table.Wrap(text, width-13) {
			b.WriteString("             " + line + "\n")
		}
	}
	return b.String(), nil
}

// Published lists the embedded publications with their tables.
func Published() (table.Table, error) {
	t := table.Table{ID: "published", Title: "Published results", Columns: column.Heads("name table title")}
	for _, name := range configs.PublishedNames() {
		p, err := configs.LoadPublished(name)
		if err != nil {
			return table.Table{}, err
		}
		for _, part := range p.Tables {
			t.Rows = append(t.Rows, []table.Cell{table.String(name), table.String(part.ID), table.String(part.Title)})
		}
	}
	return t, nil
}
