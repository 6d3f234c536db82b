package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/babyai"
	"heldout/envs/datafile"
	"heldout/envs/sciworld"
	"heldout/envs/stream"
	"heldout/scoring/record"
)

// listed returns the tasks that a preset's list names, or all tasks of the environment. official is false for tasks
// that heldout generates. A preset whose environment has only such tasks plays them, unless the source's files are
// there and the environment finds tasks by their names.
func (c Chosen) listed(env envs.Env, about *record.Protocol) (tasks []envs.Task, official bool, err error) {
	list := c.Released.Env.Tasks.List
	generated := env.Info().Source == envs.Generated
	_, finds := envs.As[envs.Finder](env)
	if list == nil || generated && (c.Run.Originals == "" || !finds) {
		return slices.Clone(env.Tasks()), !generated, nil
	}
	found, err := c.original(configs.PresetFile{Path: list.File, SHA256: list.SHA256}, about)
	if err != nil {
		return nil, false, err
	}
	names, err := readList(found, *list)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", found.Name, err)
	}
	tasks, err = named(env, names, list.Partial)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", found.Name, err)
	}
	return tasks, true, nil
}

// named returns the tasks of those names, each once, in the order of the names. Of a
// partial list, names that the environment does not have are left out.
func named(env envs.Env, names []string, partial bool) (out []envs.Task, err error) {
	byName := map[string]envs.Task{}
	for _, t := range env.Tasks() {
		byName[t.ID] = t
	}
	finder, finds := envs.As[envs.Finder](env)
	added := map[string]bool{}
	for _, name := range names {
		t, ok := byName[name]
		if !ok && partial {
			continue
		} else if !ok && finds {
			if t, err = finder.Task(name); err != nil {
				return nil, err
			}
		} else if !ok {
			return nil, fmt.Errorf("it names the task %.100q, which the data lack", name)
		}
		if !added[t.ID] {
			added[t.ID] = true
			out = append(out, t)
		}
	}
	return out, nil
}

// readList reads the names of tasks.
func readList(f configs.PromptFile, list configs.PresetList) ([]string, error) {
	if list.Format == "names" {
		return strings.Fields(string(f.Content)), nil
	}
	content, err := valueOf(f.Content, list.Key)
	if err != nil {
		return nil, err
	}
	switch list.Format {
	case "sciworld-pairs":
		return readPairs(content)
	case "alfworld-paths":
		return readPaths(content)
	case "agentgym-ids":
		return readIDs(content)
	}
	return nil, fmt.Errorf("unknown format of a list: %q", list.Format)
}

// valueOf returns the value of a key of a JSON object; all of it without a key.
func valueOf(b []byte, key string) ([]byte, error) {
	if key == "" {
		return b, nil
	}
	var object map[string]json.RawMessage
	if err := datafile.Unmarshal(b, &object); err != nil {
		return nil, err
	}
	if object[key] == nil {
		return nil, fmt.Errorf("the key %q is missing", key)
	}
	return object[key], nil
}

// readPairs reads a JSON list of pairs: a task of ScienceWorld, by an older name or a number, and a variation.
func readPairs(b []byte) (names []string, err error) {
	var pairs [][]any
	if err := datafile.Unmarshal(b, &pairs); err != nil {
		return nil, err
	}
	for i, p := range pairs {
		if len(p) != 2 {
			return nil, fmt.Errorf("entry %d has %d values, want a task and a variation", i+1, len(p))
		}
		variation, ok := p[1].(float64)
		if !ok || variation != float64(int(variation)) || variation < 0 {
			return nil, fmt.Errorf("entry %d: want the number of a variation, not %v", i+1, p[1])
		}
		name, err := sciworld.CurrentName(fmt.Sprint(p[0]))
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		names = append(names, name+"/"+strconv.Itoa(int(variation)))
	}
	return names, nil
}

var (
	// gamePath matches the path of a game: folder, trial and perhaps a file.
	gamePath   = regexp.MustCompile(`(?:^|/)([^/]+/trial_[^/]+)(?:/[^/]*)?$`)
	gameFolder = regexp.MustCompile(`^[a-z_]+-[A-Za-z]+-[A-Za-z]+-[A-Za-z]+-\d+$`)
	gameTrial  = regexp.MustCompile(`^trial_T[0-9_]+$`)
	// gymID is the id of a task of AgentGym.
	gymID = regexp.MustCompile(`^(babyai|sciworld|textcraft|maze|wordle)_(\d{1,9})$`)
)

