package model_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/eval/model"
	"heldout/scoring/record"
)

// endpoints serves fixed answers by path, and 404 elsewhere.
func endpoints(answers map[string]http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if answer, ok := answers[r.URL.Path]; ok {
			answer(w, r)
			return
		}
		say(404, `{"detail":"Not Found"}`)(w, r)
	}
}

func TestServer(t *testing.T) {
	// A slot of 2048 tokens, of a model that was trained for 4096.
	const tinySize = "473472 parameters, 948224 bytes, F16"
	const llamaModels = `{"models":[{"name":"heldout-tiny","model":"heldout-tiny","modified_at":"","size":"","digest":"","type":"model","description":"",` +
		`"tags":[""],"capabilities":["completion"],"parameters":"","details":{"parent_model":"","format":"gguf","family":"","families":[""],` +
		`"parameter_size":"","quantization_level":""}}],"object":"list","data":[{"id":"heldout-tiny","aliases":["heldout-tiny","tiny"],"tags":[],` +
		`"object":"model","created":1795176861,"owned_by":"llamacpp","meta":{"vocab_type":2,"n_vocab":695,"n_ctx":2048,"n_ctx_train":4096,"n_embd":128,` +
		`"n_params":473472,"size":948224,"ftype":"F16"}}]}`
	const card = `{"id":"meta-llama/Meta-Llama-3-8B-Instruct","object":"model","created":1,`
	tests := []struct {
		name    string
		spec    model.Spec
		answers map[string]http.HandlerFunc
		want    record.ServerReport
		limit   int
	}{
		{
			name: "vLLM",
			answers: map[string]http.HandlerFunc{
				"/v1/models": say(200, `{"object":"list","data":[{"id":"lora","object":"model","owned_by":"vllm","root":"/lora","parent":"base","max_model_len":null},`+
					card+`"owned_by":"vllm","root":"/models/llama3","parent":null,"max_model_len":8192,"permission":[]}]}`),
				"/version": say(200, `{"version":"0.11.0"}`),
			},
			want: record.ServerReport{Software: "vllm", Version: "0.11.0", Models: []string{"lora", vllmSpec.Name},
				Present:       true,
				ContextLength: 8192, Root: "/models/llama3"},
			limit: 8192,
		},
		{
			name: "vLLM 0.32",
			spec: model.Spec{Provider: model.VLLM, Name: "heldout-tiny"},
			answers: map[string]http.HandlerFunc{
				"/v1/models": say(200, `{"object":"list","data":[{"id":"heldout-tiny","object":"model","created":1795177058,"owned_by":"vllm",`+
					`"root":"/models/hf","parent":null,"max_model_len":4096,"permission":[{"id":"modelperm-852696167689a53d","object":"model_permission",`+
					`"created":1795177058,"allow_create_engine":false,"allow_sampling":true,"allow_logprobs":true,"allow_search_indices":false,"allow_view":true,`+
					`"allow_fine_tuning":false,"organization":"*","group":null,"is_blocking":false}]}]}`),
				"/version": say(200, `{"version":"0.32.0"}`),
			},
			want: record.ServerReport{Software: "vllm", Version: "0.32.0", Models: []string{"heldout-tiny"},
				Present:       true,
				ContextLength: 4096, Root: "/models/hf"},
			limit: 4096,
		},
		{
			name: "an adapter on vLLM",
			spec: model.Spec{Provider: model.VLLM, Name: "lora"},
			answers: map[string]http.HandlerFunc{
				"/v1/models": say(200, `{"data":[{"id":"lora","owned_by":"vllm","root":"/lora","parent":"base","max_model_len":4096}]}`),
			},
			want: record.ServerReport{Software: "vllm", Models: []string{"lora"}, Present: true, ContextLength: 4096,
				Root: "/lora", Parent: "base"},
			limit: 4096,
		},
		{
			name: "llama.cpp",
			answers: map[string]http.HandlerFunc{
				"/v1/models": say(200, `{"models":[{}],"object":"list","data":[`+card+`"owned_by":"llamacpp","meta":{"vocab_type":1,"n_ctx_train":131072,"n_embd":64}}]}`,
					"Server", "llama.cpp"),
				"/props": say(200, `{"default_generation_settings":{"n_ctx":2048,"params":{"seed":1}},"total_slots":4,"model_path":"m.gguf","build_info":"b6000-abcdef","chat_template":"{{ messages }}"}`),
			},
			want: record.ServerReport{Software: "llama.cpp", Version: "b6000-abcdef", Models: []string{vllmSpec.Name},
				Present: true, ContextLength: 2048, Root: "m.gguf", Template: "f24189f08c85a1eb"},
			limit: 2048,
		},
		{
			name: "llama.cpp, as it is",
			spec: model.Spec{Provider: model.OpenAI, Name: "heldout-tiny"},
			answers: map[string]http.HandlerFunc{
				"/v1/models": say(200, llamaModels, "Server", "llama.cpp"),
				"/props": say(200, `{"default_generation_settings":{"params":{"seed":4294967295,"temperature":0.800000011920929,"top_k":40},"n_ctx":2048},"total_slots":8,`+
					`"model_alias":"heldout-tiny","model_ftype":"F16","build_info":"b0-0c1e57098"}`, "Server", "llama.cpp"),
			},
			want: record.ServerReport{Software: "llama.cpp", Version: "b0-0c1e57098", Models: []string{"heldout-tiny"},
				Present: true, ContextLength: 2048, Size: tinySize},
			limit: 2048,
		},
		{
			name: "llama.cpp, without /props, by another name",
			spec: model.Spec{Provider: model.OpenAI, Name: "tiny"},
			answers: map[string]http.HandlerFunc{
				"/v1/models": say(200, llamaModels),
				"/props":     say(404, `{"error":{"message":"File Not Found","type":"not_found_error","code":404}}`),
			},
			want: record.ServerReport{Software: "llama.cpp", Models: []string{"heldout-tiny"}, Present: true,
				ContextLength: 2048, Size: tinySize},
			limit: 2048,
		},
		{
			// It answers for any name.
			name:    "llama.cpp, by a name it does not know",
			spec:    model.Spec{Provider: model.OpenAI, Name: "nope"},
			answers: map[string]http.HandlerFunc{"/v1/models": say(200, llamaModels)},
			want:    record.ServerReport{Software: "llama.cpp", Models: []string{"heldout-tiny"}},
		},
		{
			name: "llama.cpp without /props",
			answers: map[string]http.HandlerFunc{
				"/v1/models": say(200, `{"data":[{"id":"other","owned_by":"llamacpp"},`+card+`"owned_by":"llamacpp","meta":{"n_ctx_train":512}}]}`),
			},
			want: record.ServerReport{Software: "llama.cpp", Models: []string{"other", vllmSpec.Name}, Present: true,
				ContextLength: 512},
			limit: 512,
		},
		{
			name: "OpenAI",
			spec: model.Spec{Provider: model.OpenAI, Name: "gpt-4o"},
			answers: map[string]http.HandlerFunc{
				"/v1/models": say(200, `{"data":[{"id":"gpt-4o","owned_by":"system"},{"id":"gpt-5","owned_by":"openai-internal"}]}`),
				"/version":   say(200, `{"version":"not asked for"}`),
			},
			want: record.ServerReport{Models: []string{"gpt-4o", "gpt-5"}, Present: true},
		},
		{
			name: "SGLang",
			answers: map[string]http.HandlerFunc{
				"/v1/models": say(200, `{"data":[`+card+`"owned_by":"sglang","root":"x","max_model_len":4096}]}`),
			},
			want: record.ServerReport{Software: "sglang", Models: []string{vllmSpec.Name}, Present: true,
				ContextLength: 4096,
				Root:          "x"},
			limit: 4096,
		},
		{
			name: "no list of models",
			want: record.ServerReport{},
		},
		{
			name: "odd types and control characters",
			answers: map[string]http.HandlerFunc{
				"/v1/models": say(200, `{"data":[{"id":"\u001b[31mred\u0000","owned_by":5,"root":{},"max_model_len":"many"},3,null,`+card+`"max_model_len":-1}]}`),
				"/version":   say(500, ``),
			},
			want: record.ServerReport{Models: []string{"[31mred", vllmSpec.Name}, Present: true},
		},
		{
			name: "Ollama",
			spec: ollamaSpec,
			answers: map[string]http.HandlerFunc{
				"/v1/api/tags": say(200, ollamaTags), "/v1/api/show": say(200, ollamaShow), "/v1/api/version": say(200, `{"version":"0.17.4"}`),
			},
			want: record.ServerReport{Software: "ollama", Version: "0.17.4",
				Models:        []string{"other:latest", "llama3:8b"},
				Present:       true,
				ContextLength: 4096, Parent: "base:1b", Digest: "365c0bd3c000", Template: "b507b9c2f6ca642b"},
			limit: 4096,
		},
		{
			name: "Ollama, without a tag",
			spec: model.Spec{Provider: model.Ollama, Name: "other"},
			answers: map[string]http.HandlerFunc{
				"/v1/api/tags": say(200, ollamaTags),
				"/v1/api/show": say(200, `{"model_info":{"general.architecture":"llama","llama.context_length":131072}}`),
			},
			want: record.ServerReport{Software: "ollama", Models: []string{"other:latest", "llama3:8b"}, Present: true,
				ContextLength: 131072, Digest: "aaa"},
			limit: 8192,
		},
		{
			name: "Ollama without the model",
			spec: model.Spec{Provider: model.Ollama, Name: "absent"},
			answers: map[string]http.HandlerFunc{
				"/v1/api/tags": say(200, ollamaTags), "/v1/api/show": say(404, `{"error":"model 'absent' not found"}`),
			},
			want: record.ServerReport{Software: "ollama", Models: []string{"other:latest", "llama3:8b"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := recording(t, endpoints(test.answers))
			c := open(t, model.Options{Spec: test.spec, BaseURL: server.URL + "/v1"})
			got, err := c.Server(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("server (-want +got):\n%s", diff)
			}
			if got := c.ContextLimit(); got != test.limit {
				t.Errorf("ContextLimit() = %d, want %d", got, test.limit)
			}
			c = open(t, model.Options{Spec: test.spec, BaseURL: server.URL + "/v1", ContextLimit: 77})
			if _, err := c.Server(t.Context()); err != nil || c.ContextLimit() != 77 {
				t.Errorf("ContextLimit() = %d, %v with an option of 77", c.ContextLimit(), err)
			}
		})
	}
}

func TestServerErrors(t *testing.T) {
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		_, err := open(t, model.Options{Spec: spec, BaseURL: recording(t, say(401, `{"error":"who are you"}`)).URL}).Server(t.Context())
		if got := as[*model.RequestError](t, err); got.Status != 401 || !got.Fatal() {
			t.Errorf("%s: error is %v, want a fatal 401", spec.Provider, err)
		}
		_, err = open(t, model.Options{Spec: spec, BaseURL: recording(t, say(503, `loading`)).URL}).Server(t.Context())
		if got := as[*model.UnavailableError](t, err); got.Status != 503 || got.Attempts != 4 {
			t.Errorf("%s: error is %v, want a 503 after 4 attempts", spec.Provider, err)
		}
		flaky := recording(t, say(500, ""), say(200, "{"), endpoints(map[string]http.HandlerFunc{
			"/v1/models": say(200, `{"data":[]}`), "/api/tags": say(200, ollamaTags), "/v1/api/tags": say(200, ollamaTags), "/v1/api/show": say(200, ollamaShow),
		}))
		if _, err = open(t, model.Options{Spec: spec, BaseURL: flaky.URL + "/v1"}).Server(t.Context()); err != nil {
			t.Errorf("%s: a server that fails twice: %v", spec.Provider, err)
		}
	}
}

func TestServerAsJSON(t *testing.T) {
	got, err := json.Marshal(record.ServerReport{Software: "vllm", Models: []string{"m"}, Present: true,
		ContextLength: 5})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"software":"vllm","models":["m"],"present":true,"context_length":5}`
	if string(got) != want {
		t.Errorf("server is %s, want %s", got, want)
	}
}
