package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"heldout/eval/model"
	"heldout/scoring/record"
)

// BenchmarkCall compares a call with what a bare HTTP client spends on the same
// request, with 256 in flight. The transport does nothing in "wire …", and is a
// server on loopback in "net …". Compare the times per operation of one run, or
// its CPU time (-cpuprofile). On two busy cores: wire 1.9 times, net 1.3 to 1.6.
func BenchmarkCall(b *testing.B) {
	req := model.Request{Decoding: record.Decoding{TopP: 1, MaxTokens: 512, Stop: []string{"\nObservation:"}}, Seed: 7}
	req.Messages = []model.Message{{Role: model.User, Content: strings.Repeat("You see a \"box\" and a shelf.\n", 120)}}
	for i := range 12 {
		req.Messages = append(req.Messages,
			model.Message{Role: model.Assistant, Content: fmt.Sprintf(
				"Thought: I look at shelf %d.\nAction: go to shelf %d", i, i)},
			model.Message{Role: model.User, Content: "Observation: On the shelf you see a book, a pen and a \"bowl\"."})
	}
	answer := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, vllmReply)
	}
	server := httptest.NewServer(http.HandlerFunc(answer))
	b.Cleanup(server.Close)
	nothing := roundTrip(func(r *http.Request) (*http.Response, error) {
		_, err := io.Copy(io.Discard, r.Body)
		return respond(200, vllmReply), err
	})
	overNet := &http.Transport{MaxIdleConnsPerHost: 256}
	b.Cleanup(overNet.CloseIdleConnections)

	for name, transport := range map[string]http.RoundTripper{"wire": nothing, "net": overNet} {
		bare := &http.Client{Transport: transport}
		b.Run(name+" bare", func(b *testing.B) {
			b.SetParallelism(256 / runtime.GOMAXPROCS(0))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := bareCall(bare, server.URL, req); err != nil {
						b.Error(err)
					}
				}
			})
		})
		client := open(b, model.Options{BaseURL: server.URL, Transport: transport, Key: model.NewSecret(key)})
		b.Run(name+" heldout", func(b *testing.B) {
			b.SetParallelism(256 / runtime.GOMAXPROCS(0))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := client.Chat(b.Context(), req); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// bareCall is the least that a Go program does to make a call.
func bareCall(c *http.Client, url string, req model.Request) error {
	body, err := json.Marshal(map[string]any{
		"model": "m", "messages": req.Messages, "temperature": 0, "top_p": 1, "seed": req.Seed,
		"max_tokens": req.Decoding.MaxTokens, "stop": req.Decoding.Stop,
	})
	if err != nil {
		return err
	}
	resp, err := c.Post(url+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	var reply struct {
		Choices []struct {
			Message struct{ Content string }
		}
	}
	return json.NewDecoder(resp.Body).Decode(&reply)
}
