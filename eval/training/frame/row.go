package frame

import (
	"time"

	"heldout/scoring/record"
)

// EpisodeRow is an attempt at an episode. SCHEMA.md of the records explains the
// columns; optional ones are null where a record has nothing to say.
type EpisodeRow struct {
	Run              string    `parquet:"run,dict"`
	ID               string    `parquet:"id"`
	Attempt          int32     `parquet:"attempt"`
	Counts           bool      `parquet:"counts"` // it is the result of its episode
	Env              string    `parquet:"env,dict"`
	Source           string    `parquet:"source,dict"`
	Task             string    `parquet:"task,dict"`
	TaskIndex        int32     `parquet:"task_index,delta"`
	TaskType         string    `parquet:"task_type,dict"`
	Difficulty       string    `parquet:"difficulty,dict"`
	Model            string    `parquet:"model,dict"`
	Agent            string    `parquet:"agent,dict"`
	Seed             int64     `parquet:"seed,delta"`
	Perturbation     string    `parquet:"perturbation,dict"`
	Trial            *int32    `parquet:"trial,optional"`
	Preset           *string   `parquet:"preset,optional,dict"`
	Outcome          string    `parquet:"outcome,dict"`
	Error            *string   `parquet:"error,optional"`
	Success          bool      `parquet:"success"`
	Progress         float64   `parquet:"progress"`
	Score            *float64  `parquet:"score,optional"`
	Loose            *bool     `parquet:"loose_success,optional"`
	Grounding        float64   `parquet:"grounding"`
	Steps            int32     `parquet:"steps"`
	FormatErrors     int32     `parquet:"format_errors"`
	FaultRefused     int32     `parquet:"faults_refused"`
	FaultCutOff      int32     `parquet:"faults_cut_off"`
	FaultToolCalls   int32     `parquet:"faults_tool_calls"`
	FaultReasoning   int32     `parquet:"faults_only_reasoning"`
	FaultNoContent   int32     `parquet:"faults_no_content"`
	FaultEmpty       int32     `parquet:"faults_empty"`
	FaultNoAction    int32     `parquet:"faults_no_action"`
	Trimmed          int32     `parquet:"trimmed"`
	Forgotten        int32     `parquet:"forgotten"`
	Memory           *int32    `parquet:"memory_count,optional"`
	Cut              *string   `parquet:"cut,optional,dict"`
	Servers          []string  `parquet:"servers,list"`
	PromptTokens     int64     `parquet:"prompt_tokens"`
	CompletionTokens int64     `parquet:"completion_tokens"`
	Calls            int32     `parquet:"calls"`
	Requests         int32     `parquet:"requests"`
	ModelSeconds     float64   `parquet:"model_seconds"`
	Started          time.Time `parquet:"started,timestamp(microsecond)"`
	Ended            time.Time `parquet:"ended,timestamp(microsecond)"`
	Goal             *string   `parquet:"goal,optional"`
	Observation      *string   `parquet:"observation,optional"`
}

// StepRow is a step of an attempt, under the keys of its episode.
type StepRow struct {
	Run              string   `parquet:"run,dict"`
	ID               string   `parquet:"id,dict"`
	Attempt          int32    `parquet:"attempt"`
	Step             int32    `parquet:"step"` // from 0
	Env              string   `parquet:"env,dict"`
	Task             string   `parquet:"task,dict"`
	Model            string   `parquet:"model,dict"`
	Seed             int64    `parquet:"seed"`
	Thought          *string  `parquet:"thought,optional"`
	Action           *string  `parquet:"action,optional"`
	Observation      *string  `parquet:"observation,optional"`
	Reply            *string  `parquet:"reply,optional"`
	Reasoning        *string  `parquet:"reasoning,optional"`
	Parsed           *string  `parquet:"parsed,optional"`
	Progress         float64  `parquet:"progress"`
	Valid            bool     `parquet:"valid"`
	Understood       bool     `parquet:"understood"`
	Score            *float64 `parquet:"score,optional"`
	FormatError      bool     `parquet:"format_error"`
	FinishReason     *string  `parquet:"finish_reason,optional,dict"`
	Fault            *string  `parquet:"fault,optional,dict"`
	OldForm          *string  `parquet:"old_form,optional,dict"`
	NewForm          *string  `parquet:"new_form,optional,dict"`
	Repairs          []string `parquet:"repairs,list"`
	PromptTokens     int32    `parquet:"prompt_tokens"`
	CompletionTokens int32    `parquet:"completion_tokens"`
	ModelSeconds     float64  `parquet:"model_seconds"`
	Sent             []string `parquet:"sent,list"`
}

