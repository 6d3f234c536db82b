// Package inspectlog writes runs as logs of Inspect (inspect-ai), a file for each condition, which
// its viewer and its Python package read. A log is a zip file of JSON: a header, a file for each
// sample, which is an episode, and summaries of all samples.
package inspectlog

import (
	"encoding/json"
	"strconv"
	"time"

	"heldout/eval/model"
)

// version is that of Inspect's format.
const version = 2

// The statuses of a log.
const (
	success, started, cancelled, failed = "success", "started", "cancelled", "error"
)

// header is header.json, and without what is known at the end, _journal/start.json.
type header struct {
	Version int        `json:"version"`
	Status  string     `json:"status,omitempty"`
	Eval    spec       `json:"eval"`
	Plan    plan       `json:"plan"`
	Results *results   `json:"results,omitempty"`
	Stats   *usages    `json:"stats,omitempty"`
	Error   *evalError `json:"error,omitempty"`
}

// spec says what was evaluated, and how.
type spec struct {
	EvalID      string            `json:"eval_id"`
	RunID       string            `json:"run_id"`
	Created     time.Time         `json:"created"`
	Task        string            `json:"task"`
	TaskID      string            `json:"task_id"`
	TaskVersion string            `json:"task_version"`
	Title       string            `json:"task_display_name"`
	TaskArgs    map[string]string `json:"task_args"`
	Solver      string            `json:"solver"`
	Dataset     dataset           `json:"dataset"`
	Model       string            `json:"model"`
	Generate    generation        `json:"model_generate_config"`
	Config      config            `json:"config"`
	Packages    map[string]string `json:"packages"`
	Metadata    map[string]any    `json:"metadata"`
	Scorers     []scorer          `json:"scorers"`
	Headline    headline          `json:"headline_metric"`
}

type dataset struct {
	Name      string   `json:"name"`
	Samples   int      `json:"samples"`
	SampleIDs []string `json:"sample_ids"`
	Shuffled  bool     `json:"shuffled"`
}

// generation says how replies were sampled.
type generation struct {
	MaxTokens   int            `json:"max_tokens,omitempty"`
	TopP        *float64       `json:"top_p,omitempty"`
	Temperature *float64       `json:"temperature,omitempty"`
	Stop        []string       `json:"stop_seqs,omitempty"`
	Seed        *int64         `json:"seed,omitempty"`
	Extra       map[string]any `json:"extra_body,omitempty"`
}

type config struct {
	Epochs    int      `json:"epochs"`
	Reducer   []string `json:"epochs_reducer"`
	TurnLimit int      `json:"turn_limit"`
	OnError   bool     `json:"fail_on_error"`
}

type plan struct {
	Name   string     `json:"name"`
	Steps  []solver   `json:"steps"`
	Config generation `json:"config"`
}

type solver struct {
	Solver string         `json:"solver"`
	Params map[string]any `json:"params"`
}

type scorer struct {
	Name    string             `json:"name"`
	Metrics []metricDefinition `json:"metrics"`
}

type metricDefinition struct {
	Name string `json:"name"`
}

// headline names the number that stands for all.
type headline struct {
	Scorer string `json:"scorer"`
	Score  string `json:"score"`
	Metric string `json:"metric"`
}

// results are the scores over all samples.
type results struct {
	Total     int          `json:"total_samples"`
	Completed int          `json:"completed_samples"`
	Scores    []totalScore `json:"scores"`
	Headline  headline     `json:"headline"`
}

type totalScore struct {
	Name     string  `json:"name"`
	Scorer   string  `json:"scorer"`
	Reducer  string  `json:"reducer,omitempty"`
	Scored   int     `json:"scored_samples"`
	Unscored int     `json:"unscored_samples"`
	Metrics  metrics `json:"metrics"`
}

// metrics are shown in their order.
type metrics []metric

type metric struct {
	Name  string  `json:"name"`
	Group string  `json:"group,omitempty"`
	Value float64 `json:"value"`
}

// MarshalJSON implements json.Marshaler: an object by name.
func (list metrics) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range list {
		if i > 0 {
			b = append(b, ',')
		}
		text, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		b = append(strconv.AppendQuote(b, m.Name), ':')
		b = append(b, text...)
	}
	return append(b, '}'), nil
}

