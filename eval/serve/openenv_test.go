package serve

import (
	"encoding/json"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

func TestHTTPRoutes(t *testing.T) {
	s, _ := testServer(t, nil)
	for _, c := range sharedtest.Cases[struct {
		Method, Path, Body string
		Code               int
		Reply              string // "" is not compared
	}](t, "routes.yaml") {
		got := ask(s, c.Method, c.Path, c.Body)
		if got.Code != c.Code || c.Reply != "" && got.Body.String() != c.Reply {
			t.Errorf("%s %s %.80s: status %d, want %d\n got %.300s\nwant %s", c.Method, c.Path, c.Body, got.Code,
				c.Code, got.Body, c.Reply)
		}
		if body := got.Body.Bytes(); !json.Valid(body) {
			t.Errorf("%s %s: no JSON: %.200s", c.Method, c.Path, body)
		}
	}
	sharedtest.Equal(t, ask(s, "POST", "/reset", `{"episode_id":"`+strings.Repeat("x", maxBody)+`"}`).Code, 413,
		"a long body: status")
	sharedtest.Equal(t, s.Table().Len(), 0, "sessions are open after requests without one")
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
	sharedtest.OK(t, json.Unmarshal(ask(s, "GET", "/metadata", "").Body.Bytes(), &about))
	if about.Name != "echo" || about.Description == "" || about.Version != "test" || about.Split != "train" ||
		about.MaxSteps != 5 {
		t.Errorf("metadata %+v", about)
	}
	var schema map[string]struct {
		Title      string
		Properties map[string]any
		Required   []string
	}
	sharedtest.OK(t, json.Unmarshal(ask(s, "GET", "/schema", "").Body.Bytes(), &schema))
	if action := schema["action"]; action.Title != "TextAction" || len(action.Required) != 1 ||
		action.Required[0] != "message" {
		t.Errorf("schema of actions %+v", action)
	}
	// What is sent is what the schema says.
	var frame struct {
		Observation map[string]any
	}
	sharedtest.OK(t, json.Unmarshal(ask(s, "POST", "/reset", `{"actions":true}`).Body.Bytes(), &frame))
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
