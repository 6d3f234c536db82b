// Package agent turns the history of an episode into the next action: react and act ask a language model, expert,
// expert-errs and random are baselines that ask the environment.
package agent

import (
	"cmp"
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"heldout/envs"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Agent plays one episode. It belongs to one goroutine.
type Agent interface {
	// Act chooses the next action. If the model or the environment returns an error,
	// the move still reports the usage.
	Act(ctx context.Context) (Move, error)
	// Observe passes on the result of the last move. It is called after every move but the last. It returns the
	// same text as the agent keeps it, so that a record need not keep another copy.
	Observe(observation string) string
}

// Ending is an Agent that is told how its episode ended, before that is recorded.
type Ending interface {
	// End tells of the outcome and its cause, nil for a result. An error takes the outcome's place. The move has usage
	// and notes alone.
	End(ctx context.Context, rec *record.Episode, outcome record.Outcome, cause error) (Move, error)
}

// Move is what an agent does in one step: what the record of the step has of the agent, and more.
type Move struct {
	record.Step
	// Correction is what the agent is told after a format error; the environment is
	// not stepped then. Empty if the environment receives the empty action.
	Correction string
	// Answer replaces the environment's answer to the action, if it is not empty.
	Answer string
	// End says why the episode ends with this move, as a failure; empty if it goes
	// on. The environment does not get the action.
	End record.Cut
	// GiveUp: the agent has no further action.
	GiveUp bool
	Usage  Usage
}

// Reading is what the agent made of the model's reply; valid: the environment understood the action.
func (m *Move) Reading(valid bool) model.Reading {
	return model.Reading{Fault: m.Fault, Leftovers: m.Usage.Leftovers, Text: cmp.Or(m.Reply, m.Thought),
		Reasoning: m.Reasoning, Readable: !m.FormatError, Valid: valid,
		Echo: echoes(m.Reply) || echoes(m.Thought) || echoes(m.Action)}
}

func echoes(text string) bool { return strings.Contains(text, helpStart) }

// Usage is what a move cost.
type Usage struct {
	record.Usage     // of replies asked for
	Requests     int // requests sent for them, retries included
	Late         int // of these, those that had no reply in time
	// exchanges, lines of act's history, examples and finally reflections that were removed to fit the context
	Trimmed   int
	Forgotten int           // of these, reflections on earlier trials
	Latency   time.Duration // of requests that got a reply
	Server    string        // the address that answered, if there are several
	Dropped   []string      // fields of the decoding that the server refuses, sorted
	Leftovers []record.Leftover
	Answers   []Answer     // what replies say of themselves, as far as they say anything
	Sent      []string     // digests of the answered prompts, in order
	Repeated  bool         // the last reply is one that an earlier session was given
	Counted   record.Usage // of replies that the record of an earlier attempt has
}

// Answer is what a reply says of the model that wrote it, see model.Reply, and how many prompts it shows that the
// server must have cut.
type Answer struct {
	Model, Fingerprint string
	Unlisted           bool
	Cut                int
	Repeated           bool // an earlier session was given the reply
}

const helpStart = "No action could be read from your reply."

// FormatHelp answers a reply without an action that could be read.
const FormatHelp = helpStart + " Answer with a line that starts with \"Thought:\" and then a line that starts with \"Action:\", followed by one action."

// chooser is an agent that asks no model. Without an action it gives up.
type chooser func(context.Context) (action string, err error)

func (c chooser) Act(ctx context.Context) (Move, error) {
	action, err := c(ctx)
	return Move{Step: record.Step{Action: action}, GiveUp: action == ""}, err
}

func (chooser) Observe(observation string) string { return observation }

// NewExpert returns the expert of a world, which must have one.
func NewExpert(w envs.World) (Agent, error) {
	e, err := envs.Need[envs.Expert](w, "has no expert")
	if err != nil {
		return nil, err
	}
	return chooser(e.ExpertAction), nil
}

// NewRandom returns an agent that chooses uniformly among the valid actions of a
// world. The world must be able to list them.
func NewRandom(w envs.World, rng *rand.Rand) (Agent, error) {
	l, err := envs.Need[envs.Lister](w, "cannot list its valid actions")
	return chooser(func(ctx context.Context) (string, error) {
		actions, err := l.Actions(ctx)
		if err != nil || len(actions) == 0 {
			return "", err
		}
		return actions[rng.IntN(len(actions))], nil
	}), err
}
