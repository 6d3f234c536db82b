package inspectlog

import (
	"cmp"
	"fmt"
	"time"

	"heldout/scoring/record"
)

// event is a call of a model, or what a step did.
type event struct {
	UUID         string    `json:"uuid"`
	Timestamp    time.Time `json:"timestamp"`
	WorkingStart float64   `json:"working_start"`
	Event        string    `json:"event"`
	*modelEvent
	*infoEvent
}

type modelEvent struct {
	Model       string     `json:"model"`
	Input       []message  `json:"input"`
	Refs        [][2]int   `json:"input_refs"`
	Tools       []struct{} `json:"tools"`
	ToolChoice  string     `json:"tool_choice"`
	Config      struct{}   `json:"config"`
	Output      output     `json:"output"`
	WorkingTime float64    `json:"working_time,omitempty"`
}

type infoEvent struct {
	Source string   `json:"source"`
	Data   stepInfo `json:"data"`
}

// stepInfo is what a step did, beside its messages.
type stepInfo struct {
	Step       int          `json:"step"`
	Action     string       `json:"action"`
	Valid      bool         `json:"valid"`
	Progress   float64      `json:"progress"`
	Unreadable bool         `json:"unreadable,omitempty"`
	Fault      record.Fault `json:"fault,omitempty"`
}

// eventsData has the messages of all calls, each once.
type eventsData struct {
	Messages []message  `json:"messages"`
	Calls    []struct{} `json:"calls"`
}

// play writes the calls and the steps of the attempt in order, and collects the messages. Records do
// not say when a step was: its time is that of the start and the calls before it.
func (a *playedSample) play(c *conversation) []event {
	events, seconds, next := []event{}, 0.0, 0
	add := func(name string, m *modelEvent, i *infoEvent) {
		events = append(events, event{fmt.Sprintf("%s-%d-e%d", a.Episode.ID, a.Attempt, len(events)),
			a.Started.UTC().Add(time.Duration(seconds * float64(time.Second))), seconds, name, m, i})
	}
	for i := range a.Trajectory {
		s := &a.Trajectory[i]
		for ; next < len(a.calls) && a.calls[next].Step == i; next++ {
			if next == 0 {
				c.call(&a.calls[0], nil)
			} else {
				c.call(&a.calls[next], &a.calls[next-1])
			}
			last := next+1 == len(a.calls) || a.calls[next+1].Step != i
			said := a.output(s, c.reply, last)
			add("model", &modelEvent{Model: a.model, Input: []message{}, Refs: c.ranges(), Tools: []struct{}{},
				ToolChoice: "none", Output: said, WorkingTime: said.Time}, nil)
		}
		seconds += s.ModelSeconds
		add("info", nil, &infoEvent{"heldout", stepInfo{i + 1, s.Action, s.Valid, s.Progress, s.FormatError, s.Fault}})
	}
	return events
}

// stops are Inspect's names of reasons for the end of a reply.
var stops = map[string]string{"stop": "stop", "length": "max_tokens", "content_filter": "content_filter",
	"tool_calls": "tool_calls"}

// output is a reply. What a step took is with the last one for it.
func (a *playedSample) output(s *record.Step, said *message, last bool) output {
	o := output{Model: a.model, Choices: []choice{{*said, cmp.Or(stops[s.FinishReason], "unknown")}},
		Completion: said.text()}
	if a.condition.Decoding != nil && last {
		u := newUsage(s.PromptTokens, s.CompletionTokens, s.TokenDetails)
		o.Usage, o.Time = &u, s.ModelSeconds
	}
	return o
}
