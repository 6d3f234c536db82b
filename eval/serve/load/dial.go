package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"heldout/envs/stream"
)

const (
	requestTime = 60 * time.Second
	maxReply    = 16 << 20
	// maxWalk bounds the actions of one walk.
	maxWalk = 30
)

type dialer struct {
	o         Options
	base      string // of the protocol's routes
	socketURL string
	header    http.Header
	client    *http.Client
}

// player is a connection that can also find out what may be played.
type player interface {
	conn
	// valid sends a request of the only lane, and returns the actions that are valid
	// then; none if the episode is over.
	valid(ctx context.Context, q request) ([]string, error)
}

func newDialer(o Options) (*dialer, error) {
	u, err := url.Parse(o.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("%q is no address such as http://127.0.0.1:8000/openenv/pddl", o.URL)
	}
	d := &dialer{o: o, base: strings.TrimRight(o.URL, "/"), header: http.Header{}}
	d.socketURL = "ws" + strings.TrimPrefix(d.base, "http") + "/ws"
	if o.Token != "" {
		d.header.Set("Authorization", "Bearer "+o.Token)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost, transport.MaxIdleConns = o.Clients, 0
	d.client = &http.Client{Transport: transport, Timeout: requestTime}
	return d, nil
}

func (d *dialer) dial(ctx context.Context, lanes int) (player, error) {
	switch d.o.Protocol {
	case OpenEnv:
		return d.dialSocket(ctx)
	case AgentGym:
		return d.dialGym(ctx)
	}
	return d.dialBatch(ctx, lanes)
}

// walks plays random valid actions of each task, and returns them as JSON: a load
// repeats them without asking for lists again. Worlds are deterministic, so that they stay
// valid.
func (d *dialer) walks(ctx context.Context) ([][]string, error) {
	var walks [][]string
	some := false
	for task := range d.o.Tasks {
		p, err := d.dial(ctx, 1)
		if err != nil {
			return nil, err
		}
		walk, err := d.walk(ctx, p, task)
		p.close(false)
		if err != nil {
			return nil, fmt.Errorf("task %d: %w", task, err)
		}
		walks, some = append(walks, walk), some || len(walk) > 0
	}
	if !some {
		return nil, errors.New("no task lists a valid action")
	}
	return walks, nil
}

func (d *dialer) walk(ctx context.Context, p player, task int) (walk []string, err error) {
	random := stream.New(d.o.Seed, "load", "walk", strconv.Itoa(task))
	q := request{reset: true, task: task}
	for range maxWalk {
		actions, err := p.valid(ctx, q)
		if err != nil || len(actions) == 0 {
			return walk, err
		}
		q = request{action: encoded(actions[random.IntN(len(actions))])}
		walk = append(walk, q.action)
	}
	return walk, nil
}

func encoded(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(b)
}

// post sends a body and returns the reply of a status of success.
func (d *dialer) post(ctx context.Context, path string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return d.send(r)
}

func (d *dialer) send(r *http.Request) ([]byte, error) {
	for name, values := range d.header {
		r.Header[name] = values
	}
	reply, err := d.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxReply))
	if err == nil && reply.StatusCode/100 != 2 {
		err = fmt.Errorf("%s answers %s: %.300s", r.URL.Path, reply.Status, text)
	}
	return text, err
}

// serverCPU returns the CPU time that the server's process has used, or a negative
// time if it does not tell.
func (d *dialer) serverCPU(ctx context.Context) time.Duration {
	u, err := url.Parse(d.base)
	if err != nil {
		return -1
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.Scheme+"://"+u.Host+"/metrics", nil)
	if err != nil {
		return -1
	}
	text, err := d.send(r)
	if err != nil {
		return -1
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "process_cpu_seconds_total "); ok {
			if seconds, err := strconv.ParseFloat(value, 64); err == nil {
				return time.Duration(seconds * float64(time.Second))
			}
		}
	}
	return -1
}
