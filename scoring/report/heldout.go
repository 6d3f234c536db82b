package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/protocol"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

const (
	heldInMark = "†"
	partMark   = "‡"
	caveatMark = "¶"
)

func weightNote(w configs.Weights) string {
	weighted := func(h configs.Weight) string { return fmt.Sprintf("%s %g", h.Env, h.Weight) }
	parts := table.Each(w.HeldOut, weighted)
	tasks := "official tasks"
	if slices.ContainsFunc(w.HeldOut, func(h configs.Weight) bool { return envs.IsExternal(h.Env) }) {
		tasks = "tasks"
	}
	return fmt.Sprintf(
		"SR success rate, PR progress rate, in percent. Held-out: the mean weighted with %s (%s), of complete "+
			"results on all %s.",
		strings.Join(parts, ", "), w.Source, tasks)
}

// noScore says which lines have no held-out score, and why.
func noScore(lines []modelRates, w configs.Weights) []string {
	lacking := table.Filter(lines, func(l modelRates) bool { return len(l.heldOut(w).Missing) > 0 })
	return grouped(lacking, func(l modelRates) string { return l.Name }, func(l modelRates) string {
		missing := table.Each(l.heldOut(w).Missing, func(env string) string {
			if r, ok := l.rates[env]; ok {
				env += " (" + r.lack + ")"
			}
			return env
		})
		return "the held-out score is incomplete; missing: " + strings.Join(missing, ", ")
	})
}

// rateMarks explains the marks of rates whose details are in another table.
func rateMarks(marks string) []string {
	return explained(marks, incompleteNote, repliesNote,
		caveatMark+" Not comparable with published results; the table of results says why.",
		partMark+" On a part of the tasks: the rate does not compare with those on all of them.")
}

// sources says where baselines were published and which caveats they have.
func sources(baselines []Baseline, marks string) (notes []string) {
	for i, b := range baselines {
		notes = append(notes, fmt.Sprintf("[%s]: %s; %s.", b.Name, b.Source.Title, b.Table.Title))
		if !slices.ContainsFunc(baselines[:i], func(o Baseline) bool { return o.Source.Title == b.Source.Title }) {
			notes = append(notes, b.Source.Notes...)
		}
		notes = append(notes, b.Table.Notes...)
	}
	if strings.Contains(marks, heldInMark) {
		notes = append(notes, heldInMark+" Held in: the model was tuned on data of that environment.")
	}
	return notes
}

// modelRates is one model's rates by environment.
type modelRates struct {
	claim.Model // as claims take it, but for what several lines say: of published ones the name alone
	rates       map[string]rates
	// model, run and directory are other names of a line from a run.
	model, run, directory string
}

// rates are fractions.
type rates struct {
	success, progress *scoring.Estimate
	// lack says why the rates do not count for the held-out score; empty if they count.
	lack  string
	marks string
	// trained is the mark of an environment whose data the model was trained on.
	trained string
}

// estimate is one of them; nil if it is unknown.
func (r rates) estimate(rate claim.Rate) *scoring.Estimate {
	return claim.Pick(rate, r.success, r.progress)
}

