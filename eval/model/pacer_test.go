package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// service allows so many requests and tokens in every minute, counted in windows that begin with the first request,
// or in a bucket that fills all the time. It takes a second for a reply.
type service struct {
	limits  Limits
	filling bool // a bucket that fills all the time
	headers bool // replies say what is left

	mu                sync.Mutex
	began             time.Time
	requests, tokens  float64 // that were used
	served, used      int
	refused, refusals int // in all, and after the first minute
	start             time.Time
}

// allow reports whether a request may pass, and what the headers are.
func (s *service) allow(tokens int) (ok bool, header http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.filling {
		gone := now.Sub(s.began).Seconds() / 60
		s.requests = max(0, s.requests-gone*float64(s.limits.Requests))
		s.tokens = max(0, s.tokens-gone*float64(s.limits.Tokens))
		s.began = now
	} else if now.Sub(s.began) >= time.Minute {
		s.began, s.requests, s.tokens = now, 0, 0
	}
	within := func(used float64, more, most int) bool { return most == 0 || used+float64(more) <= float64(most) }
	ok = within(s.requests, 1, s.limits.Requests) && within(s.tokens, tokens, s.limits.Tokens)
	if ok {
		s.requests, s.tokens, s.served, s.used = s.requests+1, s.tokens+float64(tokens), s.served+1, s.used+tokens
	} else {
		s.refused++
		if now.Sub(s.start) > time.Minute {
			s.refusals++
		}
	}
	header = http.Header{}
	if s.headers {
		for what, of := range map[string]struct {
			most int
			used float64
		}{"requests": {s.limits.Requests, s.requests}, "tokens": {s.limits.Tokens, s.tokens}} {
			if of.most == 0 {
				continue
			}
			reset := s.began.Add(time.Minute).Sub(now)
			if s.filling {
				reset = time.Duration(of.used / float64(of.most) * float64(time.Minute))
			}
			header.Set("x-ratelimit-remaining-"+what, fmt.Sprint(max(0, int(float64(of.most)-of.used))))
			header.Set("x-ratelimit-reset-"+what, reset.String())
		}
	}
	return ok, header
}

// RoundTrip implements http.RoundTripper.
func (s *service) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	prompt := len(body) / 4
	ok, header := s.allow(prompt + 50)
	time.Sleep(time.Second)
	status, text := http.StatusOK, fmt.Sprintf(
		`{"choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":%d,"completion_tokens":50}}`, prompt)
	if !ok {
		status, text = http.StatusTooManyRequests, `{"error":{"message":"slow down"}}`
	}
	return &http.Response{StatusCode: status, Header: header, Request: req,
		Body: io.NopCloser(bytes.NewReader([]byte(text)))}, nil
}

// A service with limits refuses nothing after the first minute, and nearly all that it allows is used.
func TestPaced(t *testing.T) {
	few, tokens := Limits{Requests: 300}, Limits{Tokens: 400_000}
	for name, tt := range sharedtest.SampleMap(t, map[string]struct {
		of    *service
		given Limits
		least float64 // share of the limit that is used
	}{
		"requests, windows":      {&service{limits: few}, few, 0.95},
		"requests, a bucket":     {&service{limits: few, filling: true}, few, 0.95},
		"tokens, windows":        {&service{limits: tokens}, tokens, 0.95},
		"tokens, a bucket":       {&service{limits: tokens, filling: true}, tokens, 0.95},
		"very few requests":      {&service{limits: Limits{Requests: 20}}, Limits{Requests: 20}, 0.95},
		"from headers, windows":  {&service{limits: few, headers: true}, Limits{}, 0.95},
		"from headers, a bucket": {&service{limits: few, headers: true, filling: true}, Limits{}, 0.95},
		"from headers, tokens":   {&service{limits: tokens, headers: true}, Limits{}, 0.95},
		"from headers, very few": {&service{limits: Limits{Requests: 20}, headers: true}, Limits{}, 0.95},
	}, 3) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const minutes = 5
				s := tt.of
				s.start, s.began = time.Now(), time.Now()
				c, err := Open(Options{Spec: Spec{OpenAI, "m"}, BaseURL: "http://h/v1", Now: time.Now, Transport: s,
					Limits: tt.given, Timeout: 30 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), minutes*time.Minute)
				defer cancel()
				var episodes sync.WaitGroup
				for i := range 64 {
					episodes.Go(func() {
						for n := 0; ctx.Err() == nil; n++ {
							text := strings.Repeat("word ", 100+(i*37+n*61)%1200)
							_, err := c.Chat(ctx, Request{Decoding: record.Decoding{TopP: 1, MaxTokens: 100},
								Messages: []Message{{Role: User, Content: text}}})
							busy, ok := errors.AsType[*UnavailableError](err)
							if ok {
								_ = Pause(ctx, max(busy.Wait, time.Second))
							} else if err != nil && ctx.Err() == nil {
								t.Error(err)
								return
							}
						}
					})
				}
				episodes.Wait()
				share := float64(s.served) / float64(max(1, s.limits.Requests)*minutes)
				if s.limits.Tokens > 0 {
					share = float64(s.used) / float64(s.limits.Tokens*minutes)
				}
				t.Logf("%d refused, %d of them late, %.1f %% of the limit used", s.refused, s.refusals, 100*share)
				if s.refusals > 0 || share < tt.least || share > 1.2 {
					t.Errorf("%d refused, %d of them late, %.1f %% of the limit used", s.refused, s.refusals, 100*share)
				}
			})
		})
	}
}

// While all calls wait for the limit, the client says when the first goes on.
func TestPacerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(Limits{Requests: 1}, time.Now, nil)
		if _, err := p.wait(t.Context(), 10); err != nil { // the bucket starts full
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _, _ = p.wait(ctx, 10) }()
		synctest.Wait()
		if got := p.waits(); !got.IsZero() {
			t.Errorf("a request is in flight, and the calls wait until %v", got)
		}
		p.answered(10, 3, &Reply{}, nil)
		if got, want := time.Until(p.waits()), time.Minute; got < want || got > 11*want/10 {
			t.Errorf("the calls wait %v, want about %v", got, want)
		}
		cancel()
		synctest.Wait()
		if got := p.waits(); !got.IsZero() {
			t.Errorf("nobody waits, but until %v", got)
		}
	})
}

// A service that says what is left only where nothing is does not slow calls down once there is more.
func TestRefusalsThatTellTheLimit(t *testing.T) {
	var a allowance
	now := time.Now()
	a.hear("requests", http.Header{"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"2s"}}, now)
	if first, later := a.wait(1, now), a.wait(1, now.Add(3*time.Second)); first.IsZero() || !later.IsZero() {
		t.Errorf("calls wait until %v, and once there is more until %v", first, later)
	}
}
