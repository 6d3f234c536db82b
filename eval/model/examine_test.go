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
	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// vices are what a babbler does wrong.
type vices struct {
	ContextLength int
	Name          string // "" is the one that is asked for
	Answers       string // the one that answers, "" for none that is told

	Silent, NoUsage, NoList                    bool
	IgnoresTemperature, IgnoresSeed            bool
	IgnoresMax, IgnoresStop, Cuts, GrowsLonger bool
	BatchMatters, GreedyVaries, CacheMatters   bool
	Refuses                                    refusal
}

// refusal is what a server says to requests with a field or, if the field is empty, to all.
type refusal struct {
	Field  string
	Value  any // if not nil, only requests with that value are refused
	Status int
	Text   string
}

// babbler is a model of random words on a server that speaks vLLM's protocol. Its tokens are words.
type babbler struct {
	vices
	calls   atomic.Int64
	prompts sync.Map // that came before
}

func (b *babbler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/v1/models" && !b.NoList:
		name := vllmSpec.Name
		if b.Name != "" {
			name = b.Name
		}
		say(200, fmt.Sprintf(`{"data":[{"id":%q,"owned_by":"vllm","max_model_len":%d},{"id":"other/model"}]}`, name,
			b.ContextLength))(w, r)
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
	given, sent := raw[b.Refuses.Field]
	sent = sent && (b.Refuses.Value == nil || fmt.Sprint(given) == fmt.Sprint(b.Refuses.Value))
	if b.Refuses.Status != 0 && (sent || b.Refuses.Field == "") {
		say(b.Refuses.Status, b.Refuses.Text)(w, r)
		return
	}
	prompt := raw["messages"].([]any)[0].(map[string]any)["content"].(string)
	promptTokens := len(strings.Fields(prompt))
	if promptTokens > b.ContextLength && !b.GrowsLonger {
		if !b.Cuts {
			say(400,
				fmt.Sprintf(
					`{"error":{"message":"You passed %d input tokens and requested 1 output tokens. However, the model's context length is only %d tokens."}}`,
					promptTokens, b.ContextLength))(w, r)
			return
		}
		promptTokens = b.ContextLength / 2
	}
	if _, again := b.prompts.LoadOrStore(prompt, true); again && b.CacheMatters {
		promptTokens++
	}
	text := b.babble(raw, call, promptTokens)
	usage := fmt.Sprintf(`,"usage":{"prompt_tokens":%d,"completion_tokens":%d}`, promptTokens,
		len(strings.Fields(text)))
	if b.NoUsage {
		usage = ""
	}
	quoted, _ := json.Marshal(text)
	say(200, fmt.Sprintf(`{"model":%q,"choices":[{"message":{"content":%s},"finish_reason":"length"}]%s}`, b.Answers, quoted,
		usage))(w, r)
}

func (b *babbler) babble(raw map[string]any, call int64, promptTokens int) string {
	if b.Silent {
		return ""
	}
	temperature, _ := raw["temperature"].(float64)
	seed, _ := raw["seed"].(float64)
	source := uint64(0)
	if temperature > 0 && !b.IgnoresTemperature {
		source = uint64(seed) + 1
		if b.IgnoresSeed {
			source = uint64(call)
		}
	}
	// Late calls are those that are made together.
	if b.GreedyVaries || b.BatchMatters && call > 13 {
		source = uint64(call)
	}
	random := rand.New(rand.NewPCG(source, uint64(promptTokens)))
	length := 48
	if most, ok := raw["max_tokens"].(float64); ok && !b.IgnoresMax {
		length = int(most)
	}
	var words []string
	for range length {
		words = append(words, fmt.Sprintf("w%04d", random.IntN(10000)))
	}
	text := strings.Join(words, " ")
	if stops, ok := raw["stop"].([]any); ok && !b.IgnoresStop {
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
	for _, test := range sharedtest.Cases[struct {
		Name          string
		Server        vices
		Extra         map[string]any
		Limit         int
		Changes, Want []string // of a good server's statuses, or all
		Text          map[string]string
	}](t, "examinations.yaml") {
		t.Run(test.Name, func(t *testing.T) {
			if test.Server.ContextLength == 0 {
				test.Server.ContextLength = 1000
			}
			server := recording(t, (&babbler{vices: test.Server}).ServeHTTP)
			c := open(t, model.Options{BaseURL: server.URL + "/v1", ContextLimit: test.Limit})
			checks := slices.Collect(model.Examine(t.Context(), c, test.Extra, 8))
			if test.Want == nil {
				test.Want = but(test.Changes...)
			}
			sharedtest.Equal(t, cmp.Diff(test.Want, statuses(checks)), "", "checks (-want +got)", checks)
			for name, want := range test.Text {
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
	b := &babbler{vices: vices{ContextLength: 1000}}
	server := recording(t, b.ServeHTTP, b.ServeHTTP, say(429, "", "Retry-After", "0.01"), b.ServeHTTP)
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
			sharedtest.Same(t, statuses(checks), []string{"reachable fail"}, "checks")
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
	sharedtest.Equal(t, cmp.Diff(want, statuses(checks)), "", "checks (-want +got)", checks)
	// About it: tags, version, show. Then 1 + 1 + 1 + 3 + 4 + 32 + 1 chats.
	sharedtest.Equal(t, len(server.all()), 46, "requests were made")
}

func TestExamineUnknownServer(t *testing.T) {
	b := &babbler{vices: vices{ContextLength: 1000, NoList: true}}
	server := recording(t, b.ServeHTTP)
	c := open(t, model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: server.URL + "/v1"})
	checks := slices.Collect(model.Examine(t.Context(), c, nil, 1))
	i := slices.IndexFunc(checks, func(c envs.Check) bool { return c.Name == "decoding" })
	if i < 0 || checks[i].Status != envs.CheckOK || !strings.Contains(checks[i].Text, "--extra-body") {
		t.Errorf("checks are %v, want a word on what is left to the server", checks)
	}
}

func TestExamineLlamaCppAnswersForAnyName(t *testing.T) {
	b := &babbler{vices: vices{ContextLength: 1000}}
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

// unanswering is a network on which every call to a path waits for ever; others are answered as by a vLLM server.
type unanswering struct{ path string }

func (u unanswering) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, u.path) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	w := httptest.NewRecorder()
	(&babbler{vices: vices{ContextLength: 1000}}).ServeHTTP(w, r)
	return w.Result(), nil
}

// A server that accepts calls and never answers is waited for ten seconds, and its first reply for two minutes.
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
