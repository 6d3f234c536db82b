package trajectory

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Filter chooses attempts. Empty fields choose all.
type Filter struct {
	Env, Type, Model, Seed, Outcome string
	Reason                          string // the label of a reason
	Task                            string // a part of the task's name, in upper or lower case
	// MinSteps and MaxSteps bound the steps; what is not a number bounds nothing.
	MinSteps, MaxSteps string
	Text               string // a text that the episode contains, in upper or lower case
}

// Keys of the fields of a filter in addresses and forms.
const (
	envKey, typeKey, modelKey, seedKey, outcomeKey, reasonKey = "env", "type", "model", "seed", "outcome", "reason"
	taskKey, minKey, maxKey, textKey                          = "task", "min-steps", "max-steps", "text"
)

// Keys are the keys of a filter's fields in addresses and forms.
func Keys() []string {
	return []string{envKey, typeKey, modelKey, seedKey, outcomeKey, reasonKey, taskKey, minKey, maxKey, textKey}
}

// ReadFilter makes a filter from the values of an address.
func ReadFilter(value func(key string) string) Filter {
	return Filter{value(envKey), value(typeKey), value(modelKey), value(seedKey), value(outcomeKey), value(reasonKey),
		value(taskKey), value(minKey), value(maxKey), value(textKey)}
}

// Attempts are what lists choose from and sort.
type Attempts struct {
	Count  int
	Result func(int) record.Result
	Reason func(int) Reason // why an attempt was not solved
}

// Choose returns which attempts are chosen, apart from the text that they contain, and what readers can filter by.
func (f Filter) Choose(a Attempts) (c Choices, found []int) {
	var r record.Result
	var last [len(c)]choice // most attempts have the values of the one before them
	fields, chosen := f.selects(), f.chosen()
	for i := range c {
		c[i] = map[choice]bool{}
	}
	for n := range a.Count {
		r = a.Result(n)
		fits := chosen(&r) && (f.Reason == "" || a.Reason(n).Label() == f.Reason)
		for i := range fields {
			v := fields[i].value(&r)
			if value := fields[i].choice(&r, v); value != last[i] && v != "" {
				c[i][value], last[i] = true, value
			}
			fits = fits && (fields[i].Chosen == "" || fields[i].Chosen == v)
		}
		if fits {
			found = append(found, n)
		}
	}
	return c, found
}

// chosen tests what the form has no list for.
func (f Filter) chosen() func(*record.Result) bool {
	task, shortest := strings.ToLower(f.Task), 0
	if n, err := strconv.Atoi(f.MinSteps); err == nil {
		shortest = n
	}
	limit, err := strconv.Atoi(f.MaxSteps)
	if err != nil {
		limit = record.MaxSteps
	}
	return func(r *record.Result) bool {
		return shortest <= r.Steps && r.Steps <= limit && (f.Reason == "" || r.Outcome == record.Failure) &&
			(task == "" || strings.Contains(strings.ToLower(r.Task), task))
	}
}

// selector is a field of the form.
type selector struct {
	Name, Label, Chosen string
	value               func(*record.Result) string
	Groups              []group
}

// group is values of a field: types are grouped by environment.
type group struct {
	Env    string
	Values []string
}

// Several reports whether there is something to choose.
func (s selector) Several() bool {
	return len(s.Groups) > 1 || len(s.Groups) == 1 && len(s.Groups[0].Values) > 1
}

// choice is a value, with the environment if it is a type.
type choice struct{ env, value string }

func (s *selector) choice(r *record.Result, value string) choice {
	if s.Name == typeKey {
		return choice{r.Env, value}
	}
	return choice{"", value}
}

// Chips reports whether all values are shown at once, each a click away.
func (s selector) Chips() bool { return s.Name == outcomeKey }

func (f Filter) selects() []selector {
	return []selector{
		{Name: envKey, Label: "Environment", Chosen: f.Env, value: func(r *record.Result) string { return r.Env }},
		{Name: typeKey, Label: "Type", Chosen: f.Type, value: func(r *record.Result) string { return r.TaskType }},
		{Name: modelKey, Label: "Model", Chosen: f.Model, value: func(r *record.Result) string { return r.Model }},
		{Name: seedKey, Label: "Seed", Chosen: f.Seed, value: func(r *record.Result) string {
			return strconv.FormatInt(r.Seed, 10)
		}},
		{Name: outcomeKey, Label: "Outcome", Chosen: f.Outcome, value: func(r *record.Result) string {
			return string(r.Outcome)
		}},
	}
}

// reasonSelector is the field of reasons.
func (f Filter) reasonSelector() selector {
	labels := table.Each(Reasons(), func(r ReasonName) string { return r.Label })
	return selector{Name: reasonKey, Label: "Reason", Chosen: f.Reason, Groups: []group{{Values: labels}}}
}

// option is a value that readers filter by, as they see it.
func option(field, value string) string {
	switch field {
	case envKey:
		value = envs.Title(value)
	case outcomeKey:
		value = words(value)
	}
	return visible(value)
}

// Choices are the values that readers can filter by.
type Choices [5]map[choice]bool

// failures reports whether an attempt failed: only then there are reasons.
func (c *Choices) failures() bool { return c[len(c)-1][choice{"", string(record.Failure)}] }

// groups are the values of a field in order.
func (c *Choices) groups(field int) (out []group) {
	sorted := slices.SortedFunc(maps.Keys(c[field]), func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.env, b.env), cmp.Compare(a.value, b.value))
	})
	for _, v := range sorted {
		if len(out) == 0 || out[len(out)-1].Env != v.env {
			out = append(out, group{Env: v.env})
		}
		g := &out[len(out)-1]
		g.Values = append(g.Values, v.value)
	}
	return out
}
