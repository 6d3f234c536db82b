package alfworld

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/mathext/prng"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/datafile"
)

const (
	gameName  = "game.tw-pddl"
	labelFile = "alfworld/test.jsonl"
)

// NewOfficial reads the official games of a split from a folder with the layout of AgentBoard's or ALFWorld's data
// folder. The games are in the order in which AgentBoard serves them. If the label file lists a game, sub-goals and
// difficulty come from the label; otherwise they follow from the game's task.
func NewOfficial(dir string, o Options) (*Env, error) {
	split := cmp.Or(o.Split, Splits()[0])
	if !slices.Contains(Splits(), split) {
		return nil, fmt.Errorf("alfworld: unknown split %q; there are: %s", split, strings.Join(Splits(), ", "))
	}
	folder, names, err := findGames(dir, split)
	if err != nil {
		return nil, err
	}
	labels, raw, err := readLabels(filepath.Join(dir, filepath.FromSlash(labelFile)))
	if err != nil {
		return nil, err
	}
	e, err := newEnv(envs.Official, o)
	if err != nil {
		return nil, err
	}
	ids, files, sums, unmarked, err := listGames(folder, names, o.Partial)
	if err == nil && len(ids) == 0 {
		err = noGames(folder, names)
	}
	if err != nil {
		return nil, err
	}
	e.folder, e.unmarked = folder, unmarked
	for _, f := range files {
		if f.dialect != files[0].dialect {
			e.mixed = true
		}
	}
	contents := make([]string, len(files))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range files {
		work.Go(func() error { contents[i] = contentOf(f, o); return nil })
	}
	_ = work.Wait() // there are no errors
	read := []string{raw}
	for _, i := range servedOrder(len(ids)) {
		g, err := officialGame(ids[i], files[i], labels, o)
		if err != nil {
			return nil, err
		}
		g.task.Content = contents[i]
		e.add(g)
		read = append(read, sums[i])
	}
	e.About.DataHash = envs.Digest(read...)
	return e, nil
}

// splitSizes counts the games of the splits that benchmarks test with.
var splitSizes = map[string]int{"valid_unseen": 134, "valid_seen": 140}

// CheckComplete reports a folder whose rates would belong to another set of tasks: a split that
// lacks games or has others, or a mixture of dialects that are to be played as they are.
func (e *Env) CheckComplete() error {
	if e.folder == "" {
		return nil
	}
	split := cmp.Or(e.options.Split, Splits()[0])
	switch count, want := len(e.List), splitSizes[split]; {
	case count < want:
		text := fmt.Sprintf("alfworld: %s has %d of the %d official games of %s", e.folder, count, want, split)
		if len(e.unmarked) > 0 {
			text += fmt.Sprintf(" (%s does not say whether it is solvable)", e.unmarked[0])
		}
		return errors.New(text + "; heldout data pull alfworld fetches all, and heldout play can play those")
	case want > 0 && count > want:
		return fmt.Errorf("alfworld: %s has %d games, and %s has only %d; put games of your own into the split train",
			e.folder, count, split, want)
	case e.mixed && e.options.Dialect == "file":
		return fmt.Errorf("alfworld: the games in %s have both dialects; --dialect v1 or v2 plays all alike", e.folder)
	}
	return nil
}

// contentOf is envs.Task.Content. Games of other splits than train are for tests, whatever they hold.
func contentOf(f gameFile, o Options) string {
	if o.Split != trainSplit {
		return ""
	}
	return f.content()
}

// NewGame makes an environment of the one game in a file, wherever that lies. Without the folders
// TASK/TRIAL above it, which say what is sought, it has no sub-goals but the goal.
func NewGame(file string, o Options) (*Env, error) {
	if o.Split != "" {
		return nil, fmt.Errorf("alfworld: %s is one game, of no split", file)
	}
	f, sum, err := readGameFile(file)
	if err != nil {
		return nil, err
	}
	e, err := newEnv(envs.Official, o)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	trial := filepath.Dir(absolute)
	id := filepath.Base(filepath.Dir(trial)) + "/" + filepath.Base(trial)
	labels := map[string]gameLabel{}
	if _, err := derivedLabel(path.Dir(id)); err != nil {
		id = filepath.Base(file)
		labels[id] = gameLabel{difficulty: envs.Hard}
	}
	g, err := officialGame(id, f, labels, o)
	if err != nil {
		return nil, err
	}
	e.add(g)
	e.About.DataHash = envs.Digest(sum)
	return e, nil
}