// filled returns a pointer to v, or nil if it says nothing.
func filled[T comparable](v T) *T {
	var nothing T
	if v == nothing {
		return nil
	}
	return &v
}

func text(include bool, s string) *string {
	if !include {
		return nil
	}
	return &s
}

func episodeRow(run string, e *record.Episode, texts bool) EpisodeRow {
	return EpisodeRow{
		Run: run, ID: e.ID, Attempt: int32(e.Attempt), Env: e.Env, Source: string(e.Source),
		Task: e.Task, TaskIndex: int32(e.TaskIndex), TaskType: e.TaskType, Difficulty: string(e.Difficulty),
		Model: e.Model, Agent: e.Agent, Seed: e.Seed, Perturbation: e.Perturbation, Trial: filled(int32(e.Trial)),
		Preset: filled(e.Preset), Outcome: string(e.Outcome), Error: filled(e.Error), Success: e.Success,
		Progress: e.Progress, Score: e.Score, Loose: e.Loose, Grounding: e.Grounding, Steps: int32(e.Steps),
		FormatErrors:   int32(e.FormatErrors),
		FaultRefused:   int32(e.Faults[record.Refused]),
		FaultCutOff:    int32(e.Faults[record.CutOff]),
		FaultToolCalls: int32(e.Faults[record.ToolCalls]),
		FaultReasoning: int32(e.Faults[record.OnlyReasoning]),
		FaultNoContent: int32(e.Faults[record.NoContent]),
		FaultEmpty:     int32(e.Faults[record.Empty]),
		FaultNoAction:  int32(e.Faults[record.NoAction]),
		Trimmed:        int32(e.Trimmed), Forgotten: int32(e.Forgotten),
		Memory: filled(int32(len(e.Memory))), Cut: filled(string(e.Cut)), Servers: e.Servers,
		PromptTokens: int64(e.PromptTokens), CompletionTokens: int64(e.CompletionTokens), Calls: int32(e.Calls),
		Requests: int32(e.Requests), ModelSeconds: e.ModelSeconds, Started: e.Started, Ended: e.Ended,
		Goal: text(texts, e.Goal), Observation: text(texts, e.Observation),
	}
}

func stepRows(run string, e *record.Episode, texts bool) []StepRow {
	rows := make([]StepRow, len(e.Trajectory))
	for i := range rows {
		rows[i] = stepRow(run, e, i, texts)
	}
	return rows
}

func stepRow(run string, e *record.Episode, i int, texts bool) StepRow {
	s := e.Trajectory[i] // a copy: the trajectory is not kept
	r := StepRow{
		Run: run, ID: e.ID, Attempt: int32(e.Attempt), Step: int32(i), Env: e.Env, Task: e.Task, Model: e.Model,
		Seed: e.Seed, Progress: s.Progress, Valid: s.Valid, Understood: s.Understood, Score: s.Score,
		FormatError: s.FormatError, FinishReason: filled(s.FinishReason), Fault: filled(string(s.Fault)),
		OldForm: filled(s.OldForm), NewForm: filled(s.NewForm), Repairs: s.Repairs,
		PromptTokens: int32(s.PromptTokens), CompletionTokens: int32(s.CompletionTokens), ModelSeconds: s.ModelSeconds,
		Sent: s.Sent,
	}
	if texts {
		r.Thought, r.Action, r.Observation = &s.Thought, &s.Action, &s.Observation
		r.Reply, r.Reasoning, r.Parsed = filled(s.Reply), filled(s.Reasoning), filled(s.Parsed)
	}
	return r
}
