package model_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// gateway remembers the addresses and headers of requests, and answers as its function does.
type gateway struct {
	*httptest.Server
	mu      sync.Mutex
	uris    []string
	headers []http.Header
	bodies  []string
}

func newGateway(t *testing.T, answer func(w http.ResponseWriter, body string)) *gateway {
	g := &gateway{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		g.mu.Lock()
		g.uris, g.headers, g.bodies = append(g.uris, r.URL.RequestURI()), append(g.headers, r.Header),
			append(g.bodies, string(body))
		g.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		answer(w, string(body))
	}))
	t.Cleanup(g.Close)
	return g
}

func answers(w http.ResponseWriter, _ string) { fmt.Fprint(w, vllmReply) }

// Whole addresses of calls, and queries, lead where they are meant to.
func TestGatewayAddresses(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/chat/completions":             "/v1/chat/completions",
		"/v1/completions/":                 "/v1/chat/completions",
		"/v1/":                             "/v1/chat/completions",
		"/d/gpt?api-version=1&x=a%20b":     "/d/gpt/chat/completions?api-version=1&x=a%20b",
		"/d/chat/completions?api-version=": "/d/chat/completions?api-version=",
		"/models":                          "/models/chat/completions",
	} {
		g := newGateway(t, answers)
		c := open(t, model.Options{BaseURL: g.URL + path})
		sharedtest.OK(t, sharedtest.Err(c.Chat(t.Context(), hello)))
		sharedtest.Equal(t, g.uris[0], want, path, "leads to")
		if strings.Contains(c.URL(), "?") {
			t.Errorf("the address is shown as %s", c.URL())
		}
		_, _ = c.Server(t.Context())
		_, query, _ := strings.Cut(want, "?")
		for _, uri := range g.uris {
			if _, sent, _ := strings.Cut(uri, "?"); sent != query {
				t.Errorf("%s has another query than %s", uri, want)
			}
		}
	}
}

// Every request has the headers; the key is a header of Azure's where the address is.
func TestHeaders(t *testing.T) {
	for query, want := range map[string][2]string{"": {"Bearer " + key, ""}, "?api-version=1": {"", key}} {
		g := newGateway(t, answers)
		c := open(t, model.Options{BaseURL: g.URL + "/v1" + query, Key: model.NewSecret(key),
			Headers: map[string]model.Secret{"x-own": model.NewSecret("Basic one two")}})
		_, _ = c.Chat(t.Context(), hello)
		_, _ = c.Server(t.Context())
		for _, h := range g.headers {
			got := [2]string{h.Get("Authorization"), h.Get("Api-Key")}
			if got != want || h.Get("X-Own") != "Basic one two" {
				t.Errorf("%q: the headers are %v", query, h)
			}
		}
	}
}

// What is sent in headers and queries is masked in errors and replies.
func TestHeadersAreSecret(t *testing.T) {
	const header, value = "Basic 0123456789+abc", "hunter2/hunter2"
	secrets := []string{"0123456789+abc", value, "hunter2%2Fhunter2"}
	hidden := func(what, text string) {
		t.Helper()
		for _, s := range secrets {
			if strings.Contains(text, s) {
				t.Errorf("%s tells a secret: %s", what, text)
			}
		}
	}
	for _, status := range []int{200, 400, 401, 404, 500, 301} {
		g := newGateway(t, func(w http.ResponseWriter, _ string) {
			w.Header().Set("Location", "http://elsewhere/"+secrets[0]+"?sig="+value)
			w.WriteHeader(status)
			said, _ := json.Marshal("I got " + strings.Join(secrets, " and ") + " with " + header)
			fmt.Fprintf(w, `{"error":{"message":%s},"choices":[{"message":{"content":%s}}]}`, said, said)
		})
		o := model.Options{BaseURL: g.URL + "/v1?sig=hunter2%2Fhunter2", Headers: map[string]model.Secret{
			"X-Own": model.NewSecret(header)}}
		_, err := open(t, o).Chat(t.Context(), hello)
		hidden(fmt.Sprint(status), fmt.Sprint(err))
		hidden("printing the options", fmt.Sprintf("%+v %#v", o.Headers, o.Headers))
	}
	g := newGateway(t, func(w http.ResponseWriter, _ string) {
		fmt.Fprintf(w, `{"choices":[{"message":{"content":"Action: %s"}}]}`, strings.Join(secrets, " "))
	})
	reply := sharedtest.Must(open(t, model.Options{BaseURL: g.URL + "/v1?sig=" + value,
		Headers: map[string]model.Secret{"X-Own": model.NewSecret(header)}}).Chat(t.Context(), hello))(t)
	hidden("a reply", reply.Text)
}

