package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

type batch struct {
	d        *dialer
	sessions []string
	out      []byte
}

func (d *dialer) dialBatch(ctx context.Context, lanes int) (*batch, error) {
	body, err := json.Marshal(map[string]any{"env": d.o.Env, "count": lanes})
	if err != nil {
		return nil, err
	}
	reply, err := d.post(ctx, "/v1/sessions", body)
	if err != nil {
		return nil, err
	}
	var opened struct{ Sessions []string }
	if err := json.Unmarshal(reply, &opened); err != nil {
		return nil, err
	}
	if len(opened.Sessions) != lanes {
		return nil, fmt.Errorf("the server opens %d sessions, want %d", len(opened.Sessions), lanes)
	}
	return &batch{d: d, sessions: opened.Sessions}, nil
}

func (b *batch) do(ctx context.Context, requests []request, done []bool) error {
	b.out = append(b.out[:0], `{"steps":[`...)
	for i, q := range requests {
		if i > 0 {
			b.out = append(b.out, ',')
		}
		b.out = append(append(append(b.out, `{"session":"`...), b.sessions[i]...), '"')
		if q.reset {
			b.out = append(strconv.AppendInt(append(b.out, `,"reset":{"index":`...), int64(q.task), 10), "}}"...)
		} else {
			b.out = append(append(append(b.out, `,"action":`...), q.action...), '}')
		}
	}
	reply, err := b.d.post(ctx, "/v1/step", append(b.out, "]}"...))
	if err != nil {
		return err
	}
	return readDone(reply, done)
}

// readDone reads which episodes of a batch are over. Quotes inside texts are
// escaped, so what it looks for can only be keys.
func readDone(reply []byte, done []bool) error {
	if at := bytes.Index(reply, []byte(`{"error":{"code"`)); at >= 0 {
		return fmt.Errorf("the server answers %.300s", reply[at:])
	}
	key, rest := []byte(`"done":`), reply
	for i := range done {
		at := bytes.Index(rest, key)
		if at < 0 {
			return fmt.Errorf("the server answers %d of %d requests", i, len(done))
		}
		rest = rest[at+len(key):]
		done[i] = bytes.HasPrefix(rest, []byte("true"))
	}
	return nil
}

func (b *batch) close(drop bool) {
	if drop {
		return
	}
	for _, id := range b.sessions {
		r, err := http.NewRequest(http.MethodDelete, b.d.base+"/v1/sessions/"+id, nil)
		if err == nil {
			_, _ = b.d.send(r) // the server ends idle sessions itself
		}
	}
}

func (b *batch) valid(ctx context.Context, q request) ([]string, error) {
	entry := `"action":` + q.action
	if q.reset {
		entry = fmt.Sprintf(`"reset":{"index":%d,"actions":true}`, q.task)
	}
	reply, err := b.d.post(ctx, "/v1/step", fmt.Appendf(nil, `{"steps":[{"session":%q,%s}]}`, b.sessions[0], entry))
	if err != nil {
		return nil, err
	}
	var replies struct {
		Results []struct {
			Observation struct{ Actions []string }
			Done        bool
			Error       json.RawMessage
		}
	}
	if err := json.Unmarshal(reply, &replies); err != nil {
		return nil, err
	}
	if len(replies.Results) != 1 || replies.Results[0].Error != nil {
		return nil, fmt.Errorf("the server answers %.300s", reply)
	}
	if replies.Results[0].Done {
		return nil, nil
	}
	return replies.Results[0].Observation.Actions, nil
}
