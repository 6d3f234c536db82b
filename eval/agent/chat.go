package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"

	"heldout/configs"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Chat says how an agent asks its model.
type Chat struct {
	Model model.Model
	// Request is what all calls have in common. A completion has react write its history as one text.
	model.Request
	// ContextLimit is the model's context in tokens, 0 when unknown. If a refusal
	// names a smaller limit, that limit holds for the rest of the episode.
	ContextLimit int
	// HistoryShare is the percentage of the turns that stays when the oldest are dropped because
	// the context is full; 0 for as many as fit. With fewer, prompts have the same beginning for
	// many steps, and servers reuse what they computed for it.
	HistoryShare int
	// StepSeed returns the server's seed for a step, counted from 0. Every step needs its own seed: with one seed
	// for all steps, equal histories would give equal samples, and an agent would never leave a loop.
	StepSeed func(step int) int64
	// Wrap is the template in which act's completions stand; Added follows the system message in it.
	Wrap  configs.Wrap
	Added string
	// FoldSystem puts the system message into the first user message.
	FoldSystem bool
	// Memory is what the agent knows of earlier trials of the task. If the prompt is
	// too long without any history and examples, the oldest plan is removed.
	Memory Memory
	// EndsAtRefusal: a prompt that is refused as too long ends the episode. Otherwise a shorter one is tried.
	EndsAtRefusal bool
	// Correction has react leave a reply without an action out of the history, and end the
	// next prompt with this text. Without it, FormatHelp is the observation after such a reply.
	Correction string
}

// transcript is a history that can be sent and shortened.
type transcript interface {
	// messages returns the prompt. No later call changes the elements of what it returned.
	messages() []model.Message
	// dropOldest removes the oldest part permanently; false if only parts that must stay are left.
	dropOldest() bool
	// spare counts the turns that dropOldest removes before it removes anything else.
	spare() int
}

// caller makes the model calls of one episode and keeps them within the model's context.
type caller struct {
	Chat
	steps int
	sums  [][sha256.Size]byte // of the messages that were sent last
	// tokensPerByte is measured at the last reply. Before the first reply it is set high: three bytes per token.
	tokensPerByte float64
	// counted is the prompt that the server counted most tokens in, of those that continue each other, and
	// prompt and cached are what it counted: all tokens, and how many of them it had computed before.
	// suspects are the prompts since then that may be cut.
	counted        []model.Message
	prompt, cached int
	suspects       int
	// forgotten counts the plans that were removed from the memory.
	forgotten int
}

func newCaller(c Chat) *caller { return &caller{Chat: c, tokensPerByte: 1.0 / 3} }

// ask gets the model's reply to a history. It drops what does not fit from the history, oldest first: before the
// call according to the server's counts so far, and after the call if the server refuses.
func (c *caller) ask(ctx context.Context, t transcript) (reply model.Reply, used Usage, err error) {
	c.Seed = c.StepSeed(c.steps)
	c.steps++
	for {
		messages := t.messages()
		if c.tooLong(messages) && c.drop(t, &used) {
			continue
		}
		last := c.Messages
		c.Sent = c.digest(messages)
		c.Messages = messages
		reply, err = c.Model.Chat(ctx, c.Request)
		if used.add(reply, err); err == nil {
			used.Sent = append(used.Sent, c.Sent)
		}
		if tooLong, ok := errors.AsType[*model.ContextError](err); ok && !c.EndsAtRefusal {
			// Otherwise the server would first refuse every further step.
			if limit := tooLong.Limit; limit > 0 && (c.ContextLimit == 0 || limit < c.ContextLimit) {
				c.ContextLimit = limit
			}
			if c.drop(t, &used) {
				continue
			}
		}
		if err == nil {
			used.answered(&reply, c.learn(last, messages, &reply))
		}
		return reply, used, err
	}
}

// failed ends an episode in its step of that number, counted from 1, if its prompt was
// refused as too long and the protocol says so. An episode without a step has no result,
// and neither has one whose prompt the server cut: both are faults of the set-up.
func (c *caller) failed(used Usage, err error, step int) (Move, error) {
	tooLong, ok := errors.AsType[*model.ContextError](err)
	if ok && tooLong.Status != 200 && c.EndsAtRefusal && step > 1 {
		return Move{GiveUp: true, End: record.ContextOverflow, Usage: used}, nil
	}
	return Move{Usage: used}, err
}

// drop shortens a history, to its share if it has one; false if nothing can be removed.
func (c *caller) drop(t transcript, used *Usage) bool {
	stay := t.spare() * c.HistoryShare / 100
	if !c.dropPart(t, used) {
		return false
	}
	for c.HistoryShare > 0 && t.spare() > stay && c.dropPart(t, used) {
	}
	return true
}

// dropPart removes the oldest part of a history; false if there is none.
func (c *caller) dropPart(t transcript, used *Usage) bool {
	forgotten := c.forgotten
	if !t.dropOldest() {
		return false
	}
	used.Forgotten += c.forgotten - forgotten
	used.Trimmed++
	return true
}

// messageTokens is roughly the number of tokens that a chat template adds to every message.
const messageTokens = 8

