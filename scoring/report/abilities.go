package report

import (
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// fewestEnvironments is how many environments tell abilities apart: on one all scores are its rate.
const fewestEnvironments = 2

// abilities has AgentBoard's scores of abilities: success rates, weighted by environment. Published
// models are scored on the environments of the runs.
func abilities(report *Report, t *table.Table) {
	rows, several := abilityRows(report.plain)
	lines, listed := report.withBaselines(gather(fair(rows), environmentOf))
	places, marks := environments(rows), ""
	var rates []modelRates
	for _, l := range lines {
		names := l.succeeding(places)
		if len(names) < fewestEnvironments {
			continue
		}
		mark := l.marksOn(names)
		rates, marks = append(rates, l), marks+mark
		for _, a := range configs.Abilities {
			score, share := l.ability(a, names)
			t.Add(column.Model.Val(l.Name), column.Ability.Val(a.Name), column.Origin.Val(l.origin()),
				rated(column.AbilityScore, score).Marked(mark), column.Weight.Val(share))
		}
	}
	annotate(t, legend(t), several, lacking(rates, places), generated(rows), aboutNotes(rows), rateMarks(marks),
		sources(listed, marks))
}

// abilityRows are the rows on environments of AgentBoard. Models that played one by several
// protocols are left out, and named.
func abilityRows(rows []row) (out []row, several []string) {
	places := map[string][]string{}
	for _, r := range rows {
		benchmark := r.Outside == 0 || r.Condition.Preset != nil
		if benchmark && slices.Contains(configs.BoardEnvironments, r.Condition.Env) {
			out = append(out, r)
			key := r.line + "\n" + r.Condition.Env
			places[key] = table.AppendNew(places[key], r.place.Name)
		}
	}
	mixed := func(r row) bool { return len(places[r.line+"\n"+r.Condition.Env]) > 1 }
	several = grouped(out, lineOf, func(r row) string {
		if !mixed(r) {
			return ""
		}
		return "no scores, because of several protocols on " + envs.Title(r.Condition.Env) + ": choose by --preset"
	})
	dropped := table.Each(table.Filter(out, mixed), lineOf)
	return slices.DeleteFunc(out, func(r row) bool { return slices.Contains(dropped, r.line) }), several
}

// environments lists the environments of rows, in AgentBoard's order.
func environments(rows []row) []string {
	return table.Filter(configs.BoardEnvironments, func(name string) bool {
		return slices.ContainsFunc(rows, func(r row) bool { return r.Condition.Env == name })
	})
}

// succeeding are the played environments on which a line has a success rate.
func (l modelRates) succeeding(places []string) []string {
	return table.Filter(places, func(env string) bool { return l.rates[env].success != nil })
}

// ability is the score of a line on these environments, and the share of the ability's weights that they have.
func (l modelRates) ability(a configs.Ability, names []string) (e scoring.Estimate, share float64) {
	var parts []scoring.Estimate
	var weights []float64
	for _, env := range names {
		parts, weights = append(parts, *l.rates[env].success), append(weights, a.Weight(env))
		share += a.Weight(env) / a.Total()
	}
	return scoring.Weighted(parts, weights), share
}

// marksOn are the marks of rates on these environments, each once, and the mark of a part if AgentBoard has more.
func (l modelRates) marksOn(names []string) (marks string) {
	for _, env := range names {
		marks += l.rates[env].marks
	}
	if len(names) < len(configs.BoardEnvironments) {
		marks += partMark
	}
	var once []string
	for _, mark := range marks {
		once = table.AppendNew(once, string(mark))
	}
	return strings.Join(once, "")
}

// lacking says which environments of AgentBoard the scores lack: once if that is the same for all models.
func lacking(lines []modelRates, places []string) []string {
	texts := map[string]bool{}
	missing := func(l modelRates) string {
		names := table.Filter(configs.BoardEnvironments, func(env string) bool {
			return !slices.Contains(l.succeeding(places), env)
		})
		if len(names) == 0 {
			return ""
		}
		return "without AgentBoard's " + table.List(table.Each(names, envs.Title))
	}
	for _, l := range lines {
		texts[missing(l)] = true
	}
	return grouped(lines, func(l modelRates) string {
		if len(texts) == 1 {
			return "All scores"
		}
		return l.Name
	}, missing)
}

// generated says where tasks are not the benchmark's, or a part of them.
func generated(rows []row) []string {
	return grouped(rows, func(r row) string { return envs.Title(r.Condition.Env) }, func(r row) string {
		switch n := len(r.Environment.Tasks); {
		case r.Environment.Source != envs.Official:
			return "generated tasks, so scores do not compare with AgentBoard's"
		case n < r.Environment.Total:
			return fmt.Sprintf("%d of %d tasks", n, r.Environment.Total)
		}
		return ""
	})
}
