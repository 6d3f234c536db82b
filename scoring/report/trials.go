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

// tried is a row whose tasks are played again after a failure.
type tried struct {
	row
	trials []scoring.Trial
}

// triedRows are the rows with several trials.
func triedRows(rows []row) (out []tried) {
	for _, r := range rows {
		if t := r.Trials(); t != nil {
			out = append(out, tried{r, t})
		}
	}
	return out
}

// after returns the row after trial n, counted from 0; false if a trial that is due
// has no result, or if the rate is withheld.
func (t tried) after(n int) (row, bool) {
	r := t.row
	r.Score = t.trials[n].After
	return r, r.Score != nil && !t.Misleads()
}

// trialLegend explains the columns of the table of trials.
const trialLegend = "SR: solved in any trial so far, which an agent knows by an oracle; PR: progress in the last trial, " +
	"Best PR: in the best"

// trials has the rates after each trial, and published results after several
// trials beside them.
func trials(from *Report, t *table.Table) {
	all := from.tried()
	if len(all) == 0 {
		return
	}
	for _, r := range all {
		for n := range r.trials {
			line := []table.Field{r.where(), r.who(), column.Trial.Is(n + 1)}
			if after, ok := r.after(n); ok {
				marks := strings.ReplaceAll(after.marks(), repliesMark, "") // which sentences count
				line = append(line, rated(column.Success, after.Success.Estimate).Marked(marks),
					rated(column.Progress, after.Progress.Estimate).Marked(marks),
					column.BestTrial.Is(r.trials[n].Best.Mean).Marked(marks))
			}
			t.Add(line...)
		}
	}
	addPublishedTrials(t, all, from.baselines)
	from.head(t, trialLegend+"; 95% CI for "+population(rowsOfTried(all))+".")
}

func rowsOfTried(all []tried) (rows []row) {
	for _, r := range all {
		rows = append(rows, r.row)
	}
	return rows
}

// trialCaveats say what weakens the rates after several trials.
func (r *Report) trialCaveats() (notes []string) {
	all := r.tried()
	tables, columns := reflexionOf(all, r.baselines)
	for _, b := range tables {
		if len(columns[b.Name]) == 0 {
			notes = append(notes, fmt.Sprintf("[%s]: published on official tasks, and there are none here.", b.Name))
		}
	}
	for _, of := range all {
		notes = slices.Concat(notes, of.unfinished(), of.doubts())
	}
	return append(notes, grouped(all, tried.title, func(of tried) string { return of.lacksControl(all) })...)
}

// trialNotes say how tasks are played again, and what was lost.
func (r *Report) trialNotes() (notes []string) {
	all := r.tried()
	rows := rowsOfTried(all)
	notes = grouped(rows, row.title, row.howTried)
	if len(all) > 0 {
		notes = append(notes, publishedTrialNotes(all, r.baselines)...)
	}
	return notes
}

// howTried says how a row's tasks are played again.
func (r row) howTried() string {
	t := r.Condition.Trials
	text := fmt.Sprintf("up to %d trials without memory", t.Most)
	if t.Memory > 0 {
		text = fmt.Sprintf(
			"up to %d trials with the last %d reflections, each of at most %d tokens at temperature %g (prompt %.8s)",
			t.Most, t.Memory, t.Decoding.MaxTokens, t.Decoding.Temperature, t.PromptHash)
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
	return grouped(rows, row.title, func(r row) string {
		if r.Condition.Trials == nil {
			return ""
		}
		return fmt.Sprintf("the first of up to %d trials; the table of trials has the others", r.Condition.Trials.Most)
	})
}

// unfinished says which trials are due and have no result.
func (r tried) unfinished() []string {
	if len(r.LaterUnfinished) == 0 {
		return nil
	}
	var missing []string
	for _, t := range r.trials[1:] {
		if n := t.Due - t.Played; n > 0 {
			missing = append(missing, fmt.Sprintf("%d of %d in trial %d", n, t.Due, t.Number))
		}
	}
	return []string{
		fmt.Sprintf(
			"%s Incomplete: %s on %s lacks results that are due: %s. There is no rate from there on, because the "+
				"tasks that lack one have failed so far; the same command plays them.",
			incompleteMark, r.name, envs.Title(r.Condition.Env), strings.Join(missing, ", "))}
}

// doubts lists what weakens the meaning of trials: flawed, incomplete and lost reflections.
func (r tried) doubts() (notes []string) {
	var made, trimmed, forgetful, played int
	flawed := map[record.Fault]int{}
	for _, t := range r.trials {
		made, trimmed, forgetful, played = made+t.Reflections, trimmed+t.Trimmed, forgetful+t.Forgetful, played+t.Played
		for f, n := range t.Flawed {
			flawed[f] += n
		}
	}
	var out []string
	for _, f := range record.Faults() {
		if n := flawed[f]; n > 0 {
			out = append(out, fmt.Sprintf("%d of %d reflections %s", n, made, faultWords(f)))
		}
	}
	if trimmed > 0 {
		out = append(out,
			fmt.Sprintf("%d of %d reflections saw a part of the trial, because the whole did not fit the context",
				trimmed, made))
	}
	if forgetful > 0 {
		out = append(out, fmt.Sprintf("%d of %d trials lost reflections that did not fit the context", forgetful,
			played))
	}
	if out == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s on %s, all trials: %s.", r.name, envs.Title(r.Condition.Env),
		strings.Join(out, "; "))}
}

