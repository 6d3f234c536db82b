package claim

import (
	"cmp"
	"math"
	"slices"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/protocol"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Rate is a rate that claims can be about.
type Rate string

// The rates.
const (
	Success   Rate = "SR"
	Progress  Rate = "PR"
	Grounding Rate = "GA"
)

// Rates are the rates that claims can be about.
func Rates() []Rate { return []Rate{Success, Progress, Grounding} }

// Title names the rate.
func (r Rate) Title() string {
	return map[Rate]string{Success: "Success rate", Progress: "Progress rate", Grounding: "Grounding accuracy"}[r]
}

// Select returns the rate of a score.
func (r Rate) Select(s *scoring.Score) scoring.Rate {
	if r == Grounding {
		return s.Grounding
	}
	return Pick(r, s.Success, s.Progress)
}

// Pick returns what stands for progress if the rate is that, else what stands for success.
func Pick[T any](r Rate, success, progress T) T {
	if r == Progress {
		return progress
	}
	return success
}

// change returns the difference of the rate; ok is false if differences of the rate are not estimated.
func (r Rate) change(c scoring.Comparison) (change scoring.Change, ok bool) {
	return Pick(r, c.Success, c.Progress), r != Grounding
}

// Scope is where results stand: an environment, a preset, or the held-out score.
type Scope struct {
	// Name is the name for programs, Title the one for people.
	Name, Title string
	// Success and Progress are what the environment calls its rates, such as EM and F1; empty for SR and PR.
	Success, Progress string
	// Averaged: rates are averages over the conditions of a sweep, the one without a perturbation among them.
	Averaged bool
}

// place is a scope as a key.
type place struct {
	name     string
	averaged bool
}

func (p Scope) key() place { return place{p.Name, p.Averaged} }

// Average is the scope of the averages over a sweep there.
func (p Scope) Average() Scope {
	p.Averaged = true
	return p
}

// NameIn is what a rate is called in a place.
func (r Rate) NameIn(p Scope) string {
	return cmp.Or(map[Rate]string{Success: p.Success, Progress: p.Progress}[r], string(r))
}

// Results are what claims are derived from.
type Results struct {
	Rate Rate
	// Places are the places of unperturbed tasks, in the order of tables.
	Places []Scope
	// Models in the order of tables.
	Models []Model
	// Weights are the weights of the held-out score.
	Weights configs.Weights
	// Reference is the model that the others are compared with; empty for all pairs.
	Reference string
	// Margin is the largest difference, as a fraction, that counts as none; 0 if no margin is given.
	Margin float64
	// Retries are the rates after the last trial, if tasks have several. The primary question
	// is about their comparisons.
	Retries []Retry
}

// Model is a model with what it reached.
type Model struct {
	Name string
	// Baseline: it is a scripted player, which no model competes with.
	Baseline bool
	// Scores are the scores on unperturbed tasks, by place.
	Scores map[string]*scoring.Score
	// Arm has its trainings by place, if it is several trainings; Scores are then over all.
	Arm map[string]scoring.Trainings
	// HeldOut is its held-out score, nil if it has none; Unscored then says why, if it has
	// results that count for it.
	HeldOut  *scoring.Estimate
	Unscored string
	// Sweeps are what it reached under perturbations.
	Sweeps []Sweep
	// Trained are the environments whose data it was trained on.
	Trained []Scope
	// Position is its place in the order of the runs: a difference is the later model less the earlier.
	Position int
	// Parts are the parts of the protocol by which it played, by place, if it was served. Weights say what its
	// servers loaded, if they all said the same.
	Parts   map[string][]protocol.Part
	Weights string
}

// Retry is what a player reached after a number of trials.
type Retry struct {
	Place  Scope
	Name   string
	Trials int
	// First is what it reached in the first trial, Score after all; nil if results that are
	// due are missing, or if the rate is withheld.
	First, Score *scoring.Score
	// Against is what it is compared with, after as many trials; nil if there is none.
	Against *Retry
}

// subject is the player with its rate.
func (r Retry) subject(rate Rate) Subject {
	out := Subject{Name: r.Name, Value: math.NaN(), Seeds: r.First.SeedCount(), Finished: r.First.Finished,
		Planned: r.First.Planned}
	if r.Score != nil {
		out.Value = rate.Select(r.Score).Mean
	}
	out.EqualSeeds = r.First.EqualSeeds() && (r.Score == nil || r.Score.EqualSeeds())
	return out
}

// HeldOut is the place of the held-out score.
var HeldOut = Scope{Name: "held-out score", Title: "the held-out score"}

// Columns are all places, with the held-out score at the end if a model has it.
func (r *Results) Columns() []Scope {
	if slices.ContainsFunc(r.Models, func(m Model) bool { return m.HeldOut != nil }) {
		return append(slices.Clip(r.Places), HeldOut)
	}
	return r.Places
}

// questions are the places in which models are compared: all places, and the averages of those that were swept.
func (r *Results) questions() []Scope {
	out := slices.Clone(r.Columns())
	for _, p := range r.Places {
		if slices.ContainsFunc(r.Models, func(m Model) bool { return m.swept(p).perturbations(averagedOnly) != nil }) {
			out = append(out, p.Average())
		}
	}
	return out
}

// Competes reports whether a model is compared with others: a baseline is only if there are
// no others, or if it is the reference.
func (r *Results) Competes(m Model) bool {
	return !m.Baseline || m.Name == r.Reference ||
		!slices.ContainsFunc(r.Models, func(o Model) bool { return !o.Baseline })
}

// competing counts the models that are compared.
func (r *Results) competing() int { return len(table.Filter(r.Models, r.Competes)) }

// Measure is the name of the rate in a place. Where a model has several trials of a task it is
// the rate after the first one.
func (r *Results) Measure(p Scope) string {
	name := r.Rate.NameIn(p)
	if slices.ContainsFunc(r.Models, func(m Model) bool { return severalTrials(m, p) }) {
		return afterTrials(name, 1)
	}
	return name
}

func afterTrials(rate string, n int) string { return rate + " after " + table.Counted(n, "trial") }

// retried reports whether the primary question is about retries.
func (r *Results) retried() bool {
	return slices.ContainsFunc(r.Retries, func(retry Retry) bool { return retry.Against != nil })
}

// severalTrials reports whether a model has several trials of tasks in a place.
func severalTrials(m Model, p Scope) bool {
	for name, s := range m.Scores {
		if s != nil && s.Condition.MostTrials() > 1 && (name == p.Name || p.Name == HeldOut.Name) {
			return true
		}
	}
	return false
}

// subject is a model in a place.
func (r *Results) subject(m Model, p Scope) Subject {
	out := Subject{Name: m.Name, Value: math.NaN(), Trainings: len(m.Arm[p.Name].Parts)}
	for _, s := range m.Scores {
		out.Seedless = out.Seedless || s != nil && record.Seedless(s.Condition.Agent)
	}
	if p.Averaged {
		return r.average(out, m.swept(p))
	}
	if p.Name == HeldOut.Name {
		if m.HeldOut != nil {
			out.Value = m.HeldOut.Mean
		}
		for _, name := range r.environments(p) {
			if s := m.Scores[name]; s != nil {
				if n := s.SeedCount(); out.Seeds == 0 || n < out.FewestSeeds {
					out.FewestSeeds = n
				}
				out.Seeds = max(out.Seeds, s.SeedCount())
				out.Finished, out.Planned = out.Finished+s.Finished, out.Planned+s.Planned
				out.Trainings = max(out.Trainings, len(m.Arm[name].Parts))
			}
		}
		return out
	}
	if s := m.Scores[p.Name]; s != nil {
		out.Seeds, out.EqualSeeds, out.Finished, out.Planned = s.SeedCount(), s.EqualSeeds(), s.Finished, s.Planned
		if !s.Misleads() {
			out.Value = r.Rate.Select(s).Mean
		}
	}
	return out
}

// tasks counts the tasks of a model in a place that have results.
func (r *Results) tasks(m Model, p Scope) (n int) {
	for _, name := range r.environments(p) {
		if s := m.Scores[name]; s != nil {
			n += s.Tasks()
		}
	}
	return n
}

// taskRange is the smallest and the largest of models' numbers of tasks; a model without any does not count.
func taskRange(counts ...int) (fewest, most int) {
	for _, n := range counts {
		if n > 0 {
			fewest, most = min(cmp.Or(fewest, n), n), max(most, n)
		}
	}
	return fewest, most
}

// environments are those that a place stands for, by their names: of the held-out score all that it weighs.
func (r *Results) environments(p Scope) []string {
	if p.Name != HeldOut.Name {
		return []string{p.Name}
	}
	return table.Each(r.Weights.HeldOut, func(part configs.Weight) string { return part.Env })
}
