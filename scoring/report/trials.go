package report

import (
	"fmt"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/scoring"
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
// has no result.
func (t tried) after(n int) (row, bool) {
	r := t.row
	r.Score = t.trials[n].After
	return r, r.Score != nil
}

// trials has the rates after each trial, and published results after several
// trials beside them.
func trials(from *Report) table.Table {
	all := from.tried()
	if len(all) == 0 {
		return table.Table{}
	}
	t := table.Table{
		ID: "trials", Title: "Success and progress after each trial",
		Columns: []table.Column{
			{Key: "environment", Header: "Environment", Left: true},
			{Key: "model", Header: "Model", Left: true},
			{Key: "trial", Header: "Trial"},
			{Key: "success", Header: "SR"},
			{Key: "success_low", Header: "95% low"},
			{Key: "success_high", Header: "high", Upper: true},
			{Key: "progress", Header: "PR"},
			{Key: "progress_low", Header: "95% low"},
			{Key: "progress_high", Header: "high", Upper: true},
			{Key: "best_progress", Header: "Best PR", Detail: true},
		},
		Notes: []string{
			"A task is played again after a failure, until it is solved. SR: tasks solved in any trial so far; PR: progress in the last trial, Best PR: in the best, in percent. " +
				"The environment says which trials failed, so SR is that of an agent with an oracle.",
		},
	}
	var plain []row
	for _, r := range all {
		plain = append(plain, r.row)
		for n := range r.trials {
			cells := []table.Cell{r.where(), table.String(r.name), table.Int(n + 1)}
			after, ok := r.after(n)
			if !ok {
				for range 7 {
					cells = append(cells, table.None())
				}
				t.Rows = append(t.Rows, cells)
				continue
			}
			sLow, sHigh := interval(after.Success.Estimate)
			pLow, pHigh := interval(after.Progress.Estimate)
			t.Rows = append(t.Rows, append(cells, after.mark(table.Percent(after.Success.Mean)), sLow, sHigh,
				after.mark(table.Percent(after.Progress.Mean)), pLow, pHigh, after.mark(table.Percent(r.trials[n].Best.Mean))))
		}
	}
	t.Notes = append(t.Notes, aboutNotes(plain)...)
	t.Notes = append(t.Notes, grouped(plain, row.title, row.howTried)...)
	t.Notes = append(t.Notes, stepLimits(plain)...)
	t.Notes = append(t.Notes, directories(plain)...)
	t.Notes = append(t.Notes, otherNames(plain)...)
	if slices.ContainsFunc(plain, func(r row) bool { return !r.Complete() }) {
		t.Notes = append(t.Notes, incompleteNote)
	}
	for _, r := range all {
		t.Notes = append(t.Notes, r.unfinished()...)
		t.Notes = append(t.Notes, r.doubts()...)
	}
	t.Notes = append(t.Notes, grouped(all, func(r tried) string { return r.title() }, func(r tried) string { return r.lacksControl(all) })...)
	rows, notes := publishedTrials(plain, from.baselines)
	t.Rows, t.Notes = append(t.Rows, rows...), append(t.Notes, notes...)
	return t
}

// howTried says how a row's tasks are played again.
func (r row) howTried() string {
	t := r.Condition.Trials
	text := fmt.Sprintf("up to %d trials without memory", t.Most)
	if t.Memory > 0 {
		text = fmt.Sprintf("up to %d trials with the last %d reflections, each of at most %d tokens at temperature %g (prompt %.8s)",
			t.Most, t.Memory, t.Decoding.MaxTokens, t.Decoding.Temperature, t.PromptHash)
	}
	if t.SameAction > 0 {
		text += fmt.Sprintf("; a trial ends after the same action %d times in a row", t.SameAction)
	}
	if t.SameStep > 0 {
		text += fmt.Sprintf("; a trial ends after the same action with the same observation %d times in a row", t.SameStep)
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
	return []string{fmt.Sprintf("%s Incomplete: %s on %s lacks results that are due: %s. There is no rate from there on, because the tasks that lack one have failed so far; the same command plays them.",
		incompleteMark, r.name, r.Condition.Env, strings.Join(missing, ", "))}
}

// doubts lists what weakens the meaning of trials: flawed and incomplete
// reflections, and replies that could not be read.
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
			out = append(out, fmt.Sprintf("%d of %d reflections %s", n, made, faultWords[f]))
		}
	}
	if trimmed > 0 {
		out = append(out, fmt.Sprintf("%d of %d reflections saw a part of the trial, because the whole did not fit the context", trimmed, made))
	}
	if forgetful > 0 {
		out = append(out, fmt.Sprintf("%d of %d trials lost reflections that did not fit the context", forgetful, played))
	}
	if last, ok := r.after(len(r.trials) - 1); ok {
		out = append(out, last.reservations()...)
	}
	if out == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s %s on %s, all trials: %s.", repliesMark, r.name, r.Condition.Env, strings.Join(out, "; "))}
}

