package model

import (
	"cmp"
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

	"github.com/ollama/ollama/api"

	"heldout/scoring/record"
)

// defaultNumCtx is the context in tokens that Ollama is asked for when no limit was given. Ollama's own default
// depends on its version and the machine's memory; a model's full length can be more than the machine can hold.
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
}

// Kind implements backend.
func (o *ollama) Kind() string { return ollamaSW }

// ContextLimit is the one that was given, or chosen.
func (o *ollama) ContextLimit() int { return cmp.Or(o.option, int(o.chosen.Load())) }

// ask implements backend. The context in force is the one that the extra fields have, if they have one.
func (o *ollama) ask(ctx context.Context, req *Request, h habit) (*Reply, error) {
	numCtx := o.ContextLimit()
	if numCtx == 0 {
		info, err := o.show(ctx, never)
		if err != nil {
			return nil, err
		}
		numCtx = o.learn(info)
	}
	sent := *req
	if h.keepsStops {
		sent.Decoding.Stop = nil
	}
	body := chatRequest(o.spec.Name, numCtx, o.withOwnStops(sent))
	reply, err := o.caller.ask(ctx, req, h, o.address("/api/chat"), body, readOllama)
	if limit, _ := body.Options["num_ctx"].(int); err == nil && limit > 0 && reply.PromptTokens >= limit {
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

func (o *ollama) address(path string) string { return o.base.JoinPath(path).String() }

// withOwnStops adds the model's own stop strings to a request that has stop strings. Without this, the request's
// stop strings would replace the model's own, which some models need to end their turn.
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

// chatRequest is the body of a chat request. By default, Ollama truncates a prompt that does not fit from the
// front, and generates past the end of the context by dropping the oldest tokens.
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
	request := &ollamaRequest{api.ChatRequest{Model: name, Stream: new(false), Truncate: new(false), Shift: new(false),
		Options: options}, options["keep_alive"]}
	if think, ok := options["think"]; ok {
		request.Think = &api.ThinkValue{Value: think}
	}
	if format, err := json.Marshal(options["format"]); err == nil && options["format"] != nil {
		request.Format = format
	}
	for _, name := range []string{"think", "keep_alive", "format"} { // they are not among the options but beside them
		delete(options, name)
	}
	for _, m := range req.Messages {
		request.Messages = append(request.Messages, ollamaMessage(m))
	}
	if req.Tool != (Tool{}) {
		request.Tools = ollamaTools(req.Tool)
	}
	return request
}

// ollamaRequest has the field as the user wrote it.
type ollamaRequest struct {
	api.ChatRequest
	KeepAlive any `json:"keep_alive,omitempty"`
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

// readOllama reads a reply, as leniently as one of OpenAI's protocol.
func readOllama(x *exchange, reply *Reply) (body content, err error) {
	var last ollamaReply
	count := 0
	for parts := json.NewDecoder(finite(x.reply)); ; count++ {
		var part ollamaReply
		if err := parts.Decode(&part); err == io.EOF {
			break
		} else if err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
			return body, errMisread
		}
		c, err := part.Message.content()
		if _, isError := readWords(x.reply); err != nil || isError || part.failed() {
			return body, errMisread
		}
		body = body.plus(c)
		last = part
	}
	*reply = Reply{PromptTokens: int(last.Prompt), CompletionTokens: int(last.Completion)}
	reply.FinishReason, _ = last.DoneReason.(string)
	reply.Model, _ = last.Model.(string)
	switch {
	case last.Done == false && count == 1 && len(body.text+body.reasoning) > 30: // it ends after 30 equal tokens so
		reply.FinishReason = repetition
	case last.Done == nil, last.Done == false:
		return body, errCutOff
	case reply.FinishReason == "load", reply.FinishReason == "unload":
		return body, errLoaded
	}
	return body, nil
}

// errLoaded says that the server only loaded its model: that is no reply of the model, however often it comes.
var errLoaded = fmt.Errorf("%w", errNoMessage)

// failed reports whether a part is an error.
func (r *ollamaReply) failed() bool {
	return !absentJSON(r.Error) && (r.Error[0] == '{' || r.Error[0] == '"' && len(r.Error) > len(`""`))
}

// learn keeps what calls need, and sets and returns the context.
func (o *ollama) learn(m *api.ShowResponse) (numCtx int) {
	numCtx = min(defaultNumCtx, cmp.Or(contextLength(m.ModelInfo), defaultNumCtx))
	o.chosen.Store(int64(numCtx))
	o.stops.Store(new(ownStops(m.Parameters)))
	return numCtx
}

// show asks for a description of the model.
func (o *ollama) show(ctx context.Context, retryable func(*UnavailableError) bool) (*api.ShowResponse, error) {
	model := &api.ShowResponse{}
	_, err := o.about().call(ctx, retryable, func(ctx context.Context, x *exchange) error {
		return x.fetch(ctx, o.address("/api/show"), func() ([]byte, error) {
			return json.Marshal(api.ShowRequest{Model: o.spec.Name})
		}, model)
	})
	return model, err
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
	var list api.ListResponse
	_, err := o.about().get(ctx, unlessAbsent, o.list, &list)
	if err != nil && !missing(err) {
		return record.ServerReport{}, err
	}
	for _, m := range list.Models {
		s.Models = append(s.Models, clean(m.Name, o.key))
		if m.Name == o.spec.Name || m.Name == o.spec.Name+":latest" { // which a name without a tag means
			s.Digest = clean(m.Digest, o.key)
		}
	}
	var about struct{ Version string }
	_, _ = o.about().get(ctx, never, o.address("/api/version"), &about)
	s.Version = clean(about.Version, o.key)
	m, err := o.show(ctx, unlessAbsent)
	switch {
	case missing(err):
		return s, nil
	case err != nil:
		return record.ServerReport{}, fmt.Errorf("model %s: %w", o.spec.Name, err)
	}
	s.Present = true
	s.ContextLength, s.Parent = contextLength(m.ModelInfo), clean(m.Details.ParentModel, o.key)
	s.Template = templateHash(m.Template)
	o.learn(m)
	return s, nil
}
