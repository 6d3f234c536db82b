package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sashabaranov/go-openai"

	"heldout/scoring/record"
)

type openAI struct {
	*caller
	spec Spec
	// base ends before "/chat/completions"; query is what all addresses end with.
	base, query string
	// option is the context limit that was given.
	option int
	// reported is what the server last reported about itself, nil until it is asked.
	reported atomic.Pointer[record.ServerReport]
	// habits are how requests are written for the server.
	habits habits
	pacer  *pacer
	// chats and completions are requests without a body. They do not change.
	chats, completions *http.Request
}

// prepare makes the parts of requests that are always the same.
func (o *openAI) prepare() (err error) {
	request := func(path string) (*http.Request, error) {
		req, err := http.NewRequest(http.MethodPost, o.base+path+o.query, nil)
		if err != nil {
			return nil, err
		}
		maps.Copy(req.Header, o.headers)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json")
		return req, nil
	}
	if o.chats, err = request("/chat/completions"); err != nil {
		return err
	}
	o.completions, err = request("/completions")
	return err
}

// Waits is as the pacer says.
func (o *openAI) Waits() time.Time { return o.pacer.waits() }

// ContextLimit is the one that was given, or that the server reported.
func (o *openAI) ContextLimit() int {
	if o.option > 0 {
		return o.option
	}
	if about := o.reported.Load(); about != nil {
		return about.ContextLength
	}
	return 0
}

// kind returns the kind of server as in Server.Software, "" if it is none of
// them.
func (o *openAI) kind() string {
	if about := o.reported.Load(); about != nil && about.Software != "" {
		return about.Software
	}
	if o.spec.Provider == VLLM {
		return vLLM
	}
	return ""
}

// chatFields are the fields of a chat request to that kind of server. The
// library's own types would leave out a temperature of 0 and empty messages, round
// numbers to 32 bits, and have no place for extra fields.
func chatFields(name, kind string, req *Request, h habit) map[string]any {
	fields := map[string]any{
		"model":         name,
		messagesField:   req.Messages,
		seedField:       req.Seed,
		h.lengthField(): req.Decoding.MaxTokens,
	}
	if req.Tool != (Tool{}) {
		fields["tools"], fields[messagesField] = toolFields(req)
	}
	if req.Completion {
		delete(fields, messagesField)
		fields["prompt"] = req.prompt()
	}
	maps.Copy(fields, neutral[kind])
	setNumbers(fields, req.Decoding)
	if len(req.Decoding.Stop) > 0 && !h.keepsStops {
		fields[stopField] = req.Decoding.Stop
	}
	for _, name := range h.dropped {
		delete(fields, name)
	}
	merge(fields, req.Decoding.Extra)
	h.stream(fields, req.Decoding.Extra)
	return fields
}

const (
	messagesField = "messages"
	seedField     = "seed"
)

// chat makes a call, and repeats it if the server turns out to need requests in
// another form.
func (o *openAI) chat(ctx context.Context, req *Request) (*Reply, error) {
	attempts := 0
	var unused *Reply
	for {
		h := o.habits.now()
		reply, err := o.ask(ctx, req, h)
		if refused, ok := errors.AsType[*RequestError](err); ok {
			attempts += refused.Attempts
			refused.Attempts = attempts
			if o.habits.drop(refused, h, req.Decoding) {
				continue
			}
		}
		if err == nil {
			attempts += reply.Attempts
			reply.Attempts = attempts
			if reply.Reasoning != "" && h.sendsStops(req.Decoding) && !req.KeepReasoning {
				o.habits.keepStops()
				unused = reply
				continue
			}
			reply.replaces(unused)
			reply.Dropped = h.dropped
		}
		return reply, err
	}
}

// ask makes a call in the way that h says.
func (o *openAI) ask(ctx context.Context, req *Request, h habit) (*Reply, error) {
	body, err := json.Marshal(chatFields(o.spec.Name, o.kind(), req, h))
	if err != nil {
		return nil, unsendable(o.url, clean(err.Error(), o.key))
	}
	reply := &Reply{}
	paced := *o.caller
	paced.acquire = func(ctx context.Context) (func(*exchange), error) {
		expected, err := o.pacer.wait(ctx, len(body))
		return func(x *exchange) { o.pacer.answered(len(body), expected, reply, x.header) }, err
	}
	attempts, err := paced.call(ctx, req.retryRule(), func(ctx context.Context, x *exchange) error {
		x.body, x.limit = body, h.replyLimit(longest(req.Decoding))
		start := o.now()
		prepared := o.chats
		if req.Completion {
			prepared = o.completions
		}
		if err := x.post(ctx, prepared); err != nil {
			return err
		}
		return o.read(x, req, h, o.now().Sub(start), reply)
	})
	if err != nil {
		return nil, err
	}
	reply.Attempts = attempts
	return reply, nil
}

// read reads what came after that time.
func (o *openAI) read(x *exchange, req *Request, h habit, latency time.Duration, reply *Reply) error {
	read := converse
	if req.Completion {
		read = complete
	}
	if err := x.joinPieces(); err != nil {
		return err
	}
	sent, err := read(x, reply)
	if err != nil {
		return err
	}
	reply.Latency = latency
	reply.settle(sent.forRequest(req), req.KeepReasoning, stopsOf(req.Decoding), h.sendsStops(req.Decoding), o.key)
	return nil
}

