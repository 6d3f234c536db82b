package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
)

// maxSeeds bounds a list of seeds: more is probably a typing mistake.
const maxSeeds = 10000

// ParseSeeds reads a list of seeds: "0-9" is a range, "1,5" are two seeds, and a
// single number is a count from 0: "10" is 0 to 9. The seeds are sorted and
// unique.
func ParseSeeds(s string) ([]int64, error) {
	bad := func(part string) ([]int64, error) {
		return nil, fmt.Errorf("seeds %q: cannot read %q; want a range such as 0-9, a list such as 1,5 or a number of seeds such as 10", s, part)
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64); err == nil {
		if n < 1 || n > maxSeeds {
			return bad(s)
		}
		s = fmt.Sprintf("0-%d", n-1)
	}
	var seeds []int64
	for _, part := range strings.Split(s, ",") {
		from, to, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			to = from
		}
		first, err1 := strconv.ParseInt(from, 10, 64)
		last, err2 := strconv.ParseInt(to, 10, 64)
		if err1 != nil || err2 != nil || first < 0 || last < first || last-first >= maxSeeds {
			return bad(part)
		}
		for seed := first; seed <= last; seed++ {
			seeds = append(seeds, seed)
		}
	}
	slices.Sort(seeds)
	return slices.Compact(seeds), nil
}

// SelectTasks picks tasks of an environment's benchmark by a comma-separated list
// of names, task types, and 0-based numbers or ranges of numbers. In names, *
// stands for any characters and ? for any one character. A number counts as a
// number only if no task has that name. An empty list picks all tasks. If limit
// is not 0, only the first limit tasks are kept. The order does not change.
func SelectTasks(env envs.Env, patterns string, limit int) ([]envs.Task, error) {
	tasks := env.Tasks()
	if limit < 0 {
		return nil, fmt.Errorf("limit %d is negative", limit)
	}
	if strings.TrimSpace(patterns) != "" {
		var err error
		if tasks, err = pick(env, strings.Split(patterns, ",")); err != nil {
			return nil, err
		}
	}
	if limit > 0 && limit < len(tasks) {
		tasks = tasks[:limit]
	}
	return tasks, nil
}

func pick(env envs.Env, patterns []string) ([]envs.Task, error) {
	tasks := env.Tasks()
	picked := make([]bool, len(tasks))
	for _, p := range patterns {
		matches := matcher(strings.TrimSpace(p))
		if slices.ContainsFunc(tasks, func(t envs.Task) bool { return t.ID == strings.TrimSpace(p) }) {
			matches = func(t envs.Task) bool { return t.ID == strings.TrimSpace(p) } // also if the name looks like a number
		}
		found := false
		for i, t := range tasks {
			if matches(t) {
				picked[i], found = true, true
			}
		}
		if t, ok := otherName(env, p); !found && ok {
			picked[t.Index], found = true, true
		}
		if !found {
			return nil, noMatch(p, tasks)
		}
	}
	var out []envs.Task
	for i, t := range tasks {
		if picked[i] {
			out = append(out, t)
		}
	}
	return out, nil
}

// noMatch says which tasks there are.
func noMatch(pattern string, tasks []envs.Task) error {
	last := len(tasks) - 1
	if numbers.MatchString(strings.TrimSpace(pattern)) {
		return fmt.Errorf("no task has the name or number %q; the numbers are 0 to %d", pattern, last)
	}
	return fmt.Errorf("no task matches %q; the first is %s and the last %s", pattern, tasks[0].ID, tasks[last].ID)
}

// otherName finds a task of the benchmark under another name that the
// environment knows for it.
func otherName(env envs.Env, name string) (t envs.Task, ok bool) {
	f, ok := envs.As[envs.Finder](env)
	if !ok {
		return t, false
	}
	t, err := f.Task(strings.TrimSpace(name))
	return t, err == nil && t.Index >= 0
}

var numbers = regexp.MustCompile(`^(\d{1,9})(?:-(\d{1,9}))?$`)

// matcher returns what one pattern matches.
func matcher(pattern string) func(envs.Task) bool {
	if m := numbers.FindStringSubmatch(pattern); m != nil {
		first, _ := strconv.Atoi(m[1]) // nine digits always fit
		last := first
		if m[2] != "" {
			last, _ = strconv.Atoi(m[2])
		}
		return func(t envs.Task) bool { return first <= t.Index && t.Index <= last }
	}
	glob := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	whole := regexp.MustCompile("^(?:" + glob + ")$")
	return func(t envs.Task) bool { return t.Type == pattern || whole.MatchString(t.ID) }
}

// FindTask returns the one task with that name or 0-based number: of the
// benchmark or, if the environment can, any other.
func FindTask(env envs.Env, name string) (envs.Task, error) {
	found, err := SelectTasks(env, name, 0)
	if err == nil && len(found) == 1 && !strings.Contains(name, ",") && strings.TrimSpace(name) != "" {
		return found[0], nil
	}
	if err == nil {
		return envs.Task{}, fmt.Errorf("%q names %d tasks, want one", name, len(found))
	}
	if f, ok := envs.As[envs.Finder](env); ok {
		return f.Task(strings.TrimSpace(name))
	}
	return envs.Task{}, err
}