// tooLong estimates whether prompt and reply would overrun the context.
func (c *caller) tooLong(messages []model.Message) bool {
	if c.ContextLimit == 0 {
		return false
	}
	prompt := int(float64(size(messages))*c.tokensPerByte) + messageTokens*len(messages)
	if limit := c.Decoding.PromptTokens(); limit > 0 {
		prompt = min(prompt, limit)
	}
	return prompt+c.Decoding.MaxTokens > c.ContextLimit
}

// leastContext is a context in tokens that no server falls short of. Some servers give all prompts a smaller
// number, which is no count.
const leastContext = 256

// learn measures the length of tokens, and detects a server that silently cuts prompts: one that continues another
// one has more tokens. It returns how many prompts are now known to be cut. last is the prompt of the call before.
func (c *caller) learn(last, messages []model.Message, reply *model.Reply) (cut int) {
	prompt, cached := reply.PromptTokens, reply.CachedTokens
	if prompt == 0 || cached >= prompt || // all but the last token can be cached: it counts the others alone
		prompt == c.Decoding.PromptTokens() { // as was asked for
		return 0
	}
	if prompt <= c.prompt && grown(c.counted, messages) >= leastGrowth {
		c.suspects++
		// Some servers leave out what they had computed before, and do not all say so.
		alone := prompt <= grown(last, messages)/2+leastContext
		if alone || prompt+cached > c.prompt+c.cached || reasons(messages) {
			return 0
		}
		cut, c.suspects = c.suspects, 0
		return cut
	}
	c.counted, c.prompt, c.cached, c.suspects = messages, prompt, cached, 0
	c.tokensPerByte = max(0, float64(prompt-messageTokens*len(messages))) / float64(max(1, size(messages)))
	return 0
}

// leastGrowth is by how many bytes a prompt must be longer to have more tokens for sure.
const leastGrowth = 16

// grown is by how many bytes a prompt is longer than one that it continues: it has all of that, but for a
// little at the end. It is 0 for any other prompt.
func grown(old, current []model.Message) int {
	same := model.Common(old, current)
	gone, added := size(old[same:]), size(current[same:])
	if same < min(len(old), len(current)) {
		begin := model.Common([]byte(old[same].Content), []byte(current[same].Content))
		gone, added = gone-begin, added-begin
	}
	const little = 8 // one byte in so many
	if gone*little > added {
		return 0
	}
	return added - gone
}

// reasons reports whether a reply in the history has reasoning, which chat templates leave out of turns but
// the last.
func reasons(messages []model.Message) bool {
	return slices.ContainsFunc(messages, func(m model.Message) bool {
		return m.Role == model.Assistant && model.HasReasoning(m.Content)
	})
}

func size(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Content) + len(m.Call.Arguments)
	}
	return n
}

func (u *Usage) plus(v Usage) {
	u.Usage, u.Counted = u.Usage.Plus(v.Usage), u.Counted.Plus(v.Counted)
	u.Requests += v.Requests
	u.Late += v.Late
	u.Trimmed += v.Trimmed
	u.Forgotten += v.Forgotten
	u.Latency += v.Latency
	u.Dropped, u.Server, u.Repeated = v.Dropped, cmp.Or(v.Server, u.Server), v.Repeated
	u.Leftovers = append(u.Leftovers, v.Leftovers...)
	u.Answers = append(u.Answers, v.Answers...)
	u.Sent = append(u.Sent, v.Sent...)
}

// answered adds what a reply says of itself.
func (u *Usage) answered(reply *model.Reply, cut int) {
	a := Answer{reply.Model, reply.Fingerprint, reply.OtherModel, cut, reply.Repeated}
	if a != (Answer{Repeated: a.Repeated}) {
		u.Answers = append(u.Answers, a)
	}
}

// add adds a call.
func (u *Usage) add(reply model.Reply, err error) {
	v := Usage{
		Usage: record.Usage{Calls: 1, PromptTokens: reply.PromptTokens + reply.UnusedPromptTokens,
			CompletionTokens: reply.CompletionTokens + reply.UnusedCompletionTokens, TokenDetails: reply.TokenDetails},
		Requests: reply.Attempts + model.Attempts(err), Late: reply.Late + model.Late(err), Latency: reply.Latency,
		Dropped: reply.Dropped, Server: reply.Server, Repeated: reply.Repeated, Leftovers: reply.Leftovers,
	}
	if reply.Counted {
		v.Counted = v.Usage
	}
	u.plus(v)
}

// sentDigits is how many hex digits of a digest records hold.
const sentDigits = 16

// digest returns the digest of messages: roles, texts and calls of tools, in their order. The
// ids of calls are left out: servers draw them. Each message's sum continues the one before, so those that were sent
// in the last call need no other. Texts have their lengths before them, so that no text runs into the next.
func (c *caller) digest(messages []model.Message) string {
	same := min(len(c.sums), model.Common(messages, c.Messages))
	c.sums = c.sums[:same]
	var sum [sha256.Size]byte
	if same > 0 {
		sum = c.sums[same-1]
	}
	buf := make([]byte, 0, 1<<10)
	for _, m := range messages[same:] {
		buf = append(buf[:0], sum[:]...)
		for _, text := range []string{string(m.Role), m.Content, m.Call.Name, m.Call.Arguments} {
			buf = binary.BigEndian.AppendUint64(buf, uint64(len(text)))
			buf = append(buf, text...)
		}
		sum = sha256.Sum256(buf)
		c.sums = append(c.sums, sum)
	}
	return hex.EncodeToString(sum[:sentDigits/2])
}
