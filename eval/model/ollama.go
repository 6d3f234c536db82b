package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"

	"heldout/scoring/record"
)

// defaultNumCtx is the context in tokens that Ollama is asked for when no limit
// was given. Ollama's own default depends on its version and the machine's
// memory; a model's full length can be more than the machine can hold.
const defaultNumCtx = 8192

type ollama struct {
	*caller
	spec Spec
	base *url.URL
	// option is the context limit that was given; chosen is the limit that was
	// chosen instead, 0 until one is chosen.
	option int
	chosen atomic.Int64
	// stops are the model's own stop strings, nil until they are known.
	stops atomic.Pointer[[]string]
	// habits says whether stop strings are sent.
	habits habits
}

func (o *ollama) kind() string { return ollamaSW }

// Waits is never: no limits are kept to.
func (o *ollama) Waits() time.Time { return time.Time{} }

// ContextLimit is the one that was given, or chosen.
func (o *ollama) ContextLimit() int {
	if o.option > 0 {
		return o.option
	}
	return int(o.chosen.Load())
}

func (o *ollama) chat(ctx context.Context, req *Request) (*Reply, error) {
	numCtx := o.ContextLimit()
	if numCtx == 0 {
		info, err := o.show(ctx, never)
		if err != nil {
			return nil, err
		}
		numCtx = o.learn(info)
	}
	h := o.habits.now()
	reply, limit, err := o.ask(ctx, *req, h, numCtx)
	if err == nil && reply.Reasoning != "" && h.sendsStops(req.Decoding) && !req.KeepReasoning {
		o.habits.keepStops()
		unused := reply
		if reply, limit, err = o.ask(ctx, *req, o.habits.now(), numCtx); err == nil {
			reply.Attempts += unused.Attempts
			reply.replaces(unused)
		}
	}
	if err == nil && limit > 0 && reply.PromptTokens >= limit {
		return nil, &ContextError{
			Status:    http.StatusOK,
			Message:   "the server filled the whole context with the prompt, and may have left out the rest of it",
			Limit:     limit,
			Requested: reply.PromptTokens,
			Attempts:  reply.Attempts,
		}
	}
	return reply, err
}

// ask makes a call in the way that h says. The limit is the context in force, 0
// if the extra fields leave it to the server.
func (o *ollama) ask(ctx context.Context, req Request, h habit, numCtx int) (reply *Reply, limit int, err error) {
	stops, stopsSent := stopsOf(req.Decoding), h.sendsStops(req.Decoding)
	if h.keepsStops {
		req.Decoding.Stop = nil
	}
	body := chatRequest(o.spec.Name, numCtx, o.withOwnStops(req))
	limit, _ = body.Options["num_ctx"].(int)
	attempts, err := o.forCall(&req).call(ctx, req.retryRule(), func(ctx context.Context, x *exchange) error {
		x.limit = replyLimit(longest(req.Decoding))
		start := o.now()
		response, sent, err := o.converse(ctx, x, body)
		if err == nil {
			sent, err = sent.forRequest(&req)
		}
		if err != nil {
			return err
		}
		reply = &Reply{Latency: o.now().Sub(start)}
		reply.FinishReason, _ = response.DoneReason.(string)
		reply.Model, _ = response.Model.(string)
		reply.PromptTokens, reply.CompletionTokens = int(response.Prompt), int(response.Completion)
		reply.settle(sent, &req, stops, stopsSent, o.key)
		return nil
	})
	if err != nil {
		return nil, limit, err
	}
	o.worked.Store(true)
	reply.Attempts = attempts
	return reply, limit, nil
}

// withOwnStops adds the model's own stop strings to a request that has stop
// strings. Without this, the request's stop strings would replace the model's
// own, which some models need to end their turn.
func (o *ollama) withOwnStops(req Request) Request {
	own := o.stops.Load()
	if own == nil || len(req.Decoding.Stop) == 0 {
		return req
	}
	stops := slices.Clone(*own)
	for _, s := range req.Decoding.Stop {
		if !slices.Contains(stops, s) {
			stops = append(stops, s)
		}
	}
	req.Decoding.Stop = stops
	return req
}

