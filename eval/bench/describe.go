package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heldout/configs"
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
	// Estimate is what the episodes are expected to take; nil without a served model.
	Estimate *Estimate `json:"estimate,omitempty"`
}

// Forecast returns what Describe says, with every task.
func (j *Job) Forecast(ctx context.Context) Forecast {
	_, high := j.Plan.Cost()
	return Forecast{j.Dir, high.Episodes, high.Calls, j.Plan.Environments, j.estimate(ctx)}
}

// Describe says what a job would play, and what it costs. Lists are broken at width characters.
func (j *Job) Describe(ctx context.Context, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run directory: %s\n", j.Dir)
	if j.Config.Suite != "" {
		describeSuite(&b, j, width)
	} else {
		describeGroups(&b, j.Plan.Groups)
		if j.about.Sweep != nil {
			describeDeparts(&b, j.about.Sweep.Perturbations, width)
		}
	}
	b.WriteString(cost(j.Plan) + "\n")
	if _, high := j.Plan.Cost(); high.Calls > 0 {
		b.WriteString(timeOf(high.Calls, int(j.Config.Concurrency)) + "\n")
	}
	if e := j.estimate(ctx); e != nil {
		b.WriteString(strings.Join(table.Wrap(e.String(), width), "\n") + "\n")
	}
	return b.String()
}

// describeGroups has a line for each environment and agent: seeds and perturbations of
// several models would be dozens.
func describeGroups(b *strings.Builder, groups []record.Group) {
	type described struct{ subject, limits string }
	for _, group := range table.Grouped(groups, func(g record.Group) described {
		return described{whatOf(g.Condition), limitsOf(g.Condition)}
	}) {
		models := table.Keys(group, func(g record.Group) string { return g.Condition.Model })
		perturbations := table.Keys(group, func(g record.Group) string { return g.Condition.Perturbation })
		seeds := table.Keys(group, func(g record.Group) int64 { return g.Condition.Seed })
		slices.Sort(seeds)
		episodes := 0
		for _, g := range group {
			episodes += len(g.Episodes)
		}
		c := group[0].Condition
		fmt.Fprintf(b, "%s, %s, %s %s, %s %s: %s %s\n", whatOf(c), strings.Join(models, " and "),
			plural("perturbation", perturbations), strings.Join(perturbations, ", "), plural("seed", seeds),
			record.SeedRanges(seeds), table.Counted(episodes, "episode"), limitsOf(c))
	}
}

// plural is the noun for the things of a list.
func plural[T any](noun string, list []T) string {
	if len(list) > 1 {
		return noun + "s"
	}
	return noun
}

func whatOf(c record.Condition) string {
	text := fmt.Sprintf("%s (%s), agent %s", c.Env, c.Source, c.Agent)
	if c.Preset != nil {
		text = c.Preset.Label() + ": " + text
	}
	return text
}

func limitsOf(c record.Condition) string {
	text := "of at most " + table.Counted(c.StepLimit, "step")
	if t := c.Trials; t != nil {
		text += fmt.Sprintf(", each again after a failure: at most %d trials, memory %d", t.Limit, t.Memory)
	}
	return text
}

// describeSuite has a line for each environment and player, and the perturbations of
// each environment: a suite has dozens of groups for each.
func describeSuite(b *strings.Builder, j *Job, width int) {
	for _, group := range table.Grouped(j.Plan.Groups, func(g record.Group) string { return g.Condition.Env }) {
		env, limit := group[0].Condition.Env, group[0].Condition.StepLimit
		names := j.Perturbations(env)
		fmt.Fprintf(b, "%s, without a perturbation and under %d:\n", env, len(names))
		indented(b, strings.Join(names, ", "), width)
		if lacks := lackedFamilies(env); len(lacks) > 0 {
			fmt.Fprintf(b, "  without %s (heldout envs %s says why)\n", strings.Join(lacks, ", "), env)
		}
		describeDeparts(b, j.about.Sweep.In(env), width)
		for _, omitted := range j.about.Sweep.LeftOut {
			if omitted.Env == env {
				indented(b, fmt.Sprintf("without %s: %s", omitted.Perturbation, omitted.Reason), width)
			}
		}
		for _, own := range table.Grouped(group, func(g record.Group) string { return g.Condition.Model }) {
			episodes := 0
			for _, g := range own {
				episodes += len(g.Episodes)
			}
			seeds := table.Keys(own, func(g record.Group) int64 { return g.Condition.Seed })
			fmt.Fprintf(b, "  %s, seeds %d: %s of at most %s\n", own[0].Condition.Model, len(seeds),
				table.Counted(episodes, "episode"), table.Counted(limit, "step"))
		}
	}
}

