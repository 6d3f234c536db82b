package episode

import (
	"context"
	"encoding/json"
	"errors"

	"heldout/eval/model"
	"heldout/scoring/record"
)

// keeping is a model whose replies to an attempt are written down: each before the next call or, if the environment
// takes its time, soon, so that those that come meanwhile are written with it. The replies of an earlier session are
// given again, as long as the requests are the same.
type keeping struct {
	model.Model
	replies *record.Replies
	key     record.ReplyKey // of the next call
	asks    bool            // from here on
	batch   int64           // of lines, with the last one
}

// keptReply is a line of replies.jsonl.
type keptReply struct {
	record.ReplyKey
	keptAnswer
}

// keptAnswer is a reply to a request, or a refusal of the prompt as too long, which is answered with a shorter one.
type keptAnswer struct {
	Sent    string              `json:"sent"`
	Seed    int64               `json:"seed"`
	Refusal *model.ContextError `json:"refusal,omitempty"`
	model.Reply
}

func newKeeping(m model.Model, r *record.Replies, id string, attempt int) *keeping {
	key := record.ReplyKey{Schema: record.Schema, Episode: id, Attempt: attempt}
	return &keeping{Model: m, replies: r, key: key, batch: -1}
}

// Chat implements model.Model. Its own error is a *record.ReplyError.
func (k *keeping) Chat(ctx context.Context, req model.Request) (reply model.Reply, err error) {
	if found, err := k.recall(&req, &reply); found {
		return reply, err
	}
	if err := k.flush(); err != nil {
		return reply, err
	}
	reply, err = k.Model.Chat(ctx, req)
	k.keep(&req, &reply, err)
	return reply, err
}

// flush writes the reply to the last call, if it is not written yet.
func (k *keeping) flush() error { return k.replies.Flush(k.batch) }

// recall reports whether the reply to a request is known.
func (k *keeping) recall(req *model.Request, reply *model.Reply) (found bool, err error) {
	if k.asks {
		return false, nil
	}
	var line keptReply
	if !k.replies.Recall(k.key, &line) || line.Sent != req.Sent || line.Seed != req.Seed {
		k.asks = true
		return false, nil
	}
	k.key.Call++
	if line.Refusal != nil {
		return true, line.Refusal
	}
	*reply = line.Reply
	reply.Repeated, reply.Counted = true, line.Attempt < k.key.Attempt
	return true, nil
}

// keep adds a reply to the lines, or a refusal, as keptReply has them.
func (k *keeping) keep(req *model.Request, reply *model.Reply, err error) {
	refusal, refused := errors.AsType[*model.ContextError](err)
	if err != nil && !refused {
		return
	}
	line, _ := json.Marshal(keptAnswer{req.Sent, req.Seed, refusal, *reply}) // texts and numbers
	k.batch = k.replies.Keep(k.key, func(b []byte) []byte { return append(append(b, ','), line[1:len(line)-1]...) })
	k.key.Call++
}
