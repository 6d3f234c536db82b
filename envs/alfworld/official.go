package alfworld

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/datafile"
	"heldout/envs/engine/planning"
)

// gameFolders are the possible locations of a split: in AgentBoard's data
// folder, or in a folder with the layout of ALFWorld's own download.
var gameFolders = []string{"alfworld/json_2.1.1", "alfworld/json_2.1.3", "json_2.1.1", "json_2.1.3"}

const (
	gameName  = "game.tw-pddl"
	labelFile = "alfworld/test.jsonl"
)

// NewOfficial reads the official games of a split from a folder with the layout
// of AgentBoard's or ALFWorld's data folder. The games are in the order in
// which AgentBoard serves them. If the label file lists a game, sub-goals and
// difficulty come from the label; otherwise they follow from the game's task.
func NewOfficial(dir string, o Options) (*Env, error) {
	split := cmp.Or(o.Split, Splits()[0])
	if !slices.Contains(Splits(), split) {
		return nil, fmt.Errorf("alfworld: unknown split %q; there are: %s", split, strings.Join(Splits(), ", "))
	}
	folder, err := findGames(dir, split)
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
	ids, files, sums, unmarked, err := listGames(folder)
	if err == nil && len(ids) == 0 {
		err = fmt.Errorf("alfworld: no solvable game in %s", folder)
	}
	if err != nil {
		return nil, err
	}
	e.folder, e.options, e.unmarked = folder, o, unmarked
	contents := make([]string, len(files))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range files {
		work.Go(func() error { contents[i] = contentOf(f, o); return nil })
	}
	_ = work.Wait() // there are no errors
	read := []string{raw}
	for _, i := range servedOrder(len(ids)) {
		t, s, l, err := officialGame(ids[i], files[i], labels, o)
		if err != nil {
			return nil, err
		}
		t.Content = contents[i]
		e.add(t, s, l)
		read = append(read, sums[i])
	}
	e.info.DataHash = envs.Digest(read...)
	return e, nil
}

// splitSizes counts the games of the splits that benchmarks test with.
var splitSizes = map[string]int{"valid_unseen": 134, "valid_seen": 140}

// CheckComplete reports a split that lacks games: its rates would be those of another set of tasks.
func (e *Env) CheckComplete() error {
	split := cmp.Or(e.options.Split, Splits()[0])
	if len(e.tasks) >= splitSizes[split] {
		return nil
	}
	text := fmt.Sprintf("alfworld: %s has %d of the %d official games of %s", e.folder, len(e.tasks), splitSizes[split],
		split)
	if len(e.unmarked) > 0 {
		text += fmt.Sprintf(" (%s does not say whether it is solvable)", e.unmarked[0])
	}
	return errors.New(text + "; heldout data pull alfworld fetches all")
}

// contentOf is envs.Task.Content. Games of other splits than train are for tests, whatever
// they hold. A problem that cannot be read has none; an error says so when it is played.
func contentOf(f gameFile, o Options) string {
	if o.Split != trainSplit {
		return ""
	}
	content, _ := planning.Sameness(gameName, f.problem, "otype", "rtype")
	return content
}

// SplitsIn lists the splits whose games a data folder has.
func SplitsIn(dir string) (names []string) {
	for _, split := range Splits() {
		if _, err := findGames(dir, split); err == nil {
			names = append(names, split)
		}
	}
	return names
}

func findGames(dir, split string) (string, error) {
	for _, f := range gameFolders {
		folder := filepath.Join(dir, filepath.FromSlash(f), split)
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder, nil
		}
	}
	return "", fmt.Errorf("ALFWorld's games are missing: want the folder %s; heldout data pull alfworld fetches it",
		filepath.Join(dir, filepath.FromSlash(gameFolders[0]), split))
}

// listGames reads the eligible games of a folder, sorted by path: the solvable
// games of the six task types. It also returns the SHA-256 of each file, and the files that
// do not say whether they are solvable, which ALFWorld leaves out.
func listGames(folder string) (ids []string, files []gameFile, sums, unmarked []string, err error) {
	names, err := fs.Glob(os.DirFS(folder), "*/*/"+gameName)
	if err != nil {
		return nil, nil, nil, nil, fmt.Errorf("alfworld: %w", err)
	}
	slices.Sort(names)
	for _, name := range names {
		typ, _, _ := strings.Cut(name, "-")
		if strings.Contains(name, "movable") || strings.Contains(name, "Sliced") || !slices.Contains(taskTypes(), typ) {
			continue
		}
		file := filepath.Join(folder, filepath.FromSlash(name))
		b, err := datafile.ReadText(file, datafile.MaxLabels)
		if err != nil {
			return nil, nil, nil, nil, fmt.Errorf("alfworld: %w", err)
		}
		f, err := parseGameFile(b)
		if err != nil {
			return nil, nil, nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		switch {
		case f.unmarked:
			unmarked = append(unmarked, name)
		case f.solvable:
			ids, files, sums = append(ids, path.Dir(name)), append(files, f), append(sums, envs.Digest(string(b)))
		}
	}
	return ids, files, sums, unmarked, nil
}

// officialGame returns the task of a game, what it is made from, and its label.
func officialGame(id string, f gameFile, labels map[string]gameLabel, o Options) (t envs.Task, s gameSource,
	l gameLabel,
	err error) {
	task := path.Dir(id)
	l, ok := labels[id]
	if !ok {
		if l, err = derivedLabel(task); err != nil {
			return t, s, l, fmt.Errorf("alfworld: game %s: %w", id, err)
		}
	}
	d, err := o.speech(f.dialect)
	typ, _, _ := strings.Cut(task, "-")
	return envs.Task{ID: id, Type: typ},
		gameSource{problem: f.problem, goal: f.goal, dialect: d, limitPays: o.StepLimitReward}, l, err
}

// Task implements envs.Finder: any game of the split's folder, by folder and trial, also one
// that ALFWorld leaves out because of its name or because it has no solution.
func (e *Env) Task(id string) (envs.Task, error) {
	for _, t := range e.tasks {
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
	b, err := datafile.ReadText(file, datafile.MaxLabels)
	if errors.Is(err, fs.ErrNotExist) {
		return playable{}, fmt.Errorf("alfworld: the folder %s has no game %s: %w", e.folder, id, fs.ErrNotExist)
	} else if err != nil {
		return playable{}, fmt.Errorf("alfworld: %w", err)
	}
	f, err := parseGameFile(b)
	if err != nil {
		return playable{}, fmt.Errorf("%s: %w", file, err)
	}
	t, s, l, err := officialGame(id, f, nil, e.options)
	if err != nil {
		return playable{}, err
	}
	t.Content = contentOf(f, e.options)
	g := newTask(t, s, l)
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
