package babyai

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/datafile"
	"heldout/envs/engine/minigrid"
)

// labelFile holds one line of JSON per task (§5.9).
const labelFile = "babyai/test.jsonl"

// levelLabel is the relevant part of a line of the label file.
type levelLabel struct {
	level      string
	difficulty envs.Difficulty
	ways       [][]string // lists of sub-goals, each a way to solve the task
}

// readLabels reads AgentBoard's labels; raw is their text.
func readLabels(dir string) (labels []levelLabel, raw string, err error) {
	file := filepath.Join(dir, filepath.FromSlash(labelFile))
	if labels, raw, err = agentboard.Read(file, "BabyAI", parseLabel); err != nil {
		return nil, "", err
	}
	places := benchmark()
	if len(labels) != len(places) {
		return nil, "", fmt.Errorf("%s has %d lines, but there are %d tasks", file, len(labels), len(places))
	}
	for i, l := range labels {
		if want := places[i].level.ID; l.level != want {
			return nil, "", fmt.Errorf("%s:%d: the line is about %q, but task %d is one of %s", file, i+1, l.level,
				i, want)
		}
	}
	return labels, raw, nil
}

func parseLabel(b []byte, task int) (levelLabel, error) {
	var line struct {
		ID         int             `json:"id"`
		Difficulty envs.Difficulty `json:"difficulty"`
		Info       struct {
			Subtask string `json:"subtask"`
		} `json:"additional_info"`
	}
	if err := datafile.Unmarshal(b, &line, datafile.Lenient); err != nil {
		return levelLabel{}, err
	}
	if err := cmp.Or(agentboard.CheckID(line.ID, task), line.Difficulty.Check()); err != nil {
		return levelLabel{}, err
	}
	ways, err := parseWays(b)
	return levelLabel{line.Info.Subtask, line.Difficulty, ways}, err
}

// parseWays reads the sub-goals of a line: the value of "subgoals" or, if there is a "subgoals_1", the values of
// every key that contains "subgoals", in the order of the line.
func parseWays(b []byte) ([][]string, error) {
	members := agentboard.Members(b)
	alternatives := slices.ContainsFunc(members, func(m agentboard.Member) bool { return m.Name == "subgoals_1" })
	var ways [][]string
	for _, m := range members {
		if !strings.Contains(m.Name, "subgoals") {
			continue
		}
		var goals []string
		if err := datafile.Unmarshal(m.Value, &goals); err != nil {
			return nil, fmt.Errorf("%q: %w", m.Name, err)
		}
		if m.Name == "subgoals" || alternatives {
			ways = append(ways, goals)
		}
	}
	if len(ways) == 0 {
		return nil, errors.New("subgoals are missing")
	}
	for _, way := range ways {
		if len(way) == 0 || len(way) != len(ways[0]) {
			return nil, fmt.Errorf("a list of %d subgoals beside one of %d", len(way), len(ways[0]))
		}
	}
	return ways, nil
}

// instructionGoals makes sub-goals in AgentBoard's forms, in the order in which the instruction requires its parts.
// The agent must see a thing and then have it right ahead if the instruction says to face it, see it open if it
// says to open it, and carry it if it says to pick it up or put it elsewhere. These sub-goals require less than an
// instruction that mentions a location or putting something down; among the benchmark's tasks only the tasks of
// level 14 have such instructions.
func instructionGoals(in *minigrid.Instruction) []string {
	if in.Compound() {
		first, second := instructionGoals(in.First), instructionGoals(in.Second)
		if in.Op == minigrid.OpAfter {
			first, second = second, first
		}
		return append(first, second...)
	}
	color, kind := "**", "**"
	if in.Target.Color != minigrid.AnyColor {
		color = in.Target.Color.String()
	}
	if in.Target.Kind != minigrid.AnyKind {
		kind = in.Target.Kind.String()
	}
	switch in.Op {
	case minigrid.OpGoTo:
		if in.Target.Kind == minigrid.Door {
			kind = "** door" // in any state
		}
		sentence := "There is a " + color + " " + kind + " **"
		return []string{sentence, sentence + " right in front of you 1 steps away."}
	case minigrid.OpOpen:
		return []string{"There is a " + color + " open door **"}
	default:
		return []string{"You are carrying a " + color + " " + kind + "."}
	}
}
