package main

import (
	"cmp"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"heldout/scoring"
	"heldout/scoring/report"
	"heldout/scoring/tensorboard"
)

// logFolder returns the folder of --log tensorboard:DIR; empty for no log.
func (o *output) logFolder() (string, error) {
	kind, dir, _ := strings.Cut(o.logTo, ":")
	if o.logTo != "" && (kind != "tensorboard" || dir == "") {
		return "", errors.New("--log wants tensorboard:DIR")
	}
	return dir, nil
}

// log writes the rates of runs where the user wants them, in percent. The step of a curve is
// the last number in the name of the model, as in checkpoint-1000.
func (o *output) log(sys *system, runs []report.Run) error {
	dir, err := o.logFolder()
	if err != nil || dir == "" {
		return err
	}
	for _, run := range runs {
		models := map[string]bool{}
		for _, s := range run.Scores {
			models[s.Condition.Model] = true
		}
		for _, s := range run.Scores {
			name := cmp.Or(run.Names[s.Condition.Model], s.Condition.Model)
			place := placeOf(s)
			if len(models) > 1 {
				place = name + "/" + place
			}
			if err := tensorboard.Append(dir, sys.now(), lastNumber(name), scalars(place, s)); err != nil {
				return err
			}
		}
	}
	return nil
}

// placeOf names what a score is about besides its model.
func placeOf(s *scoring.Score) string {
	place := s.Condition.Env
	if s.Condition.Preset != nil {
		place = s.Condition.Preset.Label()
	}
	if p := s.Condition.Perturbation; p != "none" {
		place += "/" + p
	}
	return place
}

func scalars(place string, s *scoring.Score) (all []tensorboard.Scalar) {
	for _, r := range []struct {
		name string
		rate scoring.Rate
	}{{"success", s.Success}, {"progress", s.Progress}} {
		if s.Finished == 0 {
			continue
		}
		tag := place + "/" + r.name
		all = append(all, tensorboard.Scalar{Tag: tag, Value: 100 * r.rate.Mean})
		if i := r.rate.Interval; i != nil {
			all = append(all, tensorboard.Scalar{Tag: tag + "_low", Value: 100 * i.Low},
				tensorboard.Scalar{Tag: tag + "_high", Value: 100 * i.High})
		}
	}
	return all
}

var numbers = regexp.MustCompile(`[0-9]+`)

// lastNumber returns the last number in a name, 0 if there is none.
func lastNumber(name string) int64 {
	all := numbers.FindAllString(name, -1)
	if len(all) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(all[len(all)-1], 10, 64)
	if err != nil { // more than fits
		return 0
	}
	return n
}