// officialGame returns the task of a game, outside the benchmark, and what it is made from.
func officialGame(id string, f gameFile, labels map[string]gameLabel, o Options) (playable, error) {
	task := path.Dir(id)
	l, ok := labels[id]
	if !ok {
		var err error
		if l, err = derivedLabel(task); err != nil {
			return playable{}, fmt.Errorf("alfworld: game %s: %w", id, err)
		}
	}
	d, err := o.speech(f.dialect)
	typ, _, _ := strings.Cut(task, "-")
	game := gameSource{problem: f.problem, goal: f.goal, dialect: d}
	return newTask(envs.Task{ID: id, Type: typ}, game, l), err
}

// Task implements envs.Finder: any game of the split's folder, by folder and trial, also one
// that ALFWorld leaves out because of its name or because it has no solution.
func (e *Env) Task(id string) (envs.Task, error) {
	for _, t := range e.List {
		if t.ID == id {
			return t, nil
		}
	}
	g, err := e.outside(id)
	return g.task, err
}

// outside returns a game outside the benchmark.
func (e *Env) outside(id string) (playable, error) {
	if e.folder == "" || !fs.ValidPath(id) || strings.Count(id, "/") != 1 {
		return playable{}, fmt.Errorf("alfworld: unknown game %q: %w", id, fs.ErrNotExist)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if g, ok := e.found[id]; ok {
		return g, nil
	}
	file := filepath.Join(e.folder, filepath.FromSlash(id), gameName)
	f, _, err := readGameFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("alfworld: the folder %s has no game %s: %w", e.folder, id, fs.ErrNotExist)
	}
	if err != nil {
		return playable{}, err
	}
	g, err := officialGame(id, f, nil, e.options)
	if err != nil {
		return playable{}, err
	}
	g.task.Content = contentOf(f, e.options)
	e.found[id] = g
	return g, nil
}

// readLabels reads the label file if there is one; raw is its text.
func readLabels(file string) (labels map[string]gameLabel, raw string, err error) {
	b, err := datafile.ReadText(file, datafile.MaxLabels)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("alfworld: %w", err)
	}
	if labels, err = parseLabels(file, b); err != nil {
		return nil, "", err
	}
	return labels, string(b), nil
}

// parseLabels reads JSON Lines into labels by game.
func parseLabels(file string, b []byte) (map[string]gameLabel, error) {
	labels := map[string]gameLabel{}
	_, err := agentboard.Labels(file, b, func(line []byte, _ int) (l gameLabel, err error) {
		var fields struct {
			Subgoals   []string        `json:"subgoals"`
			Difficulty envs.Difficulty `json:"difficulty"`
			Info       struct {
				Game string `json:"description"`
			} `json:"additional_info"`
		}
		if err := datafile.Unmarshal(line, &fields, datafile.Lenient); err != nil {
			return l, err
		}
		game := fields.Info.Game
		switch _, twice := labels[game]; {
		case game == "" || len(fields.Subgoals) == 0:
			return l, errors.New("want subgoals and additional_info.description")
		case twice:
			return l, fmt.Errorf("game %s has a label already", game)
		}
		for _, s := range fields.Subgoals {
			if _, err := newSubgoal(s); err != nil {
				return l, err
			}
		}
		l = gameLabel{fields.Subgoals, fields.Difficulty}
		labels[game] = l
		return l, fields.Difficulty.Check()
	})
	if err != nil {
		return nil, err
	}
	return labels, nil
}

// servedOrder returns the order in which the benchmark plays n games, as indices into their sorted list. The order
// is NumPy's legacy shuffle with seed 1234, which uses the Mersenne twister and draws bounded numbers by masked
// rejection.
func servedOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	mt := prng.NewMT19937()
	mt.Seed(1234)
	for i := n - 1; i > 0; i-- {
		mask := uint32(1)<<bits.Len32(uint32(i)) - 1
		j := mt.Uint32() & mask
		for j > uint32(i) {
			j = mt.Uint32() & mask
		}
		order[i], order[j] = order[j], order[i]
	}
	return order
}