// usages are what a log took.
type usages struct {
	Started   *time.Time             `json:"started_at,omitempty"`
	Completed *time.Time             `json:"completed_at,omitempty"`
	Usage     map[string]tokenCounts `json:"model_usage"`
}

// tokenCounts counts tokens. Those of prompts do not include the cached ones.
type tokenCounts struct {
	Input     int `json:"input_tokens"`
	Output    int `json:"output_tokens"`
	Total     int `json:"total_tokens"`
	Cached    int `json:"input_tokens_cache_read,omitempty"`
	Reasoning int `json:"reasoning_tokens,omitempty"`
}

// evalError is an error.
type evalError struct {
	Message   string `json:"message"`
	Traceback string `json:"traceback"`
	ANSI      string `json:"traceback_ansi"`
}

// common is what a sample and its summary share.
type common struct {
	ID        string                 `json:"id"`
	Epoch     int                    `json:"epoch"`
	Input     string                 `json:"input"`
	Target    string                 `json:"target"`
	Metadata  map[string]any         `json:"metadata"`
	Scores    *scores                `json:"scores,omitempty"` // nil without a result
	Usage     map[string]tokenCounts `json:"model_usage"`
	Started   time.Time              `json:"started_at"`
	Completed time.Time              `json:"completed_at"`
	TotalTime float64                `json:"total_time"`
	UUID      string                 `json:"uuid"`
	Turns     int                    `json:"turn_count"`
}

// sample is a file of an episode.
type sample struct {
	common
	Messages []message      `json:"messages"`
	Output   output         `json:"output"`
	Store    map[string]any `json:"store"`
	Events   []event        `json:"events"`
	Data     eventsData     `json:"events_data"`
	Error    *evalError     `json:"error,omitempty"`
	Limit    *limit         `json:"limit,omitempty"`
}

// summary is what lists show of a sample.
type summary struct {
	common
	Error       string `json:"error,omitempty"`
	Limit       string `json:"limit,omitempty"`
	LimitReason string `json:"limit_reason,omitempty"`
	Completed   bool   `json:"completed"`
	Messages    int    `json:"message_count"`
}

// limit is what ended a sample.
type limit struct {
	Type   string  `json:"type"`
	Limit  float64 `json:"limit"`
	Reason string  `json:"reason"`
}

// scores are shown in their order.
type scores struct {
	Success    score `json:"success"`
	Progress   score `json:"progress"`
	Grounding  score `json:"grounding"`
	Unreadable score `json:"unreadable"`
}

// score is the score of a sample: a number, or "C" for a solved task and "I" for another.
type score struct {
	Value       any    `json:"value"`
	Explanation string `json:"explanation,omitempty"`
}

// reduction has the scores of all samples, each the mean of its epochs.
type reduction struct {
	Scorer  string         `json:"scorer"`
	Reducer string         `json:"reducer"`
	Samples []reducedScore `json:"samples"`
}

type reducedScore struct {
	Value    float64 `json:"value"`
	SampleID string  `json:"sample_id"`
}

type message struct {
	ID      string     `json:"id"`
	Role    model.Role `json:"role"`
	Content any        `json:"content"` // a text, or parts
	// Source is "input", or "generate" for what the model said.
	Source     string     `json:"source"`
	Model      string     `json:"model,omitempty"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	Function   string     `json:"function,omitempty"`
}

// part is a part of a message: a text, or the reasoning before it.
type part struct {
	Type      string  `json:"type"`
	Text      string  `json:"text"`
	Reasoning *string `json:"reasoning,omitempty"`
}

type toolCall struct {
	ID        string         `json:"id"`
	Function  string         `json:"function"`
	Arguments map[string]any `json:"arguments"`
	Type      string         `json:"type"`
	Error     string         `json:"parse_error,omitempty"`
}

// output is the last reply.
type output struct {
	Model      string       `json:"model"`
	Choices    []choice     `json:"choices"`
	Completion string       `json:"completion"`
	Usage      *tokenCounts `json:"usage,omitempty"`
	Time       float64      `json:"time,omitempty"`
}

type choice struct {
	Message    message `json:"message"`
	StopReason string  `json:"stop_reason"`
}
