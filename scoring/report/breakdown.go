package report

import (
	"cmp"
	"math"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// difficulty has the rates of easy and hard tasks, for rows that have both.
func difficulty(report *Report, t *table.Table) {
	for _, r := range report.plain {
		if easy, hard := r.Level(envs.Easy), r.Level(envs.Hard); easy.Tasks()+hard.Tasks() > 0 {
			t.Add(r.envCol(), r.modelCol(),
				column.EasyTasks.Val(easy.Tasks()), r.share(column.EasySuccess, easy.Success.Mean),
				r.share(column.EasyProgress, easy.Progress.Mean),
				column.HardTasks.Val(hard.Tasks()), r.share(column.HardSuccess, hard.Success.Mean),
				r.share(column.HardProgress, hard.Progress.Mean))
		}
	}
	explain(t)
}

// byTask has the rates of every task, one line per task and model.
func byTask(report *Report, t *table.Table) {
	for _, r := range report.plain {
		for _, task := range r.TaskRates() {
			line := []table.Field{
				r.envCol(), column.Task.Val(task.Task.ID), column.Type.Val(cmp.Or(task.Task.Type, "–")), r.modelCol(),
				column.Episodes.Val(task.Episodes),
				r.share(column.Success.Col, task.Success), r.share(column.Progress.Col, task.Progress),
			}
			if task.Task.Index >= 0 { // else it is not of the benchmark
				line = append(line, column.TaskNo.Val(task.Task.Index))
			}
			t.Add(line...)
		}
	}
	explain(t, otherNames(report.plain))
}

// bySeed has the rates of every seed, for rows with several.
func bySeed(report *Report, t *table.Table) {
	for _, r := range report.plain {
		if len(r.Seeds) < 2 {
			continue
		}
		for _, seed := range r.SeedRates() {
			t.Add(r.envCol(), r.modelCol(), column.Seed.Val(int(seed.Seed)), column.Episodes.Val(seed.Episodes),
				r.share(column.Success.Col, seed.Success), r.share(column.Progress.Col, seed.Progress))
		}
	}
	explain(t, otherNames(report.plain))
}

// byStep says what the episodes had reached by each step.
func byStep(report *Report, t *table.Table) {
	for _, r := range report.plain {
		for _, p := range r.BySteps() {
			t.Add(r.envCol(), r.modelCol(), column.Step.Val(p.Step), r.rated(column.Success, p.Success),
				r.rated(column.Progress, p.Progress))
		}
	}
	explain(t,
		aboutNotes(report.plain), otherNames(report.plain))
}

// usage says what an episode used of steps, tokens and time.
func usage(report *Report, t *table.Table) {
	for _, r := range report.plain {
		for _, q := range scoring.Quantities() {
			if u := r.Usage(q); !math.IsNaN(u.Mean) {
				t.Add(r.envCol(), r.modelCol(), column.Quantity.Val(string(q)), column.Episodes.Val(u.Episodes),
					r.share(column.Mean, u.Mean), column.Tenth.Val(u.Low), column.Median.Val(u.Median),
					column.Ninth.Val(u.High))
			}
		}
	}
	explain(t)
}

// endings says how the planned episodes ended.
func endings(report *Report, t *table.Table) {
	own := 0
	for _, r := range report.plain {
		e := r.Endings()
		t.Add(r.envCol(), r.modelCol(), column.Planned.Val(r.Planned).Marked(r.marks),
			column.SolvedEpisodes.Val(e.Solved), column.EndedEarly.Val(e.Early), column.StepLimit.Val(e.Limit),
			column.ContextExceeded.Val(e.Unfinished[record.ContextExceeded]),
			column.ModelError.Val(e.Unfinished[record.ModelError]),
			column.AgentError.Val(e.Unfinished[record.AgentError]),
			column.EnvError.Val(e.Unfinished[record.EnvError]),
			column.NotRun.Val(e.Unfinished[record.Cancelled]+e.Unfinished[""]))
		own += e.Unfinished[record.AgentError]
	}
	if own == 0 {
		*t = t.Without(column.AgentError)
	}
	explain(t)
}

// lostSteps says what the steps of unsolved episodes were.
func lostSteps(report *Report, t *table.Table) {
	for _, r := range report.plain {
		l, ok := r.Lost()
		if !ok || l.Steps == 0 {
			continue
		}
		share := func(c table.Col[float64], n int) table.Field { return r.share(c, float64(n)/float64(l.Steps)) }
		t.Add(r.envCol(), r.modelCol(), column.Unsolved.Val(l.Episodes), column.Lost.Val(l.Steps),
			share(column.CutOff, l.CutOff), share(column.Format, l.Format), share(column.Invalid, l.Invalid),
			share(column.Loops, l.Loops),
			share(column.OtherValid, l.Steps-l.CutOff-l.Format-l.Invalid-l.Loops))
	}
	explain(t)
}

// bill is what a model took in one place, or in all.
type bill struct {
	model, place string
	scoring.Spent
	episodes, solved int
	dollars          float64 // NaN without a price
}

// add adds another bill.
func (b *bill) add(o bill) {
	b.Spent = b.Plus(o.Spent)
	b.episodes, b.solved, b.dollars = b.episodes+o.episodes, b.solved+o.solved, b.dollars+o.dollars
}

// everywhere is the place of the sum over several.
const everywhere = "all"

// cost says what the model calls took, and what that costs. Episodes under
// perturbations count: they cost as much as others.
func cost(report *Report, t *table.Table) {
	bills, priced := billsOf(report)
	for _, b := range bills {
		t.Add(column.Model.Val(b.model), column.Environment.Val(b.place), column.Calls.Val(b.Calls),
			column.TokensIn.Val(b.PromptTokens), column.CachedTokens.Val(b.CachedTokens),
			column.TokensOut.Val(b.CompletionTokens), column.ReasoningTokens.Val(b.ReasoningTokens),
			column.Dollars.Val(b.dollars), column.DollarsPerEpisode.Val(b.dollars/float64(b.episodes)),
			column.DollarsPerSolved.Val(b.dollars/float64(b.solved)))
	}
	dollars := "USD: at the prices that the user gave."
	if !priced {
		*t = t.Without(column.Dollars, column.DollarsPerEpisode, column.DollarsPerSolved)
		dollars = "Dollars need prices: give --set prices=SPEC=INPUT/CACHED/OUTPUT."
	}
	annotate(t, legend(t), []string{dollars})
}

// billsOf lists what each model took in each place and, if there are several, in all of
// them; priced if any of it has a price.
func billsOf(r *Report) (bills []bill, priced bool) {
	called := table.Filter(r.allRows, func(e row) bool { return e.Spent.Calls != 0 })
	for _, rows := range table.Grouped(called, lineOf) {
		total, places := bill{model: rows[0].line, place: everywhere}, table.Grouped(rows, placeOf)
		for _, place := range places {
			sum := bill{model: rows[0].line, place: place[0].place.Name}
			for _, e := range place {
				b := bill{Spent: e.Spent, episodes: e.Finished, solved: e.Endings().Solved, dollars: math.NaN()}
				if price, ok := priceOf(r.Runs, e); ok {
					b.dollars = price.Dollars(b.PromptTokens, b.CachedTokens, b.CompletionTokens)
				}
				priced = priced || !math.IsNaN(b.dollars)
				sum.add(b)
			}
			total.add(sum)
			bills = append(bills, sum)
		}
		if len(places) > 1 {
			bills = append(bills, total)
		}
	}
	return bills, priced
}

// priceOf returns what the model of a row costs; false if nobody said.
func priceOf(runs []NamedRun, e row) (configs.Price, bool) {
	for _, run := range runs {
		if run.Name == e.directory {
			return run.Prices.Lookup(e.Condition.Model)
		}
	}
	return configs.Price{}, false
}
