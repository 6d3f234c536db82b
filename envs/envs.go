// Package envs is the contract between environments and everything that runs them: Env, Task, World, Step and a few
// optional abilities. It holds no environment; envs/catalog names those.
//
// The same task and the same actions give the same bytes, on every machine and regardless of what else runs. If the
// order in a reference implementation depends on hashing, ours is sorted.
package envs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Env is a family of tasks with one rule set.
//
// An Env is safe for concurrent use. Its worlds share no mutable state but caches, in
// which a value depends on nothing but its key. Nobody closes an Env.
type Env interface {
	// Info describes the environment as configured.
	Info() Info
	// Tasks lists the tasks in benchmark order. The caller must not change it.
	Tasks() []Task
	// NewWorld makes a fresh world for one of the environment's tasks.
	NewWorld(Task) (World, error)
}

// Source says where the tasks of an environment come from. Results on tasks of
// different sources are never combined in one row.
type Source string

const (
	// Official tasks are the benchmark's own, read from the user's data.
	Official Source = "official"
	// Generated tasks are made by heldout.
	Generated Source = "generated"
	// External tasks belong to an environment that others run. Its name is what it calls
	// itself behind the way it is reached, such as "exec:safe".
	External Source = "external"
)

// Info describes an environment as configured.
type Info struct {
	// Name is the environment's name, such as "pddl".
	Name string `json:"name"`
	// Source says where the tasks came from.
	Source Source `json:"source"`
	// Settings are the other options that change what is measured, by option
	// name; nil if none was set. They are part of every condition.
	Settings map[string]string `json:"settings,omitempty"`
	// Address is where the server of an environment is that others run, without what may be
	// secret. It is no part of a condition.
	Address string `json:"address,omitempty"`
	// StepLimit is the benchmark's own step limit.
	StepLimit int `json:"step_limit"`
	// SuccessName and ProgressName are the benchmark's names for its success rate and its progress rate, such as
	// "EM" and "F1". They are empty if the benchmark uses the standard names.
	SuccessName  string `json:"success_name,omitempty"`
	ProgressName string `json:"progress_name,omitempty"`
	// Caveat says why results in this configuration are not comparable with
	// published results; empty if there is nothing to say.
	Caveat string `json:"caveat,omitempty"`
	// Unlayered is such a reason where AgentBoard's layer, which published results use, is left out. A preset has its
	// own results and its own layer.
	Unlayered string `json:"-"`
	// DataHash is the SHA-256, in hex, of the tasks' files; empty for generated tasks.
	DataHash string `json:"data_hash,omitempty"`
	// Instructions are for prompts, by the type of tasks, if the environment brings its own;
	// nil if heldout has them.
	Instructions map[string]string `json:"instructions,omitempty"`
}

// Caveats joins the reasons why results, of a preset or not, do not compare with published ones; empty without any.
func (i Info) Caveats(preset bool, more string) string {
	reasons := []string{i.Caveat, i.Unlayered, more}
	if preset {
		reasons[1] = ""
	}
	return strings.Join(slices.DeleteFunc(reasons, func(reason string) bool { return reason == "" }), "; ")
}

// Difficulty is the benchmark's own class of a task.
type Difficulty string

// The classes that AgentBoard uses. A task may have none.
const (
	Easy Difficulty = "easy"
	Hard Difficulty = "hard"
)

// Check returns an error unless d is one of AgentBoard's classes.
func (d Difficulty) Check() error {
	if d != Easy && d != Hard {
		return fmt.Errorf("want difficulty %q or %q, got %q", Easy, Hard, d)
	}
	return nil
}

// Task is one problem instance of an environment.
type Task struct {
	// ID names the task within its environment, such as "gripper/prob01".
	ID string `json:"id"`
	// Index is the 0-based place in benchmark order, -1 outside the benchmark.
	Index int `json:"index"`
	// Type is the sub-family that the task belongs to, such as "gripper": tasks of one type share instructions.
	Type string `json:"type,omitempty"`
	// Difficulty is empty if the benchmark has no such classes.
	Difficulty Difficulty `json:"difficulty,omitempty"`
	// Digest is the SHA-256, in hex, of everything that defines the task. Two
	// tasks with the same ID and different digests are different tasks.
	Digest string `json:"digest"`
	// Content is 16 hex digits that tasks have in common if they are one puzzle, whatever their names, files,
	// spelling and order of facts. It is empty where the ID says it all, and in older records.
	Content string `json:"content,omitempty"`
	// Use is what an environment that others run has the task for: train, dev or test. It is
	// empty if it does not say, and for all others.
	Use string `json:"use,omitempty"`
}

// World is one running copy of a task. It belongs to one goroutine.
//
// An error from Start or Step means that the environment broke. The answer to
// an invalid action is an observation, never an error.
type World interface {
	// Start returns the goal and the first observation. It is called once.
	Start(ctx context.Context) (Start, error)
	// Step carries out one action, given as the agent typed it. Further steps after the task is done are allowed.
	Step(ctx context.Context, action string) (Step, error)
	// Close releases what the world holds.
	Close() error
}

