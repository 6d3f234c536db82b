package configs

import (
	"fmt"
	"strings"
)

// Play says how a model plays: what it is shown, in which form it is asked, and
// how its replies are read. It has no name and no tasks; a Preset adds those.
type Play struct {
	Observation  Observation  `yaml:"observation" json:"observation"`
	ActionsShown ActionsShown `yaml:"actions-shown" json:"actions-shown"`
	Agent        AgentForm    `yaml:"agent" json:"agent"`
	Reply        ReplyRules   `yaml:"reply" json:"reply"`
	Stop         StopRules    `yaml:"stop" json:"stop"`
}

// Observation says what of the environment's texts a model sees.
type Observation struct {
	// Banner is Keep (also when empty) or Strip: without the first paragraph of the first observation, which in
	// ALFWorld is "-= Welcome … =-". A line break separates the other paragraphs then.
	Banner string `yaml:"banner" json:"banner,omitempty"`
	// Arrive is Keep (also when empty) or Strip: without "You arrive at loc N. " at the start of an observation.
	Arrive string `yaml:"arrive" json:"arrive,omitempty"`
	// Remove is a text that is taken out of every observation after the first.
	Remove string `yaml:"-" json:"without,omitempty"`
	// Task is how the task is told, with the slots {goal} and {observation}; empty
	// for the goal and, on the next line, the first observation.
	Task string `yaml:"task" json:"task,omitempty"`
	// Prefix precedes every observation after the first, Suffix follows it.
	Prefix string `yaml:"-" json:"prefix,omitempty"`
	Suffix string `yaml:"-" json:"suffix,omitempty"`
}

// The values of Observation.
const (
	Keep  = "keep"
	Strip = "strip"
)

// ActionsShown says when the admissible actions are part of a message, and how the list is written. It stands at
// the end of the observation, or in the slot of a template.
type ActionsShown struct {
	Timing string `yaml:"when" json:"when"` // one of actionTimes
	// Older is what stands in place of the list in older turns if Timing is latest.
	Older string `yaml:"-" json:"older,omitempty"`
	// Prefix and Suffix surround the list.
	Prefix string `yaml:"before" json:"before,omitempty"`
	Suffix string `yaml:"-" json:"after,omitempty"`
	// Item is how an action is written, with the slot {action}; empty for the action
	// alone. Separator stands between two actions.
	Item      string   `yaml:"-" json:"item,omitempty"`
	Separator string   `yaml:"separator" json:"separator,omitempty"`
	Exclude   []string `yaml:"-" json:"exclude,omitempty"` // actions that are left out
}

// actionTimes are the values of ActionsShown.When:
//
//   - never
//   - first: only with the task
//   - latest: with the latest observation; earlier lists are taken out of the
//     history
//   - every: with every observation
func actionTimes() []string { return []string{Never, First, Latest, Every} }

// The times of ActionsShown.
const (
	Never  = "never"
	First  = "first"
	Latest = "latest"
	Every  = "every"
)

// AgentForm is the form in which a model is asked.
type AgentForm struct {
	Form string `yaml:"form" json:"form"` // one of AgentForms
	// Pairs is how many (observation, action) pairs a message or chat repeats; 0 for all.
	Pairs int `yaml:"pairs" json:"pairs,omitempty"`
	// Notice replaces the oldest observation of a chat that repeats so many pairs, with the slot {pairs}. Without
	// it, all that stands before the pairs is lost, the system message too.
	Notice string `yaml:"-" json:"left,omitempty"`
	// Joined: the messages of a chat after the system message are one, with nothing between.
	Joined bool  `yaml:"-" json:"joined,omitempty"`
	Think  Think `yaml:"-" json:"think,omitzero"` // a chat asks for a thought before each action
	// Cue precedes every reply of the forms completion and text, such as ">", on a line of its own. Its slot {turn}
	// is the number of the turn, which also the prefix of observations and stop strings may have.
	Cue string `yaml:"cue" json:"cue,omitempty"`
	// CueFollows: the last cue follows the last observation without a line break.
	CueFollows bool `yaml:"-" json:"cue-follows,omitempty"`
	// Acknowledge is the assistant's turn after the instruction; empty for none.
	Acknowledge string `yaml:"acknowledge" json:"acknowledge,omitempty"`
	Shots       Shots  `yaml:"shots" json:"shots"`
	// Memory is how plans of earlier trials are told; with no value in heldout's own way.
	Memory MemoryForm `yaml:"-" json:"memory,omitzero"`
	// Reflection is how a plan is asked for after a failed trial; empty for heldout's way.
	Reflection ReflectionForm `yaml:"-" json:"reflection,omitzero"`
	// Filter leaves out messages of the form chat; nothing if it has no segments.
	Filter Filter `yaml:"-" json:"filter,omitzero"`
	// Wraps are the chat templates of the form act for models that continue a text, by
	// their names; without any, it asks in a chat. Added follows the system message in them.
	Wraps []Wrap `yaml:"-" json:"wraps,omitempty"`
	Added string `yaml:"-" json:"added,omitempty"`
	Tool  Tool   `yaml:"-" json:"tool,omitzero"` // the function of the form tool-call
	// History is how the history of the form chat holds a reply, with the slot {reply},
	// the reply without white space around it; empty for the reply as it came.
	History string `yaml:"-" json:"said,omitempty"`
	// Thoughts is empty, or "sent": a line that starts with "think:" is also sent to
	// the game, and its answer is replaced by "OK.".
	Thoughts string `yaml:"-" json:"thoughts,omitempty"`
}