// readPaths reads the games that JSON names at any depth: by paths, or by a folder and the trial that follows it.
func readPaths(b []byte) (names []string, err error) {
	folder := ""
	texts, err := stringsIn(b)
	for _, s := range texts {
		if m := gamePath.FindStringSubmatch(s); m != nil {
			names, folder = append(names, m[1]), ""
		} else if gameFolder.MatchString(s) {
			folder = s
		} else if gameTrial.MatchString(s) && folder != "" {
			names, folder = append(names, path.Join(folder, s)), ""
		}
	}
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("it names no game")
	}
	return names, err
}

// readIDs reads the ids of AgentGym that JSON holds at any depth.
func readIDs(b []byte) (names []string, err error) {
	texts, err := stringsIn(b)
	for _, s := range texts {
		m := gymID.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[2]) // nine digits always fit
		name := s                  // of a task on a server of AgentGym
		switch m[1] {
		case "babyai":
			name, err = babyai.GymTask(big.NewInt(int64(n)))
		case "sciworld":
			name, err = sciworld.GymTask(n)
		}
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("it has no ids such as babyai_17")
	}
	return names, err
}

// stringsIn lists the strings of a JSON value, in order, keys included.
func stringsIn(b []byte) (texts []string, err error) {
	if err := datafile.Unmarshal(b, new(any)); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	for token, err := d.Token(); err == nil; token, err = d.Token() { // only its end is an error now
		if s, ok := token.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts, nil
}

// SelectByRule selects tasks as a preset's rule says.
func SelectByRule(tasks []envs.Task, rule configs.PresetTasks) []envs.Task {
	if rule.ByName {
		slices.SortFunc(tasks, func(a, b envs.Task) int { return strings.Compare(a.ID, b.ID) })
	}
	count, next := map[string]int{}, map[string]int{}
	for _, t := range tasks {
		count[t.Type]++
	}
	var out []envs.Task
	for _, t := range tasks {
		i := next[t.Type]
		next[t.Type]++
		switch {
		case slices.Contains(rule.SkipTypes, t.Type):
		case rule.FirstOfType > 0 && i >= rule.FirstOfType:
		case rule.BySeed > 0 && i != rule.BySeed%count[t.Type]:
		default:
			out = append(out, t)
		}
	}
	if rule.Sample > 0 {
		out = sample(out, rule.Sample)
	}
	return out
}

// sample draws n tasks: of each type by turns, in an order that depends on the names alone.
func sample(tasks []envs.Task, n int) (out []envs.Task) {
	types := map[string][]envs.Task{}
	for _, t := range tasks {
		types[t.Type] = append(types[t.Type], t)
	}
	names := slices.Sorted(maps.Keys(types))
	for _, name := range names {
		group := types[name]
		slices.SortFunc(group, func(a, b envs.Task) int { return strings.Compare(a.ID, b.ID) })
		stream.New(0, "sample", name).Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
	}
	for round := 0; len(out) < n; round++ {
		size := len(out)
		for _, name := range names {
			if round < len(types[name]) && len(out) < n {
				out = append(out, types[name][round])
			}
		}
		if len(out) == size {
			return out
		}
	}
	return out
}

// subset is an environment with the tasks of a preset, for selections among them.
type subset struct {
	envs.Env
	tasks []envs.Task
}

func (s subset) Tasks() []envs.Task { return s.tasks }

// draw draws n tasks, each uniformly from all of them, with repetition. The names of the second and later draws of
// a task end in #2, #3, …, so that each is an episode of its own.
func draw(tasks []envs.Task, n int, seed int64) (out []envs.Task) {
	if len(tasks) == 0 {
		return nil
	}
	rng := stream.New(seed, "draws")
	drawnBefore := map[string]int{}
	for range n {
		t := tasks[rng.IntN(len(tasks))]
		drawnBefore[t.ID]++
		if k := drawnBefore[t.ID]; k > 1 {
			t.ID = fmt.Sprintf("%s%s%d", t.ID, drawMark, k)
		}
		out = append(out, t)
	}
	return out
}

// drawMark stands between the name of a task and the number of its draw.
const drawMark = "#"

func drawnFrom(name string) string {
	name, _, _ = strings.Cut(name, drawMark)
	return name
}

// drawnEnv is an environment that plays drawn tasks.
type drawnEnv struct{ envs.Env }

// NewWorld implements envs.Env.
func (d drawnEnv) NewWorld(t envs.Task) (envs.World, error) {
	t.ID = drawnFrom(t.ID)
	return d.Env.NewWorld(t)
}

// Unwrap implements envs.Wrapper.
func (d drawnEnv) Unwrap() any { return d.Env }

// Rewrites implements envs.Wrapper.
func (drawnEnv) Rewrites() []any { return nil }
