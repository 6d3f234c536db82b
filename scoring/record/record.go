// Package record keeps a run on disk: run.json says what was planned and under which conditions, episodes.jsonl
// holds one line for every attempt at an episode that came to an end. Lines are only ever added, each is on disk
// before it counts, and a table can be printed again from these two files alone. SCHEMA.md explains both files,
// field by field.
package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"maps"
	"math"
	"slices"
	"time"

	"heldout/envs"
	"heldout/envs/datafile"
)

// Schema is the version of the form of files and lines. It goes up when a reader of
// the old form would misread the new one. The older ones can still be read.
//
//	1: first version
//	2: everything ends in its checksum
const Schema = 2

// readable reports whether this version reads a schema.
func readable(schema int) bool { return schema >= 1 && schema <= Schema }

// MaxSteps is the largest number of steps of an episode.
const MaxSteps = math.MaxUint16

// Outcome says how an attempt at an episode ended.
type Outcome string

// The outcomes. Every attempt has exactly one.
const (
	// Success and Failure are results: the task was solved; or it was not,
	// because the step limit was reached, the game ended or the agent gave up.
	Success Outcome = "success"
	Failure Outcome = "failure"
	// The others say that there is no result. They are kept, never counted as
	// failures, and tried again when the run is continued.
	ModelError      Outcome = "model_error"      // the model server did not answer usefully
	AgentError      Outcome = "agent_error"      // an agent of the user's failed, or took too long
	EnvError        Outcome = "env_error"        // the environment failed
	ContextExceeded Outcome = "context_exceeded" // instruction and task alone do not fit the context
	Cancelled       Outcome = "cancelled"        // the run was stopped meanwhile
)

// Final reports whether an outcome is a result.
func (o Outcome) Final() bool { return o == Success || o == Failure }

var outcomes = []Outcome{Success, Failure, ModelError, AgentError, EnvError, ContextExceeded, Cancelled}

func (o Outcome) valid() bool { return slices.Contains(outcomes, o) }

// shared returns an equal outcome that takes no memory of its own.
func (o Outcome) shared() Outcome {
	if i := slices.Index(outcomes, o); i >= 0 {
		return outcomes[i]
	}
	return o
}

