package report

import (
	"slices"

	"heldout/envs"
)

// external says of environments that others run which program was played, and what their
// rates are where the program gave rewards, or did not know success.
func external(rows []row) []string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.Environment.Source != envs.External })
	return grouped(rows, row.place, func(r row) string {
		s := r.Condition.Settings
		text := "outside of heldout, version " + s["version"] + ", hash " + s["hash"]
		if bounds := s["return"]; bounds != "" {
			text += "; PR is where the sum of rewards lies from " + bounds
		}
		if progress := s["progress"]; progress != "" {
			text += "; PR is " + progress
		}
		if least := s["success-threshold"]; least != "" {
			text += "; SR counts a progress of at least " + least
		}
		return text
	})
}
