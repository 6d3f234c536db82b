package model

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// paused is the body of a reply that stops after its first half until it is
// released.
type paused struct {
	first, second   io.Reader
	begun, released chan struct{}
}

func (p *paused) Read(b []byte) (int, error) {
	n, err := p.first.Read(b)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if p.begun != nil {
		close(p.begun)
		p.begun = nil
		<-p.released
	}
	return p.second.Read(b)
}

func (p *paused) Close() error { return nil }

// bodies is a transport that answers with one body after the other.
type bodies chan io.ReadCloser

func (b bodies) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: <-b, ContentLength: -1}, nil
}

// Replies that are read at the same time share one budget: one that no longer fits
// is an error, and what was taken is given back.
func TestRepliesShareABudget(t *testing.T) {
	body := `{"choices":[{"message":{"content":"` + strings.Repeat("x", 6000) + `"},"finish_reason":"stop"}]}`
	whole := func() io.ReadCloser { return io.NopCloser(strings.NewReader(body)) }
	half := &paused{strings.NewReader(body[:5000]), strings.NewReader(body[5000:]), make(chan struct{}),
		make(chan struct{})}
	begun := half.begun
	replies := make(bodies, 1)
	c := sharedtest.Must(Open(Options{Spec: Spec{Provider: OpenAI, Name: "m"}, Transport: replies, Now: time.Now,
		Retry: Retry{Attempts: 1}}))(t)
	defer c.Close()
	held := c.backend.(*openAI).inUse
	c.backend.(*openAI).budget = 12 << 10
	ask := func() error {
		reply, err := c.Chat(t.Context(), Request{Messages: []Message{{Role: User, Content: "hello"}},
			Decoding: record.Decoding{TopP: 1, MaxTokens: 1000}})
		if err == nil && len(reply.Text) != 6000 {
			t.Errorf("a reply of %d bytes", len(reply.Text))
		}
		return err
	}
	replies <- half
	slow := make(chan error)
	go func() { slow <- ask() }()
	<-begun // it has room for 8 KiB by now
	replies <- whole()
	if err := ask(); err == nil || !strings.Contains(err.Error(),
		"the replies that are being read take more than 12 KiB together") {
		t.Errorf("two replies of 6 kB in 12 KiB: %v", err)
	}
	sharedtest.Equal(t, held.Load(), 8<<10, "bytes are held by one reply")
	close(half.released)
	if err := <-slow; err != nil {
		t.Error(err)
	}
	replies <- whole()
	if err := ask(); err != nil {
		t.Error(err)
	}
	sharedtest.Equal(t, held.Load(), 0, "bytes are held by nobody")
}