// Result is what scoring needs of an attempt: an Episode without its trajectory.
type Result struct {
	Schema int `json:"schema"`
	// ID identifies the planned episode: a hash of task and condition.
	ID      string `json:"id"`
	Attempt int    `json:"attempt"` // the number of the attempt at this episode, from 1

	Env          string          `json:"env"`
	Source       envs.Source     `json:"source"`
	Task         string          `json:"task"`
	TaskIndex    int             `json:"task_index"`
	TaskType     string          `json:"task_type"`
	Difficulty   envs.Difficulty `json:"difficulty"`
	Model        string          `json:"model"`
	Agent        string          `json:"agent"`
	Seed         int64           `json:"seed"`
	Perturbation string          `json:"perturbation"`
	// Trial is the number of the trial, from 1; 0 if the task has only one.
	Trial int `json:"trial,omitempty"`
	// Preset is the key of the preset: its name, a space and its hash; empty without one.
	Preset string `json:"preset,omitempty"`

	Outcome Outcome `json:"outcome"`
	Error   string  `json:"error,omitempty"` // what went wrong when the outcome is not a result
	// Success and Progress are the environment's final values, Progress in [0,1].
	Success  bool    `json:"success"`
	Progress float64 `json:"progress"`
	// Score is the value of the preset's metric, from -1 to 1; nil without a preset or without a result. Loose is
	// set if the preset has a second, looser definition of success: whether the episode meets it.
	Score     *float64 `json:"score,omitempty"`
	Loose     *bool    `json:"loose_success,omitempty"`
	Grounding float64  `json:"grounding"` // the share of turns whose action was valid, 0 without steps
	// Steps counts the steps; FormatErrors counts the steps whose reply has no
	// readable action. Faults counts the replies by what is wrong with them.
	Steps        int           `json:"steps"`
	FormatErrors int           `json:"format_errors"`
	Faults       map[Fault]int `json:"faults,omitempty"`
	// Repairs counts, by rule, how often a rule of the preset changed or supplied an action.
	Repairs map[string]int `json:"repairs,omitempty"`
	// Leftovers counts the replies by what was taken off their text.
	Leftovers map[Leftover]int `json:"leftovers,omitempty"`
	// Rewritten counts the messages that a perturbation of the environment changed: the beginning, and steps whose
	// action or answer is another text. Nil without a perturbation and in older records.
	Rewritten *int `json:"rewritten,omitempty"`
	// Trimmed counts how often the oldest part of the history, or finally an
	// example, was removed to fit the context.
	Trimmed int `json:"trimmed"`
	// Store is what the store of an agent of the user's held, if it has one.
	Store *StoreHashes `json:"store,omitempty"`
	// Servers are the addresses of the servers that answered, in that order, if the run has several.
	Servers []string `json:"servers,omitempty"`
	// Answered counts the replies by the model that they say wrote them, and OtherModel those that name another one
	// of the models that the server lists. Fingerprints are what servers say of their set-up, sorted. CutPrompts
	// counts the prompts that a server must have cut: it counted no more tokens than in one that they continue.
	Answered     Answered `json:"answered,omitempty"`
	OtherModel   int      `json:"other_model,omitempty"`
	Fingerprints []string `json:"fingerprints,omitempty"`
	CutPrompts   int      `json:"cut_prompts,omitempty"`
	// Dropped are the fields of the decoding, sorted, that were not sent because the server refused them.
	Dropped []string `json:"dropped,omitempty"`
	Cut     Cut      `json:"cut,omitempty"` // the rule that ended the episode early; empty if none did
	// Forgotten counts the reflections that were removed to fit the context.
	Forgotten int `json:"forgotten,omitempty"`
	// Reflection is what the model wrote about a failed trial, if another one can follow.
	Reflection *Reflection `json:"reflection,omitempty"`

	// PromptTokens and CompletionTokens are sums over the calls, as the server
	// counted them, with the tokens of replies that were asked for again.
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TokenDetails
	// Calls counts the replies asked for, Requests what was sent for them, retries included.
	Calls    int `json:"calls"`
	Requests int `json:"requests"`
	Late     int `json:"late,omitempty"` // the number of requests that had no reply in time
	// Unusable: the run stopped because too few replies of the model could be used. With allow-unusable, the next
	// attempt begins with the replies of this one; Continued is what of its calls and tokens this one has counted.
	// Nil for none.
	Unusable     bool    `json:"unusable,omitempty"`
	Continued    *Usage  `json:"continued,omitempty"`
	ModelSeconds float64 `json:"model_seconds"` // the time spent on requests that got a reply
	// Branch is the name by which lines of forks.jsonl mean this episode; empty if it was not forked.
	Branch string `json:"branch,omitempty"`

	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
}

// Episode is one line of episodes.jsonl.
type Episode struct {
	Result
	// Goal and Observation are the first texts that the agent received.
	Goal        string `json:"goal"`
	Observation string `json:"observation"`
	// Memory holds the reflections on earlier trials that the agent was shown, the oldest first.
	Memory []Remembered `json:"memory,omitempty"`
	// Trajectory holds the steps.
	Trajectory []Step `json:"trajectory"`
	// Checksum is the last field of the line. It covers everything before it. It is empty in lines from before
	// there were checksums, which have schema 1. The store computes it.
	Checksum string `json:"checksum,omitempty"`
}

// Step is one step of a trajectory.
type Step struct {
	Thought     string  `json:"thought"`
	Action      string  `json:"action"`
	Observation string  `json:"observation"`
	Progress    float64 `json:"progress"`
	Valid       bool    `json:"valid"`
	// Understood: the environment carried out an action that is not valid, as
	// envs.Step says. False in older records.
	Understood bool `json:"understood,omitempty"`
	// Score is the environment's own score, from -1 to 1; nil without a preset that asks for it.
	Score *float64 `json:"score,omitempty"`
	// OldForm and NewForm are set under a perturbation that writes the action's form
	// differently: the environment's form of the action, such as "go to {recep}", as
	// OldForm if the action is written in the old way, and otherwise as NewForm.
	OldForm string `json:"old_form,omitempty"`
	NewForm string `json:"new_form,omitempty"`
	// FormatError: no action could be read from the reply.
	FormatError  bool   `json:"format_error,omitempty"`
	FinishReason string `json:"finish_reason,omitempty"` // the server's reason for the end of the reply
	Fault        Fault  `json:"fault,omitempty"`         // what is wrong with the reply
	// Reply is the model's text if it is more than thought and action, or what the model sent in place of a text.
	Reply     string `json:"reply,omitempty"`
	Reasoning string `json:"reasoning,omitempty"` // what the model reasoned before the reply
	// Parsed is the action as it was read from the reply, if the environment got another one. Repairs are the rules
	// of the preset that changed it or, without a readable action, supplied one, in order.
	Parsed  string   `json:"parsed,omitempty"`
	Repairs []string `json:"repairs,omitempty"`
	// PromptTokens, CompletionTokens and ModelSeconds are what the step cost, as in
	// Result. All are zero for baselines and in older records.
	PromptTokens     int     `json:"prompt_tokens,omitempty"`
	CompletionTokens int     `json:"completion_tokens,omitempty"`
	ModelSeconds     float64 `json:"model_seconds,omitempty"`
	TokenDetails
	// Sent are digests of the prompts that the model answered for the step, in order: 16
	// hex digits of a SHA-256 over roles and texts of all messages. Nil in older records.
	Sent []string `json:"sent,omitempty"`
	// TokenIDs are the tokens of the reply and Logprobs their log-probabilities, as far as
	// a trainer that played through a server sent them.
	TokenIDs []int     `json:"token_ids,omitempty"`
	Logprobs []float64 `json:"logprobs,omitempty"`
	Notes    []Note    `json:"notes,omitempty"` // what an agent of the user's shows of the step
}

