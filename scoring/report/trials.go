package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// afterTrial returns the row after trial n, counted from 0; false if a trial that is due
// has no result, or if the rate is withheld.
func (r row) afterTrial(n int) (row, bool) {
	misleads := r.Misleads()
	r.Score = r.Trials()[n].Score
	return r, r.Score != nil && !misleads
}

// trialLegend explains the columns of the table of trials.
const trialLegend = "SR: solved in any trial so far, which an agent knows by an oracle; PR: progress in the last trial, " +
	"Best PR: in the best"

// trials has the rates after each trial, and published results after several trials beside them.
func trials(report *Report, t *table.Table) {
	list := report.tried
	if len(list) == 0 {
		return
	}
	for _, r := range list {
		for n, trial := range r.Trials() {
			line := []table.Field{r.envCol(), r.modelCol(), column.Trial.Val(n + 1)}
			if result, ok := r.afterTrial(n); ok {
				marks := strings.ReplaceAll(result.marks, repliesMark, "") // which sentences count
				line = append(line, rated(column.Success, result.Success.Estimate).Marked(marks),
					rated(column.Progress, result.Progress.Estimate).Marked(marks),
					column.BestTrial.Val(trial.Best.Mean).Marked(marks))
			}
			t.Add(line...)
		}
	}
	addPublishedTrials(t, list, report.baselines)
	head(report, t, trialLegend+"; 95% CI for "+population(list)+".")
}

// trialCaveats say what weakens the rates after several trials.
func trialCaveats(r *Report) (notes []string) {
	list := r.tried
	for _, b := range reflexionOf(list, r.baselines) {
		if len(b.columns) == 0 {
			notes = append(notes, fmt.Sprintf("[%s]: published on official tasks, and there are none here.", b.Name))
		}
	}
	for _, entry := range list {
		notes = slices.Concat(notes, entry.unfinished(), entry.doubts())
	}
	return append(notes, grouped(list, lineOf, func(entry row) string { return entry.lacksControl(list) })...)
}

// trialNotes say how tasks are played again, and what was lost.
func trialNotes(r *Report) []string {
	return append(grouped(r.tried, lineOf, howTried), publishedTrialNotes(r.tried, r.baselines)...)
}

// howTried says how a row's tasks are played again.
func howTried(r row) string {
	t := r.Condition.Trials
	text := fmt.Sprintf("up to %d trials without memory", t.Limit)
	if t.Memory > 0 {
		text = fmt.Sprintf(
			"up to %d trials with the last %s, each of at most %d tokens at temperature %g (prompt %.8s)",
			t.Limit, table.Counted(t.Memory, "reflection"), t.Decoding.MaxTokens, t.Decoding.Temperature, t.PromptHash)
	}
	if t.SameAction > 0 {
		text += fmt.Sprintf("; a trial ends after the same action %d times in a row", t.SameAction)
	}
	if t.SameStep > 0 {
		text += fmt.Sprintf("; a trial ends after the same action with the same observation %d times in a row",
			t.SameStep)
	}
	return text
}

// firstTrial is the note of all other tables, which have first trials only.
func firstTrial(rows []row) []string {
	tried := table.Filter(rows, func(r row) bool { return r.Condition.Trials != nil })
	return grouped(tried, lineOf, func(r row) string {
		return fmt.Sprintf("the first of up to %d trials; the table of trials has the others", r.Condition.Trials.Limit)
	})
}

// unfinished says which trials are due and have no result.
func (r row) unfinished() []string {
	if len(r.LaterUnfinished) == 0 {
		return nil
	}
	var missing []string
	for _, t := range r.Trials()[1:] {
		if n := t.Due - t.Finished; n > 0 {
			missing = append(missing, fmt.Sprintf("%d of %d in trial %d", n, t.Due, t.Number))
		}
	}
	return []string{
		fmt.Sprintf(
			"%s Incomplete: %s on %s lacks results that are due: %s. Later rates are missing, because the tasks "+
				"without a result have failed so far. The same command plays them.",
			incompleteMark, r.name, envs.Title(r.Condition.Env), strings.Join(missing, ", "))}
}

// doubts lists what weakens the meaning of trials: flawed, incomplete and lost reflections.
func (r row) doubts() (notes []string) {
	var sum, trimmed, forgetful, ended int
	flawed := map[record.Fault]int{}
	for _, t := range r.Trials() {
		sum, trimmed, forgetful, ended = sum+t.Reflections, trimmed+t.Trimmed, forgetful+t.Forgetful, ended+t.Finished
		for f, n := range t.Flawed {
			flawed[f] += n
		}
	}
	var out []string
	for _, f := range record.Faults() {
		if n := flawed[f]; n > 0 {
			out = append(out, fmt.Sprintf("%d of %d reflections %s", n, sum, faultWords(f)))
		}
	}
	if trimmed > 0 {
		out = append(out,
			fmt.Sprintf("%d of %d reflections saw a part of the trial, because the whole did not fit the context",
				trimmed, sum))
	}
	if forgetful > 0 {
		out = append(out, fmt.Sprintf("%d of %d trials lost reflections that did not fit the context", forgetful,
			ended))
	}
	if out == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s on %s, all trials: %s.", r.name, envs.Title(r.Condition.Env),
		strings.Join(out, "; "))}
}

