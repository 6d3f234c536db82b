package main

import (
	"cmp"
	"errors"
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
	if o.logStep != noStep && (o.logStep < 0 || dir == "") {
		return "", errors.New("--log-step is the step of --log tensorboard:DIR, a number from 0")
	}
	return dir, nil
}

// noStep leaves the step of curves to the names of models.
const noStep = -1

// log writes the rates of runs where the user wants them, in percent. A curve is a model, or
// the checkpoints of one.
func (o *output) log(sys *system, runs []report.NamedRun) error {
	dir, err := o.logFolder()
	if err != nil || dir == "" {
		return err
	}
	for _, run := range runs {
		for _, s := range run.Scores {
			curve, step, _ := tensorboard.CurveOf(cmp.Or(run.Names[s.Condition.Model], s.Condition.Model))
			if o.logStep != noStep {
				step = o.logStep
			}
			if err := tensorboard.Append(dir, sys.now(), step, scalars(curve+"/"+placeOf(s), s)); err != nil {
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

// scalars are the rates of a score with their limits, named as preliminary while episodes are
// missing.
func scalars(place string, s *scoring.Score) (points []tensorboard.Scalar) {
	if s.Finished == 0 {
		return nil
	}
	for _, r := range []struct {
		name string
		rate scoring.Rate
	}{{"success", s.Success}, {"progress", s.Progress}} {
		tag := place + "/" + r.name
		if !s.Complete() {
			tag = place + "/preliminary_" + r.name
		}
		points = append(points, tensorboard.Scalar{Tag: tag, Value: 100 * r.rate.Mean})
		if i := r.rate.Interval; i != nil {
			points = append(points, tensorboard.Scalar{Tag: tag + "_low", Value: 100 * i.Low},
				tensorboard.Scalar{Tag: tag + "_high", Value: 100 * i.High})
		}
	}
	return points
}
