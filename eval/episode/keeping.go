package episode

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"heldout/eval/model"
	"heldout/scoring/record"
)

// keeping is a model whose replies to an attempt are written down before the attempt goes on.
// The replies of an earlier session are given again, as long as the requests are the same.
type keeping struct {
	model.Model
	replies *record.Replies
	line    keptReply // of the next call
	asks    bool      // from here on
}

// keptReply is a line of replies.jsonl: a reply, or a refusal of the prompt as too long, which
// is answered with a shorter one.
type keptReply struct {
	record.ReplyKey
	Sent    string              `json:"sent"`
	Seed    int64               `json:"seed"`
	Refusal *model.ContextError `json:"refusal,omitempty"`
	model.Reply
}

// AppendJSON implements record.ReplyLine.
func (l *keptReply) AppendJSON(b []byte) []byte {
	b = append(append(append(b, `,"sent":"`...), l.Sent...), `","seed":`...)
	b = strconv.AppendInt(b, l.Seed, 10)
	if l.Refusal != nil {
		refusal, _ := json.Marshal(l.Refusal) // texts and numbers
		b = append(append(b, `,"refusal":`...), refusal...)
	}
	return l.Reply.AppendJSON(b)
}

func newKeeping(m model.Model, r *record.Replies, id string, attempt int) *keeping {
	key := record.ReplyKey{Schema: record.Schema, Episode: id, Attempt: attempt}
	return &keeping{Model: m, replies: r, line: keptReply{ReplyKey: key}}
}

// Chat implements model.Model. Its own error is a *record.ReplyError.
func (k *keeping) Chat(ctx context.Context, req model.Request) (reply model.Reply, err error) {
	if known, err := k.recall(&req, &reply); known {
		return reply, err
	}
	reply, err = k.Model.Chat(ctx, req)
	return reply, k.keep(&req, &reply, err)
}

// recall reports whether the reply to a request is known.
func (k *keeping) recall(req *model.Request, reply *model.Reply) (known bool, err error) {
	if k.asks {
		return false, nil
	}
	var line keptReply
	if !k.replies.Recall(k.line.ReplyKey, &line) || line.Sent != req.Sent || line.Seed != req.Seed {
		k.asks = true
		return false, nil
	}
	k.line.Call++
	if line.Refusal != nil {
		return true, line.Refusal
	}
	*reply = line.Reply
	reply.Again = true
	return true, nil
}

// keep writes a reply down, or a refusal.
func (k *keeping) keep(req *model.Request, reply *model.Reply, err error) error {
	if k.line.Refusal = nil; err != nil && !errors.As(err, &k.line.Refusal) {
		return err
	}
	k.line.Sent, k.line.Seed, k.line.Reply = req.Sent, req.Seed, *reply
	if lost := k.replies.Keep(k.line.ReplyKey, &k.line); lost != nil {
		return lost
	}
	k.line.Call++
	return err
}
