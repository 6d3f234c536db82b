package bench

import (
	"fmt"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/originals"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// examinePreset checks what a preset needs: its tasks in the data, and the files of
// its source. It contacts no server.
func examinePreset(out Outside, c Chosen) []envs.Check {
	tasks := envs.Check{Name: c.Released.ID(false) + ": tasks", Status: envs.CheckOK}
	job := &Job{outside: out}
	job.about.Prompts = map[string]record.Prompt{}
	defer job.Close()
	b, err := job.benchmark(c, nil)
	switch {
	case err != nil:
		tasks.Status, tasks.Text = envs.CheckFail, err.Error()
	case b.Env.Info().Source == envs.Generated:
		tasks.Status, tasks.Text = envs.CheckWarn,
			table.Counted(len(b.Tasks), "generated task, which is", "generated tasks, which are")+
				" not the preset's: give the official data with --data"
	case b.Preset.Env.Tasks.Count < c.Released.Env.Tasks.Count:
		tasks.Status = envs.CheckWarn
		tasks.Text = fmt.Sprintf("the data have %d of its %d tasks: results do not compare with those of all "+
			"(heldout help data says how to get the others)", b.Preset.Env.Tasks.Count, c.Released.Env.Tasks.Count)
	default:
		tasks.Text = table.Counted(len(b.Tasks), "official task, with the name", "official tasks, with the names") +
			" of the preset"
		if c.Released.Env.Tasks.SHA256 == "" {
			tasks.Text = table.Counted(len(b.Tasks), "official task; its name has",
				"official tasks; their names have") + " the SHA-256 " + job.about.Protocols[0].Tasks
		}
	}
	return append([]envs.Check{tasks}, examineFiles(c)...)
}

func examineFiles(c Chosen) (checks []envs.Check) {
	about := c.Released.ID(false) + ": "
	if own := c.Released.Prompt.BuiltIn; own != "" {
		checks = append(checks, envs.Check{Name: about + "prompt", Status: envs.CheckOK, Text: "heldout's own, " + own})
	}
	files, mismatch := originals.Check(c.Run.Originals, []configs.Preset{c.Released})
	for _, f := range files {
		check := envs.Check{Name: about + f.Path, Status: envs.CheckOK, Text: "it is the original"}
		switch {
		case c.Run.Originals == "":
			_, err := originals.Find("", &c.Released, f.Path)
			check.Status, check.Text = envs.CheckFail, err.Error()
		case len(f.Differs) > 0:
			check.Status, check.Text = envs.CheckFail, strings.TrimSpace(strings.Join(f.Differs, "; "))
		case f.Texts > 0:
			check.Text = "it has the original's " + table.Counted(f.Texts, "text")
		case f.SHA256 == "":
			check.Status, check.Text = envs.CheckWarn, "it is there; its hash is not known"
		}
		checks = append(checks, check)
	}
	if mismatch != "" {
		checks = append(checks, envs.Check{Name: about + "commit", Status: envs.CheckWarn, Text: mismatch})
	}
	return checks
}
