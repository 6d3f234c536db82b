package sciworld

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/datafile"
)

// labelFile holds a line of JSON for each task (§4.1).
const labelFile = "scienceworld/test.jsonl"

// goalLabel holds the relevant fields of a line of the label file.
type goalLabel struct {
	place      taskVariation
	goal       string
	difficulty envs.Difficulty
	subgoals   []*regexp.Regexp
}

// readLabels reads AgentBoard's labels; raw is their text.
func readLabels(dir string) (labels []goalLabel, raw string, err error) {
	file := filepath.Join(dir, filepath.FromSlash(labelFile))
	if labels, raw, err = agentboard.Read(file, "ScienceWorld", parseLabel); err != nil {
		return nil, "", err
	}
	places := boardPlaces()
	if len(labels) != len(places) {
		return nil, "", fmt.Errorf("%s has %d lines, but there are %d tasks", file, len(labels), len(places))
	}
	for i, l := range labels {
		if l.place != places[i] {
			return nil, "", fmt.Errorf("%s:%d: the line is about %s, but task %d is %s", file, i+1, l.place.id(),
				i, places[i].id())
		}
	}
	return labels, raw, nil
}

func parseLabel(b []byte, task int) (goalLabel, error) {
	var line struct {
		ID         int             `json:"id"`
		Goal       string          `json:"goal"`
		Subgoals   []string        `json:"subgoals"`
		Difficulty envs.Difficulty `json:"difficulty"`
		Info       struct {
			Variation int    `json:"var"`
			Task      string `json:"env_name"`
		} `json:"additional_info"`
	}
	if err := datafile.Unmarshal(b, &line, datafile.Lenient); err != nil {
		return goalLabel{}, err
	}
	if err := cmp.Or(agentboard.CheckID(line.ID, task), line.Difficulty.Check()); err != nil {
		return goalLabel{}, err
	}
	if len(line.Subgoals) == 0 {
		return goalLabel{}, errors.New("subgoals are missing")
	}
	l := goalLabel{taskVariation{line.Info.Task, line.Info.Variation}, line.Goal, line.Difficulty, nil}
	for _, pattern := range line.Subgoals {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return goalLabel{}, fmt.Errorf("subgoal %q: %w", pattern, err)
		}
		l.subgoals = append(l.subgoals, re)
	}
	return l, nil
}
