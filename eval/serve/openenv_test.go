package serve

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestHTTPRoutes(t *testing.T) {
	s, _ := testServer(t, nil)
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		method, path, body string
		code               int
		reply              string // "" is not compared
	}{
		{"GET", "/health", "", 200, `{"status":"healthy"}`},
		{"GET", "/openenv/echo/health", "", 200, `{"status":"healthy"}`},
		{
			"POST", "/openenv/echo/reset", "", 200,
			`{"observation":{"metadata":{},"text":"this is echo/0","task_id":"echo/0","progress":0.0,"success":false,"valid":true,"truncated":false,"goal":"say win"},"reward":null,"done":false,"metadata":null}`},
		{"POST", "/reset", `{"seed":4,"episode_id":"e9"}`, 200,
			`{"observation":{"metadata":{},"text":"this is echo/1","task_id":"echo/1","progress":0.0,"success":false,"valid":true,"truncated":false,"goal":"say win"},"reward":null,"done":false,"metadata":null}`},
		{
			"POST", "/reset", `{"seed":-1}`, 422,
			`{"detail":[{"type":"greater_than_equal","loc":["body","seed"],"msg":"Input should be greater than or equal to 0","input":-1,"ctx":{"ge":0}}]}`},
		{"POST", "/reset", `{"seed":1.5}`, 422, ""},
		{"POST", "/reset", `{"level":"x"}`, 422, ""},
		{"POST", "/reset", `{"index":3}`, 422, ""},
		{"POST", "/reset", `{"split":"nope"}`, 422, ""},
		{"POST", "/reset", `{"path":"/etc/passwd"}`, 422, ""},
		{"POST", "/reset", `{"task_id":"../../etc/passwd"}`, 422, ""},
		{"POST", "/reset", `{"episode_id":"` + long + `"}`, 422, ""},
		{
			"POST", "/reset", `[1]`, 422,
			`{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[1]}]}`},
		{"POST", "/reset", `bad`, 422, ""},
		{"POST", "/reset", strings.Repeat("[", 100), 422, ""},
		{"POST", "/reset", `{"episode_id":"` + strings.Repeat("x", maxBody) + `"}`, 413, ""},
		{"POST", "/step", `{"action":{"message":"hi"}}`, 409,
			`{"detail":"an HTTP request has no episode to step: open a WebSocket at /openenv/echo/ws, whose session keeps its episode"}`},
		{"POST", "/step", `{"message":"hi"}`, 422,
			`{"detail":[{"type":"missing","loc":["body","action"],"msg":"Field required","input":{"message":"hi"}}]}`},
		{"POST", "/step", `{"action":{"msg":"hi"}}`, 422,
			`{"detail":[{"type":"missing","loc":["message"],"msg":"Field required","input":{"msg":"hi"},"url":"https://errors.pydantic.dev/2.14/v/missing"},{"type":"extra_forbidden","loc":["msg"],"msg":"Extra inputs are not permitted","input":"hi","url":"https://errors.pydantic.dev/2.14/v/extra_forbidden"}]}`},
		{"POST", "/step", `{"action":{"message":null}}`, 422,
			`{"detail":[{"type":"string_type","loc":["message"],"msg":"Input should be a valid string","input":null,"url":"https://errors.pydantic.dev/2.14/v/string_type"}]}`},
		{"POST", "/step", ``, 422, ""},
		{"GET", "/state", "", 200, `{"episode_id":null,"step_count":0,"task_id":null,"progress":0.0,"done":false}`},
		{"GET", "/reset", "", 405, `{"detail":"Method Not Allowed"}`},
		{"GET", "/nothing", "", 404, `{"detail":"Not Found"}`},
		{"GET", "/openenv/other/health", "", 404, ""},
		{"POST", "/mcp", `{"jsonrpc":"2.0","method":"tools/list","params":{},"id":2}`, 200,
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Environment does not support MCP","data":null}}`},
		{"POST", "/mcp", `{"jsonrpc":"2.0","method":"initialize","id":2}`, 200,
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: initialize","data":null}}`},
		{"POST", "/mcp", `{bad`, 200,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":null}}`},
		{"GET", "/list_environments", "", 200, `["echo"]`},
		{"GET", "/openenv/echo/echo/splits", "", 200, `[{"name":"train","type":"train"}]`},
		{"POST", "/openenv/echo/echo/tasks", `{"split":"train"}`, 200,
			`{"tasks":[{"id":"echo/0","index":0,"type":"echo"},{"id":"echo/1","index":1,"type":"echo","difficulty":"hard"},{"id":"echo/2","index":2,"type":"echo"}],"env_name":"echo"}`},
		{"POST", "/openenv/echo/echo/num_tasks", `{"split":"TRAIN"}`, 200, `{"num_tasks":3}`},
		{"POST", "/openenv/echo/echo/task", `{"split":"train","index":1}`, 200, `{"task":{"id":"echo/1","index":1,"type":"echo","difficulty":"hard"}}`},
		{"POST", "/openenv/echo/echo/task", `{"split":"train","index":3}`, 400, `{"detail":"Invalid task index"}`},
		{"POST", "/openenv/echo/echo/task_range", `{"split":"train","start":1}`, 200,
			`{"tasks":[{"id":"echo/1","index":1,"type":"echo","difficulty":"hard"},{"id":"echo/2","index":2,"type":"echo"}]}`},
		{"POST", "/openenv/echo/echo/task_range", `{"start":-2,"stop":-1}`, 200,
			`{"tasks":[{"id":"echo/1","index":1,"type":"echo","difficulty":"hard"}]}`},
		{"POST", "/openenv/echo/echo/task_range", `{"start":5,"stop":-9}`, 200, `{"tasks":[]}`},
		{"POST", "/openenv/echo/echo/tasks", `{"split":"x"}`, 400, ""},
		{"GET", "/openenv/echo/other/splits", "", 404, `{"detail":"unknown environment 'other'"}`},
		{"POST", "/echo/task", `{"split":"train","index":1}`, 200, `{"task":{"id":"echo/1","index":1,"type":"echo","difficulty":"hard"}}`},
		{"POST", "/create", `{"split":"train","index":1}`, 404, `{"detail":"Not Found"}`},
	} {
		got := ask(s, c.method, c.path, c.body)
		if got.Code != c.code || c.reply != "" && got.Body.String() != c.reply {
			t.Errorf("%s %s %.80s: status %d, want %d\n got %.300s\nwant %s", c.method, c.path, c.body, got.Code,
				c.code, got.Body, c.reply)
		}
		if body := got.Body.Bytes(); !json.Valid(body) {
			t.Errorf("%s %s: no JSON: %.200s", c.method, c.path, body)
		}
	}
	if n := s.Table().Len(); n != 0 {
		t.Errorf("%d sessions are open after requests without one", n)
	}
}

// With several environments nothing at the root is one of them.
func TestRootOfSeveral(t *testing.T) {
	s, _ := testServer(t, func(o *Options) {
		second := echoMount(2)
		second.Name = "other"
		o.Mounts = append(o.Mounts, second)
	})
	for _, path := range []string{"/metadata", "/list_environments", "/echo/splits"} {
		if got := ask(s, "GET", path, ""); got.Code != 404 || got.Body.String() != `{"detail":"Not Found"}` {
			t.Errorf("%s: status %d: %s", path, got.Code, got.Body)
		}
	}
}

func TestAbout(t *testing.T) {
	s, _ := testServer(t, nil)
	var about struct {
		Name, Description, Version, Split string
		MaxSteps                          int `json:"max_steps"`
	}
	if err := json.Unmarshal(ask(s, "GET", "/metadata", "").Body.Bytes(), &about); err != nil {
		t.Fatal(err)
	}
	if about.Name != "echo" || about.Description == "" || about.Version != "test" || about.Split != "train" ||
		about.MaxSteps != 5 {
		t.Errorf("metadata %+v", about)
	}
	var schema map[string]struct {
		Title      string
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(ask(s, "GET", "/schema", "").Body.Bytes(), &schema); err != nil {
		t.Fatal(err)
	}
	if action := schema["action"]; action.Title != "TextAction" || len(action.Required) != 1 ||
		action.Required[0] != "message" {
		t.Errorf("schema of actions %+v", action)
	}
	// What is sent is what the schema says.
	var frame struct {
		Observation map[string]any
	}
	if err := json.Unmarshal(ask(s, "POST", "/reset", `{"actions":true}`).Body.Bytes(), &frame); err != nil {
		t.Fatal(err)
	}
	for key := range frame.Observation {
		if _, ok := schema["reset_observation"].Properties[key]; !ok {
			t.Errorf("the schema lacks %s", key)
		}
	}
	for _, key := range schema["reset_observation"].Required {
		if _, ok := frame.Observation[key]; !ok {
			t.Errorf("the observation lacks %s", key)
		}
	}
}
