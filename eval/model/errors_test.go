package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// as returns an error as what it must be.
func as[T error](t *testing.T, err error) T {
	t.Helper()
	var target T
	if !errors.As(err, &target) {
		t.Fatalf("error is %T (%v), want %T", err, err, target)
	}
	return target
}

func TestContextErrors(t *testing.T) {
	for _, test := range sharedtest.Cases[struct {
		Name         string
		Status       int
		Body         string
		Limit, Asked int
	}](t, "contexterrors.yaml") {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			t.Run(fmt.Sprintf("%s to %s", test.Name, spec.Provider), func(t *testing.T) {
				server := recording(t, say(test.Status, test.Body))
				_, err := open(t, model.Options{Spec: spec, BaseURL: server.URL, ContextLimit: 1 << 20}).Chat(
					t.Context(), hello)
				got := as[*model.ContextError](t, err)
				if got.Message == "" || !strings.Contains(err.Error(), got.Message) {
					t.Errorf("error %q does not carry the server's words", err)
				}
				got.Message = ""
				want := &model.ContextError{Status: test.Status, Limit: test.Limit, Requested: test.Asked, Attempts: 1}
				sharedtest.Same(t, got, want, "error")
				sharedtest.Equal(t, len(server.all()), 1, "requests were sent")
			})
		}
	}
}

func TestOllamaThatFillsItsContextMayHaveCutThePrompt(t *testing.T) {
	server := recording(t, say(200, `{"message":{"content":"x"},"done":true,"prompt_eval_count":512,"eval_count":1}`))
	c := open(t, model.Options{Spec: ollamaSpec, BaseURL: server.URL, ContextLimit: 512})
	got := as[*model.ContextError](t, sharedtest.Err(c.Chat(t.Context(), hello)))
	if got.Limit != 512 || got.Requested != 512 || got.Attempts != 1 {
		t.Errorf("error is %#v, want 512 of 512 tokens", got)
	}
}

func TestRefusalsAreFinal(t *testing.T) {
	for _, test := range sharedtest.Cases[struct {
		Status int
		Body   string
		Fatal  bool
		Want   []string
	}](t, "refusals.yaml") {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			server := recording(t, say(test.Status, test.Body))
			_, err := open(t, model.Options{Spec: spec, BaseURL: server.URL + "/v1", ContextLimit: 1}).Chat(t.Context(),
				hello)
			got := as[*model.RequestError](t, err)
			if got.Status != test.Status || got.Attempts != 1 || got.Fatal() != test.Fatal ||
				!strings.HasPrefix(got.URL, server.URL+"/v1/") {
				t.Errorf("%s: error is %#v, Fatal() = %v; want status %d after 1 attempt, Fatal() = %v",
					spec.Provider, got, got.Fatal(), test.Status, test.Fatal)
			}
			for _, want := range test.Want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error is %q, want %q in it", spec.Provider, err, want)
				}
			}
			if n := len(server.all()); n != 1 {
				t.Errorf("%s: %d requests were sent for status %d, want 1", spec.Provider, n, test.Status)
			}
		}
	}
}

// The value of a field of the decoding is the same in every call, so a run had
// better end at once, and tell how to leave the field out.
func TestRefusedDecodingFields(t *testing.T) {
	for _, test := range sharedtest.Cases[struct {
		Name        string
		Status      int
		Body, Field string
	}](t, "refusedfields.yaml") {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			server := recording(t, say(test.Status, test.Body))
			_, err := open(t, model.Options{Spec: spec, BaseURL: server.URL + "/v1", ContextLimit: 1}).Chat(t.Context(),
				hello)
			got := as[*model.RequestError](t, err)
			if got.Field != test.Field || !got.Fatal() || got.Attempts != 1 || len(server.all()) != 1 {
				t.Errorf("%s to %s: error is %#v, Fatal() = %v after %d requests; want a fatal one about %s after 1",
					test.Name, spec.Provider, got, got.Fatal(), len(server.all()), test.Field)
			}
			if want := `--extra-body '{"` + test.Field + `":null}'`; !strings.Contains(err.Error(), want) {
				t.Errorf("%s to %s: error is %q, want %q in it", test.Name, spec.Provider, err, want)
			}
		}
	}
}