// controls reports whether a row is retries without memory of what the other row is with memory.
func (r row) controls(o row) bool {
	a, b := r.Condition, o.Condition
	return a.Trials.Memory == 0 && b.Trials.Memory > 0 && a.Env == b.Env && a.Model == b.Model &&
		a.Perturbation == b.Perturbation
}

// control finds the retries without memory for a row.
func (r row) control(list []row) (row, bool) {
	i := slices.IndexFunc(list, func(o row) bool { return o.controls(r) })
	if i < 0 {
		return row{}, false
	}
	return list[i], true
}

func (r row) lacksControl(list []row) string {
	if _, ok := r.control(list); ok || r.Condition.Trials.Memory == 0 {
		return ""
	}
	return "no retries without memory beside it; retries alone raise SR, so play the same with --set memory=0 and compare"
}

// trialCosts has what each trial took.
func trialCosts(report *Report, t *table.Table) {
	list := report.tried
	if len(list) == 0 {
		return
	}
	t.Notes = append(t.Notes, legend(t))
	for _, r := range list {
		for _, n := range r.Trials() {
			episodes := column.Episodes.Val(n.Finished)
			if n.Finished < n.Due {
				episodes = episodes.Marked(incompleteMark)
			}
			line := []table.Field{
				r.envCol(), r.modelCol(), column.Trial.Val(n.Number), episodes, column.SolvedEpisodes.Val(n.Solved),
				column.Cut.Val(n.Cut),
				column.Reflections.Val(n.Reflections), column.Calls.Val(n.Calls), column.TokensIn.Val(n.PromptTokens),
				column.TokensOut.Val(n.CompletionTokens),
			}
			if n.Same >= 0 && n.Number > 1 {
				line = append(line, column.Same.Val(n.Same))
			}
			t.Add(line...)
		}
	}
	if slices.ContainsFunc(list, func(r row) bool {
		due, finished := r.Episodes()
		return finished < due
	}) {
		t.Notes = append(t.Notes,
			incompleteMark+" Incomplete: some trials that are due have no result; the table of trials says which.")
	}
}

// trialsPaired has the differences from the retries without memory after each trial.
func trialsPaired(report *Report, t *table.Table) {
	list := report.tried
	var pairs pairing
	for _, r := range list {
		base, ok := r.control(list)
		if !ok {
			continue
		}
		for n := 1; n < min(len(r.Trials()), len(base.Trials())); n++ {
			ours, complete := r.afterTrial(n)
			theirs, alsoComplete := base.afterTrial(n)
			err := scoring.ErrIncomplete
			var c scoring.Comparison
			if complete && alsoComplete {
				c, err = scoring.Compare(ours.Score, theirs.Score)
			}
			if err != nil {
				pairs.failed = append(pairs.failed,
					fmt.Sprintf("%s cannot be compared with %s on %s after trial %d: %v.", r.name, base.name,
						r.Condition.Env, n+1, err))
				continue
			}
			pairs.add(c, r.envCol(), r.modelCol(), column.Against.Val(base.name), column.Trial.Val(n+1))
		}
	}
	pairs.fill(t, nil, legend(t)+" "+pairs.pairedNote())
}

// reflexion is the id of published tables of results after several trials.
const reflexion = "reflexion"

// retried is a published table of results after several trials, with the columns of environments
// that were played on official tasks.
type retried struct {
	Baseline
	columns []int
}

// reflexionOf are the published results after several trials.
func reflexionOf(list []row, baselines []Baseline) (tables []retried) {
	for _, b := range baselines {
		if b.Table.ID != reflexion || b.Table.Env != "" {
			continue
		}
		tries := retried{Baseline: b}
		for i, env := range b.Table.Columns {
			if slices.ContainsFunc(list, func(r row) bool {
				return r.Condition.Env == env && r.Environment.Source == envs.Official
			}) {
				tries.columns = append(tries.columns, i)
			}
		}
		tables = append(tables, tries)
	}
	return tables
}

// addPublishedTrials adds published results after several trials.
func addPublishedTrials(t *table.Table, list []row, baselines []Baseline) {
	for _, b := range reflexionOf(list, baselines) {
		for _, i := range b.columns {
			for _, p := range b.Table.Rows {
				t.Add(column.Environment.Val(b.Table.Columns[i]), column.Model.Val(method(p)+" ["+b.Name+"]"),
					reprinted(column.Success.Col, p.Success, i), reprinted(column.Progress.Col, p.Progress, i))
			}
		}
	}
}

// publishedTrialNotes say where published results after several trials are from.
func publishedTrialNotes(list []row, baselines []Baseline) (notes []string) {
	for _, b := range reflexionOf(list, baselines) {
		if len(b.columns) > 0 {
			notes = append(notes, fmt.Sprintf("[%s]: %s; %s. The number of trials is not published.", b.Name,
				b.Source.Title, b.Table.Title))
			notes = append(notes, b.Table.Notes...)
		}
	}
	return notes
}

// reprinted is a published rate, shown as it was printed.
func reprinted(c table.Col[float64], percents []*float64, i int) table.Field {
	rate := fraction(percents, i)
	if rate == nil {
		return c.Val(math.NaN())
	}
	return c.Val(rate.Mean).WithText(asPrinted(percents[i]).Text)
}