// chatRequest is the body of a chat request. By default, Ollama truncates a
// prompt that does not fit from the front, and generates past the end of the
// context by dropping the oldest tokens.
func chatRequest(name string, numCtx int, req Request) *ollamaRequest {
	options := map[string]any{
		"num_ctx":     numCtx,
		"num_predict": req.Decoding.MaxTokens,
		"seed":        req.Seed,
	}
	maps.Copy(options, neutral[ollamaSW])
	setNumbers(options, req.Decoding)
	if len(req.Decoding.Stop) > 0 {
		options["stop"] = req.Decoding.Stop
	}
	merge(options, req.Decoding, ollamaSW)
	body := &api.ChatRequest{Model: name, Stream: new(false), Truncate: new(false), Shift: new(false), Options: options}
	for _, m := range req.Messages {
		body.Messages = append(body.Messages, ollamaMessage(m))
	}
	if req.Tool != (Tool{}) {
		body.Tools = ollamaTools(req.Tool)
	}
	request := &ollamaRequest{ChatRequest: body}
	request.liftFields()
	return request
}

// ollamaRequest has the field as the user wrote it.
type ollamaRequest struct {
	*api.ChatRequest
	KeepAlive any `json:"keep_alive,omitempty"`
}

// liftFields puts those extra fields in their place that are not among Ollama's options but
// beside them in the request.
func (r *ollamaRequest) liftFields() {
	if think, ok := r.Options["think"]; ok {
		r.Think = &api.ThinkValue{Value: think}
	}
	r.KeepAlive = r.Options["keep_alive"]
	if format, err := json.Marshal(r.Options["format"]); err == nil && r.Options["format"] != nil {
		r.Format = format
	}
	for _, name := range []string{"think", "keep_alive", "format"} {
		delete(r.Options, name)
	}
}

// ollamaReply is a reply, or a part of one: some proxies stream even if asked not to.
type ollamaReply struct {
	Error      json.RawMessage `json:"error"`
	Model      any             `json:"model"`
	Message    message         `json:"message"`
	Done       any             `json:"done"`
	DoneReason any             `json:"done_reason"`
	Prompt     count           `json:"prompt_eval_count"`
	Completion count           `json:"eval_count"`
}

func (o *ollama) converse(ctx context.Context, x *exchange, body *ollamaRequest) (ollamaReply, content, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return ollamaReply{}, content{}, err
	}
	url := o.base.JoinPath("/api/chat").String()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(encoded))
	if err != nil {
		return ollamaReply{}, content{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := x.client().Do(req)
	if err != nil {
		return ollamaReply{}, content{}, err
	}
	_ = resp.Body.Close() // The exchange has read it.
	return readOllama(x.reply)
}

// readOllama reads a reply, as leniently as one of OpenAI's protocol.
func readOllama(told []byte) (last ollamaReply, whole content, err error) {
	for parts := json.NewDecoder(finite(told)); ; {
		var part ollamaReply
		if err := parts.Decode(&part); err == io.EOF {
			break
		} else if err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
			return last, whole, errMisread
		}
		c, err := part.Message.content()
		if _, isError := readWords(told); err != nil || isError || part.failed() {
			return last, whole, errMisread
		}
		whole = whole.plus(c)
		last = part
	}
	reason, _ := last.DoneReason.(string)
	switch {
	case last.Done == nil, last.Done == false:
		return last, whole, errors.New("the reply breaks off")
	case reason == "load", reason == "unload":
		return last, whole, errNoMessage
	}
	return last, whole, nil
}

// failed reports whether a part is an error.
func (r *ollamaReply) failed() bool {
	return !absentJSON(r.Error) && (r.Error[0] == '{' || r.Error[0] == '"' && len(r.Error) > len(`""`))
}

type modelInfo struct {
	length int    // of the context in tokens, 0 for unknown
	parent string // the model that it is derived from
	stops  []string
	// template is the hash of its chat template.
	template string
}

