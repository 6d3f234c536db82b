package inventory

import (
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs/official"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// Data says what of the official data is in a folder. Lacking are the environments whose needed
// files are missing or changed.
func Data(dir string, found []official.Finding) (t table.Table, lacking []string, err error) {
	weights, err := configs.LoadWeights()
	if err != nil {
		return t, nil, err
	}
	t, lacking = checkTable(dir, found), lackingIn(found)
	if heldOut := table.Filter(lacking, func(env string) bool {
		return !slices.Contains(weights.HeldIn, env) && weights.Contains(env)
	}); len(heldOut) > 0 {
		t.Notes = append(t.Notes, "The held-out score stays incomplete without "+strings.Join(heldOut, ", ")+".")
	}
	return t, lacking, nil
}

// lackingIn lists the environments whose needed files are missing or changed.
func lackingIn(found []official.Finding) []string {
	absent := table.Filter(found, func(f official.Finding) bool { return f.Needed && !f.Usable() })
	return table.Keys(absent, func(f official.Finding) string { return f.Env })
}

// checkTable is the table of what was found.
func checkTable(dir string, found []official.Finding) table.Table {
	t := table.Table{ID: "data", Title: "Official data in " + dir,
		Columns: column.Heads("environment part state files wanted version")}
	for _, f := range found {
		state := string(f.State)
		if f.State == official.Absent && !f.Needed {
			state = "absent (optional)"
		}
		version := table.None()
		if f.Version != "" {
			version = table.Cell{Text: f.Version[:12], Value: f.Version}
		}
		t.Rows = append(t.Rows, []table.Cell{
			table.String(f.Env), table.String(f.Name), table.String(state), table.Int(f.Have), table.Int(f.Want),
			version,
		})
		if !f.Usable() {
			t.Notes = append(t.Notes, f.ID()+": "+lacks(f))
		}
		if f.Republished > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %s of ALFWorld 0.4 or later; heldout help "+
				"alfworld-versions says how they are played.", f.ID(),
				table.Counted(f.Republished, "file is", "files are")))
		}
	}
	return t
}

// lacks says what that means, and names the first files that are missing or changed, if not all are.
func lacks(f official.Finding) string {
	switch {
	case f.State == official.Changed:
		return fmt.Sprintf("Results with it do not compare with published ones. Changed: %s.",
			table.Shortlist(f.Changed, 1))
	case f.State == official.Incomplete && len(f.Missing) > 0:
		return fmt.Sprintf("%s Missing: %s.", f.Absence, table.Shortlist(f.Missing, 1))
	case f.State == official.Incomplete:
		return fmt.Sprintf("%s Only %d of %d files are there.", f.Absence, f.Have, f.Want)
	}
	return f.Absence
}
