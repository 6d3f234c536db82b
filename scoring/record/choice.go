package record

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/envs/spelling"
	"heldout/scoring/table"
)

// EpisodeFilter says which planned episodes of runs are read: those that fit one of the values of each field, if it
// has any. Values are names, or have * for any characters and ? for one.
type EpisodeFilter struct {
	Env    []string // environments
	Model  []string // models, with or without their provider
	Task   []string // names of tasks, types, 0-based numbers of the benchmark, or ranges
	Seed   []string // numbers or ranges, such as 0-2
	Preset []string // presets, with or without version and part; "none" is for episodes without one
}

// Readable is what readers of records take: Parts, or some episodes of them.
type Readable interface {
	chosen() Chosen
	Name() string
}

// Chosen are parts of which only some planned episodes are read.
type Chosen struct {
	Parts
	Only  EpisodeFilter
	Title string // the run's name in place of its directory; empty for none
}

// Name is the title, or the directory that stands for the run.
func (c Chosen) Name() string { return cmp.Or(c.Title, c.Parts.Name()) }

func (c Chosen) chosen() Chosen { return c }

func (p Parts) chosen() Chosen { return Chosen{Parts: p} }

// Empty reports whether all episodes are read.
func (c EpisodeFilter) Empty() bool { return len(slices.Concat(c.fields()...)) == 0 }

// lists are the fields, in the order of flagsOfChoice.
func (c *EpisodeFilter) lists() []*[]string {
	return []*[]string{&c.Env, &c.Model, &c.Task, &c.Seed, &c.Preset}
}

func (c EpisodeFilter) fields() [][]string {
	return table.Each(c.lists(), func(list *[]string) []string { return *list })
}

// flagsOfChoice are the flags of the fields.
var flagsOfChoice = []string{"--env", "--model", "--tasks", "--seeds", "--preset"}

// String writes the choice as flags.
func (c EpisodeFilter) String() string {
	var out []string
	for i, values := range c.fields() {
		if len(values) > 0 {
			out = append(out, flagsOfChoice[i]+" "+strings.Join(values, ","))
		}
	}
	return strings.Join(out, " ")
}

// fits reports whether a text is one of the names or fits one of the patterns.
func fits(values []string, texts ...string) bool {
	return len(values) == 0 || slices.ContainsFunc(values, func(v string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return text != "" && like(v, text) })
	})
}

// like reports whether a text is a name or fits a pattern.
func like(pattern, text string) bool {
	if !strings.ContainsAny(pattern, "*?") {
		return pattern == text
	}
	glob := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile("(?s)^(?:" + glob + ")$").MatchString(text)
}

// hasNumber reports whether values have a number, alone or in a range.
func hasNumber(values []string, n int64) bool {
	return slices.ContainsFunc(values, func(v string) bool {
		first, last, ok := numberRange(v)
		return ok && first <= n && n <= last
	})
}

// numberRange reads a number or a range of numbers.
func numberRange(v string) (first, last int64, ok bool) {
	low, high, ranged := strings.Cut(v, "-")
	if !ranged {
		high = low
	}
	first, err1 := strconv.ParseInt(low, 10, 64)
	last, err2 := strconv.ParseInt(high, 10, 64)
	return first, last, err1 == nil && err2 == nil && first >= 0 && last >= first
}

// keepsGroup reports whether episodes of a condition are read. Names are those that the user gave to models.
func (c EpisodeFilter) keepsGroup(cond Condition, names map[string]string) bool {
	_, bare, _ := strings.Cut(cond.Model, ":")
	return fits(c.Env, cond.Env) && fits(c.Model, cond.Model, bare, names[cond.Model], names[bare]) &&
		(len(c.Seed) == 0 || hasNumber(c.Seed, cond.Seed)) && fits(c.Preset, cond.Preset.Names()...)
}

// Names are what a preset may be called: "gigpo-alfworld@1:unseen" is also the
// same without its version, without its part, and without both.
func (p *Preset) Names() []string {
	if p == nil {
		return []string{"none"}
	}
	full, part, _ := strings.Cut(p.Name, ":")
	bare, _, _ := strings.Cut(full, "@")
	return []string{p.Name, full, bare, bare + ":" + part}
}

