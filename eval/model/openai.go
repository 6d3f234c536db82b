package model

import (
	"context"
	"encoding/json"
	"maps"
	"sync/atomic"

	"github.com/sashabaranov/go-openai"
)

// openAI speaks to an OpenAI-compatible server.
type openAI struct {
	*caller
	spec Spec
	// base ends before "/chat/completions".
	base string
	// option is the context limit that was given.
	option int
	// known is what the server last said of itself, nil until it is asked.
	known atomic.Pointer[Server]
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

// kind returns the kind of server as in Server.Software, "" when it is none of
// those.
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
func chatBody(name, kind string, req Request) ([]byte, error) {
	fields := map[string]any{
		"model":       name,
		"messages":    req.Messages,
		"temperature": req.Decoding.Temperature,
		"top_p":       req.Decoding.TopP,
		"seed":        req.Seed,
		"max_tokens":  req.Decoding.MaxTokens,
	}
	maps.Copy(fields, neutral[kind])
	if len(req.Decoding.Stop) > 0 {
		fields["stop"] = req.Decoding.Stop
	}
	merge(fields, req.Decoding.Extra)
	fields["stream"] = false
	return json.Marshal(fields)
}

func (o *openAI) chat(ctx context.Context, req Request) (Reply, error) {
	body, err := chatBody(o.spec.Name, o.kind(), req)
	if err != nil {
		return Reply{}, unsendable(o.url, clean(err.Error(), o.key))
	}
	var reply Reply
	attempts, err := o.call(ctx, always, func(ctx context.Context, x *exchange) error {
		x.body = body
		start := o.now()
		var err error
		reply, err = completion(ctx, x, o.base)
		reply.Latency = o.now().Sub(start)
		return err
	})
	if err != nil {
		return Reply{}, err
	}
	reply.Attempts = attempts
	return reply, nil
}

// completion sends the body that x holds and reads the reply.
func completion(ctx context.Context, x *exchange, base string) (Reply, error) {
	config := openai.DefaultConfig("")
	config.BaseURL = base
	config.HTTPClient = x.client()
	// The library refuses some parameters for models that it knows by name, so
	// it is not told the name.
	const alias = "model"
	response, err := openai.NewClientWithConfig(config).CreateChatCompletion(ctx, openai.ChatCompletionRequest{Model: alias})
	if err != nil {
		return Reply{}, x.misread(err)
	}
	extra, err := readExtras(x.reply)
	if err != nil {
		return Reply{}, err
	}
	if len(response.Choices) == 0 {
		return Reply{}, errNoMessage
	}
	choice := response.Choices[0]
	text := choice.Message.Content
	for _, part := range choice.Message.MultiContent {
		text += part.Text
	}
	return Reply{
		Text:             text,
		Reasoning:        extra.reasoning(),
		FinishReason:     string(choice.FinishReason),
		PromptTokens:     max(response.Usage.PromptTokens, 0),
		CompletionTokens: max(response.Usage.CompletionTokens, 0),
	}, nil
}

// extras is the part of a chat completion that the library does not show.
type extras struct {
	Choices []struct {
		Message *struct {
			// The names of vLLM before and after its change of mind. Their types are
			// left open, because some servers put something else there.
			ReasoningContent any `json:"reasoning_content"`
			Reasoning        any `json:"reasoning"`
		} `json:"message"`
	} `json:"choices"`
}

// readExtras also checks what the library does not: that there is a choice with
// a message in it, and no error.
func readExtras(body []byte) (extras, error) {
	var e extras
	if json.Unmarshal(body, &e) != nil {
		return extras{}, errMisread
	}
	if _, isError := readWords(body); isError {
		return extras{}, errMisread
	}
	if len(e.Choices) == 0 || e.Choices[0].Message == nil {
		return extras{}, errNoMessage
	}
	return e, nil
}

func (e extras) reasoning() string {
	message := e.Choices[0].Message
	if text, ok := message.ReasoningContent.(string); ok && text != "" {
		return text
	}
	text, _ := message.Reasoning.(string)
	return text
}
