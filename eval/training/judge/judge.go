package judge

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/envs/stream"
	"heldout/eval/model"
	"heldout/eval/training/calls"
	"heldout/scoring/record"
	"heldout/scoring/table"
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
	return datafile.Hash(strings.Join(table.Each(turns, func(t JudgedTurn) string { return t.ID + "\n" }), ""))
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
	ID         string  `json:"id"`
	Trajectory string  `json:"trajectory"`
	Step       int     `json:"step"`             // from 0
	Original   Label   `json:"given"`            // the label that the trajectory has
	Answer     *Answer `json:"answer,omitempty"` // the judge's; nil without a result
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

// Unreadable is why a reply is not a label.
type Unreadable string

// The reasons, beside the faults of replies.
const (
	NoVerdict   Unreadable = "no verdict"
	TwoVerdicts Unreadable = "different verdicts"
)

// Answer is what a judge said of a turn.
type Answer struct {
	Label      Label      `json:"label,omitempty"` // empty if Unreadable says why there is none
	Unreadable Unreadable `json:"unreadable,omitempty"`
	Kind       string     `json:"kind,omitempty"`   // the kind of error that the judge names, "" for none
	Reason     string     `json:"reason,omitempty"` // the text before the verdict
}

// mostReason is the longest reason that is kept, in bytes.
const mostReason = 4_000

func readCall(c *calls.Call) Answer {
	if c.Fault != "" {
		return Answer{Unreadable: Unreadable(c.Fault)}
	}
	return readAnswer(c.Reply)
}

// readAnswer reads an answer: the JSON objects with the key verdict must agree, and
// their verdict must be right or wrong. Of a long reply only the end is searched.
func readAnswer(reply string) Answer {
	a := Answer{Unreadable: NoVerdict}
	for i := max(0, len(reply)-mostSearched); i < len(reply); {
		open := strings.IndexByte(reply[i:], '{')
		if open < 0 {
			break
		}
		i += open
		label, kind, size := verdict(reply[i:])
		if size == 0 {
			i++
			continue
		}
		switch {
		case a.Label == "" && a.Unreadable == NoVerdict:
			a = Answer{Label: label, Kind: kind, Reason: reason(reply[:i])}
		case label != a.Label:
			return Answer{Unreadable: TwoVerdicts}
		}
		i += size
	}
	return a
}

// mostVerdict is the longest JSON object that is read as a verdict, mostSearched the
// part of a reply that is searched for some, in bytes.
const (
	mostVerdict  = 1_000
	mostSearched = 20_000
)

// verdict reads the JSON object that a text begins with, and returns its size; 0 if that is no verdict.
func verdict(text string) (label Label, kind string, size int) {
	d := json.NewDecoder(strings.NewReader(text[:min(len(text), mostVerdict)]))
	var object struct {
		Verdict *string `json:"verdict"`
		Kind    any     `json:"kind"`
	}
	if d.Decode(&object) != nil || object.Verdict == nil {
		return "", "", 0
	}
	label = Label(strings.ToLower(strings.TrimSpace(*object.Verdict)))
	if label != Right && label != Wrong {
		return "", "", 0
	}
	if k, ok := object.Kind.(string); ok && label == Wrong {
		for _, fault := range []string{"parameter", "place", "logic"} {
			if strings.EqualFold(strings.TrimSpace(k), fault) {
				kind = fault
			}
		}
	}
	return label, kind, int(d.InputOffset())
}

// reason is the text before a verdict, without the beginning of a code fence.
func reason(text string) string {
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(text, "```json"), "```"))
	return table.Shortened(text, mostReason)
}
