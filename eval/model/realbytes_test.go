package model_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// sentBytes are what a real server of a version sent. The first reply is its list of models.
type sentBytes struct {
	Server  string `json:"server"`
	Asked   string `json:"asked"` // the model
	Replies []struct {
		Name   string      `json:"name"`
		Status int         `json:"status"`
		Type   string      `json:"type"`
		Body   string      `json:"body"`
		Want   model.Reply `json:"want"`
		Error  string      `json:"error"` // what is refused: the context or the request; empty for a reply
	} `json:"replies"`
}

// TestRealBytes reads what real servers sent, whole and in pieces, with and without reasoning, also as replies to a
// model that is served under two names.
func TestRealBytes(t *testing.T) {
	files, err := filepath.Glob("testdata/servers/*.json")
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		var sent sentBytes
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &sent)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range sent.Replies[1:] {
			spec := model.Spec{Provider: model.OpenAI, Name: sent.Asked}
			if strings.HasPrefix(r.Name, "own protocol") {
				spec.Provider = model.Ollama
			}
			answer := func(req *http.Request) (*http.Response, error) {
				if req.Method == http.MethodGet {
					return respond(200, sent.Replies[0].Body), nil
				}
				return respond(r.Status, r.Body, "Content-Type", r.Type), nil
			}
			c := open(t, model.Options{Spec: spec, ContextLimit: 8192, Transport: roundTrip(answer)})
			if _, err := c.Server(t.Context()); err != nil && spec.Provider == model.OpenAI {
				t.Fatal(err)
			}
			req := hello
			req.Completion, req.Reads = r.Name == "completion", readsAsReply
			got, err := c.Chat(t.Context(), req)
			got.Latency = 0
			tooLong, refused := errors.As(err, new(*model.ContextError)), errors.As(err, new(*model.RequestError))
			if tooLong != (r.Error == "context") || refused != (r.Error == "request") {
				t.Errorf("%s, %s: %v", sent.Server, r.Name, err)
			}
			sharedtest.Same(t, got, r.Want, sent.Server, r.Name)
		}
	}
}
