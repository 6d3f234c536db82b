package model_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/eval/model"
)

// babbler is a model of random words on a server that speaks vLLM's protocol,
// with the vices that are set. Its tokens are words.
type babbler struct {
	contextLength int
	name          string // "" is the one that is asked for
	answers       string // the one that answers, "" for none that is told

	silent, noUsage, noList                    bool
	ignoresTemperature, ignoresSeed            bool
	ignoresMax, ignoresStop, cuts, growsLonger bool
	batchMatters, greedyVaries, cacheMatters   bool
	refuses                                    func(body map[string]any) (int, string)

	calls   atomic.Int64
	prompts sync.Map // that came before
}

func (b *babbler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/v1/models" && !b.noList:
		name := vllmSpec.Name
		if b.name != "" {
			name = b.name
		}
		say(200, fmt.Sprintf(`{"data":[{"id":%q,"owned_by":"vllm","max_model_len":%d},{"id":"other/model"}]}`, name,
			b.contextLength))(w, r)
	case r.URL.Path == "/version":
		say(200, `{"version":"0.11.0"}`)(w, r)
	case r.URL.Path == "/v1/chat/completions":
		b.chat(w, r)
	default:
		say(404, `{"detail":"Not Found"}`)(w, r)
	}
}

func (b *babbler) chat(w http.ResponseWriter, r *http.Request) {
	call := b.calls.Add(1)
	var raw map[string]any
	if err := json.NewDecoder(r.Body).Decode(&raw); err != nil {
		say(400, err.Error())(w, r)
		return
	}
	if b.refuses != nil {
		if status, text := b.refuses(raw); status != 0 {
			say(status, text)(w, r)
			return
		}
	}
	prompt := raw["messages"].([]any)[0].(map[string]any)["content"].(string)
	promptTokens := len(strings.Fields(prompt))
	if promptTokens > b.contextLength && !b.growsLonger {
		if !b.cuts {
			say(400,
				fmt.Sprintf(
					`{"error":{"message":"You passed %d input tokens and requested 1 output tokens. However, the model's context length is only %d tokens."}}`,
					promptTokens, b.contextLength))(w, r)
			return
		}
		promptTokens = b.contextLength / 2
	}
	if _, again := b.prompts.LoadOrStore(prompt, true); again && b.cacheMatters {
		promptTokens++
	}
	text := b.babble(raw, call, promptTokens)
	usage := fmt.Sprintf(`,"usage":{"prompt_tokens":%d,"completion_tokens":%d}`, promptTokens,
		len(strings.Fields(text)))
	if b.noUsage {
		usage = ""
	}
	quoted, _ := json.Marshal(text)
	say(200, fmt.Sprintf(`{"model":%q,"choices":[{"message":{"content":%s},"finish_reason":"length"}]%s}`, b.answers, quoted,
		usage))(w, r)
}

func (b *babbler) babble(raw map[string]any, call int64, promptTokens int) string {
	if b.silent {
		return ""
	}
	temperature, _ := raw["temperature"].(float64)
	seed, _ := raw["seed"].(float64)
	source := uint64(0)
	if temperature > 0 && !b.ignoresTemperature {
		source = uint64(seed) + 1
		if b.ignoresSeed {
			source = uint64(call)
		}
	}
	// Late calls are those that are made together.
	if b.greedyVaries || b.batchMatters && call > 13 {
		source = uint64(call)
	}
	random := rand.New(rand.NewPCG(source, uint64(promptTokens)))
	length := 48
	if most, ok := raw["max_tokens"].(float64); ok && !b.ignoresMax {
		length = int(most)
	}
	var words []string
	for range length {
		words = append(words, fmt.Sprintf("w%04d", random.IntN(10000)))
	}
	text := strings.Join(words, " ")
	if stops, ok := raw["stop"].([]any); ok && !b.ignoresStop {
		for _, stop := range stops {
			text, _, _ = strings.Cut(text, stop.(string))
		}
	}
	return text
}

