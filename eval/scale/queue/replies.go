package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"heldout/envs/datafile"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// journal has the replies to an attempt as messages of a stream, so that whoever gets an order
// that another worker began goes on where that was.
type journal struct {
	*connection
	ctx     context.Context
	job     Job
	subject string // empty unless the attempt asks a model
}

// open reads what was sent of an attempt. It tries until ctx is done or the stream is gone. It is an eval.Replies.
func (j *journal) open(id string, attempt int) (*record.Replies, error) {
	program := datafile.Hash(version(j.job.Tool)) // another one makes something else of replies
	j.subject = subject(j.job.Name, fmt.Sprintf("replies.%.16s.%s.%d", program, id, attempt))
	for {
		text, err := j.texts()
		switch {
		case err == nil:
			return record.ReadReplies(text, id, attempt, j.send), nil
		case errors.Is(err, jetstream.ErrStreamNotFound) && j.gone(j.ctx, repliesStream(j.job.Name)):
			return nil, err
		case model.Pause(j.ctx, j.pause) != nil:
			return nil, context.Cause(j.ctx)
		}
	}
}

// texts reads the messages, to the limit of a record.
func (j *journal) texts() (out []byte, err error) {
	ctx, cancel := context.WithTimeout(j.ctx, j.patience)
	defer cancel()
	s, err := j.js.Stream(ctx, repliesStream(j.job.Name))
	if err != nil {
		return nil, err
	}
	for next := uint64(1); len(out) < maxRecord; {
		m, err := s.GetMsg(ctx, next, jetstream.WithGetMsgSubject(j.subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		out, next = append(out, m.Data...), m.Sequence+1
	}
	return out, nil
}

// send stores lines. Those for which there is no room are not kept: an attempt that is interrupted asks again.
func (j *journal) send(lines []byte) error {
	messages, _ := cut(j.subject, lines, int(j.conn.MaxPayload())) // none if they are too large
	for _, m := range messages {
		if err := j.store(j.ctx, repliesStream(j.job.Name), m); err != nil && !full(err) {
			return err
		}
	}
	return nil
}

// drop removes the replies. If that fails, the end of the run removes them.
func (j *journal) drop() {
	if j.subject == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(j.ctx), j.patience)
	defer cancel()
	if s, err := j.js.Stream(ctx, repliesStream(j.job.Name)); err == nil {
		_ = s.Purge(ctx, jetstream.WithPurgeSubject(j.subject))
	}
}