// pieces are events of a chat whose content comes in these pieces, the last with usage.
func pieces(texts ...string) string {
	var b strings.Builder
	b.WriteString(": a comment\n\n")
	for i, text := range texts {
		content, _ := json.Marshal(text) // a text can always be written
		fmt.Fprintf(&b, "event: x\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":%s}", content)
		if i == len(texts)-1 {
			b.WriteString(`,"finish_reason":"stop"`)
		}
		b.WriteString("}]}\r\n\r\n")
	}
	b.WriteString("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n")
	return b.String()
}

// A gateway that refuses whole replies is asked for pieces, from then on at once.
func TestRepliesInPieces(t *testing.T) {
	const action = "Action: go"
	for name, refuse := range map[string]func(body string) string{
		"only pieces": func(body string) string {
			return wantIn(body, `"stream":true`, `{"detail":"Stream must be set to true"}`)
		},
		"ModelScope": func(body string) string {
			return wantIn(body, `"stream":true`,
				`{"error":{"message":"enable thinking can not be support when `+"`stream=False`"+`."}}`)
		},
		"without usage": func(body string) string {
			if strings.Contains(body, "stream_options") {
				return `{"error":{"message":"Unknown parameter: stream_options"}}`
			}
			return wantIn(body, `"stream":true`, `{"detail":"Stream must be set to true"}`)
		},
	} {
		g := newGateway(t, func(w http.ResponseWriter, body string) {
			if why := refuse(body); why != "" {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, why)
				return
			}
			if !strings.Contains(body, `"stream":true`) {
				fmt.Fprint(w, vllmReply)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			fmt.Fprint(w, pieces("Act", "", "ion:", " go"))
		})
		var told []string
		c := open(t, model.Options{BaseURL: g.URL + "/v1", Tell: func(line string) { told = append(told, line) }})
		for call := range 2 {
			before := len(g.bodies)
			reply, err := c.Chat(t.Context(), hello)
			if err != nil || reply.Text != action || reply.PromptTokens != 11 || reply.CompletionTokens != 3 ||
				reply.FinishReason != "stop" || reply.Attempts != len(g.bodies)-before ||
				call == 1 && reply.Attempts != 1 {
				t.Errorf("%s, call %d: %+v, %v", name, call, reply, err)
			}
		}
		sharedtest.Equal(t, len(told), 1, name, told, "told")
	}
}

// A server that refuses the field for whole replies gets none if the user says so.
func TestStreamLeftOut(t *testing.T) {
	g := newGateway(t, answers)
	req := hello
	req.Decoding.Extra = map[string]any{"stream": nil}
	_, err := open(t, model.Options{BaseURL: g.URL + "/v1"}).Chat(t.Context(), req)
	if err != nil || strings.Contains(g.bodies[0], "stream") {
		t.Errorf("%v, %q", err, g.bodies)
	}
}

// A gateway that refuses the field without a word about it gets none from then on. Where that does not help, it is sent
// as before.
func TestStreamTriedWithoutTheField(t *testing.T) {
	const vague = `{"error":{"message":"Bad request to upstream provider"}}`
	refusesAll := false
	g := newGateway(t, func(w http.ResponseWriter, body string) {
		if strings.Contains(body, "stream") || refusesAll {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, vague)
			return
		}
		fmt.Fprint(w, vllmReply)
	})
	c := open(t, model.Options{BaseURL: g.URL + "/v1"})
	for call, attempts := range []int{2, 1, 1} {
		sharedtest.Equal(t, sharedtest.Must(c.Chat(t.Context(), hello))(t).Attempts, attempts, "call", call)
	}
	refusesAll = true // one bad prompt changes nothing
	if _, err := c.Chat(t.Context(), hello); as[*model.RequestError](t, err).Attempts != 1 {
		t.Error(err)
	}
	refusesAll = false
	sharedtest.Equal(t, sharedtest.Must(c.Chat(t.Context(), hello))(t).Attempts, 1, "after a refusal")

	g = newGateway(t, func(w http.ResponseWriter, _ string) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, vague)
	})
	c = open(t, model.Options{BaseURL: g.URL + "/v1"})
	for call, attempts := range []int{2, 1} {
		if _, err := c.Chat(t.Context(), hello); as[*model.RequestError](t, err).Attempts != attempts {
			t.Errorf("call %d: %v", call, err)
		}
	}
	if last := g.bodies[len(g.bodies)-1]; !strings.Contains(last, `"stream":false`) {
		t.Error(last)
	}
}

