package view

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// RunState says how far a run is.
type RunState string

// The states of a run.
const (
	Running    RunState = "running"
	Complete   RunState = "complete"
	Incomplete RunState = "incomplete" // some episodes have no result, and no process works on it
)

// Summary is what is known of a run at a glance.
type Summary struct {
	Run          record.Parts
	State        RunState
	Environments []string
	Models       []string
	Names        map[string]string // what the user calls models in tables, by model
	// Started is the start of the first session. Last is the end of the last episode; zero if none has ended.
	Started, Last time.Time
	// Planned counts the planned episodes, with the trials that are due so far, Finished those with a result.
	Planned, Finished int
	Seeds             int            // the number of seeds
	Rates             []RateSoFar    // the rates so far, in the order of the plan
	Absent            []record.Shard // the shards that have not begun
	BadLines          int            // the number of lines of the records that cannot be read
	Status            *record.Status // what the processes say that work on the run; nil if none does
}

// RateSoFar is what a player has reached in an environment so far.
type RateSoFar struct {
	Condition record.Condition // without the seed
	// Place names the environment, External says what it is if others run it, and Outside counts the
	// tasks that are not of its benchmark.
	Place    string
	External string
	Outside  int
	// Planned counts the episodes that are due, later trials too, Finished those with a result.
	Planned, Finished int
	Success, Progress scoring.Rate
	// Counts says that a held-out score may take the rates: they cover all official tasks, complete, without
	// a preset of another paper, and the model was not trained on the environment.
	Counts bool
}

// counts reports whether a held-out score may take a score's rates.
func counts(m *record.Manifest, s *scoring.Score) bool {
	c, env := s.Condition, s.Environment
	return s.Complete() && s.ComparesAcross() && s.Outside == 0 && env.Source == envs.Official &&
		len(env.Tasks) >= env.Total && env.Caveat == "" && c.Settings["variant"] == "" &&
		!slices.Contains(m.HeldIn.Lookup(c.Model), c.Env)
}

// called is what tables call a model: the user's name of it, or its own, with the provider if others have the same.
func (s Summary) called(model string) string {
	bare := func(model string) string { return model[strings.Index(model, ":")+1:] }
	same := func(spec string) bool { return spec != model && bare(spec) == bare(model) }
	if name := s.Names[model]; name != "" {
		return name
	}
	if model == record.Unnamed {
		return record.CalledPlayer(model)
	}
	if name := bare(model); name != "" && !slices.ContainsFunc(s.Models, same) {
		return name
	}
	return model
}

// summarize summarizes a run. It does not look at trajectories.
func summarize(p record.Parts, x *record.Index, now time.Time) Summary {
	s := Summary{Run: p, State: Incomplete, Absent: x.Absent, BadLines: len(x.Bad) + x.OmittedBad,
		Names: x.Manifest.Names}
	run := scoring.NewRun(x.Manifest)
	var r record.Result
	for i := range x.Results().Len() {
		r = x.Results().Result(i)
		run.Add(x.Results().Position(i), &r, nil)
		if r.Ended.After(s.Last) {
			s.Last = r.Ended
		}
	}
	environments, models := map[string]bool{}, map[string]bool{}
	for _, score := range scoring.Compute(run, stats.TheseKinds) {
		environments[score.Place()], models[score.Condition.Model] = true, true
		due, finished := score.Episodes()
		s.Rates = append(s.Rates, RateSoFar{score.Condition, score.Place(), score.Environment.External(), score.Outside,
			due, finished, score.Success, score.Progress, counts(x.Manifest, score)})
		s.Seeds = max(s.Seeds, score.SeedCount())
		s.Planned += due
		s.Finished += finished
	}
	s.Environments, s.Models = slices.Sorted(maps.Keys(environments)), slices.Sorted(maps.Keys(models))
	if len(x.Manifest.Sessions) > 0 {
		s.Started = x.Manifest.Sessions[0].Started
	}
	s.setStatus(now)
	return s
}

// heldOut is the held-out score of a model in percent; NaN if it is incomplete or played in several ways.
func (s Summary) heldOut(w configs.Weights, model string) float64 {
	score := scoring.ComputeHeldOut(w, func(env string) (success, progress scoring.Estimate, ok bool) {
		n := 0
		for _, r := range s.Rates {
			if c := r.Condition; c.Env == env && c.Model == model && c.Perturbation == "none" {
				success, progress, ok, n = r.Success.Estimate, r.Progress.Estimate, r.Counts, n+1
			}
		}
		return success, progress, ok && n == 1
	})
	if len(score.Missing) > 0 {
		return math.NaN()
	}
	return 100 * score.Success.Mean
}

// perturbations counts the perturbations of the rates.
func (s Summary) perturbations() int {
	found := map[string]bool{}
	for _, r := range s.Rates {
		if p := r.Condition.Perturbation; p != "none" {
			found[p] = true
		}
	}
	return len(found)
}

// setStatus reads what the processes say that work on the run.
func (s *Summary) setStatus(now time.Time) {
	status, err := s.Run.Status(now.Add(-record.Silent))
	if err != nil {
		status = nil // looking at the records says why
	}
	s.Status = status
	switch {
	case status != nil:
		s.State = Running
	case s.Finished == s.Planned:
		s.State = Complete
	default:
		s.State = Incomplete
	}
}
