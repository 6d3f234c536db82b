package model

import (
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

	"heldout/scoring/record"
)

type openAI struct {
	*caller
	spec Spec
	// base ends before "/chat/completions"; query is what all addresses end with.
	base, query string
	// option is the context limit that was given.
	option int
	// reported is what the server last reported about itself, nil until it is asked; others are the names of
	// the models that it lists besides.
	reported atomic.Pointer[record.ServerReport]
	others   atomic.Pointer[[]string]
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
	merge(fields, req.Decoding, kind)
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
			o.habits.replied(h)
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

// mostBlank is the number of replies without a message after which the last one counts as
// the model's, or two if no call is tried more often. Servers in trouble send them, too, but
// seldom so many in a row.
const mostBlank = 3

// ask makes a call in the way that h says.
func (o *openAI) ask(ctx context.Context, req *Request, h habit) (*Reply, error) {
	body, err := json.Marshal(chatFields(o.spec.Name, o.kind(), req, h))
	if err != nil {
		return nil, unsendable(o.url, clean(err.Error(), o.key))
	}
	reply := &Reply{}
	paced := o.forCall(req)
	paced.acquire = func(ctx context.Context) (func(*exchange), error) {
		expected, err := o.pacer.wait(ctx, len(body))
		return func(x *exchange) { o.pacer.answered(len(body), expected, reply, x.header) }, err
	}
	blank := 0
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
		err := o.read(x, req, h, o.now().Sub(start), reply)
		if err == errNoMessage {
			if blank++; blank >= min(mostBlank, max(2, o.retry.Attempts)) || req.Once { // the model has nothing to say
				return nil
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	o.worked.Store(true)
	reply.Attempts = attempts
	return reply, nil
}

// read reads what came after that time. A reply without a message is read as one without
// content, and errNoMessage says so.
func (o *openAI) read(x *exchange, req *Request, h habit, latency time.Duration, reply *Reply) error {
	read := converse
	if req.Completion {
		read = complete
	}
	if err := x.joinPieces(); err != nil {
		return err
	}
	sent, err := read(x, reply)
	if err == nil {
		sent, err = sent.forRequest(req)
	}
	if err == nil && strings.TrimSpace(sent.text) == "" && finished(reply.FinishReason, []string{overflowed}) {
		err = &ContextError{Status: x.status, Message: "the server ended the reply with " + overflowed}
	}
	if err != nil && err != errNoMessage {
		return err
	}
	reply.Latency = latency
	reply.settle(sent, req, stopsOf(req.Decoding), h.sendsStops(req.Decoding), o.key)
	reply.OtherModel = o.listsBeside(reply.Model)
	return err
}

// listsBeside reports whether a name belongs to another model of the server.
func (o *openAI) listsBeside(name string) bool {
	others := o.others.Load()
	return name != "" && others != nil && !record.SameModel(o.spec.Name, name) && !record.Alias(o.spec.Name, name) &&
		slices.ContainsFunc(*others, func(other string) bool { return record.SameModel(other, name) })
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
