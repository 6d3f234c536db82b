package fleet

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// poisoned is a server that fails at once at some prompts, and answers all others after a second.
type poisoned struct{ asked atomic.Int64 }

// RoundTrip implements http.RoundTripper.
func (p *poisoned) RoundTrip(r *http.Request) (*http.Response, error) {
	reply := func(status int, text string) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)),
			Request: r}, nil
	}
	if r.Method == http.MethodGet {
		return reply(200, `{"data":[{"id":"m"}]}`)
	}
	if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "poison") {
		p.asked.Add(1)
		return reply(500, "broken")
	}
	if err := model.Pause(r.Context(), time.Second); err != nil {
		return nil, err
	}
	return reply(200, `{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`)
}

// A prompt at which a server fails is the call's fault and not a full server's: it is asked as often as it may be, and
// no other call is lost.
func TestPoisonedPrompts(t *testing.T) {
	const attempts, prompts = 5, 3
	synctest.Test(t, func(t *testing.T) {
		server := &poisoned{}
		f := sharedtest.Must(Open(Options{Servers: []string{"http://h/v1"}, Attempts: attempts, Now: time.Now,
			GiveUpAfter: 30 * time.Minute, Open: func(a string) (*model.Client, error) {
				return model.Open(model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: a,
					Now: time.Now, Transport: server})
			}}))(t)
		defer f.Close()
		var group sync.WaitGroup
		for i := range 64 {
			group.Go(func() {
				c := f.Conversation()
				for n := range chats {
					text := "hello"
					if poison := i < prompts && n == chats/2; poison {
						text = "poison"
					}
					_, err := c.Chat(context.Background(), request(text))
					if _, failed := errors.AsType[*model.UnavailableError](err); failed != (text == "poison") {
						t.Errorf("%s: %v", text, err)
					}
				}
			})
		}
		group.Wait()
		sharedtest.Equal(t, server.asked.Load(), attempts*prompts, prompts, "prompts were asked times")
	})
}