func TestMissingV1IsHintedAt(t *testing.T) {
	server := recording(t, say(404, `{"detail":"Not Found"}`))
	_, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello)
	if !strings.Contains(err.Error(), "usually ends in /v1") {
		t.Errorf("error is %q, want a hint at /v1", err)
	}
}

// A page for browsers is told by its title, with what an address looks like.
func TestPagesAreNoReplies(t *testing.T) {
	const page = "<!DOCTYPE html>\n<html><head><title>Welcome\tto &lt;nginx&gt;</title></head></html>"
	const title = `a web page with the title "Welcome to <nginx>"; `
	const advice = "check --base-url: the address of a model server looks like http://HOST:8000/v1"
	for _, status := range []int{200, 404} {
		server := recording(t, say(status, page, "Content-Type", "text/html"))
		client := open(t, model.Options{BaseURL: server.URL, Retry: model.Retry{Attempts: 1}})
		_, err := client.Chat(t.Context(), hello)
		if text := err.Error(); !strings.Contains(text, title) || !strings.HasSuffix(text, advice) {
			t.Errorf("%d: %s", status, text)
		}
	}
}

func TestLongWordsAreCut(t *testing.T) {
	server := recording(t, say(400, strings.Repeat("é ", 100_000)))
	_, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello)
	if n := len([]rune(as[*model.RequestError](t, err).Message)); n != 501 {
		t.Errorf("message has %d characters, want 500 and an ellipsis", n)
	}
}

// 304 leads nowhere, so it is no redirect.
func TestNotModified(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotModified)
	}))
	defer server.Close()
	_, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello)
	var refused *model.RequestError
	if !errors.As(err, &refused) || !refused.Fatal() || strings.Contains(err.Error(), "redirect") ||
		!strings.HasSuffix(err.Error(), "check --base-url, and what stands between") {
		t.Error(err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		other := recording(t, say(200, vllmReply))
		server := recording(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", other.URL+"/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
			// A body that would do for a reply changes nothing.
			_, _ = io.WriteString(w, map[model.Provider]string{
				model.VLLM: vllmReply, model.Ollama: ollamaReply}[spec.Provider])
		})
		c := open(t, model.Options{Spec: spec, BaseURL: server.URL, Key: model.NewSecret(key), ContextLimit: 1000})
		_, err := c.Chat(t.Context(), hello)
		got := as[*model.RequestError](t, err)
		if got.Status != 307 || !got.Fatal() || !strings.Contains(err.Error(), other.URL+"/elsewhere") {
			t.Errorf("%s: error is %v, want one that names where it leads", spec.Provider, err)
		}
		sharedtest.Equal(t, len(other.all()), 0, spec.Provider, "requests reached the other host")
	}
}

