package model_test

import (
	"net/http"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// address opens a client and finds out where its requests go.
func address(t *testing.T, spec model.Spec, base string) string {
	t.Helper()
	var url string
	c := open(t, model.Options{Spec: spec, BaseURL: base, ContextLimit: 9,
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			url = r.URL.String()
			return respond(400, ""), nil
		})})
	_, err := c.Chat(t.Context(), hello)
	as[*model.RequestError](t, err)
	return url
}

func TestAddresses(t *testing.T) {
	for _, test := range sharedtest.Cases[struct {
		Provider   model.Provider
		Base, Want string
	}](t, "addresses.yaml") {
		got := address(t, model.Spec{Provider: test.Provider, Name: "m"}, test.Base)
		sharedtest.Equal(t, got, test.Want, test.Provider, test.Base, "at : requests go to")
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name    string
		options model.Options
		want    []string
	}{
		{"nothing at all", model.Options{}, []string{"unknown provider", "no clock"}},
		{"several", model.Options{Spec: vllmSpec, ContextLimit: -1, Timeout: -1, Retry: model.Retry{Attempts: -1}},
			[]string{"context limit is -1 tokens", "time limit of an attempt is -1ns", "retry limits are -1 attempts",
				"no clock"}},
		{"no scheme", model.Options{Spec: vllmSpec, BaseURL: "localhost:8000/v1"},
			[]string{"has no scheme: write \"http://localhost:8000/v1\""}},
		{"other scheme", model.Options{Spec: vllmSpec, BaseURL: "ftp://h/v1"}, []string{`unknown scheme "ftp"`}},
		{"no host", model.Options{Spec: vllmSpec, BaseURL: "http:///v1"}, []string{"names no host"}},
		{"password", model.Options{Spec: vllmSpec, BaseURL: "user:half@h"}, []string{"--api-key-env"}},
		{"Ollama's password", model.Options{Spec: ollamaSpec, BaseURL: "http://u:half@h"}, []string{"--api-key-env"}},
		{"query", model.Options{Spec: ollamaSpec, BaseURL: "http://h/v1?k=v"},
			[]string{"leave out everything from the ?"}},
		{"bad query", model.Options{Spec: vllmSpec, BaseURL: "http://h/v1?k=%zz"}, []string{`"http://h/v1" has a query`}},
		{"fragment", model.Options{Spec: vllmSpec, BaseURL: "http://h/v1#k"},
			[]string{"leave out everything from the #"}},
		{"name of a header", model.Options{Spec: vllmSpec,
			Headers: map[string]model.Secret{"a b": model.NewSecret("x")}},
			[]string{`"a b" is not a name of a header`}},
		{"own header", model.Options{Spec: vllmSpec, Headers: map[string]model.Secret{"host": model.NewSecret("x")}},
			[]string{"the header host is heldout's own"}},
		{"value of a header", model.Options{Spec: vllmSpec,
			Headers: map[string]model.Secret{"x": model.NewSecret("a\nb")}},
			[]string{"the value of the header x is empty or holds"}},
		{"Ollama's port", model.Options{Spec: ollamaSpec, BaseURL: "h:123456"},
			[]string{`port "123456" is not a number up to 65535`}},
		{"blank host", model.Options{Spec: ollamaSpec, BaseURL: "a b"}, []string{"base URL"}},
		{"key", model.Options{Spec: vllmSpec, Key: model.NewSecret("half\nhalf")},
			[]string{"the API key holds a character"}},
	}
	for _, test := range tests {
		_, err := model.Open(test.options)
		if err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error is %q, want %q in it", test.name, err, want)
			}
		}
		if strings.Contains(err.Error(), "half") {
			t.Errorf("%s: error %q tells the key", test.name, err)
		}
	}
}

func TestSecretDropsWhiteSpaceAround(t *testing.T) {
	for given, want := range map[string]string{"abc\r\n": "Bearer abc", "": "", " \n": ""} {
		server := recording(t, say(200, vllmReply))
		c := open(t, model.Options{BaseURL: server.URL, Key: model.NewSecret(given)})
		sharedtest.OK(t, sharedtest.Err(c.Chat(t.Context(), hello)))
		sharedtest.Equal(t, server.all()[0].authorization, want, "key : Authorization is", given)
	}
}