// Agents are the forms that a run can have without a preset.
func Agents() []string { return []string{React, Act} }

// OwnAgent begins the agent of a run that is a program of the user's: a shell command follows.
const OwnAgent = "exec:"

// AgentForms are the values of AgentForm.Form:
//
//   - react: AgentRefine's chat, with examples in the first message
//   - act: AgentBoard's one growing message, without thoughts
//   - chat: a chat whose turns are replies and observations
//   - tool-call: such a chat in which the model acts by calls of a function
//   - single: one message, written anew at every step
//   - completion: one text that a base model continues
//   - text: the same text as one message to a chat model
func AgentForms() []string { return []string{React, Act, Chat, ToolCall, Single, Completion, Text} }

// The agent forms.
const (
	React      = "react"
	Act        = "act"
	Chat       = "chat"
	ToolCall   = "tool-call"
	Single     = "single"
	Completion = "completion"
	Text       = "text"
)

// Think is TALES': Ask stands in place of what follows an observation, after an empty line. The model's answer, of
// up to so many tokens, and Action ask for the action. The history has neither.
type Think struct {
	Ask       string `json:"ask,omitempty"`
	Action    string `json:"then,omitempty"`
	MaxTokens int    `json:"max-tokens,omitempty"`
}

// MemoryForm is how plans of earlier trials are told before the task: Intro, then Item for each of
// them, with the slots {number}, from 0, and {plan}.
type MemoryForm struct {
	Intro string `json:"before,omitempty"`
	Item  string `json:"each,omitempty"`
}

// ReflectionForm is a text that a model continues with a plan: Intro, the failed trial as
// the agent was shown it, without prompt and plans, Middle, the plans of that trial, and End.
type ReflectionForm struct {
	Intro    string         `json:"before"`
	Middle   string         `json:"after"`
	Plans    MemoryForm     `json:"plans"`
	End      string         `json:"end"`
	Decoding PresetDecoding `json:"decoding"`
}

// IsSet reports whether a preset has a form of its own.
func (f ReflectionForm) IsSet() bool { return f.End != "" }

// Filter is AgentBench's: a request has the first message and the latest ones, as many as
// have fewer segments with it. After the first one, an answer of the assistant comes next.
// A segment is up to seven letters, or another character but blanks and line breaks.
type Filter struct {
	Segments int `json:"segments,omitempty"`
	// Notice follows the first message if others were left out: {omitted} of them.
	Notice string `json:"notice,omitempty"`
}

// Wrap is a chat template as a text, with the slots {system_prompt} and {prompt}. White
// space around the whole goes.
type Wrap struct {
	// Model is what the model's name in lower case contains; the first wrap that fits counts.
	Model    string `json:"model"`
	Text     string `json:"text"`
	Unescape bool   `json:"unescape,omitempty"` // in replies, "\_" becomes "_"
}

// Wrap returns the template for a model.
func (a AgentForm) Wrap(model string) (Wrap, error) {
	var names []string
	for _, w := range a.Wraps {
		if strings.Contains(strings.ToLower(model), w.Model) {
			return w, nil
		}
		names = append(names, w.Model)
	}
	return Wrap{},
		fmt.Errorf(
			"the preset has chat templates for models whose names contain %s, and none for %s; have the server name "+
				"the model so", strings.Join(names, ", "), model)
}

// Tool is a function with one argument, a text.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Argument is the name of the argument, About its description.
	Argument string `json:"argument"`
	About    string `json:"about,omitempty"`
	Closed   bool   `json:"closed,omitempty"` // its description says that there are no further arguments
}

// Shots are the worked examples of a prompt.
type Shots struct {
	Format string `yaml:"as" json:"as,omitempty"` // "turns" or "text"; empty without examples
	// Intro precedes the first of them.
	Intro string `yaml:"-" json:"before,omitempty"`
	Count int    `yaml:"count" json:"count,omitempty"` // their number
	// Order holds the numbers of the examples in the prompt file, in the order in
	// which they are shown; empty for the file's order.
	Order []int `yaml:"-" json:"order,omitempty"`
}

