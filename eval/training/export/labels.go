package export

import (
	"fmt"
	"path/filepath"

	"heldout/envs/datafile"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
)

// turnLabels are the labels of a judge, by episode and step.
type turnLabels map[labelled]bool

type labelled struct {
	episode string
	step    int
}

func readLabels(dir string) (turnLabels, error) {
	name := filepath.Join(dir, record.LabelsFile)
	f, err := datafile.Open(name, datafile.Unlimited)
	if err != nil {
		return nil, fmt.Errorf("labels are %s, %s, or the folder of heldout judge: %w", ByEnvironment, ByProgress, err)
	}
	defer f.Close()
	out := turnLabels{}
	_, err = synth.EachLine(name, f, func(_ int, line []byte) error {
		var l struct {
			Trajectory string `json:"trajectory"`
			Step       int    `json:"step"`
			Answer     *struct {
				Label string `json:"label"`
			} `json:"answer"`
		}
		if err := datafile.Unmarshal(line, &l); err != nil {
			return err
		}
		if l.Answer != nil && l.Answer.Label != "" {
			out[labelled{l.Trajectory, l.Step}] = l.Answer.Label == "right"
		}
		return nil
	})
	return out, err
}
