package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// fakeServer stands in for a model server: it speaks the OpenAI protocol and
// Ollama's, and plays by a fixed rule, so that runs against it can be repeated.
type fakeServer struct {
	// context is the length in tokens (four bytes each) that it reports and enforces; 0 for none.
	context int
	// latency is how long a reply takes.
	latency time.Duration
	// fail makes one request in five fail, each time in another way, and none twice: three hung or empty replies to
	// one would be its result.
	fail   bool
	failed sync.Map // by body
	// hang is closed to let requests go that are made to time out.
	hang chan struct{}
	// loading counts the requests below each path /loadingN/, the first N of which it
	// refuses as a server that loads its model.
	loading sync.Map
	// key is the API key that it wants, if any.
	key string
	// onChat is called for every request for a reply.
	onChat func(n int)

	requests atomic.Int64
}

const fakeModel = "fake"

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if auth := r.Header.Get("Authorization"); s.key != "" && auth != "Bearer "+s.key {
		http.Error(w, `{"error":{"message":"wrong key: `+auth+`"}}`, http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	mode, _, _ := strings.Cut(r.URL.Path[1:], "/")
	if s.loads(mode) {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`)
		return
	}
	length := s.context
	if mode == "small" {
		length = 512
	}
	path := r.URL.Path
	if _, rest, ok := strings.Cut(path[1:], "/v1/"); ok { // behind the name of a way to misbehave
		path = "/v1/" + rest
	}
	switch path {
	case "/v1/models":
		if mode == "both" {
			fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"owned_by":"vllm"},{"id":"other","owned_by":"vllm"}]}`,
				fakeModel)
			return
		}
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"owned_by":"vllm","max_model_len":%d}]}`, fakeModel, length)
	case "/health":
	case "/version", "/api/version":
		fmt.Fprint(w, `{"version":"1.2.3"}`)
	case "/api/tags":
		fmt.Fprintf(w, `{"models":[{"name":%q,"model":%q,"digest":"d"}]}`, fakeModel+":latest", fakeModel+":latest")
	case "/api/show":
		fmt.Fprint(w, `{"model_info":{"general.architecture":"llama","llama.context_length":4096}}`)
	case "/v1/completions":
		s.proceed(w, body)
	case "/v1/chat/completions", "/api/chat":
		n := int(s.requests.Add(1))
		if s.onChat != nil {
			s.onChat(n)
		}
		time.Sleep(s.latency) // this is what is simulated, not a way to wait for something
		if s.fail && n%5 == 0 {
			if _, again := s.failed.LoadOrStore(string(body), nil); !again && !s.failure(w, n/5) {
				return
			}
		}
		if misbehave(w, r, body) {
			return
		}
		s.reply(w, path, body)
	default:
		http.NotFound(w, r)
	}
}

// loads reports whether the model is still being loaded.
func (s *fakeServer) loads(mode string) bool {
	times, ok := strings.CutPrefix(mode, "loading")
	most, err := strconv.ParseInt(times, 10, 64)
	if !ok || err != nil {
		return false
	}
	count, _ := s.loading.LoadOrStore(mode, &atomic.Int64{})
	return count.(*atomic.Int64).Add(1) <= most
}

// failure answers badly in the i-th of six ways; it returns true where the request may go on.
func (s *fakeServer) failure(w http.ResponseWriter, i int) bool {
	switch i % 6 {
	case 0:
		w.Header().Set("Retry-After", "0")
		http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
	case 1:
		http.Error(w, "internal error", http.StatusInternalServerError)
	case 2:
		panic(http.ErrAbortHandler) // resets the connection
	case 3:
		<-s.hang
	case 4:
		fmt.Fprint(w, `{"choices":[{"mess`)
	case 5:
		fmt.Fprint(w, `{"choices":[]}`)
	}
	return false
}

// fakeRequest is what matters of a request in either protocol.
type fakeRequest struct {
	Messages []struct{ Content string } `json:"messages"`
	Seed     int64                      `json:"seed"`
	Options  struct {
		Seed int64 `json:"seed"`
	} `json:"options"`
}

// fakeActions are what it may do, in gripper tasks; most are good moves.
var fakeActions = []string{
	"Move from rooma to roomb.", "Move from roomb to rooma.",
	"Pick up ball1 at rooma with arm left.", "Pick up ball2 at roomb with arm right.",
	"Pick up ball3 at rooma with arm right.",
	"drop ball1 roomb left", "drop ball2 rooma right", "drop ball3 roomb right", "check valid actions", "dance",
}

// reply chooses an action by a hash of the conversation and the seed.
func (s *fakeServer) reply(w http.ResponseWriter, path string, body []byte) {
	var req fakeRequest
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h := fnv.New64a()
	size := 0
	for _, m := range req.Messages {
		h.Write([]byte(m.Content))
		size += len(m.Content)
	}
	tokens := size / 4
	if s.context > 0 && tokens > s.context {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w,
			`{"error":{"message":"This model's maximum context length is %d tokens. However, you requested %d tokens.","code":"context_length_exceeded"}}`, s.context, tokens)
		return
	}
	fmt.Fprint(h, req.Seed+req.Options.Seed)
	sum := h.Sum64() >> 8 // FNV's low bits are weak
	text := fmt.Sprintf("Thought: The hash is %x.\nAction: %s", sum, fakeActions[sum%uint64(len(fakeActions))])
	if sum%17 == 0 {
		text = "I do not know."
	}
	finish := "stop"
	if len(req.Messages) > 0 {
		if synthetic, ended, ok := fakeSynthReply(req.Messages[len(req.Messages)-1].Content, sum); ok {
			text, finish = synthetic, ended
		}
	}
	if strings.HasPrefix(path, "/api/") {
		fmt.Fprintf(w,
			`{"model":%q,"message":{"role":"assistant","content":%q},"done":true,"done_reason":"stop","prompt_eval_count":%d,"eval_count":9}`, fakeModel, text, tokens)
		return
	}
	content, err := json.Marshal(text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w,
		`{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":%q}],"usage":{"prompt_tokens":%d,"completion_tokens":9}}`, content, finish, tokens)
}

// proceed continues a text that ends where a thought follows, and goes on as base models do.
func (s *fakeServer) proceed(w http.ResponseWriter, body []byte) {
	var req struct{ Prompt string }
	if err := json.Unmarshal(body, &req); err != nil || !strings.HasSuffix(req.Prompt, "\nThought:") {
		http.Error(w, `{"error":{"message":"the prompt does not end in a thought"}}`, http.StatusBadRequest)
		return
	}
	text := " I try.\nAction: check valid actions\nObservation: made up\nThought: I"
	fmt.Fprintf(w,
		`{"choices":[{"text":%q,"finish_reason":"length"}],"usage":{"prompt_tokens":%d,"completion_tokens":16}}`, text,
		len(req.Prompt)/4)
}

// serveFake is a command of the test scripts: fakeserver FILE [fail] serves
// until it is killed and writes its address to FILE.
func serveFake() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s := &fakeServer{key: os.Getenv("FAKE_KEY"), context: 16384, hang: make(chan struct{})}
	s.fail = len(os.Args) > 2 && os.Args[2] == "fail"
	if latency, err := time.ParseDuration(os.Getenv("FAKE_LATENCY")); err == nil {
		s.latency = latency
	}
	if err := os.WriteFile(os.Args[1], []byte("http://"+listener.Addr().String()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = http.Serve(listener, s) // it never returns but by being killed
}
