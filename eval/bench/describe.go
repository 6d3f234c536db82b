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

// described are the groups of a plan that differ only in player, seed and perturbation.
type described struct {
	subject, limits       string
	models, perturbations []string
	seeds                 []int64
	episodes              int
}

// describeGroups has a line for each environment and agent: seeds and perturbations of
// several models would be dozens.
func describeGroups(b *strings.Builder, groups []record.Group) {
	var list []*described
	for _, g := range groups {
		subject, limits := whatOf(g.Condition), limitsOf(g.Condition)
		i := slices.IndexFunc(list, func(d *described) bool { return d.subject == subject && d.limits == limits })
		if i < 0 {
			i, list = len(list), append(list, &described{subject: subject, limits: limits})
		}
		d := list[i]
		d.models, d.perturbations = add(d.models, g.Condition.Model), add(d.perturbations, g.Condition.Perturbation)
		d.seeds = append(d.seeds, g.Condition.Seed)
		d.episodes += len(g.Episodes)
	}
	for _, d := range list {
		slices.Sort(d.seeds)
		d.seeds = slices.Compact(d.seeds)
		fmt.Fprintf(b, "%s, %s, %s %s, %s %s: %s %s\n", d.subject, strings.Join(d.models, " and "),
			plural("perturbation", d.perturbations), strings.Join(d.perturbations, ", "), plural("seed", d.seeds),
			record.SeedRanges(d.seeds), table.Counted(d.episodes, "episode"), d.limits)
	}
}

// plural is the noun for the things of a list.
func plural[T any](noun string, list []T) string {
	if len(list) > 1 {
		return noun + "s"
	}
	return noun
}

// add returns a list that has a text once.
func add(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
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
		indented(b, strings.Join(names, ", "), width)
		if lacks := lackedFamilies(env); j.Config.Suite != "" && len(lacks) > 0 {
			fmt.Fprintf(b, "  without %s (heldout envs %s says why)\n", strings.Join(lacks, ", "), env)
		}
		describeDeparts(b, j.about.Sweep.In(env), width)
		for _, left := range j.about.Sweep.LeftOut {
			if left.Env == env {
				indented(b, fmt.Sprintf("without %s: %s", left.Perturbation, left.Reason), width)
			}
		}
		for _, p := range players {
			if p.env == env {
				fmt.Fprintf(b, "  %s, seeds %d: %s of at most %s\n", p.model, len(seeds[p]),
					table.Counted(episodes[p], "episode"), table.Counted(limits[env], "step"))
			}
		}
	}
}

// describeDeparts says what of a preset is not the original's, and under which perturbations.
func describeDeparts(b *strings.Builder, perturbations []record.Perturbation, width int) {
	names := map[string][]string{}
	var parts []string
	for _, p := range perturbations {
		for _, part := range p.Departs {
			if names[part] == nil {
				parts = append(parts, part)
			}
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

// before says which runs without a name of their own have results from before the player
// changed. A changed player has another plan, so its run begins anew in a folder of its own.
func (j *Job) before() (lines []string) {
	if j.Config.Out != "" || j.Config.Player.Zero() {
		return nil
	}
	dirs, err := filepath.Glob(filepath.Join(RunsDir, directoryName(j.Config, "*")))
	if err != nil {
		return nil // the pattern is ours
	}
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
		if model, was, now := j.Plan.Replaced(m); model != "" {
			lines = append(lines, fmt.Sprintf("%s has %s of %s as it was (%s); this run begins anew in %s", dir,
				table.Counted(results, "result"), model, record.ChangedPlayer(was, now), j.Dir))
		}
	}
	return lines
}
