package model_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// ownFlags are words that only hints for one kind of server may hold.
var ownFlags = map[string][]string{
	"vllm": {"vllm serve", "--max-model-len", "--enable-auto-tool-choice", "VLLM_BATCH_INVARIANT", ":8000",
		"--no-enable-prefix-caching"},
	"sglang": {"sglang.launch_server", "--context-length", "--tool-call-parser", "--enable-deterministic-inference",
		"--disable-radix-cache",
		":30000"},
	"llama.cpp": {"cache_prompt", "llama-server", "--ctx-size", "--chat-template-file", "--reasoning-format", "--alias",
		":8080"},
	"ollama": {"ollama serve", "ollama pull", "Modelfile", `{"think":false}`, "OLLAMA_NUM_PARALLEL"},
	"":       {"the service's documentation", "reasoning_effort"},
}

// foreign returns a word in a text that only another kind of server knows.
func foreign(kind, text string) string {
	for other, words := range ownFlags {
		for _, word := range words {
			if other != kind && strings.Contains(text, word) {
				return word
			}
		}
	}
	return ""
}

// troubled is a babbler on a server of a kind, which lists other names too.
func troubled(kind string, b *babbler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			b.ServeHTTP(w, r)
			return
		}
		owner := map[string]string{"vllm": "vllm", "sglang": "sglang", "llama.cpp": "llamacpp", "": "someone"}[kind]
		say(200, `{"data":[{"id":"other","owned_by":"`+owner+`","max_model_len":1000},{"id":"`+b.Name+`","owned_by":"`+
			owner+`","max_model_len":1000}]}`)(w, r)
	}
}

// Hints are about the server that is asked, not another one.
func TestHintsFitTheServer(t *testing.T) {
	tests := map[string]struct{ name, context, reply, concurrency, cache string }{
		"vllm": {"--served-model-name", "--max-model-len", "--chat-template FILE", "VLLM_BATCH_INVARIANT=1",
			"--no-enable-prefix-caching"},
		"sglang": {"--served-model-name", "--context-length", "--chat-template FILE",
			"--enable-deterministic-inference", "--disable-radix-cache"},
		"llama.cpp": {"--alias", "--ctx-size", "--chat-template-file FILE", "--parallel 1",
			`--extra-body '{"cache_prompt":false}'`},
		"": {"the service's documentation", "lower --context", "one for chat", "will not repeat exactly",
			"than an undisturbed one"},
	}
	for kind, want := range tests {
		spec := model.Spec{Provider: model.OpenAI, Name: "m"}
		examine := func(v vices, limit int) []envs.Check {
			v.ContextLength = 1000
			server := httptest.NewServer(troubled(kind, &babbler{vices: v}))
			defer server.Close()
			return slices.Collect(model.Examine(t.Context(), open(t,
				model.Options{Spec: spec, BaseURL: server.URL + "/v1", ContextLimit: limit}), nil, 4))
		}
		missing := examine(vices{Name: "another"}, 0)
		tooLong := examine(vices{Name: "m"}, 5000)
		empty := examine(vices{Name: "m", Silent: true}, 0)
		varied := examine(vices{Name: "m", BatchMatters: true}, 0)
		cached := examine(vices{Name: "m", CacheMatters: true}, 0)
		for _, c := range []struct {
			checks     []envs.Check
			name, want string
		}{{missing, "model", want.name}, {tooLong, "context", want.context}, {empty, "reply", want.reply},
			{varied, "concurrency", want.concurrency}, {cached, "cache", want.cache}} {
			i := slices.IndexFunc(c.checks, func(check envs.Check) bool { return check.Name == c.name })
			if i < 0 || !strings.Contains(c.checks[i].Text, c.want) {
				t.Errorf("%q: check %s of %v lacks %q", kind, c.name, c.checks, c.want)
			}
			for _, check := range c.checks {
				sharedtest.Equal(t, foreign(kind, check.Text), "", kind, check.Name, check.Text, "is told")
			}
		}
	}
}

// Nobody at the address: the hint is how to start the server that is meant.
func TestHintsOnTheAddress(t *testing.T) {
	for name, want := range map[string]string{"vllm:m": "vllm serve", "ollama:m": "ollama serve",
		"openai:m": "the network and the proxy"} {
		spec := sharedtest.Must(model.ParseSpec(name))(t)
		c := open(t, model.Options{Spec: spec, BaseURL: "http://127.0.0.1:1", Retry: model.Retry{Attempts: 1}})
		checks := slices.Collect(model.Examine(t.Context(), c, nil, 1))
		if !strings.Contains(checks[0].Text, want) || checks[0].Status != envs.CheckFail {
			t.Errorf("%s: %v", name, checks)
		}
	}
}

// Every symptom has advice for every server, and none that is another server's.
func TestAdvice(t *testing.T) {
	for kind := range ownFlags {
		for _, d := range []record.Decoding{{}, {Temperature: 1, TopP: 1, MaxTokens: 512}, {Temperature: 0.5}} {
			for _, s := range append(model.Symptoms(), model.InvalidActions, model.SeedsIgnored, model.CacheSensitive) {
				advice := model.Adviser{Kind: kind, Decoding: d}.Advice(s)
				if word := foreign(kind, advice); advice == "" || word != "" {
					t.Errorf("%s, %s, %+v: %q has %q", kind, s, d, advice, word)
				}
			}
		}
	}
}
