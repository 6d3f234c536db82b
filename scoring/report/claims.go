package report

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// First says what the first table has.
type First struct {
	// Rate is the rate of its cells, and of all comparisons; empty for claim.Success.
	Rate claim.Rate
	// Columns are the columns of tables for papers, by their names; nil for the rates.
	Columns []string
	// Margin is the largest difference, as a fraction, that counts as none; 0 if no margin is given.
	Margin float64
	// Reference is the model that the others are compared with; empty for all pairs.
	Reference string
	// Limits: tables for papers have the limits of rates.
	Limits bool
	// OldNew: two runs of a model each are set against each other as old and new.
	OldNew bool
}

// standing is what the unperturbed tasks say: the models in the order of the first table,
// and all claims about them.
type standing struct {
	*claim.Set
	lines []modelRates
	// oldNew: the second of two lines is the old one.
	oldNew bool
}

// stand derives the claims of the runs.
func stand(r *Report) *standing {
	s := &standing{lines: gather(r.plain, placeOf)}
	var arms []row
	if len(r.swept()) == 0 { // what is lost under perturbations is said of each training
		arms = armsOf(r.plain)
	}
	if arms != nil {
		s.lines = gather(arms, placeOf)
	}
	results := &claim.Results{Rate: cmp.Or(r.First.Rate, claim.Success), Weights: r.weights, Margin: r.First.Margin,
		Places: r.places, Reference: r.First.Reference}
	inOrderOfRuns(s, r.Runs)
	bestFirst(s, results.Places, r.weights, results.Rate)
	if r.First.OldNew && r.First.Reference == "" && len(r.baselines) == 0 && arms == nil {
		if s.oldNew = oldAndNew(s, r.Runs); s.oldNew {
			results.Reference = s.lines[1].Name
		}
	}
	results.Models = table.Each(s.lines, func(l modelRates) claim.Model { return modelOf(r, l, results) })
	results.Retries = retriesOf(r.tried)
	s.Set = claim.Derive(results)
	return s
}

// SetReference sets the model that the others are compared with, by its name in tables, its
// specification or its run; empty for all pairs. Nobody of that name, or several, is an error.
func (r *Report) SetReference(name string) error {
	if name == "" {
		return nil
	}
	lines, err := ordered(gather(r.plain, placeOf), []string{name})
	if err != nil {
		return fmt.Errorf("--reference: %w", err)
	}
	r.First.Reference = lines[0].Name
	return nil
}

// placesOf are the places of unperturbed tasks, in the order of the runs.
func placesOf(runs []NamedRun, plain []row) (places []claim.Scope) {
	for _, run := range runs {
		for _, score := range run.Scores {
			p := newRow(score, nil).place
			if slices.ContainsFunc(plain, func(r row) bool { return r.place.Name == p.Name }) {
				places = table.AppendNew(places, p)
			}
		}
	}
	for i, p := range places { // the hash of a preset is said where two have one name
		short := func(p claim.Scope) string { return hashed.ReplaceAllString(p.Title, "") }
		if !slices.ContainsFunc(places, func(o claim.Scope) bool { return o.Name != p.Name && short(o) == short(p) }) {
			places[i].Title = short(p)
		}
	}
	return places
}

// hashed is the hash in the label of a preset.
var hashed = regexp.MustCompile(` \([0-9a-f]+…\)$`)

// inOrderOfRuns gives the models their places in the order of the runs.
func inOrderOfRuns(s *standing, runs []NamedRun) {
	run := func(l modelRates) int {
		return slices.IndexFunc(runs, func(r NamedRun) bool { return r.Name == l.directory })
	}
	slices.SortStableFunc(s.lines, func(a, b modelRates) int { return cmp.Compare(run(a), run(b)) })
	for i := range s.lines {
		s.lines[i].Position = i
	}
}