// wantIn refuses a body in which a part is missing.
func wantIn(body, part, why string) string {
	if strings.Contains(body, part) {
		return ""
	}
	return why
}

// Pieces that nobody asked for are read as well, with reasoning and calls; a stream that
// breaks off or reports an error is no reply.
func TestPiecesOfAllKinds(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Name, Body string
		Want       model.Reply
		Err        string
	}](t, "pieces.yaml") {
		g := newGateway(t, func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, c.Body)
		})
		got, err := open(t, model.Options{BaseURL: g.URL + "/v1"}).Chat(t.Context(), hello)
		got.Latency, got.Attempts, got.Calls = 0, 0, nil
		if c.Err != "" {
			sharedtest.Fails(t, err, c.Err, c.Name, got)
			continue
		}
		if diff := cmp.Diff(c.Want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.Name, err, diff)
		}
	}
}

// Pieces of a completion are put together, too.
func TestPiecesOfACompletion(t *testing.T) {
	g := newGateway(t, func(w http.ResponseWriter, _ string) {
		fmt.Fprint(w, "data: {\"choices\":[{\"text\":\" g\"}]}\n\ndata: {\"choices\":[{\"text\":\"o\","+
			"\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n")
	})
	req := hello
	req.Completion = true
	reply, err := open(t, model.Options{BaseURL: g.URL + "/v1"}).Chat(t.Context(), req)
	if err != nil || reply.Text != " go" || reply.FinishReason != "length" {
		t.Errorf("%+v, %v", reply, err)
	}
}

// FuzzPieces checks that a text is the same in whatever pieces it comes.
func FuzzPieces(f *testing.F) {
	f.Add("Thought: é\nAction: go", 3, 9)
	f.Add("data: [DONE]\n\ndata: {}", 0, 5)
	f.Fuzz(func(t *testing.T, text string, first, second int) {
		text = strings.ToValidUTF8(text, "")
		runes := []rune(text)
		cuts := []int{min(max(first, 0), len(runes)), min(max(second, 0), len(runes))}
		slices.Sort(cuts)
		get := func(body, kind string) (model.Reply, error) {
			c := open(t, model.Options{BaseURL: "http://h/v1", Transport: roundTrip(
				func(*http.Request) (*http.Response, error) { return respond(200, body, "Content-Type", kind), nil })})
			reply, err := c.Chat(t.Context(), hello)
			reply.Latency = 0
			return reply, err
		}
		content, _ := json.Marshal(text) // a text can always be written
		whole, err := get(fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":11,"completion_tokens":3}}`, content), "application/json")
		joined, err2 := get(pieces(string(runes[:cuts[0]]), string(runes[cuts[0]:cuts[1]]), string(runes[cuts[1]:])),
			"text/event-stream")
		if diff := cmp.Diff(whole, joined); err != nil || err2 != nil || diff != "" {
			t.Errorf("%v, %v (-whole +pieces):\n%s", err, err2, diff)
		}
	})
}

// A refused value ends the run at the first call with what leaves its field out; a length that
// depends on the prompt does not.
func TestRefusedValues(t *testing.T) {
	for message, field := range map[string]string{
		"Input validation error: `top_p` must be > 0.0 and < 1.0":           "top_p",
		"Input validation error: `temperature` must be strictly positive":   "temperature",
		"top_k should be at least 1":                                        "top_k",
		"Input validation error: `max_new_tokens` must be <= 10. Given: 64": "",
		"max_tokens must be less than 10":                                   "",
		"temperature in the room must be low":                               "",
		"messages must be a list":                                           "",
	} {
		said, _ := json.Marshal(message) // a text can always be written
		g := newGateway(t, func(w http.ResponseWriter, _ string) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprintf(w, `{"error":%s}`, said)
		})
		_, err := open(t, model.Options{BaseURL: g.URL + "/v1"}).Chat(t.Context(), hello)
		refused, ok := err.(*model.RequestError)
		if !ok || refused.Field != field || field != "" && (!refused.Fatal() ||
			!strings.Contains(err.Error(), `--extra-body '{"`+field+`":null}' leaves that field out`)) {
			t.Errorf("%s: %v", message, err)
		}
	}
}

// The error about a certificate says how a private authority is trusted.
func TestPrivateAuthority(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answers(w, "") }))
	defer server.Close()
	_, err := open(t, model.Options{BaseURL: server.URL + "/v1"}).Chat(t.Context(), hello)
	sharedtest.Fails(t, err, "SSL_CERT_FILE names a file")
}
