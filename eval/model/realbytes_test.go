package model_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/eval/model"
	"heldout/scoring/record"
)

// sentBytes are what a real server of a version sent.
type sentBytes struct {
	Server  string `json:"server"`
	Replies []struct {
		Name   string `json:"name"`
		Status int    `json:"status"`
		Type   string `json:"type"`
		Body   string `json:"body"`
	} `json:"replies"`
}

const looks = "Thought: I see.\nAction: look around"

// TestRealBytes reads what real servers sent, whole and in pieces, with and without reasoning, as replies to a model
// that is served under two names.
func TestRealBytes(t *testing.T) {
	want := map[string]map[string]model.Reply{
		"llama.cpp 2026.10.11549": {
			"another name":        {Text: "Hello! I'm", FinishReason: "length", PromptTokens: 33, CompletionTokens: 4, Fault: record.CutOff, TokenDetails: cached(32), Model: "smollm2"},
			"reasoning":           {Text: "\n\n" + looks, Reasoning: "\nI could wait.\nAction: wait\n", PromptTokens: 11, CompletionTokens: 55},
			"reasoning in pieces": {Text: "\n\n" + looks, Reasoning: "\nI could wait.\nAction: wait\n", PromptTokens: 11, CompletionTokens: 55, TokenDetails: cached(10)},
			"reasoning-format none": {Text: looks, Reasoning: "I could wait.\nAction: wait", PromptTokens: 11, CompletionTokens: 55, TokenDetails: cached(10),
				Leftovers: []record.Leftover{record.ReasoningMarks}},
			"unclosed":            {Reasoning: "\nI could wait.\nAction: wait", PromptTokens: 11, CompletionTokens: 23, TokenDetails: cached(10), Fault: record.OnlyReasoning},
			"unclosed in pieces":  {Reasoning: "\nI could wait.\nAction: wait", PromptTokens: 11, CompletionTokens: 23, TokenDetails: cached(10), Fault: record.OnlyReasoning},
			"stray tag":           {Text: looks, PromptTokens: 11, CompletionTokens: 32, TokenDetails: cached(10)},
			"stray tag in pieces": {Text: looks, PromptTokens: 11, CompletionTokens: 32, TokenDetails: cached(10)},
		},
		"ollama 0.17.4": {
			"chat": {Text: " longemp endsage], closegal Blockyou blocked done ser", FinishReason: "length", PromptTokens: 21, CompletionTokens: 12,
				Fault: record.CutOff},
			"pieces": {Text: " longemp endsage], close", FinishReason: "length", PromptTokens: 21, CompletionTokens: 6, Fault: record.CutOff},
			// a prompt of 12,015 tokens
			"cut prompt": {Text: " done nexle nex", FinishReason: "length", PromptTokens: 4096, CompletionTokens: 4, Fault: record.CutOff},
			"thinking": {Reasoning: "soou laste done another", FinishReason: "length", PromptTokens: 22, CompletionTokens: 6, Fault: record.CutOff,
				Model: "tiny-think"},
			"thinking in pieces": {Reasoning: "soou laste done another", FinishReason: "length", PromptTokens: 22, CompletionTokens: 6, Fault: record.CutOff,
				Model: "tiny-think"},
			"own protocol, thinking": {Reasoning: "soou laste done another", FinishReason: "length", PromptTokens: 22, CompletionTokens: 6,
				Fault: record.CutOff, Model: "tiny-think"},
			"own protocol, thinking in pieces": {Reasoning: "soou laste done another", FinishReason: "length", PromptTokens: 22, CompletionTokens: 6,
				Fault: record.CutOff, Model: "tiny-think"},
			"own protocol, without thinking": {Text: "gal -ty gameS last", FinishReason: "length", PromptTokens: 29, CompletionTokens: 6, Fault: record.CutOff,
				Model: "tiny-think"},
		},
		"vllm 0.32.0": {
			"reasoning, cut off":           {Reasoning: "gal - and R keysF", FinishReason: "length", PromptTokens: 17, CompletionTokens: 6, Fault: record.CutOff},
			"reasoning in pieces, cut off": {Reasoning: "gal - and R keysF", FinishReason: "length", PromptTokens: 17, CompletionTokens: 6, Fault: record.CutOff},
			"reply":                        {Text: looks, PromptTokens: 17, CompletionTokens: 24},
			"reply in pieces":              {Text: looks, PromptTokens: 17, CompletionTokens: 24},
			"second name":                  {Reasoning: "gal -", FinishReason: "length", PromptTokens: 17, CompletionTokens: 2, Fault: record.CutOff},
			"completion":                   {Text: "Thank> long", FinishReason: "length", PromptTokens: 2, CompletionTokens: 3, Fault: record.CutOff},
		},
	}
	asked := map[string]string{"llama.cpp 2026.10.11549": "smollm2", "ollama 0.17.4": "heldout-tiny", "vllm 0.32.0": "second-name"}
	answers := map[string]string{"llama.cpp 2026.10.11549": "smol", "ollama 0.17.4": "heldout-tiny", "vllm 0.32.0": "heldout-tiny"}
	prints := map[string]string{"llama.cpp 2026.10.11549": "b0-unknown", "ollama 0.17.4": "fp_ollama", "vllm 0.32.0": "vllm-0.32.0-f483aab9"}
	files, err := filepath.Glob("testdata/servers/*.json")
	if err != nil || len(files) != len(want) {
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
		list := sent.Replies[0].Body
		for _, r := range sent.Replies[1:] {
			t.Run(sent.Server+", "+r.Name, func(t *testing.T) {
				spec := model.Spec{Provider: model.OpenAI, Name: asked[sent.Server]}
				if strings.HasPrefix(r.Name, "own protocol") {
					spec.Provider = model.Ollama
				}
				c := open(t, model.Options{Spec: spec, ContextLimit: 8192, Retry: model.Retry{Attempts: 1}, Transport: roundTrip(
					func(req *http.Request) (*http.Response, error) {
						if req.Method == http.MethodGet {
							return respond(200, list), nil
						}
						return respond(r.Status, r.Body, "Content-Type", r.Type), nil
					})})
				if spec.Provider == model.OpenAI {
					if _, err := c.Server(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				req := hello
				req.Completion, req.Reads = r.Name == "completion", readsAsReply
				got, err := c.Chat(t.Context(), req)
				if r.Status != 200 {
					tooLong, refused := errors.As(err, new(*model.ContextError)), errors.As(err, new(*model.RequestError))
					if (r.Name == "too long") != tooLong || (r.Name == "another name") != refused {
						t.Errorf("%v", err)
					}
					return
				}
				reply, ok := want[sent.Server][r.Name]
				if !ok || err != nil {
					t.Fatalf("%+v, %v", got, err)
				}
				reply.Attempts, got.Latency = 1, 0
				if reply.FinishReason == "" {
					reply.FinishReason = "stop"
				}
				if reply.Model == "" {
					reply.Model = answers[sent.Server]
				}
				if spec.Provider == model.OpenAI {
					reply.Fingerprint = prints[sent.Server]
				}
				if diff := cmp.Diff(reply, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

func cached(n int) record.TokenDetails { return record.TokenDetails{CachedTokens: n} }
