package export

import (
	"heldout/envs/catalog"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
)

func aboutEpisode(e *record.Episode, use catalog.Use) about {
	return about{
		ID: e.ID, Env: e.Env, Task: e.Task, Kind: e.TaskType, Difficulty: string(e.Difficulty),
		Perturbation: e.Perturbation, Preset: e.Preset, Model: e.Model, Seed: e.Seed, Outcome: string(e.Outcome),
		Progress: e.Progress, Valid: each(e.Trajectory, carriedOut), Use: string(use),
	}
}

// carriedOut reports whether the environment understood an action and carried it out.
func carriedOut(s record.Step) bool { return !s.Erroneous() && !s.FormatError }

// aboutItem is what examples say of a verified trajectory, which has succeeded.
func aboutItem(i *synth.Item, id, task string) about {
	a := about{ID: id, Env: Synthetic, Task: task, Kind: Synthetic, Outcome: string(record.Success), Progress: 1,
		Valid: []bool{}, Use: string(catalog.Train)}
	for k, t := range i.Turns {
		if !t.Master {
			a.Valid = append(a.Valid, i.Train[k])
		}
	}
	return a
}
