// Package agentboard reads folders of AgentBoard's logs: all_results.txt has rates, TASK.txt a line
// for each episode, and logs/TASK.jsonl episodes with their steps.
package agentboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"heldout/envs/datafile"
)

// resultsFile is the file that every folder has.
const resultsFile = "all_results.txt"

// taskNames are AgentBoard's names of environments for which it has another one.
var taskNames = map[string]string{"sciworld": "scienceworld"}

// taskName is AgentBoard's name of an environment.
func taskName(env string) string {
	return cmp.Or(taskNames[env], env)
}

// linesFile is the file with a line for each episode, logFile that with their steps.
func linesFile(dir, env string) string { return filepath.Join(dir, taskName(env)+".txt") }
func logFile(dir, env string) string   { return filepath.Join(dir, "logs", taskName(env)+".jsonl") }

// episode is an episode in a log.
type episode struct {
	ID         int     `json:"id"`
	Task       string  `json:"task_name"`
	Goal       string  `json:"goal"`
	Difficulty string  `json:"difficulty"`
	Done       flag    `json:"is_done"`
	Progress   float64 `json:"progress_rate"`
	Grounding  float64 `json:"grounding_acc"`
	Changes    []rise  `json:"score_change_record"`
	Turns      *turns  `json:"trajectory"` // nil if the log has no steps
}

// rise is a step, from 0, at which progress rose, and the progress after it.
type rise struct {
	step     int
	progress float64
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *rise) UnmarshalJSON(b []byte) error {
	var pair []json.Number
	if err := json.Unmarshal(b, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("score_change_record: %d numbers, want a step and the progress after it", len(pair))
	}
	return c.parse(string(pair[0]), string(pair[1]))
}

// parse reads step and progress.
func (c *rise) parse(step, progress string) (err error) {
	if c.step, err = strconv.Atoi(step); err != nil {
		return err
	}
	c.progress, err = strconv.ParseFloat(progress, 64)
	return err
}

// flag is a truth value, which some logs write as a number.
type flag bool

// UnmarshalJSON implements json.Unmarshaler.
func (f *flag) UnmarshalJSON(b []byte) error { return f.parse(string(b)) }

// parse reads a truth value as Python or JSON write it; any number but 1 is false.
func (f *flag) parse(text string) error {
	switch text {
	case "True", "true":
		*f = true
		return nil
	case "False", "false":
		*f = false
		return nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if *f = x == 1; err != nil {
		return fmt.Errorf("%.40q is neither true nor false, nor a number", text)
	}
	return nil
}

// steps counts the steps; 0 if they are not known.
func (e *episode) steps() int {
	if e.Turns == nil {
		return 0
	}
	return int(*e.Turns)
}

// turns counts the steps of an episode.
type turns int

// UnmarshalJSON implements json.Unmarshaler.
func (n *turns) UnmarshalJSON(b []byte) error {
	var steps map[string]json.RawMessage
	if err := datafile.Unmarshal(b, &steps, datafile.Lenient); err != nil {
		return err
	}
	*n = turns(len(steps))
	return nil
}
