package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// trouble is a server, or a balancer with several, that fails some calls in the time of a bubble.
type trouble struct {
	kind  string
	reply time.Duration
	// rate is the share of calls that fail, late if a reply's time passes before. Of several replicas behind the
	// balancer, taken in turn, the first one fails all.
	rate     float64
	late     bool
	replicas int
	// slots is how many calls are taken at a time; 0 for any number. Others fail.
	slots int
	// out is a time in which all calls fail, from its first to its second moment after the beginning.
	out [2]time.Duration

	mu                     sync.Mutex
	draws                  *rand.Rand
	began                  time.Time
	calls, taken, failures int
}

func (s *trouble) String() string {
	return fmt.Sprintf("%s, %v, rate %v, late %v, %d replicas, %d slots, out %v", s.kind, s.reply, s.rate, s.late,
		s.replicas,
		s.slots, s.out)
}

// draw decides what becomes of a call, and how long its reply takes.
func (s *trouble) draw() (fails, taken bool, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	now := time.Since(s.began)
	fails = s.draws.Float64() < s.rate || s.replicas > 0 && s.calls%s.replicas == 0 || now >= s.out[0] && now < s.out[1]
	taken = s.slots == 0 || s.taken < s.slots
	if taken {
		s.taken++
	}
	if fails || !taken {
		s.failures++
	}
	return fails, taken, time.Duration((0.8 + 0.4*s.draws.Float64()) * float64(s.reply))
}

// RoundTrip implements http.RoundTripper.
func (s *trouble) RoundTrip(r *http.Request) (*http.Response, error) {
	reply := func(status int, body io.Reader) (*http.Response, error) {
		h := http.Header{}
		if s.kind == "429 until" && status == 429 {
			h.Set("Retry-After", s.began.Add(s.out[1]).UTC().Format(http.TimeFormat))
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), Request: r}, nil
	}
	if r.Method == http.MethodGet {
		return reply(200, strings.NewReader(`{"data":[{"id":"m"}]}`))
	}
	_, _ = io.Copy(io.Discard, r.Body)
	fails, taken, took := s.draw()
	if taken {
		defer func() { s.mu.Lock(); s.taken--; s.mu.Unlock() }()
	}
	if taken && (!fails || s.late) {
		if err := model.Pause(r.Context(), took); err != nil {
			return nil, err
		}
	}
	switch {
	case taken && !fails:
		return reply(200, strings.NewReader(
			`{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`))
	case s.kind == "reset":
		return nil, syscall.ECONNRESET
	case s.kind == "chunks":
		return reply(200, io.MultiReader(strings.NewReader(`{"choi`), broken{}))
	case s.kind == "500":
		return reply(500, strings.NewReader("broken"))
	case s.kind == "503":
		return reply(503, strings.NewReader("busy"))
	}
	return reply(429, strings.NewReader("busy"))
}

// broken is the end of a body that breaks off.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// chats are the calls of episodes: 20 each.
const chats = 20

// play plays episodes, with so many in flight, and returns how long that took and how many calls found no reply. Bare:
// by a client that repeats a call at once for ever.
func (s *trouble) play(t *testing.T, inFlight, episodes int, bare bool) (wall time.Duration, lost int64,
	told []string) {
	synctest.Test(t, func(t *testing.T) {
		s.draws, s.began, s.calls, s.failures = rand.New(rand.NewPCG(1, 2)), time.Now(), 0, 0
		var mu sync.Mutex
		open := func(a string) (*model.Client, error) {
			return model.Open(model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: a,
				Now:       time.Now,
				Transport: s})
		}
		f := sharedtest.Must(Open(Options{Servers: []string{"http://h/v1"}, Attempts: 8, Now: time.Now,
			GiveUpAfter: 30 * time.Minute,
			Open:        open, Tell: func(line string) { mu.Lock(); told = append(told, line); mu.Unlock() }}))(t)
		defer f.Close()
		client, _ := open("http://h/v1")
		var group sync.WaitGroup
		var next, missing atomic.Int64
		for range inFlight {
			group.Go(func() {
				for next.Add(1) <= int64(episodes) {
					c := f.Conversation()
					for range chats {
						var err error
						if !bare {
							_, err = c.Chat(context.Background(), request("hello"))
						} else {
							for again := true; again; again = err != nil {
								_, err = client.Chat(context.Background(), request("hello"))
							}
						}
						if err != nil {
							missing.Add(1)
						}
						if errors.As(err, new(*LostError)) {
							return
						}
					}
				}
			})
		}
		group.Wait()
		wall, lost = time.Since(s.began), missing.Load()
	})
	return wall, lost, told
}

