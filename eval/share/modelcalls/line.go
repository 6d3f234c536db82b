package modelcalls

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/eval/show/trajectory"
	"heldout/scoring"
	"heldout/scoring/record"
)

// ConditionLine is the line of a condition, with all its seeds. Rates are fractions.
type ConditionLine struct {
	Run string `json:"run"`
	// Identity is a hash of the run's start and plan, Key identifies the condition without its seed.
	Identity  string           `json:"identity"`
	Key       string           `json:"key"`
	Condition record.Condition `json:"condition"`
	Seeds     []int64          `json:"seeds"`
	// Began is when the run was started; the zero of Unix if it does not say so.
	Began     time.Time   `json:"began"`
	Tool      record.Tool `json:"tool"`
	Behaviour int         `json:"behaviour"`
	// Title is the environment's name, Tasks are its planned tasks in order.
	Title  string   `json:"title"`
	Tasks  []string `json:"tasks"`
	Data   string   `json:"data_sha256,omitempty"`
	Caveat string   `json:"caveat,omitempty"`
	// Going: a process works on the run. Stopped says why a session ended early.
	Going      bool                   `json:"going"`
	Stopped    string                 `json:"stopped,omitempty"`
	Planned    int                    `json:"planned"`
	Finished   int                    `json:"finished"`
	Unfinished map[record.Outcome]int `json:"unfinished,omitempty"`
	// HeldOut says whether the model was tuned without data of the environment; nil if nobody said so.
	HeldOut    *bool                `json:"held_out,omitempty"`
	Server     *record.ServerReport `json:"server,omitempty"`
	Success    MeasuredRate         `json:"success"`
	Progress   MeasuredRate         `json:"progress"`
	Grounding  MeasuredRate         `json:"grounding"`
	Replies    int                  `json:"replies"`
	Unreadable int                  `json:"unreadable"`
	Spent      Tokens               `json:"spent"`
}

// MeasuredRate is a rate as tables have it: with its 95 % interval, and the standard deviation of the seeds. A number
// that there is not is nil.
type MeasuredRate struct {
	Mean *float64 `json:"mean,omitempty"`
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	Std  *float64 `json:"std,omitempty"`
}

// Tokens counts the tokens of a condition.
type Tokens struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	record.TokenDetails
}

// EpisodeLine is the line of an attempt that counts.
type EpisodeLine struct {
	// Condition is the number of the condition's line, from 0; Epoch the number of the seed, from 1.
	Condition int             `json:"condition"`
	Epoch     int             `json:"epoch"`
	Record    *record.Episode `json:"record"`
	// Reason says why the task was not solved, Means what that means.
	Reason  string      `json:"reason,omitempty"`
	Means   string      `json:"reason_means,omitempty"`
	Calls   []ModelCall `json:"calls,omitempty"`
	Unknown string      `json:"unknown,omitempty"` // why the calls are not known
}

// ModelCall is a call of the model.
type ModelCall struct {
	Step int `json:"step"` // the index in the trajectory of the step that the call is for
	// Shared counts the messages of the call before that begin this one; Messages are the further ones.
	Shared   int       `json:"kept,omitempty"`
	Messages []Message `json:"messages"`
	// Reply is what the model said; Echo is what later messages hold of it, if that is another text.
	Reply Message `json:"reply"`
	Echo  *string `json:"echo,omitempty"`
}

// Message is a message of a chat; a completion is one of the user.
type Message struct {
	Role model.Role     `json:"role"`
	Text string         `json:"text"`
	Tool model.ToolCall `json:"tool,omitzero"` // called, or answered
}

func newCondition(s *scoring.Score, m *record.Manifest, run string, going bool) *ConditionLine {
	c := s.Condition
	out := &ConditionLine{Run: run, Identity: identity(m), Key: c.Key(), Condition: c, Seeds: s.Seeds,
		Began: time.Unix(0, 0).UTC(), Tool: m.Tool, Behaviour: m.Behaviour, Title: envs.Title(c.Env),
		Data: s.Environment.DataHash, Caveat: s.Environment.Caveat, Going: going && !s.Complete(), Stopped: m.Stopped(),
		Planned: s.Planned, Finished: s.Finished, Unfinished: s.Unfinished,
		Success: newRate(s.Success), Progress: newRate(s.Progress), Grounding: newRate(s.Grounding),
		Replies: s.Unreadable().Replies, Unreadable: s.Unreadable().Unread,
		Spent: Tokens{s.Spent.PromptTokens, s.Spent.CompletionTokens, s.Spent.TokenDetails}}
	if len(m.Sessions) > 0 {
		out.Began = m.Sessions[0].Started.UTC().Truncate(time.Second)
	}
	for _, t := range s.Environment.Tasks {
		out.Tasks = append(out.Tasks, t.ID)
	}
	if environments := m.HeldIn[c.Model]; len(environments) > 0 {
		heldOut := !slices.Contains(environments, c.Env)
		out.HeldOut = &heldOut
	}
	if servers := m.Servers[c.Model]; len(servers) > 0 {
		out.Server = &servers[len(servers)-1]
	}
	return out
}

// identity identifies a run by its start and its plan.
func identity(m *record.Manifest) string {
	h := sha256.New()
	add := func(text string) { fmt.Fprintf(h, "%d %s", len(text), text) }
	if len(m.Sessions) > 0 {
		add(m.Sessions[0].Started.UTC().String())
	}
	for _, g := range m.Groups {
		for _, id := range g.Episodes {
			add(id)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:22]
}

func newRate(r scoring.Rate) (out MeasuredRate) {
	out.Mean, out.Low, out.High = r.Bounds()
	if !math.IsNaN(r.SampleStd) {
		out.Std = &r.SampleStd
	}
	return out
}

func newEpisode(e *record.Episode, c *record.Condition, calls []episode.Call, unknown error) *EpisodeLine {
	out := &EpisodeLine{Record: e}
	if unknown != nil {
		out.Unknown, calls = unknown.Error(), nil
	}
	if reason := trajectory.ReasonFor(e, c.StepLimit); reason != trajectory.Solved {
		about := trajectory.Reasons()[reason-1]
		out.Reason, out.Means = about.Label, about.Means
	}
	var last []Message
	for i := range calls {
		messages := messagesOf(&calls[i])
		shared := model.Common(last, messages)
		call := ModelCall{Step: calls[i].Step, Shared: shared, Messages: messages[shared:],
			Reply: replyOf(&calls[i], e.Agent)}
		if calls[i].Echo != call.Reply.Text {
			call.Echo = &calls[i].Echo
		}
		out.Calls, last = append(out.Calls, call), messages
	}
	return out
}

// messagesOf are the messages of a call; a completion's are one text.
func messagesOf(call *episode.Call) []Message {
	out := []Message{}
	for _, m := range call.Messages {
		if call.Request.Completion && len(out) > 0 {
			out[0].Text += m.Content
			continue
		}
		if call.Request.Completion {
			m.Role = model.User
		}
		out = append(out, Message{m.Role, m.Content, m.Call})
	}
	return out
}

func replyOf(call *episode.Call, form string) Message {
	if form != configs.ToolCall {
		return Message{Role: model.Assistant, Text: call.Reply}
	}
	reply := agent.CalledReply(call.Reply)
	return Message{model.Assistant, reply.Text, append(reply.Calls, model.ToolCall{})[0]}
}
