package report

import (
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// fewestEnvironments is how many environments tell abilities apart: on one all scores are its rate.
const fewestEnvironments = 2

// abilities has AgentBoard's scores of abilities: success rates, weighted by environment. Published
// models are scored on the environments of the runs.
func abilities(report *Report, t *table.Table) {
	rows, several := abilityRows(report.plain)
	lines := gather(fair(rows), row.environment)
	runs := len(lines)
	var listed []Baseline
	for _, b := range report.baselines {
		if b.Table.Env == "" && len(rows) > 0 {
			listed, lines = append(listed, b), append(lines, publishedLines(b)...)
		}
	}
	played, marks := environments(rows), ""
	var shown []modelRates
	for i, l := range lines {
		origin := column.FromRun
		if i >= runs {
			origin = column.FromPublished
		}
		if _, share, mark := l.ability(configs.Abilities[0], played); share > 0 {
			shown, marks = append(shown, l), marks+mark
		}
		for _, a := range configs.Abilities {
			if score, share, mark := l.ability(a, played); share > 0 {
				t.Add(column.Model.Val(l.name), column.Ability.Val(a.Name), column.Origin.Val(origin),
					rated(column.AbilityScore, score).Marked(mark), column.Weight.Val(share))
			}
		}
	}
	annotate(t, "Score: mean of success rates, in percent, weighted as AgentBoard weighs its environments for an ability. "+
		"Weight: the share of these weights that the environments played have. An environment counts in all scores, so "+
		"they rise and fall together.",
		several, without(shown, played), generated(rows), aboutNotes(rows), rateMarks(marks), sources(listed, marks))
}

// abilityRows are the rows on environments of AgentBoard. Models that played one by several
// protocols are left out, and named.
func abilityRows(rows []row) (out []row, several []string) {
	places := map[string][]string{}
	for _, r := range rows {
		if slices.Contains(configs.BoardEnvironments, r.environment()) && (r.Outside == 0 || r.Condition.Preset != nil) {
			out = append(out, r)
			key := r.line + "\n" + r.environment()
			places[key] = appendNew(places[key], r.place())
		}
	}
	mixed := func(r row) bool { return len(places[r.line+"\n"+r.environment()]) > 1 }
	several = grouped(out, row.title, func(r row) string {
		if !mixed(r) {
			return ""
		}
		return "no scores, because of several protocols on " + envs.Title(r.environment()) + ": choose by --preset"
	})
	var dropped []string
	for _, r := range out {
		if mixed(r) {
			dropped = append(dropped, r.line)
		}
	}
	return slices.DeleteFunc(out, func(r row) bool { return slices.Contains(dropped, r.line) }), several
}

// environments lists those of rows, in AgentBoard's order.
func environments(rows []row) (names []string) {
	for _, name := range configs.BoardEnvironments {
		if slices.ContainsFunc(rows, func(r row) bool { return r.environment() == name }) {
			names = append(names, name)
		}
	}
	return names
}

// ability is the score of a line on some environments, with the share of the ability's weights
// that they have and the marks of the rates.
func (l modelRates) ability(a configs.Ability, played []string) (e scoring.Estimate, share float64, marks string) {
	var parts []scoring.Estimate
	var weights []float64
	for _, env := range played {
		r, ok := l.rates[env]
		if !ok || r.estimate(claim.Success) == nil {
			continue
		}
		parts, weights = append(parts, *r.success), append(weights, a.Weight(env))
		share += a.Weight(env) / a.Total()
		for _, mark := range r.marks {
			if !strings.ContainsRune(marks, mark) {
				marks += string(mark)
			}
		}
	}
	if len(parts) < fewestEnvironments {
		return e, 0, ""
	}
	if len(parts) < len(configs.BoardEnvironments) && !strings.Contains(marks, partMark) {
		marks += partMark
	}
	return scoring.Weighted(parts, weights), share, marks
}

// without says which environments of AgentBoard the scores lack: once if that is the same for all
// models.
func without(lines []modelRates, played []string) []string {
	texts := map[string]bool{}
	missing := func(l modelRates) string {
		var names []string
		for _, env := range configs.BoardEnvironments {
			if r, ok := l.rates[env]; !ok || r.success == nil || !slices.Contains(played, env) {
				names = append(names, envs.Title(env))
			}
		}
		if names == nil {
			return ""
		}
		return "without AgentBoard's " + table.List(names)
	}
	for _, l := range lines {
		texts[missing(l)] = true
	}
	return grouped(lines, func(l modelRates) string {
		if len(texts) == 1 {
			return "All scores"
		}
		return l.name
	}, missing)
}

// generated says which tasks are not the benchmark's.
func generated(rows []row) []string {
	return grouped(rows, func(r row) string { return envs.Title(r.environment()) }, func(r row) string {
		switch n := len(r.Environment.Tasks); {
		case r.Environment.Source != envs.Official:
			return "generated tasks, so scores do not compare with AgentBoard's"
		case n < r.Environment.Total:
			return fmt.Sprintf("%d of %d tasks", n, r.Environment.Total)
		}
		return ""
	})
}
