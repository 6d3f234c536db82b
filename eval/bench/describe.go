package bench

import (
	"fmt"
	"strings"
	"time"

	"heldout/eval"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Forecast is what a job would play and what it costs at most, for programs.
type Forecast struct {
	Directory    string               `json:"directory"`
	Episodes     int                  `json:"episodes"`
	Calls        int                  `json:"calls"`
	Environments []record.Environment `json:"environments"`
}

// Forecast returns what Describe says, with every task.
func (j *Job) Forecast() Forecast {
	_, most := j.Plan.Cost()
	return Forecast{j.Dir, most.Episodes, most.Calls, j.Plan.Environments}
}

// Describe says what a job would play, and what it costs. Lists are broken at width characters.
func (j *Job) Describe(width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run directory: %s\n", j.Dir)
	if j.Config.Suite != "" {
		describeSuite(&b, j, width)
	} else {
		for _, g := range j.Plan.Groups {
			describeGroup(&b, g)
		}
	}
	b.WriteString(cost(j.Plan) + "\n")
	if _, most := j.Plan.Cost(); most.Calls > 0 {
		b.WriteString(timeOf(most.Calls, int(j.Config.Concurrency)) + "\n")
	}
	return b.String()
}

func describeGroup(b *strings.Builder, g record.Group) {
	c := g.Condition
	if c.Preset != nil {
		fmt.Fprintf(b, "%s: ", c.Preset.Label())
	}
	fmt.Fprintf(b, "%s (%s), %s, agent %s, perturbation %s, seed %d: %d episodes of at most %d steps",
		c.Env, c.Source, c.Model, c.Agent, c.Perturbation, c.Seed, len(g.Episodes), c.StepLimit)
	if t := c.Trials; t != nil {
		fmt.Fprintf(b, ", each again after a failure: at most %d trials, memory %d", t.Most, t.Memory)
	}
	b.WriteString("\n")
}

// describeSuite has a line for each environment and player, and the perturbations of
// each environment: a suite has dozens of groups for each.
func describeSuite(b *strings.Builder, j *Job, width int) {
	type player struct{ env, model string }
	var players []player
	var environments []string
	episodes := map[player]int{}
	seeds := map[player]map[int64]bool{}
	limits := map[string]int{}
	for _, g := range j.Plan.Groups {
		c := g.Condition
		p := player{c.Env, c.Model}
		if seeds[p] == nil {
			players, seeds[p] = append(players, p), map[int64]bool{}
		}
		if limits[c.Env] == 0 {
			environments, limits[c.Env] = append(environments, c.Env), c.StepLimit
		}
		episodes[p] += len(g.Episodes)
		seeds[p][c.Seed] = true
	}
	for _, env := range environments {
		names := j.Perturbations(env)
		fmt.Fprintf(b, "%s, without a perturbation and under %d:\n", env, len(names))
		b.WriteString("  " + strings.Join(table.Wrap(strings.Join(names, ", "), width-2), "\n  ") + "\n")
		for _, p := range players {
			if p.env == env {
				fmt.Fprintf(b, "  %s, seeds %d: %d episodes of at most %d steps\n", p.model, len(seeds[p]), episodes[p],
					limits[env])
			}
		}
	}
}

// cost says how much a plan needs at least and at most.
func cost(p *eval.Plan) string {
	least, most := p.Cost()
	what := "together"
	if p.Shard != nil {
		what = "of these, shard " + p.Shard.String() + " plays"
	}
	if least.Episodes == most.Episodes {
		return fmt.Sprintf("%s: %d episodes, at most %d model calls", what, most.Episodes, most.Calls)
	}
	text := fmt.Sprintf(
		"%s: %d episodes if every task is solved in its first trial, %d if none ever is;\nat least %d and at most %d "+
			"model calls",
		what, least.Episodes, most.Episodes, least.Calls, most.Calls)
	if most.Reflections > 0 {
		text += fmt.Sprintf(", of which at most %d are reflections", most.Reflections)
	}
	return text
}

// timeOf says how long so many calls take. The time of a call is the server's and not
// known before the run.
func timeOf(calls, concurrency int) string {
	if concurrency < 1 {
		return fmt.Sprintf("if a call takes 1 s: at most %s one at a time, and less by --concurrency",
			lasting(time.Duration(calls)*time.Second))
	}
	return fmt.Sprintf("if a call takes 1 s: at most %s, %d at a time",
		lasting(time.Duration(calls)*time.Second/time.Duration(concurrency)), concurrency)
}

// lasting writes a time in the unit that people would use.
func lasting(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 72*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.1f days", d.Hours()/24)
}
