package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/report"
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

// points are what the rates of a condition add to curves, in percent: values by name, at a step.
type points struct {
	Step   int64              `json:"step"`
	Time   float64            `json:"time"` // seconds since 1970
	Values map[string]float64 `json:"values"`
}

// log adds the rates of runs to the curves where the user wants them. A curve is a model, or the checkpoints of one.
func (o *output) log(ctx context.Context, sys *system, runs []report.NamedRun) (err error) {
	for _, dir := range o.logFolders() {
		err = errors.Join(err, appendPoints(ctx, sys, dir, func(w io.Writer) error {
			lines := json.NewEncoder(w)
			for _, run := range runs {
				for _, s := range run.Scores {
					if err := lines.Encode(o.points(sys, run, s)); err != nil {
						return err
					}
				}
			}
			return nil
		}))
	}
	return err
}

func (o *output) points(sys *system, run report.NamedRun, s *scoring.Score) points {
	curve, step, _ := scoring.CurveOf(cmp.Or(run.Names[s.Condition.Model], s.Condition.Model))
	if o.logStep != noStep {
		step = o.logStep
	}
	return points{step, float64(sys.now().UnixNano()) / 1e9, scalars(curve+"/"+placeOf(s), s)}
}

// appendPoints has the Python package write lines of points as event files.
func appendPoints(ctx context.Context, sys *system, dir string, write func(io.Writer) error) error {
	_, err := sys.pipe(ctx, write, toTensorboard, dir)
	return err
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

// scalars are the rates of a score with their limits, named as preliminary while episodes are missing.
func scalars(place string, s *scoring.Score) map[string]float64 {
	values := map[string]float64{}
	if s.Finished == 0 {
		return values
	}
	for _, r := range []struct {
		name string
		rate scoring.Rate
	}{{"success", s.Success}, {"progress", s.Progress}} {
		tag := place + "/" + r.name
		if !s.Complete() {
			tag = place + "/preliminary_" + r.name
		}
		values[tag] = 100 * r.rate.Mean
		if i := r.rate.Interval; i != nil {
			values[tag+"_low"], values[tag+"_high"] = 100*i.Low, 100*i.High
		}
	}
	return values
}
