package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/report"
	"heldout/scoring/tensorboard"
)

// Where --log writes to.
const (
	toTensorboard = "tensorboard"
	toWandb       = "wandb"
	toMLflow      = "mlflow"
)

// checkLog reports places of --log that make no sense.
func (o *output) checkLog() error {
	for _, place := range o.logTo {
		kind, rest, _ := strings.Cut(place, ":")
		if rest == "" || !slices.Contains([]string{toTensorboard, toWandb, toMLflow}, kind) {
			return errors.New("--log wants tensorboard:DIR, wandb:PROJECT, or mlflow:EXPERIMENT or mlflow:URI")
		}
	}
	if o.logStep != noStep && (o.logStep < 0 || len(o.logFolders()) == 0) {
		return errors.New("--set log-step is the step of --log tensorboard:DIR, a number from 0")
	}
	return nil
}

// logFolders are the folders of --log tensorboard:DIR.
func (o *output) logFolders() (dirs []string) {
	for _, place := range o.logTo {
		if dir, ok := strings.CutPrefix(place, toTensorboard+":"); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// noStep leaves the step of curves to the names of models.
const noStep = -1

// log writes the rates of runs where the user wants them, in percent. A curve is a model, or
// the checkpoints of one.
func (o *output) log(sys *system, runs []report.NamedRun) error {
	for _, dir := range o.logFolders() {
		for _, run := range runs {
			if err := o.logRun(sys, dir, run); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *output) logRun(sys *system, dir string, run report.NamedRun) error {
	for _, s := range run.Scores {
		curve, step, _ := tensorboard.CurveOf(cmp.Or(run.Names[s.Condition.Model], s.Condition.Model))
		if o.logStep != noStep {
			step = o.logStep
		}
		if err := tensorboard.Append(dir, sys.now(), step, scalars(curve+"/"+placeOf(s), s)); err != nil {
			return err
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