// Note is a text that an agent of the user's shows, such as a memory or a call of a tool, with a title if it has one.
type Note struct {
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
}

// StoreHashes are hashes of what an agent of the user's remembers, before and after an episode, in its own hex digits.
type StoreHashes struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// Usage is what model calls took.
type Usage struct {
	Calls            int `json:"calls"`
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TokenDetails
}

// Plus returns the sums.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Calls + v.Calls, u.PromptTokens + v.PromptTokens, u.CompletionTokens + v.CompletionTokens,
		u.TokenDetails.Plus(v.TokenDetails)}
}

// Own is what the calls of the attempt took that no earlier one has counted.
func (r *Result) Own() Usage {
	u := Usage{r.Calls, r.PromptTokens, r.CompletionTokens, r.TokenDetails}
	if c := r.Continued; c != nil {
		u = u.Plus(Usage{-c.Calls, -c.PromptTokens, -c.CompletionTokens,
			TokenDetails{-c.CachedTokens, -c.ReasoningTokens}})
	}
	return u
}

// TokenDetails are parts of tokens that services charge for at another price, or show
// to nobody. Both are as the server counted them; 0 if it did not.
type TokenDetails struct {
	// CachedTokens are the tokens of the prompts that the server had computed before.
	CachedTokens int `json:"cached_tokens,omitempty"`
	// ReasoningTokens are the tokens of the completions that came before the reply.
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`
}

// Plus returns the sums.
func (d TokenDetails) Plus(e TokenDetails) TokenDetails {
	return TokenDetails{d.CachedTokens + e.CachedTokens, d.ReasoningTokens + e.ReasoningTokens}
}

// Erroneous reports that no action could be read from the reply, or that the
// environment did not understand or carry out the action.
func (s Step) Erroneous() bool { return !s.Valid && !s.Understood }

// check reports an attempt that no version of heldout would write. The error begins with the field.
func (e *Episode) check() error {
	if err := e.Result.check(); err != nil {
		return err
	}
	if err := e.checkTrial(); err != nil {
		return err
	}
	return e.checkTrajectory()
}

// check is the part of Episode's that needs no trajectory.
func (r *Result) check() error {
	switch {
	case !readable(r.Schema):
		return &schemaError{r.Schema}
	case r.ID == "":
		return fmt.Errorf("id: the record has no id")
	case r.Attempt < 1:
		return fmt.Errorf("attempt: %d is less than 1", r.Attempt)
	case !r.Outcome.valid():
		return fmt.Errorf("outcome: unknown outcome %q", r.Outcome)
	case !fraction(r.Progress):
		return fmt.Errorf("progress: %v is outside of [0,1]", r.Progress)
	case r.Steps < 0 || r.Steps > MaxSteps:
		return fmt.Errorf("steps: %d is outside of 0 to %d", r.Steps, MaxSteps)
	case r.FormatErrors < 0 || r.FormatErrors > r.Steps:
		return fmt.Errorf("format_errors: %d contradicts %d steps", r.FormatErrors, r.Steps)
	case r.Rewritten != nil && (*r.Rewritten < 0 || *r.Rewritten > r.Steps+1):
		return fmt.Errorf("rewritten: %d contradicts %d steps", *r.Rewritten, r.Steps)
	case !fraction(r.Grounding):
		return fmt.Errorf("grounding: %v is outside of [0,1]", r.Grounding)
	case r.Success != (r.Outcome == Success):
		return fmt.Errorf("success: outcome %s contradicts success %v", r.Outcome, r.Success)
	case r.Outcome.Final() && r.Error != "":
		return fmt.Errorf("error: outcome %s contradicts an error: %.100q", r.Outcome, r.Error)
	}
	return r.checkScore()
}

// checkTrajectory compares the attempt's totals with its steps.
func (e *Episode) checkTrajectory() error {
	valid, formatErrors, progress := 0, 0, 0.0
	faults, repairs := map[Fault]int{}, map[string]int{}
	for i, s := range e.Trajectory {
		if !fraction(s.Progress) {
			return fmt.Errorf("trajectory[%d].progress: %v is outside of [0,1]", i, s.Progress)
		}
		if s.Valid && s.FormatError && e.Agent != act {
			return fmt.Errorf("trajectory[%d].valid: a format error has no valid action", i)
		}
		if s.Understood && (s.Valid || s.FormatError) {
			return fmt.Errorf("trajectory[%d].understood: contradicts a valid action or a format error", i)
		}
		if s.Valid {
			valid++
		}
		if s.FormatError {
			formatErrors++
		}
		if s.Fault != "" {
			faults[s.Fault]++
		}
		for _, rule := range s.Repairs {
			repairs[rule]++
		}
		progress = s.Progress
	}
	grounding := 0.0
	if len(e.Trajectory) > 0 {
		grounding = float64(valid) / float64(e.Turns())
	}
	switch {
	case e.Steps != len(e.Trajectory):
		return fmt.Errorf("steps: %d contradicts a trajectory of %d", e.Steps, len(e.Trajectory))
	case e.FormatErrors != formatErrors:
		return fmt.Errorf("format_errors: %d contradicts a trajectory with %d", e.FormatErrors, formatErrors)
	case !maps.Equal(e.Faults, faults):
		return fmt.Errorf("faults: %v contradicts a trajectory with %v", e.Faults, faults)
	case !maps.Equal(e.Repairs, repairs):
		return fmt.Errorf("repairs: %v contradicts a trajectory with %v", e.Repairs, repairs)
	case e.Grounding != grounding:
		return fmt.Errorf("grounding: %v contradicts a trajectory with %v", e.Grounding, grounding)
	case e.Progress != progress:
		return fmt.Errorf("progress: %v contradicts a trajectory that ends with %v", e.Progress, progress)
	case e.Success && e.Steps == 0:
		return fmt.Errorf("success: a success without steps")
	}
	return nil
}

// fraction reports whether x is in [0,1]; NaN is not.
func fraction(x float64) bool { return x >= 0 && x <= 1 }

// schemaError says that something was written by another version.
type schemaError struct{ schema int }

func (e *schemaError) Error() string {
	return fmt.Sprintf("it has schema %d, this version of heldout reads 1 to %d", e.schema, Schema)
}

// newer reports whether a later version wrote it.
func (e *schemaError) newer() bool { return e.schema > Schema }

// unmarshal decodes JSON of our schema. Data of another schema may not fit the type at all; the error then reports
// the other schema. Numbers keep the digits that they were written with, because ids are hashes of them.
func unmarshal(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err := d.Decode(v)
	if err == nil {
		if rest := bytes.TrimSpace(b[d.InputOffset():]); len(rest) > 0 {
			return fmt.Errorf("there is more after the end of the value: %.20q", rest)
		}
		return nil
	}
	var header struct {
		Schema int `json:"schema"`
	}
	if json.Unmarshal(b, &header) == nil && !readable(header.Schema) {
		return &schemaError{header.Schema}
	}
	if explained := datafile.Unmarshal(b, reflect.New(reflect.TypeOf(v).Elem()).Interface()); explained != nil {
		return explained
	}
	return datafile.Plain(err)
}

// act is the name of AgentBoard's agent without thoughts. Its empty replies are actions,
// which an environment may find valid.
const act = "act"

// Turns is the number of turns of an episode: its steps and, as AgentBoard counts for the
// agent act, the call that the server refused.
func (e *Episode) Turns() int {
	if e.Agent == act && e.Cut == ContextOverflow {
		return len(e.Trajectory) + 1
	}
	return len(e.Trajectory)
}
