package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"heldout/envs/sharedtest"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// orsClient speaks the Open Reward Standard with one session.
type orsClient struct {
	t             testing.TB
	base, session string
	headers       map[string]string
}

// newORS serves an echo and returns a client of it.
func newORS(t testing.TB, change func(*Options)) (*orsClient, *Server, *clock) {
	t.Helper()
	s, now := testServer(t, change)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return &orsClient{t: t, base: h.URL, session: "s1"}, s, now
}

// ask sends a request, with a body if there is one, and returns status and body.
func (c *orsClient) ask(method, path, body string) (int, string) {
	c.t.Helper()
	r, err := http.NewRequest(method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.session != "" {
		r.Header.Set("X-Session-ID", c.session)
	}
	for name, value := range c.headers {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(r) // follows no redirection
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if answer.StatusCode == http.StatusPermanentRedirect {
		b = []byte(answer.Header.Get("Location"))
	}
	return answer.StatusCode, string(b)
}

// call runs the tool, and returns the events without the id of the call.
func (c *orsClient) call(action string) (id, rest string) {
	c.t.Helper()
	body, err := json.Marshal(map[string]any{"name": "act", "input": map[string]string{"action": action}})
	if err != nil {
		c.t.Fatal(err)
	}
	code, got := c.ask("POST", "/echo/call", string(body))
	if code != http.StatusOK {
		c.t.Fatalf("status %d: %s", code, got)
	}
	first, rest, ok := strings.Cut(got, "\r\n\r\n")
	id, named := strings.CutPrefix(first, "event: task_id\r\ndata: ")
	if !ok || !named || len(id) != 32 {
		c.t.Fatalf("%q", got)
	}
	return id, rest
}

// result is the answer to a call of the tool.
func result(text string, progress string, steps int, reward string, truncated, finished bool) string {
	return fmt.Sprintf(`event: end`+"\r\n"+
		`data: {"ok":true,"output":{"blocks":[{"text":%q,"detail":null,"type":"text"}],"metadata":{"task_id":"echo/1","progress":%s,"success":%v,"valid":true,"truncated":%v,"steps":%d},"reward":%s,"finished":%v}}`+"\r\n\r\n",
		text, progress, reward == "1.0", truncated, steps, reward, finished)
}

// The recorded order of a rollout.
func TestORSRollout(t *testing.T) {
	c, s, _ := newORS(t, nil)
	const tools = `{"tools":[{"name":"act",`
	for _, q := range []struct{ method, path, body, want string }{
		{"GET", "/version", "", `{"version":"test","build_sha":null}`},
		{"GET", "/list_environments", "", `["echo"]`},
		{"GET", "/echo/splits", "", `[{"name":"train","type":"train"}]`},
		{"POST", "/echo/num_tasks", `{"split":"train"}`, `{"num_tasks":3}`},
		{"POST", "/echo/task", `{"split":"train","index":1}`, `{"task":{"id":"echo/1","index":1,"type":"echo","difficulty":"hard"},"env_name":"echo"}`},
		{"POST", "/echo/task_range", `{"split":"train","start":1}`,
			`{"tasks":[{"id":"echo/1","index":1,"type":"echo","difficulty":"hard"},{"id":"echo/2","index":2,"type":"echo"}],"env_name":"echo"}`},
		{"GET", "/echo/tools", "", tools},
		{"POST", "/create", `{"split":"train","index":1}`, `{"sid":"s1"}`},
		{"GET", "/echo/prompt", "", `[{"text":"say win\n\nthis is echo/1","detail":null,"type":"text"}]`},
		{"GET", "/echo/task_tools", "", tools},
		{"POST", "/ping", "", `{"status":"ok"}`},
	} {
		if code, got := c.ask(q.method, q.path, q.body); code != http.StatusOK || !strings.HasPrefix(got, q.want) {
			t.Errorf("%s: %d %s, want %s", q.path, code, got, q.want)
		}
	}
	for i, q := range []struct{ action, want string }{
		{"look", result("echo look", "0.1", 1, "0.0", false, false)},
		{"win", result("echo win", "1", 2, "1.0", false, true)},
		{
			"look",
			"event: end\r\ndata: {\"ok\":false,\"error\":\"'act' was not run: the episode has finished (a tool " +
				"returned finished=True), so no further tool calls are " +
				"accepted.\",\"reason\":\"episode_finished\"}\r\n\r\n"},
	} {
		if _, got := c.call(q.action); got != q.want {
			t.Errorf("call %d: %s", i, cmp.Diff(q.want, got))
		}
	}
	for _, path := range []string{"/delete", "/delete_session", "/delete"} {
		if code, got := c.ask("POST", path, ""); code != http.StatusOK || got != `{"sid":"s1"}` {
			t.Errorf("%s: %d %s", path, code, got)
		}
	}
	if code, got := c.ask("GET", "/echo/prompt", ""); code != http.StatusNotFound ||
		got != `{"detail":"Active environment not found"}` || s.Table().Len() != 0 {
		t.Errorf("after the end: %d %s, %d sessions", code, got, s.Table().Len())
	}
}

// A name for a session costs nothing.
func TestORSCreateSession(t *testing.T) {
	c, s, _ := newORS(t, nil)
	for range 100 {
		_, got := c.ask("POST", "/create_session", "{}")
		id := strings.TrimSuffix(strings.TrimPrefix(got, "event: task_id\r\ndata: "),
			"\r\n\r\nevent: end\r\ndata: \r\n\r\n")
		if len(id) != 32 {
			t.Fatalf("%q", got)
		}
	}
	if s.Table().Len() != 0 {
		t.Errorf("%d sessions", s.Table().Len())
	}
}

func TestORSErrors(t *testing.T) {
	c, _, _ := newORS(t, nil)
	c.ask("POST", "/create", `{"split":"train","index":0}`)
	const neither = "Value error, Provide either task_spec or both split and index, not both/neither"
	for _, q := range []struct {
		session, method, path, body string
		code                        int
		want                        string
	}{
		{"", "POST", "/create", `{"split":"train","index":0}`, 400, `{"detail":"X-Session-ID header is required"}`},
		{"", "POST", "/ping", "", 400, `{"detail":"X-Session-ID header is required"}`},
		{"", "GET", "/echo/prompt", "", 400, `{"detail":"X-Session-ID header is required"}`},
		{strings.Repeat("a", 256), "POST", "/ping", "", 400, `{"detail":"X-Session-ID is longer than 255 bytes"}`},
		{"zz", "POST", "/ping", "", 404, `{"detail":"Active environment not found"}`},
		{"s1", "POST", "/create", `{"split":"train","index":0}`, 400, `{"detail":"Session already exists"}`},
		{"s2", "POST", "/create", `{"split":"train","index":3}`, 400, `{"detail":"Invalid index"}`},
		{"s2", "POST", "/create", `{"split":"train","index":99999999999999999999}`, 400, `{"detail":"Invalid index"}`},
		{"s2", "POST", "/create", `{"split":"chess","index":0}`, 400, `{"detail":"Invalid split"}`},
		{"s2", "POST", "/create", `{"env_name":"chess","split":"train","index":0}`, 404,
			`{"detail":"unknown environment 'chess'"}`},
		{"s2", "POST", "/create", `{}`, 422, `{"detail":[{"type":"value_error","loc":["body"],"msg":"` + neither +
			`","input":{}}]}`},
		{"s2", "POST", "/create", `{"split":"train"}`, 422, `{"detail":[{"type":"value_error","loc":["body"],"msg":"` +
			neither + `","input":{"split":"train"}}]}`},
		{"s2", "POST", "/create", `{"task_spec":{"id":"chess"}}`, 400,
			`{"detail":"no task \"chess\" in split train: there is none"}`},
		{"s2", "POST", "/create", `{"task_spec":7}`, 422,
			`{"detail":[{"type":"value_error","loc":["body","task_spec"],"msg":"Value error, want a task as the task routes list it, with its \"id\"","input":7}]}`},
		{"s2", "POST", "/create", `[`, 422,
			`{"detail":[{"type":"json_invalid","loc":["body"],"msg":"JSON decode error","input":{}}]}`},
		{"s3", "POST", "/create", `{"env_name":null,"split":null,"index":null,"task_spec":{"id":"echo/2","index":2}}`,
			200, `{"sid":"s3"}`},
		{"s4", "POST", "/create", `{"split":"train","index":-1}`, 200, `{"sid":"s4"}`},
		{"s4", "GET", "/echo/prompt", "", 200, `[{"text":"say win\n\nthis is echo/2","detail":null,"type":"text"}]`},
		{"s1", "POST", "/echo/call", `{"name":"act"}`, 422,
			`{"detail":[{"type":"missing","loc":["body","input"],"msg":"Field required","input":{"name":"act"}}]}`},
		{"s1", "POST", "/echo/call", `{"name":"act","input":"look"}`, 422,
			`{"detail":[{"type":"dict_type","loc":["body","input"],"msg":"Input should be a valid dictionary","input":"look"}]}`},
		{"s1", "POST", "/echo/call", `{"name":"act","input":{},"task_id":"zz"}`, 200,
			"event: error\r\ndata: unknown task_id\r\n\r\n"},
		{"s1", "GET", "/splits", "", 308, "/echo/splits"},
		{"s1", "POST", "/call", "{}", 308, "/echo/call"},
		{"s1", "GET", "/chess/splits", "", 404, `{"detail":"unknown environment 'chess'"}`},
		{"s1", "GET", "/create", "", 405, `{"detail":"Method Not Allowed"}`},
		{"s1", "GET", "/echo/call", "", 405, `{"detail":"Method Not Allowed"}`},
		{"s1", "GET", "/echo/messages", "", 404, `{"detail":"Not Found"}`},
	} {
		c.session = q.session
		if code, got := c.ask(q.method, q.path, q.body); code != q.code || got != q.want {
			t.Errorf("%s %s %s: %d %s, want %d %s", q.method, q.path, q.body, code, got, q.code, q.want)
		}
	}
}

// What is wrong with a call is for the model.
func TestORSRefusals(t *testing.T) {
	c, _, _ := newORS(t, nil)
	c.ask("POST", "/create", `{"split":"train","index":1}`)
	for body, want := range map[string]string{
		`{"name":"zap","input":{"action":"look"}}`: `{"ok":false,"error":"'zap' is not a valid tool","reason":"not_found"}`,
		`{"name":"act","input":{"act":"look"}}`:    `{"ok":false,"error":"Tool input validation error: action: Field required","reason":"input_validation"}`,
		`{"name":"act","input":{"action":5}}`:      `{"ok":false,"error":"Tool input validation error: action: Input should be a valid string","reason":"input_validation"}`,
	} {
		code, got := c.ask("POST", "/echo/call", body)
		if code != http.StatusOK || !strings.Contains(got, "event: end\r\ndata: "+want) {
			t.Errorf("%.60s: %d %s", body, code, got)
		}
	}
	if _, got := c.call("look"); got != result("echo look", "0.1", 1, "0.0", false, false) {
		t.Errorf("refused calls count: %s", got)
	}
}

// The header of a deployment spares the redirection.
func TestORSDeployment(t *testing.T) {
	c, _, _ := newORS(t, func(o *Options) {
		second := echoMount(2)
		second.Name = "other"
		o.Mounts = append(o.Mounts, second)
	})
	for deployment, want := range map[string]string{
		"other": `{"num_tasks":2}`, "someone/other": `{"num_tasks":2}`, "echo": `{"num_tasks":3}`,
		"chess": "/echo/num_tasks", "": "/echo/num_tasks",
	} {
		c.headers = map[string]string{"X-Deployment": deployment}
		if _, got := c.ask("POST", "/num_tasks", `{"split":"train"}`); got != want {
			t.Errorf("%q: %s", deployment, got)
		}
	}
	c.headers["X-Deployment"] = "other"
	if code, got := c.ask("POST", "/create", `{"split":"train","index":2}`); code != http.StatusBadRequest {
		t.Errorf("%d %s", code, got)
	}
}

// Long results come in parts, which end between characters.
func TestORSChunks(t *testing.T) {
	c, _, _ := newORS(t, nil)
	c.ask("POST", "/create", `{"split":"train","index":1}`)
	action := strings.Repeat("a", 7) + strings.Repeat("ö", 2000)
	_, got := c.call(action)
	parts := strings.Split(strings.TrimSuffix(got, "\r\n\r\n"), "\r\n\r\n")
	whole := ""
	for i, part := range parts {
		name, data, _ := strings.Cut(part, "\r\ndata: ")
		if want := []string{"event: chunk", "event: end"}[i*2/len(parts)]; name != want || len(data) > maxEvent ||
			!json.Valid([]byte(`"`+strings.ReplaceAll(data, `"`, "")+`"`)) {
			t.Errorf("part %d: %s, %d bytes", i, name, len(data))
		}
		whole += data
	}
	var answer struct {
		Output struct{ Blocks []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(whole), &answer); err != nil || len(parts) != 2 ||
		answer.Output.Blocks[0].Text != "echo "+action {
		t.Errorf("%d parts, %v: %s", len(parts), err, whole)
	}
}

// A client that lost its connection asks for the answer again, and the action
// happens once.
func TestORSRepeat(t *testing.T) {
	c, _, _ := newORS(t, nil)
	c.ask("POST", "/create", `{"split":"train","index":1}`)
	id, want := c.call("look")
	for range 2 {
		if _, got := c.ask("POST", "/echo/call", `{"name":"act","input":{"action":"x"},"task_id":"`+id+`"}`); got != "event: task_id\r\ndata: "+id+"\r\n\r\n"+want {
			t.Errorf("%q", got)
		}
	}
	if _, got := c.call("look"); got != result("echo look", "0.2", 2, "0.0", false, false) {
		t.Errorf("%s", got)
	}
}

// An environment that broke ends the session for its client, and a panic for good.
func TestORSBroken(t *testing.T) {
	c, s, _ := newORS(t, nil)
	c.ask("POST", "/create", `{"split":"train","index":1}`)
	for range 2 {
		if _, got := c.call("break"); got != "event: error\r\ndata: the echo broke\r\n\r\n" {
			t.Errorf("%q", got)
		}
	}
	c.session = "s2"
	c.ask("POST", "/create", `{"split":"train","index":1}`)
	if _, got := c.call("boom"); !strings.HasPrefix(got, "event: error\r\ndata: ") {
		t.Errorf("%q", got)
	}
	if code, _ := c.ask("POST", "/ping", ""); code != http.StatusNotFound || s.Table().Len() != 1 {
		t.Errorf("after a panic: %d, %d sessions", code, s.Table().Len())
	}
}

// Sessions end 900 seconds after the last ping, whatever the idle time of others.
func TestORSIdle(t *testing.T) {
	c, s, now := newORS(t, nil)
	c.ask("POST", "/create", `{"split":"train","index":1}`)
	for range 3 {
		now.pass(orsIdle - time.Second)
		s.Table().Sweep()
		if code, got := c.ask("POST", "/ping", ""); code != http.StatusOK {
			t.Fatalf("%d %s", code, got)
		}
	}
	now.pass(orsIdle + time.Second)
	s.Table().Sweep()
	if code, _ := c.ask("POST", "/ping", ""); code != http.StatusNotFound {
		t.Errorf("%d", code)
	}
}

// Secrets reach no log and no answer.
func TestORSSecrets(t *testing.T) {
	var logged bytes.Buffer
	var mu sync.Mutex
	c, _, _ := newORS(t, func(o *Options) {
		o.Log = func(event string, about ...any) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintln(&logged, event, about)
		}
	})
	c.headers = map[string]string{"X-Secrets": `{"key":"hush-hush"}`, "X-API-Key": "hush-hush"}
	c.ask("POST", "/create", `{"split":"train","index":1}`)
	_, panicked := c.call("boom")
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(logged.String()+panicked, "hush") || !strings.Contains(logged.String(), "panic") {
		t.Errorf("%s, %s", logged.String(), panicked)
	}
}

// Calls at one time run one after another, and one of them ends the episode.
func TestORSParallel(t *testing.T) {
	c, _, _ := newORS(t, nil)
	c.ask("POST", "/create", `{"split":"train","index":1}`)
	answers := make([]string, 12)
	var threads sync.WaitGroup
	for i := range answers {
		threads.Go(func() { _, answers[i] = c.call("look") })
	}
	threads.Wait()
	all := strings.Join(answers, "")
	for text, want := range map[string]int{`"finished":false`: 4, `"finished":true`: 1, "episode_finished": 7, `"truncated":true`: 1} {
		if n := strings.Count(all, text); n != want {
			t.Errorf("%s: %d times, want %d", text, n, want)
		}
	}
}

// The limit of sessions, and names that are used again.
func TestORSCapacity(t *testing.T) {
	c, s, _ := newORS(t, func(o *Options) { o.MaxSessions = 2 })
	for i := range 3 {
		c.session = fmt.Sprint("s", i)
		code, got := c.ask("POST", "/create", `{"split":"train","index":1}`)
		if (code == http.StatusOK) != (i < 2) || i == 2 && code != http.StatusServiceUnavailable {
			t.Errorf("session %d: %d %s", i, code, got)
		}
	}
	for range 20 {
		c.session = "s1"
		c.ask("POST", "/delete", "")
		if code, got := c.ask("POST", "/create", `{"split":"train","index":1}`); code != http.StatusOK {
			t.Fatalf("%d %s", code, got)
		}
	}
	if s.Table().Len() != 2 || len(s.ors.byName) != 2 {
		t.Errorf("%d sessions, %d names", s.Table().Len(), len(s.ors.byName))
	}
}

// Whatever a body says, there is an answer, and the server goes on.
func FuzzORSBody(f *testing.F) {
	for _, body := range []string{
		`{"split":"train","index":1}`, `{"task_spec":{"id":"echo/1"}}`, `{"name":"act","input":{"action":"look"}}`, `{"name":"act","input":{"action":"a"},"task_id":"x"}`, `{"index":1e9,"split":""}`,
	} {
		f.Add([]byte(body), true)
		f.Add([]byte(body), false)
	}
	c, s, _ := newORS(f, nil)
	c.ask("POST", "/create", `{"split":"train","index":1}`)
	f.Fuzz(func(t *testing.T, body []byte, create bool) {
		path := "/echo/call"
		if create {
			path = "/create"
		}
		r := httptest.NewRequest("POST", "http://localhost"+path,
			bytes.NewReader(body)).WithContext(context.Background())
		r.Header.Set("X-Session-ID", map[bool]string{true: "s2", false: "s1"}[create])
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		switch w.Code {
		case 200, 400, 404, 422:
		default:
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		if session, ok := s.ors.find("s2"); ok {
			session.session.Close(ByClient)
		}
	})
}

// The standard's own package for Python runs against the server.
func TestORSPackage(t *testing.T) {
	python := os.Getenv("HELDOUT_OPENREWARD")
	if python == "" {
		sharedtest.Absent(t, "openreward", "HELDOUT_OPENREWARD is not set: want a python with openreward "+
			"(pip install openreward==0.1.167)")
	}
	c, s, _ := newORS(t, nil)
	script := exec.Command(python, "testdata/ors.py")
	script.Env = append(os.Environ(), "OPENREWARD_API_URL="+c.base, "OPENREWARD_SESSION_URL="+c.base,
		"OPENREWARD_API_KEY=none")
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := strings.TrimSpace(string(out)); !strings.HasSuffix(got, "ok") || s.Table().Len() != 0 {
		t.Errorf("%d sessions are left; it says %s", s.Table().Len(), got)
	}
}