// statuses are the names of the checks with their outcomes.
func statuses(checks []envs.Check) []string {
	var list []string
	for _, c := range checks {
		list = append(list, c.Name+" "+string(c.Status))
	}
	return list
}

func TestExamine(t *testing.T) {
	good := []string{
		"reachable ok", "model ok", "version ok", "context ok", "reply ok", "decoding ok", "usage ok", "max_tokens ok",
		"stop ok",
		"greedy ok", "sampling ok", "seed ok", "concurrency ok", "overflow ok",
	}
	// but is good with some outcomes changed; an outcome "-" takes a check out.
	but := func(changes ...string) []string {
		list := slices.Clone(good)
		for _, change := range changes {
			name, status, _ := strings.Cut(change, " ")
			i := slices.IndexFunc(list, func(s string) bool { return strings.HasPrefix(s, name+" ") })
			if status == "-" {
				list = slices.Delete(list, i, i+1)
			} else {
				list[i] = change
			}
		}
		return list
	}
	tests := []struct {
		name   string
		server *babbler
		extra  map[string]any
		limit  int
		want   []string
		text   map[string]string
	}{
		{"a good one", &babbler{}, nil, 0, good, map[string]string{
			"model": vllmSpec.Name, "version": "vllm 0.11.0", "context": "1000 tokens", "usage": "48 completion tokens",
			"sampling": "4 different",
			"overflow": "You passed 1144 input tokens"}},
		{"a lower limit", &babbler{}, nil, 500, good, map[string]string{"context": "500 tokens, of 1000"}},
		{"a limit that is too high", &babbler{}, nil, 5000, but("context fail"), map[string]string{
			"context": "limit of 5000 tokens is more than the 1000 that the server reports: lower --context"}},
		{"the model is not there", &babbler{name: "other/model"}, nil, 0,
			but("model fail", "context warn"),
			map[string]string{"model": `the server has "other/model"`}},
		{"no list of models", &babbler{noList: true}, nil, 0, but("model skipped", "context warn"),
			map[string]string{"context": "give it with --context",
				"overflow": "a prompt of 9216 tokens or more is refused: You passed"}},
		{"cuts prompts to a context that it does not tell", &babbler{noList: true, cuts: true}, nil, 0,
			but("model skipped", "context warn", "overflow warn"), map[string]string{
				"overflow": "counted 500 tokens in a prompt of 9216 or more: it cuts prompts silently; give the context"}},
		{"takes long prompts whole", &babbler{noList: true, growsLonger: true}, nil, 0, but("model skipped",
			"context warn"),
			map[string]string{"overflow": "a prompt of 9216 tokens is taken whole"}},
		{"cuts prompts to less than the user says", &babbler{noList: true, cuts: true}, nil, 4096,
			but("model skipped", "overflow warn"),
			map[string]string{"overflow": "counted 500 tokens in a prompt of 3840 or more"}},
		{"does not count a long prompt", &babbler{noList: true, cuts: true, contextLength: 200}, nil, 0,
			but("model skipped", "context warn", "overflow skipped"),
			map[string]string{"overflow": "not examined: the server counts 100 tokens in a prompt of 9216 or more"}},
		{"answers as another model", &babbler{answers: "other/model"}, nil, 0, slices.Insert(slices.Clone(good), 6,
			"answers warn"),
			map[string]string{"answers": `the reply is by other/model, another model of the server's list: results would go under`}},
		{"a long context", &babbler{contextLength: 1 << 17}, nil, 0, but("overflow skipped"), nil},
		{"silent", &babbler{silent: true}, nil, 0, but("reply warn", "stop skipped", "sampling warn", "seed -"), nil},
		{"no usage", &babbler{noUsage: true}, nil, 0, but("usage warn"), nil},
		{"no usage nor max_tokens", &babbler{noUsage: true, ignoresMax: true}, nil, 0,
			but("usage warn", "max_tokens warn"), nil},
		{"ignores max_tokens", &babbler{ignoresMax: true}, nil, 0, but("max_tokens fail"), map[string]string{
			"max_tokens": "at most 4 tokens, got 48"}},
		{"ignores stop", &babbler{ignoresStop: true}, nil, 0, but("stop fail"), nil},
		{"ignores temperature", &babbler{ignoresTemperature: true}, nil, 0, but("sampling warn", "seed -"), nil},
		{"ignores seed", &babbler{ignoresSeed: true}, nil, 0, but("seed warn"), nil},
		{"replies otherwise to a cached prompt", &babbler{cacheMatters: true}, nil, 0,
			slices.Replace(slices.Clone(good), slices.Index(good, "seed ok"), slices.Index(good, "seed ok")+1,
				"cache warn"),
			map[string]string{"cache": "once the server had the prompt in its cache"}},
		{"varies at temperature 0", &babbler{greedyVaries: true}, nil, 0,
			but("greedy warn", "seed warn", "concurrency warn"), nil},
		{"the batch matters", &babbler{batchMatters: true}, nil, 0, but("concurrency warn"), map[string]string{
			"concurrency": "VLLM_BATCH_INVARIANT=1"}},
		{"cuts prompts", &babbler{cuts: true}, nil, 0, but("overflow warn"), map[string]string{
			"overflow": "at least 1141 tokens as if it were 500, with a context of 1000: it cuts prompts silently, " +
				"so give a limit well below that with --context"}},
		{"has a longer context than it says", &babbler{growsLonger: true}, nil, 0, but("overflow warn"),
			map[string]string{"overflow": "more than the context of 1000"}},
		{"extra fields decide", &babbler{}, map[string]any{"seed": nil, "max_tokens": 7, "stop": nil,
			"truncate_prompt_tokens": 100}, 0,
			but("max_tokens skipped", "stop skipped", "sampling skipped", "seed -", "overflow skipped"), nil},
		{"extra temperature", &babbler{}, map[string]any{"temperature": 0.5}, 0,
			but("stop skipped", "greedy skipped", "sampling skipped", "seed -", "concurrency skipped"), nil},
		{"refuses the decoding", &babbler{refuses: func(body map[string]any) (int, string) {
			if _, ok := body["temperature"]; ok {
				return 400, `{"error":{"message":"Unsupported value: 'temperature'"}}`
			}
			return 0, ""
		}}, nil, 0, but("decoding warn", "sampling warn", "seed -"), map[string]string{
			"decoding": "the server refuses temperature"}},
		{"refuses a neutral field", &babbler{refuses: func(body map[string]any) (int, string) {
			if _, ok := body["min_p"]; ok {
				return 422,
					`{"detail":[{"type":"extra_forbidden","loc":["body","min_p"],"msg":"Extra inputs are not permitted","input":0}]}`
			}
			return 0, ""
		}}, nil, 0, but("decoding warn"), map[string]string{"decoding": "the server refuses min_p"}},
		{"refuses what was asked for", &babbler{refuses: func(body map[string]any) (int, string) {
			if _, ok := body["min_p"]; ok {
				return 400, `{"error":{"message":"property 'min_p' is unsupported"}}`
			}
			return 0, ""
		}}, map[string]any{"min_p": 0.1}, 0, []string{"reachable ok", "model ok", "version ok", "context ok",
			"reply fail"},
			map[string]string{"reply": `--extra-body '{"min_p":null}' leaves that field out`}},
		{"refuses everything", &babbler{refuses: func(map[string]any) (int, string) { return 400, "no" }}, nil, 0,
			[]string{"reachable ok", "model ok", "version ok", "context ok", "reply fail"}, map[string]string{
				"reply": "400 Bad Request: no"}},
		{"wants another key", &babbler{refuses: func(map[string]any) (int, string) { return 401, "no" }}, nil, 0,
			[]string{"reachable ok", "model ok", "version ok", "context ok", "reply fail"}, map[string]string{
				"reply": "--api-key-env"}},
		{"refuses overlong prompts in its own words", &babbler{refuses: func(body map[string]any) (int, string) {
			if body["max_tokens"] == 1.0 {
				return 400, "zu lang"
			}
			return 0, ""
		}}, nil, 0, but("overflow warn"), map[string]string{"overflow": "400 Bad Request: zu lang"}},
		{"refuses stop", &babbler{refuses: func(body map[string]any) (int, string) {
			if body["stop"] != nil {
				return 400, `{"error":{"message":"no stop here","param":"stop"}}`
			}
			return 0, ""
		}}, nil, 0, but("stop fail"), map[string]string{"stop": "no stop here"}},
		{"breaks down", &babbler{refuses: func(body map[string]any) (int, string) {
			if body["stop"] != nil {
				return 500, "boom"
			}
			return 0, ""
		}}, nil, 0, append(slices.Clone(good[:8]), "stop fail"), map[string]string{
			"stop": "1 attempt: 500 Internal Server Error: boom"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.server.contextLength == 0 {
				test.server.contextLength = 1000
			}
			server := recording(t, test.server.ServeHTTP)
			c := open(t, model.Options{BaseURL: server.URL + "/v1", ContextLimit: test.limit})
			checks := slices.Collect(model.Examine(t.Context(), c, test.extra, 8))
			if diff := cmp.Diff(test.want, statuses(checks)); diff != "" {
				t.Errorf("checks (-want +got):\n%s\n%v", diff, checks)
			}
			for name, want := range test.text {
				i := slices.IndexFunc(checks, func(c envs.Check) bool { return c.Name == name })
				if i < 0 || !strings.Contains(checks[i].Text, want) {
					t.Errorf("check %s says %q, want %q in it", name, checks[max(i, 0)].Text, want)
				}
			}
			for _, c := range checks {
				if c.Text == "" || strings.ContainsAny(c.Text, "\n\x1b") || strings.Contains(c.Text, "%!") {
					t.Errorf("check %s says %q", c.Name, c.Text)
				}
			}
		})
	}
}