// bestFirst puts the best model first: by the held-out score, and then by the mean over the
// places that all models have.
func bestFirst(s *standing, places []claim.Scope, w configs.Weights, rate claim.Rate) {
	type key struct{ heldOut, mean float64 }
	keys := map[string]key{}
	for _, l := range s.lines {
		k := key{heldOut: -1}
		if e := l.heldOutRate(w, rate); e != nil {
			k.heldOut = e.Mean
		}
		for _, p := range places {
			if !slices.ContainsFunc(s.lines, func(o modelRates) bool { return o.rated(p.Name, rate) == nil }) {
				k.mean += l.rated(p.Name, rate).Mean
			}
		}
		keys[l.Name] = k
	}
	slices.SortStableFunc(s.lines, func(a, b modelRates) int {
		return cmp.Or(cmp.Compare(keys[b.Name].heldOut, keys[a.Name].heldOut),
			cmp.Compare(keys[b.Name].mean, keys[a.Name].mean))
	})
}

// rated is the rate of a line in a place; nil if there is none, or if it misleads.
func (l modelRates) rated(place string, rate claim.Rate) *scoring.Estimate {
	s := l.Scores[place]
	if s == nil || s.Finished == 0 || s.Misleads() {
		return nil
	}
	e := rate.Select(s).Estimate
	return &e
}

// modelOf is a line as claims take it.
func modelOf(r *Report, l modelRates, results *claim.Results) claim.Model {
	m := l.Model
	if m.HeldOut = l.heldOutRate(r.weights, results.Rate); m.HeldOut == nil {
		m.Unscored = l.unscored(r.weights)
	}
	for _, place := range results.Places {
		if sweep, ok := sweepOf(r.allRows, l.Name, place); ok {
			m.Sweeps = append(m.Sweeps, sweep)
		}
	}
	return m
}

// unscored says why a line has no held-out score; empty if it did not play most of its environments.
func (l modelRates) unscored(w configs.Weights) string {
	var missing []string
	n := len(w.HeldOut)
	for _, env := range l.heldOut(w).Missing {
		reason := l.rates[env].lack
		if _, ok := l.rates[env]; !ok {
			reason, n = "not played", n-1
		}
		missing = append(missing, fmt.Sprintf("%s (%s)", envs.Title(env), reason))
	}
	if 2*n <= len(w.HeldOut) || l.generated(w) {
		return ""
	}
	return strings.Join(missing, ", ")
}

// generated reports whether no environment of the held-out score has official tasks: a note on the tasks says so.
func (l modelRates) generated(w configs.Weights) bool {
	return !slices.ContainsFunc(w.HeldOut, func(part configs.Weight) bool {
		s := l.Scores[part.Env]
		return s != nil && s.Environment.Source != envs.Generated
	})
}

// sweepOf is a model in a place under the conditions of its sweep; ok is false if it played none with a perturbation.
func sweepOf(rows []row, name string, place claim.Scope) (out claim.Sweep, ok bool) {
	scores := map[string]*scoring.Score{} // by perturbation
	var planned []record.Perturbation
	var model string
	for _, entry := range rows {
		if entry.sweep != nil && entry.place.Name == place.Name && slices.ContainsFunc(rows, func(r row) bool {
			return r.line == name && r.place.Name == place.Name && r.commonKey == entry.commonKey
		}) {
			scores[entry.Condition.Perturbation], planned = entry.Score, entry.planned
			model = cmp.Or(entry.Condition.Substitute, entry.Condition.Model)
		}
	}
	out = claim.Sweep{Place: place, Conditions: []claim.Condition{{Name: noPerturbation,
		Score: scores[noPerturbation]}}}
	for _, p := range planned {
		c := claim.Condition{Name: p.Name, Rules: p.SHA256, Interface: p.Model == "", Averaged: len(p.Parts) == 0,
			Score: scores[p.Name]}
		if c.Score == nil && slices.Contains(p.Base, model) {
			c.Score = scores[noPerturbation] // the model saw no data of the environment
		}
		if slices.ContainsFunc(rows, func(r row) bool { return r.place.Name == place.Name && r.meets(p.Name) }) {
			out.Conditions = append(out.Conditions, c)
		}
		ok = ok || c.Interface && c.Score != nil
	}
	return out, ok
}