// describeDeparts says what of a preset is not the original's, and under which perturbations.
func describeDeparts(b *strings.Builder, perturbations []record.Perturbation, width int) {
	names := map[string][]string{}
	var parts []string
	for _, p := range perturbations {
		parts = table.AppendNew(parts, p.Departs...)
		for _, part := range p.Departs {
			names[part] = append(names[part], p.Name)
		}
	}
	for _, part := range parts {
		scope := "under " + strings.Join(names[part], ", ")
		if len(names[part]) == len(perturbations) {
			scope = "under all of them"
		}
		indented(b, fmt.Sprintf("not the original's any more: %s, %s", part, scope), width)
	}
}

// indented writes a text as lines of so many characters, with two blanks before each.
func indented(b *strings.Builder, text string, width int) {
	b.WriteString("  " + strings.Join(table.Wrap(text, width-2), "\n  ") + "\n")
}

// cost says how much a plan needs at least and at most.
func cost(p *eval.Plan) string {
	low, high := p.Cost()
	scope := "together"
	if p.Shard != nil {
		scope = "of these, shard " + p.Shard.String() + " plays"
	}
	if low.Episodes == high.Episodes {
		return fmt.Sprintf("%s: %s, at most %s", scope, table.Counted(high.Episodes, "episode"),
			table.Counted(high.Calls, "model call"))
	}
	text := fmt.Sprintf("%s: %s if every task is solved in its first trial, %d if none ever is;\nat least "+
		"%d and at most %d model calls", scope, table.Counted(low.Episodes, "episode"), high.Episodes, low.Calls,
		high.Calls)
	if high.Reflections > 0 {
		text += fmt.Sprintf(", of which at most %d are reflections", high.Reflections)
	}
	return text
}

// timeOf says how long so many calls take. The time of a call is the server's and not known before the run.
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

// identity is what conditions say of the player behind a model. A run that goes on with a
// player that the user accepted keeps the one that it began with.
func (j *Job) identity(r configs.Run, name string) *record.Identity {
	var now *record.Identity
	if !r.Player.Zero() {
		now = &r.Player
	}
	if r.Out == "" || now == nil && !r.AcceptChangedModel {
		return now
	}
	if j.about.Identities == nil {
		j.about.Identities = map[string]*record.Identity{}
	}
	j.about.Identities[name] = now
	dirs, err := record.Parts{r.Out}.Dirs()
	if err != nil || len(dirs) == 0 {
		return now
	}
	m, err := record.ReadManifest(dirs[0])
	if err != nil {
		return now // to begin says what is wrong with it
	}
	first, last, planned := m.Player(name)
	if planned && (r.AcceptChangedModel || record.SamePlayer(last, now)) {
		return first
	}
	return now
}

// resumed says which runs without a name of their own have results from before the player
// changed. A changed player has another plan, so its run begins anew in a folder of its own.
func (j *Job) resumed() (lines []string) {
	if j.Config.Out != "" || j.Config.Player.Zero() {
		return nil
	}
	dirs, _ := filepath.Glob(filepath.Join(RunsDir, directoryName(j.Config, "*"))) // the pattern is ours
	for _, dir := range dirs {
		results := 0
		m, err := record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
			if e.Outcome.Final() {
				results++
			}
		})
		if err != nil || dir == j.Dir || results == 0 {
			continue
		}
		if model, old, now := j.Plan.Replaced(m); model != "" {
			lines = append(lines, fmt.Sprintf("%s has %s of %s as it was (%s); this run begins anew in %s", dir,
				table.Counted(results, "result"), model, record.ChangedPlayer(old, now), j.Dir))
		}
	}
	return lines
}