// controls reports whether a row is retries without memory of what the other row
// is with memory.
func (r tried) controls(other tried) bool {
	a, b := r.Condition, other.Condition
	return a.Trials.Memory == 0 && b.Trials.Memory > 0 && a.Env == b.Env && a.Model == b.Model && a.Perturbation == b.Perturbation
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
func trialCosts(from *Report) table.Table {
	all := from.tried()
	if len(all) == 0 {
		return table.Table{}
	}
	t := table.Table{
		ID: "trials-cost", Title: "Cost of each trial",
		Columns: []table.Column{
			{Key: "environment", Header: "Environment", Left: true},
			{Key: "model", Header: "Model", Left: true},
			{Key: "trial", Header: "Trial"},
			{Key: "episodes", Header: "Episodes"},
			{Key: "solved", Header: "Solved"},
			{Key: "same", Header: "Same"},
			{Key: "cut", Header: "Cut", Detail: true},
			{Key: "reflections", Header: "Reflections", Detail: true},
			{Key: "calls", Header: "Calls"},
			{Key: "prompt_tokens", Header: "Tokens in"},
			{Key: "completion_tokens", Header: "out"},
		},
		Notes: []string{
			"Episodes: trials with a result; Solved: tasks that the trial solved; Same: trials with the same actions as the one before; Cut: trials that a rule ended early. " +
				"Calls and tokens are those of the trials and of the reflections after them, as the server counted them.",
		},
	}
	for _, r := range all {
		for _, n := range r.trials {
			same := table.None()
			if n.Same >= 0 && n.Number > 1 {
				same = table.Int(n.Same)
			}
			episodes := table.Int(n.Played)
			if n.Played < n.Due {
				episodes = episodes.Marked(incompleteMark)
			}
			t.Rows = append(t.Rows, []table.Cell{
				r.where(), table.String(r.name), table.Int(n.Number), episodes, table.Int(n.Solved), same, table.Int(n.Cut), table.Int(n.Reflections),
				table.Int(n.Calls), table.Int(n.PromptTokens), table.Int(n.CompletionTokens),
			})
		}
	}
	if slices.ContainsFunc(all, func(r tried) bool {
		due, finished := r.Episodes()
		return finished < due
	}) {
		t.Notes = append(t.Notes, incompleteMark+" Incomplete: some trials that are due have no result; the table of trials says which.")
	}
	return t
}

// trialsPaired has the differences from the retries without memory after each
// trial.
func trialsPaired(from *Report) table.Table {
	all := from.tried()
	if len(all) == 0 {
		return table.Table{}
	}
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
				pairs.failed = append(pairs.failed, fmt.Sprintf("%s cannot be compared with %s on %s after trial %d: %v.", r.name, base.name, r.Condition.Env, n+1, err))
				continue
			}
			pairs.add(c, r.where(), table.String(r.name), table.String(base.name), table.Int(n+1))
		}
	}
	t := pairs.table(
		table.Column{Key: "environment", Header: "Environment", Left: true},
		table.Column{Key: "model", Header: "Model", Left: true},
		table.Column{Key: "against", Header: "against", Left: true},
		table.Column{Key: "trial", Header: "Trial"},
	)
	t.ID, t.Title = "trials-paired", "Reflections against retries without memory, paired by task"
	if len(t.Rows) > 0 {
		t.Notes = slices.Insert(t.Notes, 0, "Δ: with reflections minus without, in percentage points, after as many trials of the same tasks; "+pairs.pairedNote())
	}
	return t
}

// reflexion is the id of published tables of results after several trials.
const reflexion = "reflexion"

// publishedTrials returns published results after several trials on the
// environments whose official tasks the rows are about.
func publishedTrials(rows []row, baselines []Baseline) (out [][]table.Cell, notes []string) {
	for _, b := range baselines {
		if b.Table.ID != reflexion || b.Table.Env != "" {
			continue
		}
		for i, env := range b.Table.Columns {
			if !slices.ContainsFunc(rows, func(r row) bool { return r.place() == env && r.Environment.Source == envs.Official }) {
				continue
			}
			for _, p := range b.Table.Rows {
				out = append(out, []table.Cell{
					table.String(env), table.String(method(p) + " [" + b.Name + "]"), table.None(),
					asPrinted(at(p.Success, i)), table.None(), table.None(), asPrinted(at(p.Progress, i)), table.None(), table.None(), table.None(),
				})
			}
		}
		if len(out) > 0 {
			notes = append(notes, fmt.Sprintf("[%s]: %s; %s. The number of trials is not published.", b.Name, b.From.Title, b.Table.Title))
			notes = append(notes, b.Table.Notes...)
		} else {
			notes = append(notes, fmt.Sprintf("[%s]: published on official tasks, and there are none here.", b.Name))
		}
	}
	return out, notes
}
