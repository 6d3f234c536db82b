package trajectory

import (
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/scoring/record"
)

// Filter chooses attempts. Empty fields choose all.
type Filter struct {
	Env, Type, Model, Seed, Outcome string
	// Reason is the label of a reason.
	Reason string
	// Task is a part of the task's name, in upper or lower case.
	Task string
	// MinSteps and MaxSteps bound the steps; what is not a number bounds nothing.
	MinSteps, MaxSteps string
	// Text is a text that the episode contains, in upper or lower case.
	Text string
}

// Keys of the fields of a filter in addresses and forms.
const (
	envKey, typeKey, modelKey, seedKey, outcomeKey, reasonKey = "env", "type", "model", "seed", "outcome", "reason"
	taskKey, minKey, maxKey, textKey                          = "task", "min-steps", "max-steps", "text"
)

// Keys are those of the fields of a filter in addresses and forms.
func Keys() []string {
	return []string{envKey, typeKey, modelKey, seedKey, outcomeKey, reasonKey, taskKey, minKey, maxKey, textKey}
}

// ReadFilter makes a filter from the values of an address.
func ReadFilter(value func(key string) string) Filter {
	return Filter{value(envKey), value(typeKey), value(modelKey), value(seedKey), value(outcomeKey), value(reasonKey),
		value(taskKey), value(minKey), value(maxKey), value(textKey)}
}

// Choose are the numbers of the attempts that are chosen, as far as their results say, and what readers
// can filter by.
func (f Filter) Choose(results record.Results) (c Choices, found []int) {
	var result record.Result
	var last [len(c)]string // most attempts have the values of the one before them
	fields, chosen := f.selects(), f.chosen()
	for i := range c {
		c[i] = map[string]bool{}
	}
	for n := range results.Len() {
		result = results.Result(n)
		taken := chosen(&result)
		for i := range fields {
			v := fields[i].value(&result)
			if v != last[i] && v != "" {
				c[i][v], last[i] = true, v
			}
			taken = taken && (fields[i].Chosen == "" || fields[i].Chosen == v)
		}
		if taken {
			found = append(found, n)
		}
	}
	return c, found
}

// chosen tests what the form has no list for.
func (f Filter) chosen() func(*record.Result) bool {
	task, least := strings.ToLower(f.Task), 0
	if n, err := strconv.Atoi(f.MinSteps); err == nil {
		least = n
	}
	most, err := strconv.Atoi(f.MaxSteps)
	if err != nil {
		most = record.MaxSteps
	}
	return func(r *record.Result) bool {
		return least <= r.Steps && r.Steps <= most && (f.Reason == "" || r.Outcome == record.Failure) &&
			(task == "" || strings.Contains(strings.ToLower(r.Task), task))
	}
}

// Reads reports whether the filter chooses by steps and texts, which results do not have.
func (f Filter) Reads() bool { return f.Text != "" || f.Reason != "" }

// MatchEpisode reports whether an episode that Choose has chosen has the reason and the text. Steps is
// its step limit.
func (f Filter) MatchEpisode(e *record.Episode, steps int) bool {
	if f.Reason != "" && SignsOf(e).Reason(&e.Result, steps).Label() != f.Reason {
		return false
	}
	return f.Text == "" || f.Hit(e) != nil
}

// selector is a field of the form.
type selector struct {
	Name, Label, Chosen string
	value               func(*record.Result) string
	Values              []string
}

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
	s := selector{Name: reasonKey, Label: "Reason", Chosen: f.Reason}
	for _, r := range reasons {
		s.Values = append(s.Values, r.Label)
	}
	return s
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
type Choices [5]map[string]bool

// Add notes the values of a result.
func (c *Choices) Add(r *record.Result) {
	for i, s := range (Filter{}).selects() {
		if c[i] == nil {
			c[i] = map[string]bool{}
		}
		if v := s.value(r); v != "" {
			c[i][v] = true
		}
	}
}

// failures reports whether an attempt failed: only then there are reasons.
func (c *Choices) failures() bool { return c[len(c)-1][string(record.Failure)] }
