package model

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// Server is what a model server reports about itself and the model. Whatever
// it does not tell is left empty. It is part of a run's manifest.
type Server struct {
	// Software is "vllm", "sglang", "llama.cpp" or "ollama".
	Software string `json:"software,omitempty"`
	Version  string `json:"version,omitempty"`
	// Models are the names that the server lists, in its order.
	Models []string `json:"models,omitempty"`
	// Present reports that our model is one of them.
	Present bool `json:"present"`
	// ContextLength is the model's context in tokens; 0 is unknown.
	ContextLength int `json:"context_length,omitempty"`
	// Root is the path or name that the model was loaded from, Parent the model
	// that it is derived from.
	Root   string `json:"root,omitempty"`
	Parent string `json:"parent,omitempty"`
	// Digest identifies the exact weights, where the server has one.
	Digest string `json:"digest,omitempty"`
}

// The values of Server.Software.
const (
	vLLM     = "vllm"
	sgLang   = "sglang"
	llamaCpp = "llama.cpp"
	ollamaSW = "ollama"
)

// aboutTimeout is the longest that an attempt to ask a server about itself may
// take. No model runs for it.
const aboutTimeout = 30 * time.Second

// about returns a caller for questions about the server itself.
func (c *caller) about() *caller {
	quick := *c
	quick.timeout = min(c.timeout, aboutTimeout)
	return &quick
}

// get fetches a JSON document. A field of an unexpected type is left zero.
func get(ctx context.Context, x *exchange, url string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := x.client().Do(req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close() // The exchange has read it.
	var mistyped *json.UnmarshalTypeError
	if err := json.Unmarshal(x.reply, into); err != nil && !errors.As(err, &mistyped) {
		return errMisread
	}
	return nil
}
