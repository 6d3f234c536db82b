package model

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"

	"heldout/scoring/record"
)

type openAI struct {
	*caller
	spec Spec
	// base ends before "/chat/completions"; query is what all addresses end with.
	base, query string
	// option is the context limit that was given.
	option int
	// reported is what the server last reported about itself, nil until it is asked; siblings are the names of
	// the models that it lists besides.
	reported atomic.Pointer[record.ServerReport]
	siblings atomic.Pointer[[]string]
}

// ContextLimit is the one that was given, or that the server reported.
func (o *openAI) ContextLimit() int { return cmp.Or(o.option, o.report().ContextLength) }

// report is what the server last reported about itself; empty until it is asked.
func (o *openAI) report() record.ServerReport {
	if about := o.reported.Load(); about != nil {
		return *about
	}
	return record.ServerReport{}
}

// Kind implements backend.
func (o *openAI) Kind() string {
	software := o.report().Software
	if software == "" && o.spec.Provider == VLLM {
		return vLLM
	}
	return software
}

// chatFields are the fields of a chat request to that kind of server. The library's own types would leave out a
// temperature of 0 and empty messages, round numbers to 32 bits, and have no place for extra fields.
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
	merge(fields, req.Decoding, kind)
	h.stream(fields, req.Decoding.Extra)
	return fields
}

const (
	messagesField = "messages"
	seedField     = "seed"
)

// ask implements backend.
func (o *openAI) ask(ctx context.Context, req *Request, h habit) (*Reply, error) {
	path := "/chat/completions"
	if req.Completion {
		path = "/completions"
	}
	reply, err := o.caller.ask(ctx, req, h, o.base+path+o.query, chatFields(o.spec.Name, o.Kind(), req, h),
		func(x *exchange, reply *Reply) (sent content, err error) {
			if err = x.joinPieces(); err == nil {
				sent, err = converse(x, reply, req.Completion)
			}
			if err == nil && sent.overflowed(reply) {
				err = &ContextError{Status: x.status, Requested: reply.PromptTokens,
					Message: "the server ended the reply with " + reply.FinishReason + " before its first token"}
			}
			return sent, err
		})
	if err == nil {
		reply.OtherModel = o.listsBeside(reply.Model)
	}
	return reply, err
}

// listsBeside reports whether a name belongs to another model of the server.
func (o *openAI) listsBeside(name string) bool {
	listed := o.siblings.Load()
	return name != "" && listed != nil && !record.SameModel(o.spec.Name, name) && !record.Alias(o.spec.Name, name) &&
		slices.ContainsFunc(*listed, func(model string) bool { return record.SameModel(model, name) })
}

// longest is the largest number of tokens of a reply, 0 if the extra fields leave that to the server.
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

// lengthFields are the names by which servers call the largest length of a reply.
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
