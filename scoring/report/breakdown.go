package report

import (
	"cmp"
	"math"

	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// difficulty has the rates of easy and hard tasks, for rows that have both.
func difficulty(report *Report, t *table.Table) {
	for _, r := range report.plain {
		if easy, hard := r.At(envs.Easy), r.At(envs.Hard); easy.Tasks()+hard.Tasks() > 0 {
			t.Add(r.envCol(), r.modelCol(),
				column.EasyTasks.Val(easy.Tasks()), r.share(column.EasySuccess, easy.Success.Mean),
				r.share(column.EasyProgress, easy.Progress.Mean),
				column.HardTasks.Val(hard.Tasks()), r.share(column.HardSuccess, hard.Success.Mean),
				r.share(column.HardProgress, hard.Progress.Mean))
		}
	}
	explain(t, "Easy, Hard: tasks with a result, in the benchmark's own classes. SR success rate, PR progress rate, in "+
		"percent.")
}

// byTask has the rates of every task, one line per task and model.
func byTask(report *Report, t *table.Table) {
	for _, r := range report.plain {
		for _, of := range r.TaskRates() {
			line := []table.Field{
				r.envCol(), column.Task.Val(of.Task.ID), column.Type.Val(cmp.Or(of.Task.Type, "–")), r.modelCol(),
				column.Episodes.Val(of.Episodes),
				r.share(column.Success.Col, of.Success), r.share(column.Progress.Col, of.Progress),
			}
			if of.Task.Index >= 0 { // else it is not of the benchmark
				line = append(line, column.TaskNo.Val(of.Task.Index))
			}
			t.Add(line...)
		}
	}
	explain(t, "SR success rate, PR progress rate of the task over its seeds, in percent. Episodes: those with a result; "+
		"tasks without any are left out.", otherNames(report.plain))
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
	explain(t, "SR success rate, PR progress rate of the episodes with one seed, in percent: how much a run on the "+
		"same tasks varies between seeds.", otherNames(report.plain))
}

// byStep says what the episodes had reached by each step.
func byStep(report *Report, t *table.Table) {
	for _, r := range report.plain {
		for _, p := range r.BySteps() {
			t.Add(r.envCol(), r.modelCol(), column.Step.Val(p.Step), r.rated(column.Success, p.Success),
				r.rated(column.Progress, p.Progress))
		}
	}
	explain(t, "SR: share of episodes solved by that step, PR: mean progress after it, in percent; means over the seeds "+
		"of a task, then over tasks. What an episode had reached when it ended stays. Each interval holds by itself.",
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
	explain(t, "Of the episodes with a result. Tokens: as the server counted them. Model seconds: time of the answered "+
		"requests; seconds: from start to end, with other episodes in flight. What no episode used, or nobody counted, is "+
		"left out.")
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
	explain(t, "Numbers of episodes. Ended early: unsolved before the step limit, because the game was over or the "+
		"agent gave up. Step limit: unsolved after all steps. The others have no result and count neither as solved nor "+
		"as failed; not run includes episodes that were cancelled.")
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
	explain(t, "Shares of the steps of unsolved episodes, in percent; a step counts once, in this order. Cut off: no "+
		"action could be read from a reply that the length limit ended. "+
		"Format error: none could be read from another reply. Invalid action: the environment did not carry it out. "+
		"Looped: in a cycle of at most 5 steps that was passed 3 times or more. "+
		"Old records do not say which replies were cut off; those are format errors here.")
}
