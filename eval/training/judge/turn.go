// Package judge has a model label turns of trajectories as right or wrong, and compares its labels with the labels of
// people and with those that the trajectories have. It changes nothing but its own directory: labels of a judge are
// not success and no progress.
package judge

import (
	"cmp"
	"fmt"
	"strings"

	"heldout/configs"
	"heldout/envs/datafile"
)

// Label says whether a turn is right.
type Label string

// The labels.
const (
	Right Label = "right"
	Wrong Label = "wrong"
)

func labels() []Label { return []Label{Right, Wrong} }

// Trajectory is a trajectory whose turns can be judged.
type Trajectory struct {
	// ID identifies the trajectory by its content or its episode.
	ID    string
	Task  string // what trajectories share that are not independent of each other
	Model string // the name of the model that wrote or played it; empty if unknown
	// Goal and Actions are what the player knew; Actions may be empty.
	Goal, Actions string
	First         string // the first observation
	Steps         []JudgedStep
}

// JudgedStep is a turn of the player with what followed.
type JudgedStep struct {
	Thought, Action, Observation string
	// Label is the label that the game master or the environment gave; empty if the
	// turn has none, such as one without an action.
	Label Label
}

// JudgedTurn is a turn that is to be judged.
type JudgedTurn struct {
	// ID identifies the turn; it tells nothing about the label.
	ID         string
	Trajectory *Trajectory
	Index      int // the number of the step, from 0
}

func (t *JudgedTurn) step() *JudgedStep { return &t.Trajectory.Steps[t.Index] }

func (t *JudgedTurn) label() Label { return t.step().Label }

func newTurn(trajectory *Trajectory, index int) JudgedTurn {
	id := datafile.Hash(fmt.Sprintf("%s\n%d", trajectory.ID, index))[:12]
	return JudgedTurn{ID: id, Trajectory: trajectory, Index: index}
}

// History is what happened before the turn, as a text of at most so many bytes: the first observation and the
// newest steps that fit stay, at least the last one. It says how many steps are left out.
func (t *JudgedTurn) History(limit int) string {
	steps := t.Trajectory.Steps[:t.Index]
	texts := make([]string, len(steps))
	for i, s := range steps {
		texts[i] = turnText(s.Thought, s.Action) + "Observation: " + s.Observation + "\n"
	}
	room := limit - len(t.Trajectory.First)
	start := len(texts)
	for start > 0 && (start == len(texts) || room >= len(texts[start-1])) {
		start--
		room -= len(texts[start])
	}
	text := "Observation: " + t.Trajectory.First + "\n"
	if start > 0 {
		text += fmt.Sprintf("(%d turns are left out here)\n", start)
	}
	return text + strings.Join(texts[start:], "")
}

func turnText(thought, action string) string {
	text := "Action: " + action + "\n"
	if strings.TrimSpace(thought) != "" {
		text = "Thought: " + thought + "\n" + text
	}
	return text
}

// actions are those that the player knew, or why they are not told.
func (t *JudgedTurn) actions() string {
	return cmp.Or(t.Trajectory.Actions, "They are not recorded; the player knew them.")
}

// prompt is the prompt for a turn: what was known before it, and the turn, but not what followed.
func (t *JudgedTurn) prompt(p configs.Judge, mostHistory int) string {
	s := t.step()
	return fmt.Sprintf(
		"%s\n\nGoal: %s\n\nAvailable actions:\n%s\n\nWhat happened before the turn:\n%s\nThe player's turn:\n%s\n%s",
		strings.TrimSpace(p.Instruction), t.Trajectory.Goal, strings.TrimSpace(t.actions()), t.History(mostHistory),
		turnText(s.Thought, s.Action), strings.TrimSpace(p.Answer))
}
