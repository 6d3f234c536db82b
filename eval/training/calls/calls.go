// Package calls makes model calls that are not steps of an episode, and keeps each on disk before it counts. What a
// command makes of the replies is a function of the recorded calls alone: after a kill the same command reads those
// that are there and makes the others.
package calls

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval/fleet"
	"heldout/eval/model"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Call is one line of calls.jsonl: a call that has ended.
type Call struct {
	Schema int `json:"schema"`
	// Key names the call within its directory. A key has at most one call with a
	// reply, unless the file system has no locks.
	Key    string `json:"key"`
	Kind   string `json:"kind"`          // what the call is for
	Prompt string `json:"prompt_sha256"` // the SHA-256 of the messages as JSON, in hex
	Seed   int64  `json:"seed"`          // the server's sampling seed
	// Error is why there is no reply; the call is then made again. Empty for a reply.
	Error string `json:"error,omitempty"`
	// Reply, Reasoning, Instead, FinishReason and Fault are as in model.Reply.
	Reply        string       `json:"reply"`
	Reasoning    string       `json:"reasoning,omitempty"`
	Substitute   string       `json:"instead,omitempty"`
	FinishReason string       `json:"finish_reason,omitempty"`
	Fault        record.Fault `json:"fault,omitempty"`
	Dropped      []string     `json:"dropped,omitempty"` // the fields of the decoding that the server refuses
	// PromptTokens and CompletionTokens are as the server counted them, with the
	// tokens of a reply that was asked for again; 0 if it does not count.
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	// Requests counts what was sent for the call, retries included.
	Requests     int       `json:"requests"`
	Server       string    `json:"server,omitempty"` // the address of the server that answered
	ModelSeconds float64   `json:"model_seconds"`    // the time of the request that got the reply
	Started      time.Time `json:"started"`
	Checksum     string    `json:"checksum,omitempty"` // the last field of the line; the log computes it
}

// Question is a call that is to be made.
type Question struct {
	Key, Kind string
	Messages  []model.Message
	Decoding  record.Decoding
	Seed      int64
}

// ErrUnasked says that a call is not recorded and there is no model to ask.
var ErrUnasked = errors.New("the call has not been made")

// Book is a directory of calls that this process works on. It is safe for concurrent use, except for Reread.
type Book struct {
	*record.Log
	manifest *Manifest
	now      func() time.Time
	done     map[string]record.Span // the calls with a reply, when the book was last read
	lines    int                    // of the file, when the book was last read
	address  string                 // of the only server, "" if there are several
	// refused counts the calls that a server refused because of their content, answered says that it took one.
	refused  atomic.Int64
	answered atomic.Bool
}

// Ask returns the recorded call of a question, or asks the model and records the call. A reply is on disk when Ask
// returns it. m is nil if nothing may be asked; the error is then ErrUnasked. Errors of the model are recorded too,
// except for the end of ctx.
func (b *Book) Ask(ctx context.Context, m model.Model, q Question) (*Call, error) {
	prompt, err := configs.HashJSON(q.Messages)
	if err != nil {
		return nil, err
	}
	if span, ok := b.done[q.Key]; ok {
		return b.recorded(span, q.Key, prompt)
	}
	if m == nil {
		return nil, ErrUnasked
	}
	c := &Call{Schema: record.Schema, Key: q.Key, Kind: q.Kind, Prompt: prompt, Seed: q.Seed, Started: b.now().UTC()}
	reply, chatErr := m.Chat(ctx, model.Request{Messages: q.Messages, Decoding: q.Decoding, Seed: q.Seed})
	if ctx.Err() != nil && chatErr != nil {
		return nil, ctx.Err()
	}
	c.take(reply, chatErr)
	if chatErr == nil && c.Server == "" {
		c.Server = b.address
	}
	if err := b.Append(c); err != nil {
		return nil, err
	}
	if chatErr == nil {
		b.answered.Store(true)
	}
	return c, chatErr
}

func (c *Call) take(reply model.Reply, err error) {
	c.Reply, c.Reasoning, c.Substitute = reply.Text, reply.Reasoning, reply.Substitute
	c.FinishReason, c.Fault, c.Dropped = reply.FinishReason, reply.Fault, reply.Dropped
	c.PromptTokens = reply.PromptTokens + reply.UnusedPromptTokens
	c.CompletionTokens = reply.CompletionTokens + reply.UnusedCompletionTokens
	c.Requests, c.Server, c.ModelSeconds = reply.Attempts, reply.Server, reply.Latency.Seconds()
	if err != nil {
		c.Error, c.Requests = err.Error(), model.Attempts(err)
	}
}

