package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval/episode"
	"heldout/eval/training/synth"
	"heldout/eval/training/synth/generate"
	"heldout/scoring/record"
)

// Read visits the trajectories of a file or directory: lines with script and
// trajectory, a directory of heldout synth, or a run directory.
func Read(path string, visit func(*Trajectory)) (TrajectorySource, error) {
	info, err := os.Stat(path)
	if err != nil {
		return TrajectorySource{}, err
	}
	switch {
	case !info.IsDir():
		source, err := readFile(path, "", visit)
		source.Uncovered = nil // other makers know no checksums
		return source, err
	case record.IsLog(path, record.SynthLog):
		var m struct {
			Condition generate.Setting `json:"condition"`
		}
		if _, err := record.ReadLogManifest(path, record.SynthLog, &m); err != nil {
			return TrajectorySource{}, err
		}
		return readFile(filepath.Join(path, record.TrajectoriesFile), m.Condition.Model, visit)
	}
	return readRun(path, visit)
}

// TrajectorySource is where trajectories come from.
type TrajectorySource struct {
	Giver     string   // who gave the turns their labels
	Uncovered []string // the names of what has no checksum
}

// The raters that trajectories come with.
const (
	Master      = "master"
	Environment = "environment"
)

// readFile reads lines with script and trajectory.
func readFile(file, model string, visit func(*Trajectory)) (TrajectorySource, error) {
	bare, err := synth.EachLineOf(file, func(_ int, line []byte) error {
		t, err := readLine(line)
		if err == nil {
			t.Model = model
			visit(t)
		}
		return err
	})
	return TrajectorySource{Master, record.Uncovered(bare, file)}, err
}

func readLine(line []byte) (*Trajectory, error) {
	var item struct {
		Script     json.RawMessage `json:"script"`
		Trajectory json.RawMessage `json:"trajectory"`
	}
	if err := datafile.Unmarshal(line, &item, datafile.Lenient); err != nil {
		return nil, err
	}
	if item.Script == nil || item.Trajectory == nil {
		return nil, errors.New(`it needs the keys "script" and "trajectory"`)
	}
	script, err := synth.ParseScript(item.Script)
	if err != nil {
		return nil, err
	}
	turns, err := synth.ParseTurns(item.Trajectory)
	if err != nil {
		return nil, err
	}
	id := datafile.Hash(slices.Concat(item.Script, item.Trajectory))[:16]
	t := &Trajectory{ID: id, Task: id, Goal: script.Goal, Actions: actionsOf(script)}
	var intro []string
	for i := range turns {
		turn := &turns[i]
		if !turn.Master {
			t.Steps = append(t.Steps, JudgedStep{Thought: turn.Thought, Action: turn.Action})
			continue
		}
		if len(t.Steps) == 0 {
			intro = append(intro, turn.Observation)
			continue
		}
		s := &t.Steps[len(t.Steps)-1]
		s.Observation, s.Label = turn.Observation, Right
		if turn.Parameter || turn.Place || turn.Logic {
			s.Label = Wrong
		}
	}
	t.First = strings.Join(intro, "\n")
	return t, nil
}

// actionsOf lists the actions of a script with the values of their parameters.
func actionsOf(s *synth.Script) string {
	var b strings.Builder
	for _, a := range s.Actions {
		b.WriteString(a.Template)
		for i, name := range a.Slots {
			separator := "; "
			if i == 0 {
				separator = " with "
			}
			fmt.Fprintf(&b, "%s%s: %s", separator, name, strings.Join(a.Values[name], ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// readRun reads the episodes of models in a run directory that have a result.
func readRun(dir string, visit func(*Trajectory)) (TrajectorySource, error) {
	read := map[string]bool{}
	cache := instructions{}
	m, err := record.EachEpisode(record.Parts{dir}, func(m *record.Manifest, e *record.Episode) {
		if !e.Outcome.Final() || read[e.ID] || e.Agent == e.Model { // a baseline's agent is its name
			return
		}
		read[e.ID] = true
		visit(trajectoryOf(e, cache.find(m, e)))
	})
	if err != nil {
		return TrajectorySource{}, err
	}
	return TrajectorySource{Environment, m.Uncovered}, nil
}

// trajectoryOf is an episode. Its own labels are the environment's: an action is
// wrong if the environment did not understand it or did not carry it out.
func trajectoryOf(e *record.Episode, actions string) *Trajectory {
	t := &Trajectory{ID: e.ID, Task: e.Env + "/" + e.Task, Model: e.Model, Goal: e.Goal, First: e.Observation,
		Actions: actions}
	for _, s := range e.Trajectory {
		step := JudgedStep{Thought: s.Thought, Action: s.Action, Observation: s.Observation, Label: Right}
		switch {
		case s.FormatError:
			step.Label = ""
		case s.Erroneous():
			step.Label = Wrong
		}
		t.Steps = append(t.Steps, step)
	}
	return t
}

// instructions are the instructions of built-in prompts, which list the actions, by environment and type of task.
type instructions map[[2]string]string

// find returns the instruction that an episode was played with; empty if its prompt is
// not a built-in one, or a perturbation changed it.
func (c instructions) find(m *record.Manifest, e *record.Episode) string {
	if e.Perturbation != episode.NoPerturbation {
		return "" // the actions had other forms
	}
	key := [2]string{e.Env, e.TaskType}
	text, ok := c[key]
	if !ok {
		text = instruction(m.Prompts[e.Env], e.Env, e.TaskType)
		c[key] = text
	}
	return text
}

func instruction(about record.Prompt, env, taskType string) string {
	p, err := configs.LoadPrompt(env, about.Version)
	if err != nil {
		return ""
	}
	if hash, err := p.Hash(); err != nil || hash != about.SHA256 {
		return ""
	}
	in, _ := p.For(taskType) // empty for a type without a section
	return in.Instruction
}
