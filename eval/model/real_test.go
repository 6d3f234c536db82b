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
	"heldout/scoring/record"
)

// TestRealServers asks real servers, those that testdata/realservers/serve.sh
// starts, where HELDOUT_TEST_SERVERS says they are:
//
//	openai=http://127.0.0.1:8080/v1 ollama=http://127.0.0.1:11434 vllm=http://127.0.0.1:8000/v1
func TestRealServers(t *testing.T) {
	servers := strings.Fields(os.Getenv("HELDOUT_TEST_SERVERS"))
	if len(servers) == 0 {
		t.Skip(
			"needs real model servers: start them as eval/model/testdata/realservers/README.md says and name them in " +
				"HELDOUT_TEST_SERVERS")
	}
	for _, server := range servers {
		t.Run(server, func(t *testing.T) {
			provider, url, _ := strings.Cut(server, "=")
			opened := func(name string) *model.Client {
				return open(t, model.Options{Spec: model.Spec{Provider: model.Provider(provider), Name: name},
					BaseURL: url})
			}
			c := opened("heldout-tiny")
			about, err := c.Server(t.Context())
			if err != nil || !about.Present || about.ContextLength != 4096 || about.Version == "" ||
				c.ContextLimit() != 4096 {
				t.Fatalf("Server = %+v, %v, and ContextLimit() = %d; want a context of 4096", about, err,
					c.ContextLimit())
			}
			if about, err := opened("nope").Server(t.Context()); err != nil || about.Present {
				t.Errorf("Server = %+v, %v for a wrong name", about, err)
			}

			// The same weights give the same reply, whatever each server would add.
			req := model.Request{
				Messages: []model.Message{{Role: model.System, Content: "You are playing a game."},
					{Role: model.User, Content: "Move the red box to the hall. What do you do next?"}},
				Decoding: record.Decoding{Temperature: 0, TopP: 1, MaxTokens: 24},
				Seed:     1,
			}
			const want = " long same opened start answer start weionP another uber cloesong clo elseWhat Step,^ donectionyou"
			reply, err := c.Chat(t.Context(), req)
			if err != nil || reply.Text != want || reply.PromptTokens != 43 || reply.CompletionTokens != 24 ||
				reply.FinishReason != "length" {
				t.Errorf("Chat = %+v, %v; want %q", reply, err, want)
			}

			// Prompts of 4095, 4096 and 4097 tokens: the first leaves room for one more.
			filled := strings.Repeat("move north, move south. ", 680)
			for i, more := range []string{"", " a", " a b"} {
				req.Messages = []model.Message{{Role: model.User, Content: filled + more}}
				reply, err = c.Chat(t.Context(), req)
				var tooLong *model.ContextError
				switch {
				case i == 0 && (err != nil || reply.PromptTokens != 4095 || reply.CompletionTokens > 2 ||
					reply.FinishReason != "length"):
					t.Errorf("Chat = %+v, %v; want one that ends with the context", reply, err)
				case i > 0 && !errors.As(err, &tooLong):
					t.Errorf("Chat = %+v, %v for a prompt of %d tokens; want that it does not fit", reply, err, 4095+i)
				}
			}

			req.Messages = []model.Message{{Role: model.User, Content: "hello"}}
			req.Decoding.Extra = map[string]any{"top_k": "many"}
			_, err = c.Chat(t.Context(), req)
			if refused := as[*model.RequestError](t, err); refused.Field != "top_k" || refused.Attempts != 1 {
				t.Errorf("error is %v, want one about top_k", err)
			}
		})
	}
}

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
