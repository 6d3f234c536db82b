package serve

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
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

// openEnvPythons are the interpreters with releases of OpenEnv.
func openEnvPythons(t *testing.T) []string {
	list := filepath.SplitList(os.Getenv("HELDOUT_OPENENV"))
	if len(list) == 0 {
		sharedtest.Absent(t, "openenv", "needs Python with OpenEnv: name interpreters in HELDOUT_OPENENV, separated "+
			"as in PATH; each has one release, such as pip install openenv-core==0.2.0, 0.2.1, 0.3.0 or openenv==0.10.0")
	}
	return list
}

// The published clients of OpenEnv run unchanged: the newest, which also sends a token as a password, the oldest,
// and in the whole form all.
func TestOpenEnvClients(t *testing.T) {
	list := openEnvPythons(t)
	newest := list[len(list)-1]
	list = append([]string{newest}, list[:len(list)-1]...)
	for _, python := range list[:min(len(list), sharedtest.Times(t, 2, 1, len(list)))] {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(python))), func(t *testing.T) {
			t.Parallel()
			s, url := online(t, nil)
			guarded, safe := online(t, func(o *Options) { o.Token = "correct-horse" })
			urls := []string{"testdata/openenv_client.py", url + "/openenv/echo"}
			if python == newest {
				urls = append(urls, strings.Replace(safe, "//", "//x:correct-horse@", 1)+"/openenv/echo")
			}
			out, err := exec.CommandContext(t.Context(), python, urls...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, s := range []*Server{s, guarded} {
				s.awaitSockets(t.Context())
				sharedtest.Equal(t, s.Table().Len(), 0, "sessions are open after the client has gone")
			}
		})
	}
}

// The package's own validator passes all its checks, below a mount and in the whole form at the root, too.
func TestOpenEnvValidator(t *testing.T) {
	t.Parallel()
	list := openEnvPythons(t)
	validator := filepath.Join(filepath.Dir(list[len(list)-1]), "openenv")
	_, url := online(t, nil)
	for _, base := range []string{url + "/openenv/echo", url}[:sharedtest.Times(t, 1, 1, 2)] {
		out, err := exec.CommandContext(t.Context(), validator, "validate", "--url", base, "--json").Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var report struct {
			Passed  bool
			Summary struct {
				Passed int `json:"passed_count"`
				Total  int `json:"total_count"`
			}
		}
		if err := json.Unmarshal(out, &report); err != nil || !report.Passed || report.Summary.Passed != 6 ||
			report.Summary.Total != 6 {
			t.Errorf("%s: %+v, %v", base, report.Summary, err)
		}
	}
}
