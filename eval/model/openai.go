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

	"heldout/eval/record"

	"github.com/sashabaranov/go-openai"
)

// openAI is the client of an OpenAI-compatible server.
type openAI struct {
	*caller
	spec Spec
	// base ends before "/chat/completions".
	base string
	// option is the context limit that was given.
	option int
	// known is what the server last reported about itself, nil until it is asked.
	known atomic.Pointer[record.Server]
	// habits are how requests are written for the server.
	habits habits
}

func (o *openAI) contextLimit() int {
	if o.option > 0 {
		return o.option
	}
	if about := o.known.Load(); about != nil {
		return about.ContextLength
	}
	return 0
}

// kind returns the kind of server as in Server.Software, "" if it is none of
// them.
func (o *openAI) kind() string {
	if about := o.known.Load(); about != nil && about.Software != "" {
		return about.Software
	}
	if o.spec.Provider == VLLM {
		return vLLM
	}
	return ""
}

// chatBody is the body of a chat request to that kind of server. The library's
// own types would leave out a temperature of 0 and empty messages, round numbers
// to 32 bits, and have no place for extra fields.
func chatBody(name, kind string, req Request, h habit) ([]byte, error) {
	fields := map[string]any{
		"model":         name,
		messagesField:   req.Messages,
		"temperature":   req.Decoding.Temperature,
		"top_p":         req.Decoding.TopP,
		"seed":          req.Seed,
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
	if len(req.Decoding.Stop) > 0 && !h.keepsStops {
		fields[stopField] = req.Decoding.Stop
	}
	for _, name := range h.dropped {
		delete(fields, name)
	}
	merge(fields, req.Decoding.Extra)
	fields["stream"] = false
	return encodeFields(fields, req)
}

// encodeFields is json.Marshal, except that the messages of the request are
// encoded by its Encoder.
func encodeFields(fields map[string]any, req Request) ([]byte, error) {
	if _, own := fields[messagesField].([]Message); !own || req.Encoder == nil {
		return json.Marshal(fields)
	}
	names := slices.Sorted(maps.Keys(fields)) // as json.Marshal does
	at := slices.Index(names, messagesField)
	head, err := appendFields(nil, '{', names[:at], fields)
	if err != nil {
		return nil, err
	}
	separator := byte(',')
	if at == 0 {
		separator = '{'
	}
	head = append(append(head, separator), `"`+messagesField+`":[`...)
	tail, err := appendFields([]byte{']'}, ',', names[at+1:], fields)
	if err != nil {
		return nil, err
	}
	return req.Encoder.encode(head, req.Messages, append(tail, '}'))
}

const messagesField = "messages"

// appendFields writes fields of a JSON object. The first one follows that byte.
func appendFields(b []byte, before byte, names []string, fields map[string]any) ([]byte, error) {
	for _, name := range names {
		b = append(b, before)
		before = ','
		var err error
		if b, err = appendJSON(b, name); err != nil {
			return nil, err
		}
		if b, err = appendJSON(append(b, ':'), fields[name]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// appendJSON is json.Marshal, with a shorter way for the usual types.
func appendJSON(b []byte, value any) ([]byte, error) {
	switch value := value.(type) {
	case int:
		return strconv.AppendInt(b, int64(value), 10), nil
	case int64:
		return strconv.AppendInt(b, value, 10), nil
	case bool:
		return strconv.AppendBool(b, value), nil
	case string:
		if plain(value) {
			return append(append(append(b, '"'), value...), '"'), nil
		}
	}
	text, err := json.Marshal(value)
	return append(b, text...), err
}

// plain reports that JSON has a text as it is.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// chat makes a call, and repeats it if the server turns out to need requests in
// another form.
func (o *openAI) chat(ctx context.Context, req Request) (Reply, error) {
	attempts := 0
	var unused Reply
	for {
		h := o.habits.now()
		reply, err := o.ask(ctx, req, h)
		var refused *RequestError
		switch {
		case errors.As(err, &refused):
			attempts += refused.Attempts
			refused.Attempts = attempts
			if o.habits.drop(refused, h, req.Decoding) {
				continue
			}
		case err == nil:
			attempts += reply.Attempts
			reply.Attempts = attempts
			if reply.Reasoning != "" && h.sendsStops(req.Decoding) {
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
func (o *openAI) ask(ctx context.Context, req Request, h habit) (Reply, error) {
	body, err := chatBody(o.spec.Name, o.kind(), req, h)
	if err != nil {
		return Reply{}, unsendable(o.url, clean(err.Error(), o.key))
	}
	var reply Reply
	sentOnce := false
	attempts, err := o.call(ctx, always, func(ctx context.Context, x *exchange) error {
		x.body, x.limit = body, replyLimit(longest(req.Decoding))
		defer func() { sentOnce = x.sentOnce() }()
		start := o.now()
		converse := o.converse
		if req.Completion {
			converse = o.complete
		}
		sent, err := converse(ctx, x, &reply)
		reply.Latency = o.now().Sub(start)
		if err == nil {
			reply.settle(sent.of(req), req.KeepReasoning, stopsOf(req.Decoding), h.sendsStops(req.Decoding), o.key)
		}
		return err
	})
	if err != nil {
		return Reply{}, err
	}
	if req.Encoder != nil && attempts == 1 && sentOnce {
		req.Encoder.giveBack(body)
	}
	reply.Attempts = attempts
	return reply, nil
}

// post sends the body that x holds and decodes the reply.
func (o *openAI) post(ctx context.Context, x *exchange, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(o.base, "/")+path, nil)
	if err != nil {
		return err
	}
	req.Header = http.Header{"Content-Type": asJSON, "Accept": asJSON}
	resp, err := x.Do(req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close() // the exchange has read it
	if !x.answered() {
		return errMisread
	}
	if json.Unmarshal(x.reply, into) != nil && json.NewDecoder(resp.Body).Decode(into) != nil { // something may follow the reply
		return errMisread
	}
	return nil
}

// asJSON is the value of headers. A request does not change it.
var asJSON = []string{"application/json"}

// complete sends the body that x holds, which asks for the continuation of a
// text, and reads the answer.
func (o *openAI) complete(ctx context.Context, x *exchange, reply *Reply) (content, error) {
	var response openai.CompletionResponse
	err := o.post(ctx, x, "/completions", &response)
	switch {
	case err != nil:
		return content{}, err
	case len(response.Choices) == 0:
		return content{}, errNoMessage
	}
	*reply = Reply{FinishReason: response.Choices[0].FinishReason}
	if usage := response.Usage; usage != nil {
		reply.PromptTokens, reply.CompletionTokens = max(usage.PromptTokens, 0), max(usage.CompletionTokens, 0)
	}
	if finished(reply.FinishReason, brokenWords) {
		return content{}, errGaveUp
	}
	return content{text: response.Choices[0].Text}, nil
}

// converse sends the body that x holds, which asks for the next turn of a chat,
// and reads the answer.
func (o *openAI) converse(ctx context.Context, x *exchange, reply *Reply) (content, error) {
	var response openai.ChatCompletionResponse
	if err := o.post(ctx, x, "/chat/completions", &response); err != nil {
		return content{}, err
	}
	sent, err := readContent(&response, x.reply)
	if err != nil {
		return content{}, err
	}
	*reply = Reply{
		FinishReason:     string(response.Choices[0].FinishReason),
		PromptTokens:     max(response.Usage.PromptTokens, 0),
		CompletionTokens: max(response.Usage.CompletionTokens, 0),
	}
	if finished(reply.FinishReason, brokenWords) {
		return content{}, errGaveUp
	}
	sent.calls = calledTools(response.Choices[0].Message.ToolCalls)
	return sent, nil
}

// readContent takes a completion apart. Fields that the library does not show are
// read from the body, unless the body cannot contain them: reading them costs as
// much as everything else.
func readContent(response *openai.ChatCompletionResponse, body []byte) (content, error) {
	if len(response.Choices) > 0 {
		m := &response.Choices[0].Message
		if m.Content != "" && len(m.ToolCalls) == 0 && m.FunctionCall == nil && !tellsMore(body) {
			return content{text: m.Content, reasoning: m.ReasoningContent, refusal: m.Refusal}, nil
		}
	}
	message, err := readMessage(body)
	switch {
	case err != nil:
		return content{}, err
	case len(response.Choices) == 0:
		return content{}, errNoMessage
	}
	return message.content(), nil
}

// tellsMore reports whether a body may contain an error, in any letter case, or a
// non-empty field "reasoning".
func tellsMore(body []byte) bool {
	return bytes.Contains(body, []byte("rror")) ||
		bytes.Count(body, []byte(`"reasoning"`)) > bytes.Count(body, []byte(`"reasoning":null`))
}

// completionReply is the part of a chat completion that the library does not
// show. Types are left open, because some servers send other types there.
type completionReply struct {
	Error   json.RawMessage `json:"error"`
	Object  any             `json:"object"`
	Choices []struct {
		Message *message `json:"message"`
	} `json:"choices"`
}

type message struct {
	Content json.RawMessage `json:"content"`
	Refusal any             `json:"refusal"`
	// The names that vLLM used before and after it renamed the field.
	ReasoningContent any `json:"reasoning_content"`
	Reasoning        any `json:"reasoning"`

	ToolCalls    json.RawMessage `json:"tool_calls"`
	FunctionCall json.RawMessage `json:"function_call"`
}

// readMessage also checks what the library does not: that there is a choice with
// a message in it, and no error.
func readMessage(body []byte) (*message, error) {
	var r completionReply
	if json.Unmarshal(body, &r) != nil {
		return nil, errMisread
	}
	if !absentJSON(r.Error) || r.Object == "error" {
		if _, isError := readWords(body); isError {
			return nil, errMisread
		}
	}
	if len(r.Choices) == 0 || r.Choices[0].Message == nil {
		return nil, errNoMessage
	}
	return r.Choices[0].Message, nil
}

// absentJSON reports whether a JSON value is absent or empty.
func absentJSON(value json.RawMessage) bool {
	switch string(value) {
	case "", "null", "[]", "{}":
		return true
	}
	return false
}

// content takes a message apart.
func (m *message) content() content {
	c := content{null: absentJSON(m.Content)}
	var parts []struct {
		Text     any `json:"text"`
		Thinking any `json:"thinking"`
	}
	if json.Unmarshal(m.Content, &c.text) != nil && json.Unmarshal(m.Content, &parts) == nil {
		for _, part := range parts {
			c.text += textOf(part.Text)
			c.reasoning += textOf(part.Thinking)
		}
	}
	for _, reasoning := range []any{m.ReasoningContent, m.Reasoning} {
		if c.reasoning == "" {
			c.reasoning = textOf(reasoning)
		}
	}
	c.refusal = textOf(m.Refusal)
	for _, calls := range []json.RawMessage{m.ToolCalls, m.FunctionCall} {
		if !absentJSON(calls) {
			c.toolCalls += string(calls)
		}
	}
	return c
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
	most := 0
	for _, name := range lengthFields {
		value, set := d.Extra[name]
		if !set {
			continue
		}
		number, err := strconv.Atoi(fmt.Sprint(value)) // of the type that the file or flag gave it
		if err != nil {
			return 0
		}
		most = max(most, number)
	}
	return max(most, d.MaxTokens)
}

// lengthFields are the names by which servers call the largest length of a
// reply.
var lengthFields = []string{"max_tokens", "max_completion_tokens", "num_predict"}

// droppable are the fields that are left out for a server that refuses them.
var droppable = slices.Concat([]string{"seed"}, samplingFields)

// stopsOf are the stop strings, none if the extra fields replace them.
func stopsOf(d record.Decoding) []string {
	if d.Extra[stopField] != nil {
		return nil
	}
	return d.Stop
}