func TestExamineNeedsSeveralAttempts(t *testing.T) {
	b := &babbler{contextLength: 1000}
	server := recording(t, b.ServeHTTP, b.ServeHTTP, say(429, "", "Retry-After", "0.01"),
		b.ServeHTTP)
	checks := slices.Collect(model.Examine(t.Context(), open(t, model.Options{BaseURL: server.URL + "/v1"}), nil, 1))
	if len(checks) < 5 || checks[4].Status != envs.CheckWarn || !strings.Contains(checks[4].Text, "2 attempts") {
		t.Errorf("checks are %v, want a warning about 2 attempts", checks)
	}
}

func TestExamineNobody(t *testing.T) {
	for _, answer := range []http.HandlerFunc{hijacked(t, ""), say(503, "loading"), say(401, "no")} {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			server := recording(t, answer)
			checks := slices.Collect(model.Examine(t.Context(),
				open(t, model.Options{Spec: spec, BaseURL: server.URL}), nil, 4))
			if diff := cmp.Diff([]string{"reachable fail"}, statuses(checks)); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
		}
	}
}

func TestExamineOllama(t *testing.T) {
	// A model that says the same whatever it is asked, and swallows everything.
	server := recording(t, fakeOllama(say(200, ollamaReply)))
	checks := slices.Collect(model.Examine(t.Context(),
		open(t, model.Options{Spec: ollamaSpec, BaseURL: server.URL}), nil, 32))
	want := []string{
		"reachable ok", "model ok", "version ok", "context ok", "reply ok", "decoding ok", "usage ok",
		"max_tokens fail", "stop fail",
		"greedy ok", "sampling warn", "concurrency ok", "overflow warn",
	}
	if diff := cmp.Diff(want, statuses(checks)); diff != "" {
		t.Errorf("checks (-want +got):\n%s\n%v", diff, checks)
	}
	// About it: tags, version, show. Then 1 + 1 + 1 + 3 + 4 + 32 + 1 chats.
	if n := len(server.all()); n != 46 {
		t.Errorf("%d requests were made, want 46", n)
	}
}