func TestKeyAppearsNowhere(t *testing.T) {
	echo := func(status int, format string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://else/?"+r.Header.Get("Authorization"))
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, format, r.Header.Get("Authorization"))
		}
	}
	quoted := sharedtest.Must(json.Marshal("Bearer " + key))(t)
	handlers := map[string]http.HandlerFunc{
		"refused":         echo(400, `{"error":{"message":"bad header %s"}}`),
		"refused, raw":    echo(401, `%[1]s %[1]s`),
		"escaped":         say(401, `{"headers":{"authorization":`+string(quoted)+`}}`),
		"slashes escaped": say(401, `{"authorization":"`+strings.ReplaceAll(key, "/", `\/`)+`"}`),
		"html":            say(401, `<p>`+strings.ReplaceAll(key, "&", "&amp;")+`</p>`),
		"percent":         say(401, `key=sk-test%2F0123456789%2Babcdef%3D%26x`),
		"overflow": echo(400,
			`{"error":{"message":"maximum context length is 5, %s","code":"context_length_exceeded"}}`),
		"unavailable":    echo(503, `{"error":"%s"}`),
		"garbage":        echo(200, `%s`),
		"error with 200": echo(200, `{"error":{"message":"%s"}}`),
		"redirect":       echo(302, ``),
		"cut in the key": echo(500, strings.Repeat("x", 480)+` %s`),
		"bad status line": func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Errorf("hijack: %v", err)
				return
			}
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\n%s\r\n\r\n", r.Header.Get("Authorization"))
			_ = conn.Close()
		},
	}
	for name, handler := range handlers {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			server := httptest.NewServer(handler)
			options := model.Options{Spec: spec, BaseURL: server.URL + "/" + key, Key: model.NewSecret(key + "\n"),
				ContextLimit: 1000}
			c := open(t, options)
			_, err := c.Chat(t.Context(), hello)
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			_, serverErr := c.Server(t.Context())
			var log strings.Builder
			slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", options.Key, "options", options.Key, "err", err)
			var wrapped bytesOf
			wrapped.add(t, err)
			wrapped.add(t, fmt.Errorf("wrapped: %w", err))
			wrapped.add(t, serverErr)
			wrapped.add(t, options.Key)
			wrapped.add(t, &options.Key)
			wrapped.add(t, struct{ key model.Secret }{options.Key})
			wrapped.add(t, open(t, model.Options{Spec: spec, Key: options.Key}))
			wrapped.add(t, slices.Collect(model.Examine(t.Context(), c, nil, 1)))
			text := wrapped.String() + log.String()
			// Half of it, lest the rest was cut off.
			for _, half := range []string{key[:14], key[14:]} {
				if at := strings.Index(text, half); at >= 0 {
					t.Errorf("%s to %s: the key appears in …%s…", name, spec.Provider,
						text[max(at-80, 0):min(at+80, len(text))])
				}
			}
			server.Close()
		}
	}
}

// bytesOf gathers every way in which a value may be printed.
type bytesOf struct{ strings.Builder }

func (b *bytesOf) add(t *testing.T, value any) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		_, _ = fmt.Fprintf(b, verb+"\n", value)
	}
	if encoded, err := json.Marshal(value); err == nil {
		b.Write(encoded)
	}
	if s, ok := value.(fmt.Stringer); ok {
		b.WriteString(s.String())
	}
}

func TestCancellationIsTheCallersOwn(t *testing.T) {
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		ctx, cancel := context.WithCancel(t.Context())
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			cancel()
			<-r.Context().Done()
		}))
		c := open(t, model.Options{Spec: spec, BaseURL: server.URL, ContextLimit: 1})
		_, err := c.Chat(ctx, hello)
		if !errors.Is(err, context.Canceled) || err != ctx.Err() {
			t.Errorf("%s: error is %T %v, want context.Canceled itself", spec.Provider, err, err)
		}
		if _, err = c.Chat(ctx, hello); err != ctx.Err() {
			t.Errorf("%s: called with a context that is done: %v", spec.Provider, err)
		}
		if _, err = c.Server(ctx); err != ctx.Err() {
			t.Errorf("%s: Server with a context that is done: %v", spec.Provider, err)
		}
		server.Close()
	}
}

func TestNobodyThere(t *testing.T) {
	listener := sharedtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := "http://" + listener.Addr().String()
	sharedtest.OK(t, listener.Close())
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		c := open(t, model.Options{Spec: spec, BaseURL: address})
		_, err := c.Chat(t.Context(), hello)
		if got := as[*model.UnavailableError](t, err); got.Attempts != 1 || !strings.Contains(got.Message, "refused") {
			t.Errorf("%s: Chat: %v, want a refused connection", spec.Provider, err)
		}
		_, err = c.Server(t.Context())
		if got := as[*model.UnavailableError](t, err); got.Attempts != 1 || got.Status != 0 {
			t.Errorf("%s: Server: %v, want to give up at once", spec.Provider, err)
		}
	}
}
