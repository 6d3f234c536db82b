package eval

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/envs/outside"
)

// maxSeeds bounds a list of seeds: more is probably a typing mistake.
const maxSeeds = 100_000

// ParseSeeds reads a list of seeds: "0-9" is a range, "1,5" are two seeds, and a single number is a count from 0:
// "10" is 0 to 9. The seeds are sorted and unique.
func ParseSeeds(s string) ([]int64, error) {
	bad := func(part string) ([]int64, error) {
		return nil, fmt.Errorf("seeds %q: cannot read %q; want a range such as 0-9, a list such as 1,5 or a number "+
			"of seeds such as 10", s, part)
	}
	firstSeeds := func(n int64) ([]int64, error) {
		return nil, fmt.Errorf("seeds %q: these are %d seeds, and %d is the most", s, n, maxSeeds)
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64); err == nil {
		if n == 0 {
			return nil, fmt.Errorf("seeds %q: a single number is how many seeds, from 0 on; write 0-0 for the seed 0", s)
		}
		if n < 1 {
			return bad(s)
		} else if n > maxSeeds {
			return firstSeeds(n)
		}
		s = fmt.Sprintf("0-%d", n-1)
	}
	var seeds []int64
	for _, part := range strings.Split(s, ",") {
		low, high, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			high = low
		}
		first, err1 := strconv.ParseInt(low, 10, 64)
		last, err2 := strconv.ParseInt(high, 10, 64)
		if err1 == nil && err2 == nil && first >= 0 && last >= 0 && last < first {
			return nil, fmt.Errorf("seeds %q: the range %q is reversed; write %d-%d", s, part, last, first)
		}
		if err1 != nil || err2 != nil || first < 0 || last < first {
			return bad(part)
		} else if n := last - first + 1; n > maxSeeds || n < 0 {
			return firstSeeds(n)
		}
		for seed := first; seed <= last; seed++ {
			seeds = append(seeds, seed)
		}
	}
	slices.Sort(seeds)
	return slices.Compact(seeds), nil
}

// SelectTasks picks tasks of an environment by a comma-separated list of names, task types, 0-based numbers or
// ranges of numbers, and files of names: @FILE has one per line. In names, * stands for any characters and ? for
// any one character. A number counts as a number only if no task has that name. A name may belong to a task outside
// the benchmark, if the environment has such tasks. An empty list picks the benchmark. If limit is not 0, only so
// many of them are kept: see FirstTasks. Tasks of the benchmark keep its order; the others follow, as they are
// named.
func SelectTasks(env envs.Env, patterns string, limit int) ([]envs.Task, error) {
	if limit < 0 {
		return nil, fmt.Errorf("limit %d is negative", limit)
	}
	names, err := expandTasks(patterns)
	if err != nil {
		return nil, err
	}
	tasks := env.Tasks()
	if len(names) > 0 {
		if tasks, err = pick(env, names); err != nil {
			return nil, err
		}
	}
	return FirstTasks(env.Info().Name, tasks, limit), nil
}

// expandTasks divides a list of tasks, with the names in files in place of every @FILE.
func expandTasks(patterns string) (names []datafile.ListedLine, err error) {
	if strings.TrimSpace(patterns) == "" {
		return nil, nil
	}
	for _, p := range strings.Split(patterns, ",") {
		file, isFile := strings.CutPrefix(strings.TrimSpace(p), "@")
		if !isFile {
			names = append(names, datafile.ListedLine{Text: strings.TrimSpace(p)})
			continue
		}
		listed, err := datafile.ReadList(file)
		if err == nil && len(listed) == 0 {
			err = errors.New("the file names no task")
		}
		if err != nil {
			return nil, fmt.Errorf("the tasks of @%s: %w", file, err)
		}
		names = append(names, listed...)
	}
	return names, nil
}

func pick(env envs.Env, names []datafile.ListedLine) ([]envs.Task, error) {
	tasks := env.Tasks()
	places := map[string]int{}
	for i, t := range tasks {
		places[t.ID] = i
	}
	picked := make([]bool, len(tasks))
	var outside []envs.Task
	added := map[string]bool{}
	for _, p := range names {
		if i, ok := places[p.Text]; ok { // also if the name looks like a number
			picked[i] = true
			continue
		}
		matches, found := matcher(p.Text), false
		for i, t := range tasks {
			if matches(t) {
				picked[i], found = true, true
			}
		}
		if found {
			continue
		}
		t, err := otherTask(env, p.Text)
		switch {
		case err != nil && p.Place != "":
			return nil, fmt.Errorf("%s: %w", p.Place, err)
		case err != nil:
			return nil, err
		case t.Index >= 0: // another name of a task of the benchmark
			picked[t.Index] = true
		case !added[t.ID]:
			added[t.ID] = true
			outside = append(outside, t)
		}
	}
	var out []envs.Task
	for i, t := range tasks {
		if picked[i] {
			out = append(out, t)
		}
	}
	return append(out, outside...), nil
}

// otherTask finds a task that the environment knows by that name, though no task of the benchmark has it.
func otherTask(env envs.Env, name string) (envs.Task, error) {
	err := noMatch(name, env.Tasks())
	f, ok := envs.As[envs.Finder](env)
	if !ok || strings.ContainsAny(name, "*?") { // a name has none of these
		return envs.Task{}, err
	}
	t, finding := f.Task(name)
	if finding != nil {
		return t, fmt.Errorf("%w; outside the benchmark: %w", err, finding)
	}
	return t, nil
}

func noMatch(pattern string, tasks []envs.Task) error {
	last := len(tasks) - 1
	if _, _, numbered := outside.Range(pattern); numbered {
		byIndex := func(a, b envs.Task) int { return cmp.Compare(a.Index, b.Index) }
		return fmt.Errorf("no task has the name or number %q; the numbers are %d to %d", pattern,
			slices.MinFunc(tasks, byIndex).Index, slices.MaxFunc(tasks, byIndex).Index)
	}
	folded, reason := matcher(strings.ToLower(pattern)), ""
	if slices.ContainsFunc(tasks, func(t envs.Task) bool { t.ID = strings.ToLower(t.ID); return folded(t) }) {
		reason = ", since case counts"
	}
	return fmt.Errorf("no task matches %.80q%s; the first is %s and the last %s",
		pattern, reason, tasks[0].ID, tasks[last].ID)
}

// matcher returns what a pattern that is not a name matches.
func matcher(pattern string) func(envs.Task) bool {
	if first, last, ok := outside.Range(pattern); ok {
		return func(t envs.Task) bool { return first <= t.Index && t.Index <= last }
	}
	if !strings.ContainsAny(pattern, "*?") {
		return func(t envs.Task) bool { return t.Type == pattern }
	}
	glob := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	re := regexp.MustCompile("^(?:" + glob + ")$")
	return func(t envs.Task) bool { return re.MatchString(t.ID) }
}

// FindTask returns the one task with that name or 0-based number: of the
// benchmark or, if the environment can, any other.
func FindTask(env envs.Env, name string) (envs.Task, error) {
	var names []datafile.ListedLine
	for _, part := range strings.Split(name, ",") {
		names = append(names, datafile.ListedLine{Text: strings.TrimSpace(part)})
	}
	found, err := pick(env, names)
	if err != nil {
		return envs.Task{}, err
	}
	if len(found) != 1 || len(names) > 1 {
		return envs.Task{}, fmt.Errorf("%q names %d tasks, want one", name, len(found))
	}
	return found[0], nil
}
