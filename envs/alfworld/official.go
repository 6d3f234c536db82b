package alfworld

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/datafile"
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
	split := o.Split
	if split == "" {
		split = Splits()[0]
	}
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
	ids, files, sums, err := listGames(folder)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("alfworld: no solvable game in %s", folder)
	}
	read := []string{raw}
	for _, i := range servedOrder(len(ids)) {
		if err := e.addOfficial(ids[i], files[i], labels, o); err != nil {
			return nil, err
		}
		read = append(read, sums[i])
	}
	e.info.DataHash = envs.Digest(read...)
	return e, nil
}

// findGames returns the folder of a split.
func findGames(dir, split string) (string, error) {
	for _, f := range gameFolders {
		folder := filepath.Join(dir, filepath.FromSlash(f), split)
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder, nil
		}
	}
	return "", fmt.Errorf("ALFWorld's games are missing: want the folder %s; they are in AgentBoard's data.tar.gz",
		filepath.Join(dir, filepath.FromSlash(gameFolders[0]), split))
}

// listGames reads the eligible games of a folder, sorted by path: the solvable
// games of the six task types. It also returns the SHA-256 of each file.
func listGames(folder string) (ids []string, files []gameFile, sums []string, err error) {
	names, err := fs.Glob(os.DirFS(folder), "*/*/"+gameName)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("alfworld: %w", err)
	}
	slices.Sort(names)
	for _, name := range names {
		typ, _, _ := strings.Cut(name, "-")
		if strings.Contains(name, "movable") || strings.Contains(name, "Sliced") || !slices.Contains(taskTypes(), typ) {
			continue
		}
		file := filepath.Join(folder, filepath.FromSlash(name))
		b, err := datafile.Read(file, datafile.MaxLabels)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("alfworld: %w", err)
		}
		f, err := parseGameFile(b)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		if f.solvable {
			ids, files, sums = append(ids, path.Dir(name)), append(files, f), append(sums, envs.Digest(string(b)))
		}
	}
	return ids, files, sums, nil
}

// addOfficial adds one game.
func (e *Env) addOfficial(id string, f gameFile, labels map[string]label, o Options) error {
	task := path.Dir(id)
	l, ok := labels[id]
	if !ok {
		var err error
		if l, err = derivedLabel(task); err != nil {
			return fmt.Errorf("alfworld: game %s: %w", id, err)
		}
	}
	d, err := o.speech(f.dialect)
	if err != nil {
		return err
	}
	typ, _, _ := strings.Cut(task, "-")
	e.add(envs.Task{ID: id, Type: typ}, source{problem: f.problem, goal: f.goal, dialect: d,
		limitPays: o.StepLimitReward}, l)
	return nil
}

// readLabels reads the label file if there is one; raw is its text.
func readLabels(file string) (labels map[string]label, raw string, err error) {
	b, err := datafile.Read(file, datafile.MaxLabels)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("alfworld: %w", err)
	}
	if labels, err = parseLabels(b); err != nil {
		return nil, "", fmt.Errorf("%s:%w", file, err)
	}
	return labels, string(b), nil
}

// parseLabels reads JSON Lines into labels by game; its errors start with the
// line number.
func parseLabels(b []byte) (map[string]label, error) {
	labels := map[string]label{}
	_, err := agentboard.Labels(b, func(line []byte, _ int) (l label, err error) {
		var fields struct {
			Subgoals   []string        `json:"subgoals"`
			Difficulty envs.Difficulty `json:"difficulty"`
			Info       struct {
				Game string `json:"description"`
			} `json:"additional_info"`
		}
		if err := json.Unmarshal(line, &fields); err != nil {
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
		l = label{fields.Subgoals, fields.Difficulty}
		labels[game] = l
		return l, fields.Difficulty.Check()
	})
	if err != nil {
		return nil, err
	}
	return labels, nil
}