// recorded reads a call and checks that it has the prompt.
func (b *Book) recorded(span record.Span, key, prompt string) (*Call, error) {
	line, err := b.Line(span)
	if err != nil {
		return nil, err
	}
	var c Call
	if err := datafile.Unmarshal(line, &c, datafile.Lenient); err != nil {
		return nil, err
	}
	if c.Key != key || c.Prompt != prompt {
		return nil, fmt.Errorf("the recorded call %s has another prompt: another version of heldout made it; give "+
			"another --out", key)
	}
	return &c, nil
}

// Reread finds the calls of this session too. It must not be called while calls are being made.
func (b *Book) Reread() error {
	clear(b.done)
	b.lines = 0
	return b.Calls(b.note)
}

// note notes where a call is. Of several calls with one key, the first counts.
func (b *Book) note(line []byte, span record.Span) error {
	var c struct {
		Key   string `json:"key"`
		Error string `json:"error"`
	}
	if err := datafile.Unmarshal(line, &c, datafile.Lenient); err != nil {
		return err
	}
	b.lines++
	if _, ok := b.done[c.Key]; !ok && c.Error == "" {
		b.done[c.Key] = span
	}
	return nil
}

// Work does n pieces of work, numbered from 0, at most so many at a time, in the order of their numbers. A piece
// that fails because a call has no reply does not stop the others; missing counts those. An error that would stop
// every further call, such as an unknown model or a full disk, ends the work, as the end of ctx does.
func (b *Book) Work(ctx context.Context, n, concurrency int, piece func(ctx context.Context, i int) error) (missing int,
	err error) {
	var failed atomic.Int64
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(max(1, concurrency))
	for i := range n {
		workers.Go(func() error {
			err := ctx.Err()
			if err == nil {
				err = piece(ctx, i)
			}
			if err == nil {
				return nil
			}
			if err = b.fatal(err); err == nil {
				failed.Add(1)
			}
			return err
		})
	}
	err = workers.Wait()
	return int(failed.Load()), err
}

// fatal returns the error after which no further call should be made; nil if others may succeed.
func (b *Book) fatal(err error) error {
	switch refused, isRefusal := errors.AsType[*model.RequestError](err); {
	case errors.As(err, new(*fleet.LostError)), isRefusal && refused.Fatal():
		return err
	case isRefusal:
		if n := b.refused.Add(1); n >= mostRefusals && !b.answered.Load() {
			return fmt.Errorf("the first %d calls were all refused: %w", n, err)
		}
		return nil
	case errors.As(err, new(*model.ContextError)), errors.As(err, new(*model.UnavailableError)):
		return nil
	}
	return err
}

// mostRefusals is the number of calls that may be refused before one is answered.
const mostRefusals = 8

// Progress is the progress of items that are made by calls. It is safe for concurrent use.
type Progress struct {
	now     func() time.Time
	started time.Time

	planned                     int
	done, failed, calls, tokens atomic.Int64
}

// NewProgress returns the progress of so many items.
func NewProgress(planned int, now func() time.Time) *Progress {
	return &Progress{now: now, started: now(), planned: planned}
}

// Call counts a call with a reply.
func (t *Progress) Call(c *Call) {
	t.calls.Add(1)
	t.tokens.Add(int64(c.CompletionTokens))
}

// Item counts an item that ended, with an error if a call has no reply.
func (t *Progress) Item(err error) {
	t.done.Add(1)
	if err != nil {
		t.failed.Add(1)
	}
}

// Line describes the state, the most important facts first.
func (t *Progress) Line() string {
	done, failed, tokens := int(t.done.Load()), t.failed.Load(), t.tokens.Load()
	parts := []string{fmt.Sprintf("%d/%d items", done, t.planned)}
	elapsed := t.now().Sub(t.started)
	if done > 0 && done < t.planned {
		rest := time.Duration(float64(elapsed) / float64(done) * float64(t.planned-done))
		parts = append(parts, "ETA "+rest.Round(time.Second).String())
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d without a result", failed))
	}
	parts = append(parts, table.Counted(int(t.calls.Load()), "call"))
	if seconds := elapsed.Seconds(); tokens > 0 && seconds > 0 {
		parts = append(parts, fmt.Sprintf("%.0f reply tokens/s", float64(tokens)/seconds))
	}
	return strings.Join(parts, "  ")
}
