// Package agentboard writes runs as folders of AgentBoard's logs, and reads such folders:
// all_results.txt has rates, dimension.txt ability scores, TASK.txt a line for each episode, and
// logs/TASK.jsonl episodes with their steps.
package agentboard

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs/datafile"
)

// The files of a folder.
const (
	resultsFile   = "all_results.txt"
	abilitiesFile = "dimension.txt"
)

// taskNames are AgentBoard's names of environments for which it has another one.
var taskNames = map[string]string{"sciworld": "scienceworld"}

// taskName is AgentBoard's name of an environment.
func taskName(env string) string {
	if name, ok := taskNames[env]; ok {
		return name
	}
	return env
}

// linesFile is the file with a line for each episode, logFile that with their steps.
func linesFile(dir, env string) string { return filepath.Join(dir, taskName(env)+".txt") }
func logFile(dir, env string) string   { return filepath.Join(dir, "logs", taskName(env)+".jsonl") }

// summaries are groups of environments of which AgentBoard prints means when all were played.
var summaries = []struct {
	name string
	envs []string
}{
	{"embodied", []string{"alfworld", "sciworld", "babyai"}},
	{"game", []string{"jericho", "pddl"}},
	{"web", []string{"webshop", "webarena"}},
	{"tool", []string{"tool-query", "tool-operation"}},
	{"all", configs.BoardEnvironments},
}

// taskRates is a line of all_results.txt. Rates are fractions.
type taskRates struct {
	Task         string  `json:"task_name"`
	Success      float64 `json:"success_rate"`
	Progress     float64 `json:"progress_rate"`
	Grounding    float64 `json:"grounding_acc"`
	HardSuccess  float64 `json:"success_rate_hard"`
	EasySuccess  float64 `json:"success_rate_easy"`
	HardProgress float64 `json:"progress_rate_hard"`
	EasyProgress float64 `json:"progress_rate_easy"`
}

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
	Turns      turns   `json:"trajectory"`
}

// rise is a step, from 0, at which progress rose, and the progress after it.
type rise struct {
	step     int
	progress float64
}

// MarshalJSON implements json.Marshaler.
func (c rise) MarshalJSON() ([]byte, error) { return json.Marshal([]any{c.step, c.progress}) }

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

// line is the episode as a line of TASK.txt.
func (e *episode) line() string {
	var states []string
	for _, c := range e.Changes {
		states = append(states, fmt.Sprintf("(%d, %s)", c.step, float(c.progress)))
	}
	done := "False"
	if e.Done {
		done = "True"
	}
	return fmt.Sprintf("[EXP] %d: [success_rate]: %s, [progress_rate]: %s, [grounding_acc]: %s, [score_state]: [%s] \n",
		e.ID, done, float(e.Progress), float(e.Grounding), strings.Join(states, ", "))
}

// float writes a number with a point.
func float(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// turns are the steps of an episode by the names that AgentBoard gives them, in order.
type turns []boardStep

// UnmarshalJSON implements json.Unmarshaler: it counts the steps.
func (list *turns) UnmarshalJSON(b []byte) error {
	var steps map[string]json.RawMessage
	if err := datafile.Unmarshal(b, &steps, datafile.Lenient); err != nil {
		return err
	}
	*list = make(turns, len(steps))
	return nil
}

// boardStep is what happened at a step. The first one has the goal.
type boardStep struct {
	Goal        string  `json:"Goal,omitempty"`
	Action      string  `json:"Action"`
	Observation string  `json:"Observation"`
	Progress    float64 `json:"Progress Rate"`
}

// MarshalJSON implements json.Marshaler.
func (list turns) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	for i, t := range list {
		b, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, `"Interaction Turn %d":%s`, i, b)
	}
	return append(out, '}'), nil
}