// Only returns the part of a plan that a choice keeps.
func (m *Manifest) Only(c EpisodeFilter) *Manifest {
	if c.Empty() {
		return m
	}
	out := *m
	out.Environments, out.Groups = nil, nil
	type place struct{ env, preset string }
	selected := map[place][]bool{} // the tasks
	parts := map[place]Environment{}
	for _, env := range m.Environments {
		key := place{env.Name, env.Protocol}
		tasks := env.Tasks
		env.Tasks = nil
		for _, t := range tasks {
			keeps := fits(c.Task, t.ID, t.Type) || t.Index >= 0 && hasNumber(c.Task, int64(t.Index))
			if selected[key] = append(selected[key], keeps); keeps {
				env.Tasks = append(env.Tasks, t)
			}
		}
		parts[key] = env
	}
	for _, g := range m.Groups {
		key := place{g.Condition.Env, g.Condition.Preset.Key()}
		if len(parts[key].Tasks) == 0 || !c.keepsGroup(g.Condition, m.Names) {
			continue
		}
		var episodes []string
		for i, id := range g.Episodes {
			if selected[key][i] {
				episodes = append(episodes, id)
			}
		}
		if _, ok := out.EnvironmentOf(g.Condition); !ok {
			out.Environments = append(out.Environments, parts[key])
		}
		out.Groups = append(out.Groups, Group{g.Condition, episodes})
	}
	return &out
}

// Called is the choice with models for the names that the user gave them, by specification.
func (c EpisodeFilter) Called(names map[string]string) EpisodeFilter {
	models := slices.Clone(c.Model)
	for i, name := range models {
		for spec, text := range names {
			if text == name {
				models[i] = spec
			}
		}
	}
	c.Model = models
	return c
}

// Choose applies a choice to runs, and leaves out runs of which nothing is read. A value that fits nothing is an
// error that names what there is; it may fit the plan of something else that is read besides.
func Choose(runs []Parts, only EpisodeFilter, manifests ...*Manifest) (out []Chosen, err error) {
	values, found := unfitted{values: only.fields()}, false
	values.present = table.Each(values.values, func([]string) map[string]bool { return map[string]bool{} })
	for _, m := range manifests {
		values.strike(m)
		found = found || len(m.Only(only).Groups) > 0
	}
	for _, p := range runs {
		if only.Empty() {
			out = append(out, Chosen{Parts: p, Only: only})
			continue
		}
		m, err := p.manifest()
		if err != nil {
			return nil, err
		}
		values.strike(m)
		if len(m.Only(only).Groups) > 0 {
			out = append(out, Chosen{Parts: p, Only: only})
		}
	}
	if err := values.check(); err != nil {
		return nil, err
	}
	if len(out) == 0 && !found && len(runs)+len(manifests) > 0 {
		return nil, fmt.Errorf("no planned episode fits all of %s: each fits some", only)
	}
	return out, nil
}

// unfitted are the values of a choice that fit no plan yet, and what there is in plans.
type unfitted struct {
	values  [][]string
	present []map[string]bool
}

// strike takes out the values that fit a plan.
func (u unfitted) strike(m *Manifest) {
	m.note(u.present)
	for i := range u.values {
		u.values[i] = table.Filter(u.values[i], func(v string) bool {
			var single EpisodeFilter
			*single.lists()[i] = []string{v}
			return len(m.Only(single).Groups) == 0
		})
	}
}

// check reports a value that fits nothing.
func (u unfitted) check() error {
	for i, values := range u.values {
		if len(values) > 0 {
			return unfit(flagsOfChoice[i], values[0], slices.Sorted(maps.Keys(u.present[i])))
		}
	}
	return nil
}

// note notes what a choice can name.
func (m *Manifest) note(present []map[string]bool) {
	for _, g := range m.Groups {
		c := g.Condition
		present[0][c.Env], present[1][c.Model], present[3][strconv.FormatInt(c.Seed, 10)] = true, true, true
		present[4][c.Preset.Names()[0]] = true
	}
	for _, env := range m.Environments {
		for _, t := range env.Tasks {
			present[2][t.Type] = true
		}
	}
}

// unfit says that no episode has a value, and which values there are.
func unfit(flag, value string, values []string) error {
	const limit = 20
	if flag == "--tasks" && len(values) > 0 {
		return fmt.Errorf("%s %q fits no task: give names, with * and ?, 0-based numbers or ranges, or types: %s", flag,
			value, strings.Join(values[:min(len(values), limit)], ", "))
	}
	return fmt.Errorf("%s %q fits nothing%s; there are %s", flag, value, spelling.Hint(value, values),
		table.Shortlist(values, limit))
}

// SeedRanges writes seeds, in ascending order, as ranges such as 0-9,12.
func SeedRanges(seeds []int64) string {
	var parts []string
	for i := 0; i < len(seeds); {
		j := i
		for j+1 < len(seeds) && seeds[j+1] == seeds[j]+1 {
			j++
		}
		if text := fmt.Sprint(seeds[i]); j > i {
			parts = append(parts, fmt.Sprintf("%s-%d", text, seeds[j]))
		} else {
			parts = append(parts, text)
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}