// learn keeps what calls need, and sets and returns the context.
func (o *ollama) learn(m modelInfo) (numCtx int) {
	numCtx = defaultNumCtx
	if m.length > 0 {
		numCtx = min(numCtx, m.length)
	}
	o.chosen.Store(int64(numCtx))
	o.stops.Store(&m.stops)
	return numCtx
}

// show asks for a description of the model.
func (o *ollama) show(ctx context.Context, retryable func(*failure) bool) (modelInfo, error) {
	var model *api.ShowResponse
	_, err := o.about().call(ctx, retryable, func(ctx context.Context, x *exchange) error {
		var err error
		model, err = api.NewClient(o.base, x.client()).Show(ctx, &api.ShowRequest{Model: o.spec.Name})
		if err != nil {
			return x.misread(err)
		}
		return nil
	})
	if err != nil {
		return modelInfo{}, err
	}
	return modelInfo{contextLength(model.ModelInfo), model.Details.ParentModel, ownStops(model.Parameters),
		templateHash(model.Template)}, nil
}

// ownStops reads the stop strings out of a model's parameters: lines of a name
// and a value, which is quoted as in Go.
func ownStops(parameters string) []string {
	var stops []string
	for line := range strings.SplitSeq(parameters, "\n") {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "stop" {
			continue
		}
		value = strings.TrimSpace(value)
		if unquoted, err := strconv.Unquote(value); err == nil {
			value = unquoted
		}
		if value != "" {
			stops = append(stops, value)
		}
	}
	return stops
}

// contextLength finds the context length in the model's metadata, where it is
// filed under the name of the architecture.
func contextLength(info map[string]any) int {
	arch := stringField(info, "general.architecture")
	if length := countField(info, arch+".context_length"); length > 0 {
		return length
	}
	for _, name := range slices.Sorted(maps.Keys(info)) {
		if strings.HasSuffix(name, ".context_length") {
			return countField(info, name)
		}
	}
	return 0
}

// Server asks for the models, the version and the model in use.
func (o *ollama) Server(ctx context.Context) (record.ServerReport, error) {
	s := record.ServerReport{Software: ollamaSW}
	_, err := o.about().call(ctx, unlessAbsent, func(ctx context.Context, x *exchange) error {
		list, err := api.NewClient(o.base, x.client()).List(ctx)
		if err != nil {
			return x.misread(err)
		}
		o.enlist(&s, list.Models)
		return nil
	})
	if err != nil && !missing(err) {
		return record.ServerReport{}, err
	}
	_, _ = o.about().call(ctx, never, func(ctx context.Context, x *exchange) error {
		version, err := api.NewClient(o.base, x.client()).Version(ctx)
		s.Version = clean(version, o.key)
		return err
	})
	m, err := o.show(ctx, unlessAbsent)
	switch {
	case missing(err):
		return s, nil
	case err != nil:
		return record.ServerReport{}, fmt.Errorf("model %s: %w", o.spec.Name, err)
	}
	s.Present = true
	s.ContextLength, s.Parent, s.Template = m.length, clean(m.parent, o.key), m.template
	o.learn(m)
	return s, nil
}

func (o *ollama) ping(ctx context.Context) error {
	_, err := o.once().call(ctx, never, func(ctx context.Context, x *exchange) error {
		if _, err := api.NewClient(o.base, x.client()).List(ctx); err != nil {
			return x.misread(err)
		}
		return nil
	})
	return err
}

// enlist fills in the available models and the digest of the model in use. A name
// without a tag means the tag "latest".
func (o *ollama) enlist(s *record.ServerReport, models []api.ListModelResponse) {
	s.Models, s.Digest = nil, ""
	for _, m := range models {
		s.Models = append(s.Models, clean(m.Name, o.key))
		if m.Name == o.spec.Name || m.Name == o.spec.Name+":latest" {
			s.Digest = clean(m.Digest, o.key)
		}
	}
}