func TestExamineUnknownServer(t *testing.T) {
	b := &babbler{contextLength: 1000, noList: true}
	server := recording(t, b.ServeHTTP)
	c := open(t, model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: server.URL + "/v1"})
	checks := slices.Collect(model.Examine(t.Context(), c, nil, 1))
	i := slices.IndexFunc(checks, func(c envs.Check) bool { return c.Name == "decoding" })
	if i < 0 || checks[i].Status != envs.CheckOK || !strings.Contains(checks[i].Text, "--extra-body") {
		t.Errorf("checks are %v, want a word on what is left to the server", checks)
	}
}

func TestExamineLlamaCppAnswersForAnyName(t *testing.T) {
	b := &babbler{contextLength: 1000}
	server := recording(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			say(200, `{"data":[{"id":"other.gguf","owned_by":"llamacpp"}]}`)(w, r)
			return
		}
		b.ServeHTTP(w, r)
	})
	checks := slices.Collect(model.Examine(t.Context(), open(t, model.Options{BaseURL: server.URL + "/v1"}), nil, 1))
	if checks[1].Status != envs.CheckWarn || !strings.Contains(checks[1].Text, `"other.gguf"`) {
		t.Errorf("check is %v, want a warning that names other.gguf", checks[1])
	}
}

// unanswering is a network on which every call to a path waits for ever; others are answered
// as by a vLLM server.
type unanswering struct{ path string }

