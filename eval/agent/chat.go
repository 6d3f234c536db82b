package agent

import (
	"context"
	"errors"
	"fmt"

	"heldout/eval/model"
	"heldout/eval/record"
)

// Chat says how an agent asks its model.
type Chat struct {
	Model    model.Model
	Decoding record.Decoding
	// ContextLimit is the model's context in tokens, 0 when unknown. A smaller
	// one that a refusal names holds for the rest of the episode.
	ContextLimit int
	// Seed returns the server's seed for a step, counted from 0. Every step
	// needs one of its own: with one for all, equal histories would be sampled
	// alike, and an agent would never get out of a loop.
	Seed func(step int) int64
	// FoldSystem puts the system message into the first user message.
	FoldSystem bool
	// Completion has react write its history as one text, which the model
	// continues: for base models, which have no chat template.
	Completion bool
}

// transcript is a history that can be sent and shortened.
type transcript interface {
	messages() []model.Message
	// dropOldest leaves out the oldest part for good; false if only what must
	// stay is left.
	dropOldest() bool
}

// caller asks a model again and again in one episode and keeps within its
// context.
type caller struct {
	Chat
	steps int
	// tokensPerByte is measured at the last reply. Before the first it is set
	// high: three bytes a token.
	tokensPerByte float64
	// lastPrompt is the size of the last prompt in tokens; 0 when the next one
	// does not continue it.
	lastPrompt int
}

func newCaller(c Chat) *caller { return &caller{Chat: c, tokensPerByte: 1.0 / 3} }

// ask gets the model's reply to a history. What does not fit is dropped from the
// history, oldest first: before the call by what the server counted so far, and
// after it if the server refuses.
func (c *caller) ask(ctx context.Context, t transcript) (reply model.Reply, used Usage, err error) {
	seed := c.Seed(c.steps)
	c.steps++
	for {
		messages := t.messages()
		if c.tooLong(messages) && c.drop(t, &used) {
			continue
		}
		used.Calls++
		reply, err = c.Model.Chat(ctx, model.Request{Messages: messages, Decoding: c.Decoding, Seed: seed, Completion: c.Completion})
		used.add(reply, err)
		var tooLong *model.ContextError
		if errors.As(err, &tooLong) {
			c.learnLimit(tooLong.Limit)
			if c.drop(t, &used) {
				continue
			}
		}
		if err == nil {
			err = c.learn(messages, reply)
		}
		return reply, used, err
	}
}

// drop shortens a history; false if nothing can be left out.
func (c *caller) drop(t transcript, used *Usage) bool {
	if !t.dropOldest() {
		return false
	}
	c.shortened()
	used.Trimmed++
	return true
}

// shortened says that the next prompt does not continue the last one.
func (c *caller) shortened() { c.lastPrompt = 0 }

// learnLimit takes over the limit that a server's refusal names: otherwise every
// further step would be refused first.
func (c *caller) learnLimit(limit int) {
	if limit > 0 && (c.ContextLimit == 0 || limit < c.ContextLimit) {
		c.ContextLimit = limit
	}
}

// messageTokens is about what a chat template adds to every message.
const messageTokens = 8

// tooLong estimates whether prompt and reply would overrun the context.
func (c *caller) tooLong(messages []model.Message) bool {
	if c.ContextLimit == 0 {
		return false
	}
	prompt := float64(size(messages))*c.tokensPerByte + float64(messageTokens*len(messages))
	return int(prompt)+c.Decoding.MaxTokens > c.ContextLimit
}

// learn measures how long tokens are, and sees a server that cut the prompt
// without saying so: a prompt that continues the last one does not have fewer
// tokens. An equal number proves nothing: there are servers that do not count.
func (c *caller) learn(messages []model.Message, reply model.Reply) error {
	if reply.PromptTokens == 0 {
		return nil
	}
	if reply.PromptTokens < c.lastPrompt {
		return &model.ContextError{
			Status: 200,
			Message: fmt.Sprintf("the server counts %d tokens in a prompt that continues one of %d: it must have cut it; give its real context with --context",
				reply.PromptTokens, c.lastPrompt),
			Asked:    reply.PromptTokens,
			Attempts: reply.Attempts,
		}
	}
	c.lastPrompt = reply.PromptTokens
	c.tokensPerByte = max(0, float64(reply.PromptTokens-messageTokens*len(messages))) / float64(max(1, size(messages)))
	return nil
}

// size is the length of messages in bytes.
func size(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Content)
	}
	return n
}

// add counts one call.
func (u *Usage) add(reply model.Reply, err error) {
	u.PromptTokens += reply.PromptTokens + reply.UnusedPromptTokens
	u.CompletionTokens += reply.CompletionTokens + reply.UnusedCompletionTokens
	u.Latency += reply.Latency
	u.Requests += reply.Attempts
	u.Dropped = reply.Dropped
	var tooLong *model.ContextError
	var refused *model.RequestError
	var unavailable *model.UnavailableError
	switch {
	case errors.As(err, &tooLong):
		u.Requests += tooLong.Attempts
	case errors.As(err, &refused):
		u.Requests += refused.Attempts
	case errors.As(err, &unavailable):
		u.Requests += unavailable.Attempts
	}
}