// ReplyRules say how a reply becomes an action.
type ReplyRules struct {
	Parser string `yaml:"parser" json:"parser"` // one of Parsers
	// Reasoning is Strip (also when empty) or Keep: what a model writes between tags
	// of reasoning is part of the reply.
	Reasoning string `yaml:"reasoning" json:"reasoning,omitempty"`
	// Retry asks again for replies that are too short; never if it has no calls.
	Retry Retry `yaml:"-" json:"again,omitzero"`
	// Thinks cuts off what some models think. Blank is the action of a reply that is only
	// white space; empty for the empty action.
	Thinks Thinks `yaml:"-" json:"thinks,omitzero"`
	Blank  string `yaml:"-" json:"blank,omitempty"`
	// Normalise are changes of the action, in this order, by names of eval/agent.
	Normalise []string `yaml:"-" json:"normalise,omitempty"`
	// OnFailure says what happens to a reply without an action: one of
	// OnFailures, "send-tail" with a colon and a number of characters.
	OnFailure string `yaml:"on-failure" json:"on-failure,omitempty"`
	// Messages are what the model is told, by occasion: "format" is the answer to a reply without an action;
	// "several" that to a reply with more than one, and "call" that to a call that cannot be read, which itself
	// stays without an answer, if they are others. They have the slots {observation}, the last one, and {actions}.
	// "thought" replaces the game's answer to a thought.
	Messages map[string]string `yaml:"messages" json:"messages,omitempty"`
}

// Retry asks again for a reply, up to so many Calls in all. Reflexion does so with fewer than
// Short characters, without white space around them, each time Warmer by as much; if none is
// long enough, the reply is empty. TALES does so if the reply is Empty: its last message stands
// once more in each further call, and an episode without a reply ends.
type Retry struct {
	Short  int     `json:"under,omitempty"`
	Empty  bool    `json:"empty,omitempty"`
	Calls  int     `json:"calls,omitempty"`
	Warmer float64 `json:"warmer,omitempty"`
}

// Thinks is TALES': if the name of the model contains one of Models, a reply begins after the
// mark Until. An episode ends with a reply that lacks the mark.
type Thinks struct {
	Models []string `json:"models,omitempty"`
	Until  string   `json:"until,omitempty"`
}

// Parsers are the values of ReplyRules.Parser; eval/agent says what each one reads.
func Parsers() []string {
	return []string{"agentrefine", "agentboard", "react-line", "after-first-action", "after-last-action",
		oneLine, betweenLabels,
		"after-first-action-blank", "upper-action-line", "action-tags", "action-tags-cased", "tool-call", "whole-reply",
		thoughtActionI}
}

// The parsers that some keys are for.
const (
	oneLine        = "one-action-line"
	betweenLabels  = "between-action-labels"
	thoughtActionI = "thought-action-i"
)

// alwaysRead are the parsers that read an action from any reply, thought-action-i because it asks again.
func alwaysRead() []string { return []string{betweenLabels, thoughtActionI} }

// NearestBLEU has the admissible action take the place of one that is none.
const NearestBLEU = "nearest-bleu"

// OnFailures are the values of ReplyRules.OnFailure:
//
//   - tell: the model is told so; the environment is not asked
//   - end: the episode ends
//   - send-empty, send-reply, send-tail:N: the environment gets the empty action,
//     the whole reply, or its last N characters
func OnFailures() []string { return []string{Tell, End, SendEmpty, SendTail, SendReply} }

// The answers to a reply without an action.
const (
	Tell      = "tell"
	End       = "end"
	SendEmpty = "send-empty"
	SendTail  = "send-tail"
	SendReply = "send-reply"
)

// StopRules end an episode early, as a failure, after the step that meets them. 0 is off.
type StopRules struct {
	// SameReply, SameRead, the same action as it was read, SameAction, as it was sent, and
	// SameStep, with the same observation, are how many equal ones in a row end an episode.
	// Replies without an action do not count for SameRead.
	SameReply  int `yaml:"-" json:"same-reply,omitempty"`
	SameRead   int `yaml:"-" json:"same-read,omitempty"`
	SameAction int `yaml:"-" json:"same-action,omitempty"`
	SameStep   int `yaml:"-" json:"same-step,omitempty"`
	// EmptyAction: empty actions count for SameAction, and one stands before the first.
	EmptyAction bool `yaml:"-" json:"empty-action,omitempty"`
	// Start is the first step, counted from 1, at which they do; 0 for any.
	Start int `yaml:"-" json:"from,omitempty"`
	// BeforeEnd: what the environment says of the step that meets a rule does not count, not
	// even that it solved the task.
	BeforeEnd bool `yaml:"-" json:"before-end,omitempty"`
	// InvalidRunning is how many invalid actions in a row end an episode.
	InvalidRunning int `yaml:"-" json:"invalid-running,omitempty"`
	// ContextOverflow is "trim" (also when empty: the oldest turns are left out) or
	// "end": an episode that no longer fits the context ends.
	ContextOverflow string `yaml:"context-overflow" json:"context-overflow,omitempty"`
}