func (u unanswering) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, u.path) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	w := httptest.NewRecorder()
	(&babbler{contextLength: 1000}).ServeHTTP(w, r)
	return w.Result(), nil
}

// A server that accepts calls and never answers is waited for ten seconds, and its first reply
// for two minutes.
func TestExamineSilentServer(t *testing.T) {
	for path, want := range map[string]struct {
		after time.Duration
		says  string
	}{
		"/models":           {10 * time.Second, "http://silent/v1: no answer within 10s; start it with vllm serve"},
		"/chat/completions": {2 * time.Minute, "http://silent/v1: no reply within 2m0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := open(t, model.Options{BaseURL: "http://silent/v1", Transport: unanswering{path},
				Retry: model.Retry{Attempts: 8}})
			began := time.Now()
			checks := slices.Collect(model.Examine(t.Context(), c, nil, 1))
			last := checks[len(checks)-1]
			if took := time.Since(began); took != want.after || last.Status != envs.CheckFail ||
				!strings.HasPrefix(last.Text, want.says) {
				t.Errorf("after %v: %+v", took, last)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		check := model.Reach(t.Context(), open(t, model.Options{BaseURL: "http://silent/v1",
			Transport: unanswering{"/models"}}))
		if took := time.Since(began); took != 10*time.Second || check.Status != envs.CheckFail ||
			!strings.Contains(check.Text, "no reply within 10s; start it with vllm serve") {
			t.Errorf("after %v: %+v", took, check)
		}
	})
}

// Whatever a server answers to the first question, the doctor says it within ten seconds.
func TestExamineFirstQuestion(t *testing.T) {
	for status, want := range map[int]string{
		503: "503 Service Unavailable: Loading model; a server that still loads its model is waited for with",
		500: "500 Internal Server Error: Loading model",
		401: "--api-key-env",
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			c := open(t, model.Options{BaseURL: "http://loads/v1", Transport: answering{status},
				Retry: model.Retry{Attempts: 8}})
			checks := slices.Collect(model.Examine(t.Context(), c, nil, 1))
			if took := time.Since(began); took > 10*time.Second || len(checks) != 1 ||
				checks[0].Status != envs.CheckFail || !strings.Contains(checks[0].Text, want) {
				t.Errorf("%d, after %v: %+v", status, took, checks)
			}
		})
	}
}

// answering is a network on which every call gets that status.
type answering struct{ status int }

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	say(a.status, `{"error":{"message":"Loading model"}}`)(w, r)
	return w.Result(), nil
}