// gather makes lines of rows, one for each player, with the rates by the name of where they were reached.
func gather(rows []row, place func(row) string) []modelRates {
	var lines []modelRates
	for _, group := range table.Grouped(rows, lineOf) {
		first := group[0]
		scripted := first.Condition.Decoding == nil && !record.Outside(first.Condition.Agent)
		l := modelRates{Model: claim.Model{Name: first.line, Baseline: scripted, Weights: first.server.Identity(),
			Scores: map[string]*scoring.Score{}, Parts: map[string][]protocol.Part{}},
			model: first.Condition.Model, run: first.run, directory: first.directory, rates: map[string]rates{}}
		for _, r := range group {
			l.rates[place(r)], l.Scores[place(r)] = ratesOf(r), r.Score
			if !l.Baseline {
				l.Parts[place(r)] = partsOf(r)
			}
			if l.Weights != r.server.Identity() {
				l.Weights = ""
			}
			if r.arm != nil && l.Arm == nil {
				l.Arm = map[string]scoring.Trainings{}
			}
			if r.arm != nil {
				l.Arm[place(r)] = *r.arm
			}
			for _, env := range r.trained {
				l.Trained = table.AppendNew(l.Trained, claim.Scope{Name: env, Title: envs.Title(env)})
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// ratesOf returns the rates of a row.
func ratesOf(r row) rates {
	out := rates{success: &r.Success.Estimate, progress: &r.Progress.Estimate}
	if r.Environment.Source == envs.Generated || r.Condition.Settings["variant"] != "" {
		out.lack = "not the official tasks"
	}
	if n, total := len(r.Environment.Tasks), r.Environment.Total; r.Outside > 0 {
		out.lack = "not the benchmark's tasks"
	} else if n < total {
		out.lack, out.marks = fmt.Sprintf("%d of %d tasks", n, total), partMark
	}
	if r.Environment.Caveat != "" {
		out.lack = "not comparable"
		out.marks += caveatMark
	}
	if !r.Complete() {
		out.lack = fmt.Sprintf("%d of %d episodes", r.Finished, r.Planned)
		out.marks += incompleteMark
	}
	if slices.Contains(r.trained, r.Condition.Env) {
		out.lack, out.trained = "trained on it", heldInMark
		out.marks += heldInMark
	}
	if r.faults != nil {
		out.marks += repliesMark
	}
	return out
}

// publishedLines turns a published table into lines, with the held-out scores that follow from them.
func publishedLines(b Baseline, w configs.Weights) (out []modelRates) {
	for _, r := range b.Table.Rows {
		l := modelRates{Model: claim.Model{Name: method(r) + " [" + b.Name + "]"}, rates: map[string]rates{}}
		for i, name := range b.Table.Columns {
			rate := rates{success: fraction(r.Success, i), progress: fraction(r.Progress, i)}
			if rate.success == nil || rate.progress == nil {
				rate.lack = "not published"
			}
			if slices.Contains(r.HeldIn, name) {
				rate.marks = heldInMark
			}
			l.rates[name] = rate
		}
		if h := l.heldOut(w); len(h.Missing) == 0 {
			l.rates[claim.HeldOut.Name] = rates{success: &h.Success, progress: &h.Progress}
		}
		out = append(out, l)
	}
	return out
}

// withBaselines are lines of runs with the lines of publications by environment below them, which are listed.
func (r *Report) withBaselines(lines []modelRates) (joined []modelRates, listed []Baseline) {
	for _, b := range r.baselines {
		if b.Table.Env == "" {
			listed, lines = append(listed, b), append(lines, publishedLines(b, r.weights)...)
		}
	}
	return lines, listed
}

// origin says where a line is from.
func (l modelRates) origin() string {
	if l.Scores == nil {
		return column.FromPublished
	}
	return column.FromRun
}

// fraction turns a published percentage into a fraction; nil if there is none.
func fraction(percents []*float64, i int) *scoring.Estimate {
	if i >= len(percents) || percents[i] == nil {
		return nil
	}
	// The conversion uses the digits: 44.8 becomes 0.448, but 44.8/100 is a different float.
	digits := strconv.FormatFloat(*percents[i], 'f', -1, 64)
	f, _ := strconv.ParseFloat(digits+"e-2", 64) // configs refuses NaN
	return &scoring.Estimate{Mean: f}
}

func (l modelRates) heldOut(w configs.Weights) scoring.HeldOut {
	return scoring.ComputeHeldOut(w, func(env string) (success, progress scoring.Estimate, ok bool) {
		r, ok := l.rates[env]
		if !ok || r.lack != "" {
			return success, progress, false
		}
		return *r.success, *r.progress, true
	})
}

// heldOutRate is the held-out score of a rate; nil if it is incomplete or the score has no such rate.
func (l modelRates) heldOutRate(w configs.Weights, rate claim.Rate) *scoring.Estimate {
	h := l.heldOut(w)
	if len(h.Missing) > 0 || rate == claim.Grounding {
		return nil
	}
	e := claim.Pick(rate, h.Success, h.Progress)
	if l.Arm != nil {
		spread := scoring.HeldOutSpread(w, l.Scores)
		e = scoring.Widened(e, claim.Pick(rate, spread.Success, spread.Progress).SampleStd, spread.Seeds)
	}
	return &e
}

// scored returns the lines of rows that have a held-out score.
func scored(rows []row, w configs.Weights) []modelRates {
	lines := gather(table.Filter(rows, func(r row) bool { return r.ComparesAcross() }), environmentOf)
	return table.Filter(lines, func(l modelRates) bool { return len(l.heldOut(w).Missing) == 0 })
}

// optional is a rate that may not be there.
func optional(c table.Col[float64], rate *scoring.Estimate, marks string) table.Field {
	if rate == nil {
		return c.Val(math.NaN())
	}
	return c.Val(rate.Mean).Marked(marks)
}
