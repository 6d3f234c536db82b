package jericho

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/datafile"
	"heldout/envs/pytext"
)

// misfiled is the game whose texts the benchmark keeps under another name, and misses.
const (
	misfiled     = "huntdark"
	misfiledName = "darkhunt"
)

// label is what the benchmark says about a task.
type label struct {
	goal       string
	start      string
	meant      string // the intended goal, if another one is shown
	difficulty envs.Difficulty
	subgoals   subgoals
}

// subgoals are texts that show how far an episode has come.
type subgoals struct {
	texts []string // stripped
	n     int      // total number; larger than len(texts) if some texts are unknown
	// partial says that the texts are whole observations that were rewarded in recorded runs, because the
	// benchmark's own texts are unknown. A victory then counts as all sub-goals.
	partial bool
}

// strip leaves letters, digits and white space; sub-goals are looked for in texts treated like that. Spec §2.5.
func strip(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || pytext.IsSpace(r) {
			return r
		}
		return -1
	}, text)
}

// huntdark returns the texts of the game whose texts the benchmark does not find.
func (l *label) huntdark(choice string) (goal, start string) {
	if choice != HuntdarkFixed {
		return unwritten, unwritten
	}
	goal, start = l.goal, l.start
	if l.meant != "" {
		goal = l.meant
	}
	if start == unwritten {
		start = ""
	}
	return goal, start
}

// original reports whether the texts are the ones that the benchmark shows.
func (l *label) original(g *game) bool {
	return g.Texts[0] == "" || g.Texts == [2]string{datafile.Hash(l.goal)[:16], datafile.Hash(l.start)[:16]}
}

// readLabels reads the benchmark's labels or their known part; raw is the file's text.
func readLabels(data string) (labels []label, raw string, err error) {
	file := filepath.Join(data, filepath.FromSlash(labelFile))
	b, err := datafile.ReadText(file, datafile.MaxLabels)
	parse := parseLabels
	if errors.Is(err, fs.ErrNotExist) {
		file = filepath.Join(data, filepath.FromSlash(partialLabels))
		parse = parsePartial
		b, err = datafile.ReadText(file, datafile.MaxLabels)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("the labels of the official Jericho tasks are missing: want %s in the data folder %s; "+
			"heldout data pull jericho fetches it, and --variant jericho plays the games without labels", labelFile, data)
	}
	if err != nil {
		return nil, "", err
	}
	if labels, err = parse(file, b); err != nil {
		return nil, "", err
	}
	if len(labels) != len(games) {
		return nil, "", fmt.Errorf("%s has %d labels, but there are %d games", file, len(labels), len(games))
	}
	return labels, string(b), nil
}

// parseLabels reads the benchmark's JSON Lines.
func parseLabels(file string, b []byte) ([]label, error) {
	return agentboard.Labels(file, b, func(line []byte, task int) (label, error) {
		l, name, err := parseLabel(line)
		if err == nil && task < len(games) && name != "" && name != games[task].Name &&
			(name != misfiledName || games[task].Name != misfiled) {
			err = fmt.Errorf("it is about %q, but task %d is %s", name, task, games[task].Name)
		}
		return l, err
	})
}

// parseLabel reads a line; name is the game it is about, if it says so.
func parseLabel(line []byte) (l label, name string, err error) {
	var fields struct {
		Goal       string
		Difficulty *envs.Difficulty
		Info       struct {
			Subtask string
			Start   string `json:"init_obs"`
		} `json:"additional_info"`
	}
	if err := datafile.Unmarshal(line, &fields, datafile.Lenient); err != nil {
		return l, "", err
	}
	if fields.Difficulty == nil {
		//lint:ignore ST1005 the reference's text
		return l, "", errors.New("No difficulty in annotation file")
	}
	if err := fields.Difficulty.Check(); err != nil {
		return l, "", err
	}
	texts, err := subgoalTexts(line)
	if err != nil {
		return l, "", err
	}
	l = label{goal: fields.Goal, start: fields.Info.Start, difficulty: *fields.Difficulty}
	for _, t := range texts {
		l.subgoals.texts = append(l.subgoals.texts, strip(t))
	}
	l.subgoals.n = len(texts)
	return l, fields.Info.Subtask, nil
}

// subgoalTexts returns the sub-goals of a line. If the reference does not find
// the usual key alone, it looks only at the last key; spec §2.1.
func subgoalTexts(line []byte) ([]string, error) {
	var values map[string]json.RawMessage
	if err := datafile.Unmarshal(line, &values, datafile.Lenient); err != nil {
		return nil, err
	}
	list, found := values["subgoals"]
	if _, several := values["subgoals_1"]; found && !several {
		var texts []string
		if err := datafile.Unmarshal(list, &texts); err != nil {
			return nil, fmt.Errorf("\"subgoals\": %w", err)
		}
		return texts, nil
	}
	members := agentboard.Members(line)
	if len(members) == 0 {
		return nil, nil
	}
	last := members[len(members)-1]
	if !strings.Contains(last.Name, "subgoals") {
		return nil, nil
	}
	var text string
	if err := datafile.Unmarshal(last.Value, &text); err != nil {
		return nil, fmt.Errorf("%q: %w", last.Name, err)
	}
	return []string{text}, nil
}

// parsePartial reads the known part of the labels.
func parsePartial(file string, b []byte) ([]label, error) {
	var entries []struct {
		Name       string `json:"game_name"`
		Goal       string
		Meant      string `json:"intended_goal_PR12"`
		Start      string `json:"init_obs"`
		Difficulty envs.Difficulty
		N          int                            `json:"n_subgoals"`
		Rewarded   []struct{ Observation string } `json:"rewarded_observations"`
	}
	if err := datafile.JSON(file, b, &entries, datafile.Lenient); err != nil {
		return nil, err
	}
	var labels []label
	for i, e := range entries {
		switch {
		case i < len(games) && e.Name != games[i].Name:
			return nil, fmt.Errorf("%s: entry %d is about %q, but task %d is %s", file, i, e.Name, i, games[i].Name)
		case e.Difficulty.Check() != nil:
			return nil, fmt.Errorf("%s: entry %d: %w", file, i, e.Difficulty.Check())
		case e.N <= 0:
			return nil, fmt.Errorf("%s: entry %d: there are %d sub-goals, want some", file, i, e.N)
		}
		var texts []string
		for _, r := range e.Rewarded {
			texts = append(texts, strip(r.Observation))
		}
		labels = append(labels, label{
			goal: e.Goal, meant: e.Meant, start: e.Start, difficulty: e.Difficulty,
			subgoals: subgoals{texts: shortest(texts), n: e.N, partial: true},
		})
	}
	return labels, nil
}

// shortest drops texts that contain another one: both were for the same sub-goal.
func shortest(texts []string) []string {
	var out []string
	for i, t := range texts {
		longer := false
		for k, text := range texts {
			if k != i && strings.Contains(t, text) && (text != t || k < i) {
				longer = true
			}
		}
		if !longer {
			out = append(out, t)
		}
	}
	return out
}
