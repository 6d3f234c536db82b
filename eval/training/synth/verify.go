package synth

import (
	"encoding/json"
	"fmt"
	"strings"

	"heldout/envs/datafile"
)

// Options are the choices that the paper's Algorithm 1 leaves open.
type Options struct {
	MinErrors int // the least number of error turns: 2 in the paper's text, 1 in the condition as printed
	// ParameterOnly counts only parameter errors as errors; by default all three kinds count.
	ParameterOnly bool
	// SuccessText must occur in the last observation.
	SuccessText string
}

// DefaultOptions are the choices of the paper's text.
func DefaultOptions() Options { return Options{MinErrors: 2, SuccessText: "Task Succeed"} }

// Reason is why a trajectory is rejected; "" if it is not.
type Reason string

// The reasons of Algorithm 1, and Unsupported: the action could not be checked.
const (
	Format       Reason = "format"
	Keys         Reason = "keys"
	BadAction    Reason = "action"
	LastWrong    Reason = "last turn wrong"
	Unfinished   Reason = "unfinished"
	TooFewErrors Reason = "too few errors"
	Unsupported  Reason = "unsupported pattern"
)

// Reasons that Algorithm 1 does not have: it takes two games for one.
const (
	Order Reason = "order" // the numbers have gaps, or player and master do not alternate
	// AfterEnd: the game goes on after the master has said that the task is complete.
	AfterEnd Reason = "goes on after its end"
)

// Reasons lists all reasons.
func Reasons() []Reason {
	return []Reason{Format, Keys, Order, BadAction, LastWrong, Unfinished, AfterEnd, TooFewErrors, Unsupported}
}

// Verdict is the result of a verification.
type Verdict struct {
	// Reason is "" if the trajectory passes. Message says what is wrong, for the next
	// call of the model; Turn is the turn where, counted from 1, 0 for none.
	Reason   Reason `json:"reason,omitempty"`
	Message  string `json:"message,omitempty"`
	Turn     int    `json:"turn,omitempty"`
	Verified int    `json:"verified"` // the number of turns before the one that fails, all if none does
	Turns    int    `json:"turns"`
	// Errors counts the error turns among the verified ones; Parameter, Place and Logic those with that flag.
	// Repaired counts the error turns whose next turn of the master has no error.
	Errors    int `json:"errors"`
	Parameter int `json:"parameter_errors"`
	Place     int `json:"place_errors"`
	Logic     int `json:"logic_errors"`
	Repaired  int `json:"repaired"`
	// Unchecked counts actions whose parameters could not be checked, because the
	// pattern has fewer groups than the template slots.
	Unchecked int  `json:"unchecked,omitempty"`
	Ended     bool `json:"-"` // the last verified turn says that the task is complete
}

// Verify checks a trajectory against its script by AgentRefine's Algorithm 1, and that it
// is one game: the turns are in order, and nothing follows the end.
func Verify(s *Script, trajectory []byte, o Options) Verdict {
	var raw []json.RawMessage
	if err := datafile.Unmarshal(trajectory, &raw, datafile.Lenient); err != nil {
		return Verdict{Reason: Format, Message: "the trajectory is not a JSON list of turns: " + err.Error()}
	}
	return VerifyTurns(s, raw, o, true)
}

// VerifyTurns checks turns as Verify does. Without complete they are the first turns of a game: it need not have
// ended, and an action that the master has not answered yet is not verified.
func VerifyTurns(s *Script, raw []json.RawMessage, o Options, complete bool) Verdict {
	switch {
	case len(raw) == 0:
		return Verdict{Reason: Format, Message: "the trajectory has no turns"}
	case len(raw) > mostTurns:
		return Verdict{Reason: Format, Message: fmt.Sprintf("the trajectory has %d turns, the limit is %d", len(raw),
			mostTurns)}
	}
	c := checker{Verdict: Verdict{Turns: len(raw)}, script: s, o: o, complete: complete}
	c.turns, c.faults = readTurns(raw)
	for i := range c.turns {
		if !complete && i == len(c.turns)-1 && c.faults[i] == nil && !c.turns[i].Master {
			break
		}
		if reason, message := c.turn(i); reason != "" {
			c.Reason, c.Message, c.Turn = reason, message, i+1
			break
		}
		c.Verified++
		c.Ended = i > 0 && c.ends(i)
	}
	return c.Verdict
}

type checker struct {
	Verdict
	script   *Script
	o        Options
	turns    []Turn
	faults   []*fault
	complete bool
}

func (c *checker) ends(i int) bool {
	t := &c.turns[i]
	return t.Master && !t.Error(c.o) && strings.Contains(t.Observation, c.o.SuccessText)
}

// turn checks one turn, whose predecessors are verified.
func (c *checker) turn(i int) (Reason, string) {
	t, last := &c.turns[i], i == len(c.turns)-1
	switch {
	case c.faults[i] != nil:
		return c.faults[i].reason, c.faults[i].Error()
	case c.Ended:
		return AfterEnd, fmt.Sprintf("the observation before contains %q, so the game has ended", c.o.SuccessText)
	case t.Master:
		c.count(i)
		if last && c.complete {
			return c.end(t)
		}
		return "", ""
	case last:
		return Keys, "the last turn is the player's: the DM has not answered"
	case c.faults[i+1] != nil && c.faults[i+1].reason == Order && !c.turns[i+1].Master:
		return Keys, "the DM has not answered: the next turn is the player's too"
	case c.faults[i+1] != nil:
		return "", "" // the next turn fails
	case c.turns[i+1].Error(c.o):
		return "", ""
	}
	ok, parameters, unsupported, reason := c.script.Fits(t.Action)
	switch {
	case unsupported:
		return Unsupported, reason
	case !ok:
		return BadAction, reason + ", but the DM reports no error"
	case !parameters:
		c.Unchecked++
	}
	return "", ""
}

func (c *checker) count(i int) {
	t := &c.turns[i]
	if !t.Error(c.o) {
		return
	}
	c.Errors++
	for _, f := range []struct {
		flag bool
		n    *int
	}{{t.Parameter, &c.Parameter}, {t.Place, &c.Place}, {t.Logic, &c.Logic}} {
		if f.flag {
			*f.n++
		}
	}
	if next := i + 2; next < len(c.turns) && c.faults[next-1] == nil && c.faults[next] == nil &&
		!c.turns[next].Error(c.o) {
		c.Repaired++
	}
}

func (c *checker) end(t *Turn) (Reason, string) {
	switch {
	case t.Error(c.o):
		return LastWrong, "the last turn reports an error"
	case !strings.Contains(t.Observation, c.o.SuccessText):
		return Unfinished, fmt.Sprintf("the last observation does not contain %q", c.o.SuccessText)
	case c.Errors < c.o.MinErrors:
		return TooFewErrors, fmt.Sprintf("the number of error turns is %d, want at least %d", c.Errors, c.o.MinErrors)
	}
	return "", ""
}