// Start is what an agent is told before its first action.
type Start struct {
	Goal        string
	Observation string
	// Progress is the share of the task reached before the first action, in [0,1]:
	// ScienceWorld looks around by itself, which can reach goals.
	Progress float64
	// Rewritten says that a perturbation changed goal or observation; environments leave it.
	Rewritten bool
}

// Step is the answer to one action.
type Step struct {
	Observation string
	// Progress is the share of the task reached so far, in [0,1].
	Progress float64
	// Done reports that the episode is over, won or lost.
	Done bool
	// Success reports that the task was solved.
	Success bool
	// Valid reports that the environment understood and carried out the
	// action, in the sense of AgentBoard's grounding accuracy.
	Valid bool
	// Understood reports that the environment carried out an action that is not
	// Valid. Only ScienceWorld sets it: AgentBoard judges an action there by what
	// is possible after it, so "open door" is not valid once the door is open.
	Understood bool
	// Unjudged reports that nobody has said so far how well the task is played: an episode that ends
	// here has no result. Only environments that others run do so.
	Unjudged bool
	// Wording says how the action is written if a perturbation writes its form
	// differently; environments leave it empty.
	Wording Wording
	// Rewritten says that a perturbation changed the observation; environments leave it.
	Rewritten bool
}

// ErrUnjudged says that an episode has ended, and that nobody has said how well it was played.
var ErrUnjudged = errors.New("nothing says how well the episode was played: its reward, progress or success was null " +
	"in every step")

// Wording is how an action is written under a perturbation.
type Wording struct {
	// Form is the environment's own form of the action, such as "go to {recep}". It is empty if the perturbation
	// does not change how the action is written, or if the action has no known form.
	Form string
	// Old says that the action is written in the old way.
	Old bool
}

// Lister is the optional ability of a World to list the actions that are valid
// now, each as an agent would type it: in byte order as the environment itself
// writes them. The caller does not change the list, which may be given again.
type Lister interface {
	Actions(ctx context.Context) ([]string, error)
}

// Hinter is the optional ability of a World to list the forms of actions, such as "open OBJ", and the names of
// things that can stand for OBJ here. Asking changes nothing.
type Hinter interface {
	Hints(ctx context.Context) (forms, things []string, err error)
}

// Expert is the optional ability of a World to say what a competent player
// would do next. It returns "" if it knows no way to the goal.
type Expert interface {
	ExpertAction(ctx context.Context) (string, error)
}

// Seeder is the optional ability of a World to draw random numbers by the seed of the
// episode, which is set before Start.
type Seeder interface {
	SetSeed(seed int64)
}

// Scorer is the optional ability of a World to give the benchmark's own score
// where it is not the progress: it may be negative.
type Scorer interface {
	// Score returns the score after the last step or, before the first one, after the start, usually from -1 to 1.
	Score() float64
}

// ExactScorer is the optional ability of a World to give a Score before its rounding.
type ExactScorer interface {
	ExactScore() float64
}

// Speller is the optional ability of a World to bring an action, as a model
// wrote it, into the spelling that the benchmark's own agent sends.
type Speller interface {
	Spell(action string) string
}

// Forker is the optional ability of a World to make another world that goes on from the present moment by itself.
// The two share what never changes. Both are closed.
type Forker interface {
	Fork() (World, error)
}

// StateAppender is the optional ability of a World to write its state: all that decides how it answers the actions
// to come. Two worlds of one task that write the same bytes give the same answers to the same actions. The number
// of steps so far is not part of it, so limits and rewards that depend on that number may differ.
type StateAppender interface {
	// AppendState appends the state to b. It is called after Start.
	AppendState(b []byte) ([]byte, error)
}

// Viewer is the optional ability of a World to show its state to a person, including what the agent cannot see.
type Viewer interface {
	View() Picture
}

// Inspector is the optional ability of a World to list everything in it for a person, including what the agent
// cannot see. The output is too long to show on every turn.
type Inspector interface {
	// Inspect returns lines of text.
	Inspect() (string, error)
}

// Picture is what a person sees of a world.
type Picture struct {
	// Rows are the places from top to bottom and left to right, in texts of one width.
	Rows [][]Glyph
	// Legend explains the texts, line by line.
	Legend []string
}

// Glyph is the content of one place of a Picture.
type Glyph struct {
	Text  string
	Color Color
	// Lit: the agent sees this place.
	Lit bool
}

// Color is the English name of a Glyph's color; "" means no particular color.
type Color string

// The colors.
const (
	Red    Color = "red"
	Green  Color = "green"
	Blue   Color = "blue"
	Purple Color = "purple"
	Yellow Color = "yellow"
	Grey   Color = "grey"
)

// Finder is the optional ability of an Env to play tasks outside its benchmark.
type Finder interface {
	// Task returns the task with the given name, inside or outside the benchmark. A task outside the benchmark has
	// the index -1. NewWorld accepts it like the tasks of Tasks.
	Task(id string) (Task, error)
}

// Comparer is the optional ability of an Env to decide whether a recorded answer to an action and ours say the
// same, for answers whose order depends on hashing in the reference. Without it, observations are compared byte for
// byte.
type Comparer interface {
	SameObservation(action, recorded, ours string) bool
}
