package export

import (
	"heldout/envs/catalog"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
)

// aboutEpisode is what examples say of an episode.
func aboutEpisode(e *record.Episode, use catalog.Use) about {
	a := about{
		ID: e.ID, Env: e.Env, Task: e.Task, Kind: e.TaskType, Difficulty: string(e.Difficulty),
		Perturbation: e.Perturbation, Preset: e.Preset, Model: e.Model, Seed: e.Seed, Outcome: string(e.Outcome),
		Progress: e.Progress, Valid: []bool{}, Use: string(use),
	}
	for i := range e.Trajectory {
		a.Valid = append(a.Valid, !e.Trajectory[i].Erroneous() && !e.Trajectory[i].FormatError)
	}
	return a
}

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