func (x *exchange) decode(into any) error {
	if !x.answered() {
		return errMisread
	}
	// something may follow the reply
	if json.Unmarshal(x.reply, into) != nil && json.NewDecoder(bytes.NewReader(x.reply)).Decode(into) != nil {
		return errMisread
	}
	return nil
}

// complete reads the continuation of a text.
func complete(x *exchange, reply *Reply) (content, error) {
	var response openai.CompletionResponse
	err := x.decode(&response)
	switch {
	case err != nil:
		return content{}, err
	case len(response.Choices) == 0:
		return content{}, errNoMessage
	}
	*reply = Reply{FinishReason: response.Choices[0].FinishReason}
	if response.Usage != nil {
		reply.count(response.Usage)
	}
	if finished(reply.FinishReason, brokenWords) {
		return content{}, errGaveUp
	}
	return content{text: response.Choices[0].Text}, nil
}

// converse reads the next turn of a chat.
func converse(x *exchange, reply *Reply) (content, error) {
	var r chatReply
	if err := x.decode(&r); err != nil {
		return content{}, err
	}
	if !absentJSON(r.Error) || r.Object == "error" {
		if _, isError := readWords(x.reply); isError {
			return content{}, errMisread
		}
	}
	if len(r.Choices) == 0 || r.Choices[0].Message == nil {
		return content{}, errNoMessage
	}
	*reply = Reply{FinishReason: string(r.Choices[0].FinishReason)}
	reply.count(&r.Usage)
	if finished(reply.FinishReason, brokenWords) {
		return content{}, errGaveUp
	}
	return r.Choices[0].Message.content()
}

// count notes the tokens that the server counted. Parts are no more than the whole.
func (r *Reply) count(u *openai.Usage) {
	r.PromptTokens, r.CompletionTokens = max(u.PromptTokens, 0), max(u.CompletionTokens, 0)
	if d := u.PromptTokensDetails; d != nil {
		r.CachedTokens = min(max(d.CachedTokens, 0), r.PromptTokens)
	}
	if d := u.CompletionTokensDetails; d != nil {
		r.ReasoningTokens = min(max(d.ReasoningTokens, 0), r.CompletionTokens)
	}
}

// chatReply is a chat completion. The library's own type does not show errors, a
// missing message and a reasoning of that name, and takes much longer to read.
type chatReply struct {
	Error   json.RawMessage `json:"error"`
	Object  any             `json:"object"`
	Choices []struct {
		Message      *message            `json:"message"`
		FinishReason openai.FinishReason `json:"finish_reason"`
	} `json:"choices"`
	Usage openai.Usage `json:"usage"`
}

// message is the model's turn. Types are left open where servers differ.
type message struct {
	Content any `json:"content"`
	Refusal any `json:"refusal"`
	// The names that vLLM used before and after it renamed the field.
	ReasoningContent any `json:"reasoning_content"`
	Reasoning        any `json:"reasoning"`

	ToolCalls    json.RawMessage `json:"tool_calls"`
	FunctionCall json.RawMessage `json:"function_call"`
}

// absentJSON reports whether a JSON value is absent or empty.
func absentJSON(value json.RawMessage) bool {
	switch string(value) {
	case "", "null", "[]", "{}":
		return true
	}
	return false
}

func (m *message) content() (content, error) {
	c := content{refusal: textOf(m.Refusal)}
	switch parts := m.Content.(type) {
	case nil:
		c.null = true
	case string:
		c.text = parts
	case []any:
		c.null = len(parts) == 0
		for _, part := range parts {
			object, ok := part.(map[string]any)
			if !ok && part != nil {
				return content{}, errMisread
			}
			c.text += textOf(object["text"])
			c.reasoning += textOf(object["thinking"])
		}
	default:
		return content{}, errMisread
	}
	for _, reasoning := range []any{m.ReasoningContent, m.Reasoning} {
		if c.reasoning == "" {
			c.reasoning = textOf(reasoning)
		}
	}
	var calls []openai.ToolCall
	if !absentJSON(m.ToolCalls) {
		if json.Unmarshal(m.ToolCalls, &calls) != nil {
			return content{}, errMisread
		}
		c.toolCalls, c.calls = string(m.ToolCalls), calledTools(calls)
	}
	if !absentJSON(m.FunctionCall) { // of servers that know no tools yet
		c.toolCalls += string(m.FunctionCall)
	}
	return c, nil
}

// textOf reads a text, or a list of parts with one text each, as Mistral's models
// send it.
func textOf(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []any:
		var texts []string
		for _, part := range value {
			if object, ok := part.(map[string]any); ok {
				texts = append(texts, stringField(object, "text"))
			}
		}
		return strings.Join(texts, "")
	}
	return ""
}

// longest is the largest number of tokens of a reply, 0 if the extra fields leave
// that to the server.
func longest(d record.Decoding) int {
	largest := 0
	for _, name := range lengthFields {
		value, set := d.Extra[name]
		if !set {
			continue
		}
		number, err := strconv.Atoi(fmt.Sprint(value)) // of the type that the file or flag gave it
		if err != nil {
			return 0
		}
		largest = max(largest, number)
	}
	return max(largest, d.MaxTokens)
}

// lengthFields are the names by which servers call the largest length of a
// reply.
var lengthFields = []string{"max_tokens", "max_completion_tokens", "num_predict"}

// droppable are the fields that are left out for a server that refuses them.
var droppable = slices.Concat([]string{seedField}, samplingFields)

// stopsOf are the stop strings, none if the extra fields replace them.
func stopsOf(d record.Decoding) []string {
	if d.Extra[stopField] != nil {
		return nil
	}
	return d.Stop
}
