package serve

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// openBatch opens sessions over HTTP.
func openBatch(t *testing.T, s *Server, n int) []string {
	t.Helper()
	var opened struct{ Sessions []string }
	answer := ask(s, "POST", "/v1/sessions", fmt.Sprintf(`{"env":"echo","count":%d}`, n))
	if err := json.Unmarshal(answer.Body.Bytes(), &opened); err != nil || len(opened.Sessions) != n {
		t.Fatalf("status %d: %s", answer.Code, answer.Body)
	}
	return opened.Sessions
}

// results runs a batch.
func results(t *testing.T, s *Server, entries ...string) []string {
	t.Helper()
	answer := ask(s, "POST", "/v1/step", `{"steps":[`+strings.Join(entries, ",")+`]}`)
	var q struct{ Results []json.RawMessage }
	if err := json.Unmarshal(answer.Body.Bytes(), &q); err != nil || len(q.Results) != len(entries) {
		t.Fatalf("status %d: %s", answer.Code, answer.Body)
	}
	var out []string
	for _, r := range q.Results {
		out = append(out, string(r))
	}
	return out
}

func TestBatch(t *testing.T) {
	s, _ := testServer(t, nil)
	ids := openBatch(t, s, 2)
	got := results(t, s,
		`{"session":"`+ids[0]+`","reset":{"index":0}}`,
		`{"session":"`+ids[1]+`","action":"too early"}`,
		`{"session":"`+ids[0]+`","action":"one"}`,
		`{"session":"nope","action":"x"}`,
		`{"session":"`+ids[1]+`","reset":{"index":9}}`,
		`5`,
		`{"session":"`+ids[0]+`"}`,
		`{"session":"`+ids[0]+`","action":"win"}`,
		`{"session":"`+ids[0]+`","action":5}`,
		`{"session":"`+ids[1]+`","reset":{}}`,
		`{"session":"`+ids[1]+`","action":"`+strings.Repeat("x", MaxAction+1)+`"}`,
	)
	for i, want := range []string{
		`"text":"this is echo/0"`, `"code":"EXECUTION_ERROR","message":"no episode is running: send reset first"`,
		`"text":"echo one"`,
		`"message":"Unknown session_id: nope"`,
		`"message":"Invalid reset: index: index 9 is not in split train, which has the tasks 0 to 2"`,
		`"code":"VALIDATION_ERROR"`, `"code":"VALIDATION_ERROR"`, `"reward":1.0,"done":true`,
		`"code":"VALIDATION_ERROR"`, `"text":"this is echo/0"`,
		`"text":"The action has 4097 bytes; the limit is 4096. Nothing was done.","task_id":"echo/0","progress":0.0,` +
			`"success":false,"valid":false`,
	} {
		sharedtest.Contains(t, got[i], want, "entry", i)
	}
	sharedtest.Equal(t, ask(s, "DELETE", "/v1/sessions/"+ids[0], "").Code, 200, "closing: status")
	sharedtest.Equal(t, ask(s, "DELETE", "/v1/sessions/"+ids[0], "").Code, 404, "closing again: status")
}

func TestBatchRefused(t *testing.T) {
	s, _ := testServer(t, nil)
	for _, body := range []string{``, `{}`, `{"steps":[]}`, `{"steps":5}`, `[]`,
		`{"steps":[` + strings.Repeat("0,", maxBatch) + `0]}`} {
		if answer := ask(s, "POST", "/v1/step", body); answer.Code != 400 {
			t.Errorf("%.40s: status %d: %s", body, answer.Code, answer.Body)
		}
	}
	for _, body := range []string{`{"env":"other"}`, `{"env":"echo","count":0}`, `{"env":"echo","count":1000000}`,
		`5`} {
		if answer := ask(s, "POST", "/v1/sessions", body); answer.Code != 400 {
			t.Errorf("%s: status %d: %s", body, answer.Code, answer.Body)
		}
	}
	answer := ask(s, "POST", "/v1/sessions", `{"env":"echo","count":9}`)
	if answer.Code != 503 || answer.Header().Get("Retry-After") == "" {
		t.Errorf("more sessions than there is room for: status %d: %s", answer.Code, answer.Body)
	}
	sharedtest.Equal(t, s.Table().Len(), 0, "sessions are open after a refusal")
}

