package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"heldout/configs"
	"heldout/envs/stream"
	"heldout/eval/model"
	"heldout/eval/training/calls"
	"heldout/scoring/record"
)

// Setting is everything that the labels depend on, beside the servers.
type Setting struct {
	Model    string          `json:"model"`
	Decoding record.Decoding `json:"decoding"`
	// prompt and Turns are SHA-256 hashes: of the prompt, and of the sampled turns.
	Prompt       string   `json:"prompt"`
	Turns        string   `json:"turns"`
	Seed         int64    `json:"seed"`
	Sample       Sampling `json:"sample"`
	Trajectories int      `json:"trajectories"`
	MostHistory  int      `json:"most_history"`
}

// HashOf is the SHA-256, in hex, of the ids of turns.
func HashOf(turns []JudgedTurn) string {
	h := sha256.New()
	for i := range turns {
		io.WriteString(h, turns[i].ID+"\n") // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

// LabelCall is the kind of a judge's calls.
const LabelCall = "label"

// Judge labels turns by calls. It is safe for concurrent use.
type Judge struct {
	Condition Setting
	Prompt    configs.Judge
	Turns     []JudgedTurn
}

// Label labels the turn of that number, with a call that ask makes or finds.
func (j *Judge) Label(ctx context.Context, ask func(context.Context, calls.Question) (*calls.Call, error),
	i int) (Answer, error) {
	t := &j.Turns[i]
	c, err := ask(ctx, calls.Question{
		Key: t.ID, Kind: LabelCall,
		Messages: []model.Message{{Role: model.User, Content: t.prompt(j.Prompt, j.Condition.MostHistory)}},
		Decoding: j.Condition.Decoding,
		Seed:     stream.Seed(j.Condition.Seed, "judge", "call", t.ID),
	})
	if err != nil {
		return Answer{}, err
	}
	return readCall(c), nil
}

// LabelLine is a line of record.LabelsFile.
type LabelLine struct {
	ID         string `json:"id"`
	Trajectory string `json:"trajectory"`
	Step       int    `json:"step"` // from 0
	// Original is the label that the trajectory has.
	Original Label `json:"given"`
	// Answer is the judge's; nil without a result.
	Answer *Answer `json:"answer,omitempty"`
}

// WriteLabels writes a line for each turn.
func (j *Judge) WriteLabels(w io.Writer, answers map[string]Answer) error {
	lines := record.NewLines(w)
	for i := range j.Turns {
		t := &j.Turns[i]
		line := LabelLine{ID: t.ID, Trajectory: t.Trajectory.ID, Step: t.Index, Original: t.label()}
		if a, ok := answers[t.ID]; ok {
			line.Answer = &a
		}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