// TestTrouble plays runs on servers that fail some calls. Episodes wait for no failure of another one, nothing is asked
// again but what failed, a server that is full has something to do all the time, and one that is out is asked little.
func TestTrouble(t *testing.T) {
	inFlight, replies := []int{64}, []time.Duration{time.Second}
	if sharedtest.Whole() {
		inFlight, replies = []int{64, 256}, append(replies, 20*time.Millisecond, 30*time.Second)
	}
	for _, n := range inFlight {
		for _, reply := range replies {
			episodes := 4 * n
			plain, _, _ := (&trouble{reply: reply}).play(t, n, episodes, false)
			for _, s := range sharedtest.Sample(t, troubles(reply), 2) {
				most, notes, chance := plain, 0, 0
				switch {
				case s.rate > 0:
					bare, _, _ := (&trouble{kind: s.kind, reply: reply, rate: s.rate, late: s.late}).play(t, n,
						episodes, true)
					most = max(plain, bare)
					if s.rate > 0.1 {
						// The order of the calls decides on some percent. Of 65,536 calls one fails 8
						// times in a row. The last calls of a play are alone, and if one of 256 fails
						// four times, there is no usable reply for a while: an outage and its end.
						most, chance = most*6/5, 2
					}
				case s.slots > 0:
					most = reply * time.Duration(episodes*chats/s.slots)
				case s.out[1] > 0:
					most += s.out[1] - s.out[0] + 5*time.Second // it is asked every 5 seconds
					notes = 2
				}
				wall, lost, told := s.play(t, n, episodes, false)
				if wall > most*11/10 { // the order of calls is chance, and one of 40 plays is near the limit
					wall, lost, told = s.play(t, n, episodes, false)
				}
				failures, again := s.failures, s.calls-chats*episodes
				line := fmt.Sprintf("%d in flight, %v: %v, %.3f of %v; %d calls failed, %d were made again, %d lost; told %q", n, s,
					wall, wall.Seconds()/most.Seconds(), most, failures, again, lost, told)
				t.Log(line)
				outAsked := s.out[1] > 0 && failures > 3*n+int((s.out[1]-s.out[0])/time.Second)
				if wall > most*11/10 || again > failures+notes+chance || lost > int64(chance) ||
					len(told) > notes+chance || outAsked {
					t.Error(line)
				}
			}
		}
	}
}

// troubles are the servers of TestTrouble, by the time of a reply.
func troubles(reply time.Duration) (all []*trouble) {
	kinds := []string{"reset", "500", "503", "429", "chunks"}
	for _, kind := range kinds {
		for _, rate := range []float64{0.01, 0.05, 0.25} {
			all = append(all, &trouble{kind: kind, reply: reply, rate: rate},
				&trouble{kind: kind, reply: reply, rate: rate, late: true})
		}
		all = append(all, &trouble{kind: kind, reply: reply, replicas: 4})
	}
	for _, slots := range []int{1, 4, 16, 32, 48, 60, 62, 63} {
		for _, kind := range kinds[:4] {
			all = append(all, &trouble{kind: kind, reply: reply, slots: slots})
		}
	}
	for _, kind := range append(kinds, "429 until") {
		for _, out := range []time.Duration{8 * time.Second, 100 * time.Second} {
			all = append(all, &trouble{kind: kind, reply: reply, out: [2]time.Duration{10 * reply, 10*reply + out}})
		}
	}
	return all
}