// A session of another protocol cannot be stepped in a batch.
func TestBatchLeavesOthersAlone(t *testing.T) {
	s, _ := testServer(t, nil)
	other := start(t, s, Owner{Protocol: openEnv, Mount: s.options.Mounts[0]})
	if got := results(t, s, `{"session":"`+other.ID()+`","action":"win"}`); !strings.Contains(got[0], "Unknown session_id") {
		t.Errorf("got %s", got[0])
	}
}

// A step that hangs ends its session, and the rest of the batch is answered.
func TestBatchWithASlowStep(t *testing.T) {
	s, clock := testServer(t, nil)
	ids := openBatch(t, s, 2)
	results(t, s, `{"session":"`+ids[0]+`","reset":{}}`, `{"session":"`+ids[1]+`","reset":{}}`)
	got := make(chan []string)
	go func() {
		got <- results(t, s, `{"session":"`+ids[0]+`","action":"wait"}`, `{"session":"`+ids[1]+`","action":"look"}`)
	}()
	<-waiting(t, s)
	clock.pass(MaxStepTime + time.Second)
	s.Table().Sweep()
	r := <-got
	if !strings.Contains(r[0], "a step took longer than 30s") || !strings.Contains(r[1], `"text":"echo look"`) {
		t.Errorf("got %q", r)
	}
}

func TestBatchLists(t *testing.T) {
	s, _ := testServer(t, nil)
	if got := ask(s, "GET", "/v1/envs", "").Body.String(); !strings.Contains(got, `"name":"echo","splits":[{"name":"train","type":"train"}],"env":"echo"`) {
		t.Errorf("environments: %s", got)
	}
	if got := ask(s, "GET", "/v1/envs/echo/tasks?split=train", "").Body.String(); !strings.Contains(got, `{"id":"echo/2","index":2,"type":"echo"}`) {
		t.Errorf("tasks: %s", got)
	}
	for path, code := range map[string]int{"/v1/envs/other/tasks": 404, "/v1/envs/echo/tasks?split=x": 400} {
		sharedtest.Equal(t, ask(s, "GET", path, "").Code, code, path, "status")
	}
}

// Numbers and truths may be written as strings, as settings from files and addresses are;
// what nobody knows is refused.
func TestSpelledOptions(t *testing.T) {
	s, _ := testServer(t, nil)
	for body, code := range map[string]int{
		`{"env":"echo","count":"2"}`: 200, `{"env":"echo","count":"two"}`: 400,
		`{"env":"echo","from":"a session"}`: 400, `{"env":"echo","count":2.5}`: 400,
	} {
		if got := ask(s, "POST", "/v1/sessions", body); got.Code != code {
			t.Errorf("%s: status %d, want %d: %s", body, got.Code, code, got.Body)
		}
	}
	id := openBatch(t, s, 1)[0]
	got := results(t, s, `{"session":"`+id+`","reset":{"index":"1","actions":"true","keys":"False","max_steps":"4"}}`,
		`{"session":"`+id+`","reset":{"actions":"maybe"}}`)
	if !strings.Contains(got[0], `"task_id":"echo/1"`) || !strings.Contains(got[0], `"actions":["look","win"]`) ||
		strings.Contains(got[0], "_key") || !strings.Contains(got[1], "valid boolean") {
		t.Errorf("resets: %s", got)
	}
	if got := ask(s, "POST", "/openenv/echo/echo/task", `{"index":"1"}`).Body.String(); !strings.Contains(got, "echo/1") {
		t.Errorf("the task: %s", got)
	}
}

func FuzzBatch(f *testing.F) {
	s, _ := testServer(&testing.T{}, nil)
	f.Add(`{"steps":[{"session":"x","action":"a"},{"session":"x","reset":{}},5,null]}`)
	f.Add(`{"env":"echo","count":1}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/v1/step", "/openenv/echo/reset", "/openenv/echo/step", "/openenv/echo/mcp",
			"/openenv/echo/echo/task_range"} {
			if answer := ask(s, "POST", path, body); answer.Code >= 500 || !json.Valid(answer.Body.Bytes()) {
				t.Fatalf("%s %q: status %d: %s", path, body, answer.Code, answer.Body)
			}
		}
	})
}