// meets reports whether the row was planned under a perturbation, or counts under it without one.
func (r row) meets(name string) bool {
	return r.Condition.Perturbation == name || slices.ContainsFunc(r.planned, func(p record.Perturbation) bool {
		return p.Name == name && slices.Contains(p.Base, cmp.Or(r.Condition.Substitute, r.Condition.Model))
	})
}

// retriesOf are the rates of players after their last trial. One with memory is compared with
// the one that retries without, after as many trials as both have.
func retriesOf(list []row) (out []claim.Retry) {
	for _, t := range list {
		if t.Condition.Perturbation != noPerturbation {
			continue
		}
		last := len(t.Trials())
		base, ok := t.control(list)
		if ok {
			last = min(last, len(base.Trials()))
		}
		retry := t.retry(last)
		if ok {
			against := base.retry(last)
			retry.Against = &against
		}
		out = append(out, retry)
	}
	return out
}

// retry is what the player reached after n trials.
func (t row) retry(n int) claim.Retry {
	retry := claim.Retry{Place: t.place, Name: t.name, Trials: n, First: t.Score}
	if r, complete := t.afterTrial(n - 1); complete {
		retry.Score = r.Score
	}
	return retry
}

// oldAndNew puts the model of the first of two runs behind the model of the second, which is
// the new one, and reports whether there is one of each.
func oldAndNew(s *standing, runs []NamedRun) bool {
	if len(runs) != 2 || len(s.lines) != 2 {
		return false
	}
	index := func(run NamedRun) int {
		return slices.IndexFunc(s.lines, func(l modelRates) bool { return l.directory == run.Name })
	}
	old, fresh := index(runs[0]), index(runs[1])
	if old < 0 || fresh < 0 || old == fresh {
		return false
	}
	s.lines = []modelRates{s.lines[fresh], s.lines[old]}
	return true
}

// OrderGiven asks for all served models in the order of the runs.
const OrderGiven = "given"

// InOrder puts models in an order, such as the order of their training. Models are named as in
// tables, without the provider, or by their run's directory. The order may be
// OrderGiven. A name that fits no model or several is an error.
func (r *Report) InOrder(names []string) error {
	lines, err := ordered(gather(r.plain, placeOf), names)
	r.checkpoints = table.Each(lines, func(l modelRates) string { return l.Name })
	return err
}

// Checkpoints are the models that are in an order; none without one.
func (r *Report) Checkpoints() []string { return r.checkpoints }

// ordered returns the lines in the order of their names.
func ordered(lines []modelRates, order []string) (out []modelRates, err error) {
	if slices.Equal(order, []string{OrderGiven}) {
		if out = table.Filter(lines, func(l modelRates) bool { return !l.Baseline }); len(out) == 0 {
			return nil, errors.New("no model was served")
		}
		return out, nil
	}
	for _, name := range order {
		var fits, names []string
		for _, l := range lines {
			names = append(names, l.Name)
			if l.called(name) {
				fits = append(fits, l.Name)
				out = append(out, l)
			}
		}
		switch len(fits) {
		case 0:
			return nil, fmt.Errorf("no model is called %q; there are: %s", name, strings.Join(names, "; "))
		case 1:
		default:
			return nil, fmt.Errorf("several models are called %q: %s", name, strings.Join(fits, "; "))
		}
	}
	return out, nil
}

// called reports whether a line has a name.
func (l modelRates) called(name string) bool {
	names := []string{l.Name, l.model, bare(l.model), l.run, l.directory, filepath.Base(l.directory)}
	return slices.Contains(names, name)
}
