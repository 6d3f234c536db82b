package model

import (
	"context"
	"net/http"
	"time"
)

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
	quick.explains = true
	quick.timeout = min(c.timeout, aboutTimeout)
	return &quick
}

// pingTimeout is the longest that a server may take to answer a ping.
const pingTimeout = 10 * time.Second

// once returns a caller for one quick question, on a connection of its own: those that are kept may all be broken.
func (c *caller) once() *caller {
	quick := *c
	quick.transport = c.fresh
	quick.timeout = min(c.timeout, pingTimeout)
	return &quick
}

// fetch makes an exchange of a GET request.
func fetch(ctx context.Context, x *exchange, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := x.client().Do(req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close() // The exchange has read it.
	return nil
}

// get fetches a JSON document. A field of an unexpected type is left zero.
func get(ctx context.Context, x *exchange, url string, into any) error {
	if err := fetch(ctx, x, url); err != nil {
		return err
	}
	return readJSON(x.reply, into)
}