// controls reports whether a row is retries without memory of what the other row
// is with memory.
func (r tried) controls(other tried) bool {
	a, b := r.Condition, other.Condition
	return a.Trials.Memory == 0 && b.Trials.Memory > 0 && a.Env == b.Env && a.Model == b.Model &&
		a.Perturbation == b.Perturbation
}

// control finds the retries without memory for a row.
func (r tried) control(all []tried) (tried, bool) {
	i := slices.IndexFunc(all, func(other tried) bool { return other.controls(r) })
	if i < 0 {
		return tried{}, false
	}
	return all[i], true
}

func (r tried) lacksControl(all []tried) string {
	if _, ok := r.control(all); ok || r.Condition.Trials.Memory == 0 {
		return ""
	}
	return "no retries without memory beside it; retries alone raise SR, so play the same with --memory 0 and compare"
}

// trialCosts has what each trial took.
func trialCosts(from *Report, t *table.Table) {
	all := from.tried()
	if len(all) == 0 {
		return
	}
	t.Notes = append(t.Notes,
		"Episodes: trials with a result; Solved: tasks that the trial solved; Same: trials with the same actions as "+
			"the one before; Cut: trials that a rule ended early. "+
			"Calls and tokens are those of the trials and of the reflections after them, as the server counted them.")
	for _, r := range all {
		for _, n := range r.trials {
			episodes := column.Episodes.Is(n.Played)
			if n.Played < n.Due {
				episodes = episodes.Marked(incompleteMark)
			}
			line := []table.Field{
				r.where(), r.who(), column.Trial.Is(n.Number), episodes, column.SolvedEpisodes.Is(n.Solved),
				column.Cut.Is(n.Cut),
				column.Reflections.Is(n.Reflections), column.Calls.Is(n.Calls), column.TokensIn.Is(n.PromptTokens),
				column.TokensOut.Is(n.CompletionTokens),
			}
			if n.Same >= 0 && n.Number > 1 {
				line = append(line, column.Same.Is(n.Same))
			}
			t.Add(line...)
		}
	}
	if slices.ContainsFunc(all, func(r tried) bool {
		due, finished := r.Episodes()
		return finished < due
	}) {
		t.Notes = append(t.Notes,
			incompleteMark+" Incomplete: some trials that are due have no result; the table of trials says which.")
	}
}

// trialsPaired has the differences from the retries without memory after each
// trial.
func trialsPaired(from *Report, t *table.Table) {
	all := from.tried()
	var pairs pairing
	for _, r := range all {
		base, ok := r.control(all)
		if !ok {
			continue
		}
		for n := 1; n < min(len(r.trials), len(base.trials)); n++ {
			ours, complete := r.after(n)
			theirs, alsoComplete := base.after(n)
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
			pairs.add(c, r.where(), r.who(), column.Against.Is(base.name), column.Trial.Is(n+1))
		}
	}
	pairs.fill(t, nil, "Δ: with reflections minus without, in percentage points, after as many trials of the same "+
		"tasks; "+pairs.pairedNote())
}

// reflexion is the id of published tables of results after several trials.
const reflexion = "reflexion"

// reflexionOf are the published results after several trials: a table of each baseline, with
// the columns of environments that were played on official tasks.
func reflexionOf(all []tried, baselines []Baseline) (tables []Baseline, columns map[string][]int) {
	columns = map[string][]int{}
	for _, b := range baselines {
		if b.Table.ID != reflexion || b.Table.Env != "" {
			continue
		}
		tables = append(tables, b)
		for i, env := range b.Table.Columns {
			if slices.ContainsFunc(all, func(r tried) bool {
				return r.Condition.Env == env && r.Environment.Source == envs.Official
			}) {
				columns[b.Name] = append(columns[b.Name], i)
			}
		}
	}
	return tables, columns
}

// addPublishedTrials adds published results after several trials.
func addPublishedTrials(t *table.Table, all []tried, baselines []Baseline) {
	tables, columns := reflexionOf(all, baselines)
	for _, b := range tables {
		for _, i := range columns[b.Name] {
			for _, p := range b.Table.Rows {
				t.Add(column.Environment.Is(b.Table.Columns[i]), column.Model.Is(method(p)+" ["+b.Name+"]"),
					reprinted(column.Success.Of, p.Success, i), reprinted(column.Progress.Of, p.Progress, i))
			}
		}
	}
}

// publishedTrialNotes say where published results after several trials are from.
func publishedTrialNotes(all []tried, baselines []Baseline) (notes []string) {
	tables, columns := reflexionOf(all, baselines)
	for _, b := range tables {
		if len(columns[b.Name]) > 0 {
			notes = append(notes, fmt.Sprintf("[%s]: %s; %s. The number of trials is not published.", b.Name,
				b.From.Title, b.Table.Title))
			notes = append(notes, b.Table.Notes...)
		}
	}
	return notes
}

// reprinted is a published rate, shown as it was printed.
func reprinted(c table.Of[float64], percents []*float64, i int) table.Field {
	rate := fraction(percents, i)
	if rate == nil {
		return c.Is(math.NaN())
	}
	return c.Is(rate.Mean).Shown(asPrinted(percents[i]).Text)
}
