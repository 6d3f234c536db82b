package serve

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"heldout/envs/sharedtest"
)

// openEnvPythons are the interpreters with releases of OpenEnv.
func openEnvPythons(t *testing.T) []string {
	list := filepath.SplitList(os.Getenv("HELDOUT_OPENENV"))
	if len(list) == 0 {
		sharedtest.Absent(t, "openenv", "needs Python with OpenEnv: name interpreters in HELDOUT_OPENENV, separated "+
			"as in PATH; each has one release, such as pip install openenv-core==0.2.0, 0.2.1, 0.3.0 or openenv==0.10.0")
	}
	return list
}

// The published clients of OpenEnv run unchanged.
func TestOpenEnvClients(t *testing.T) {
	for _, python := range openEnvPythons(t) {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(python))), func(t *testing.T) {
			t.Parallel()
			s, url := online(t, nil)
			out, err := exec.CommandContext(t.Context(), python, "testdata/openenv_client.py",
				url+"/openenv/echo").CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			s.open.wait()
			if n := s.Table().Len(); n != 0 {
				t.Errorf("%d sessions are open after the client has gone", n)
			}
		})
	}
}

// The newest client sends the token as a password.
func TestOpenEnvClientWithToken(t *testing.T) {
	t.Parallel()
	list := openEnvPythons(t)
	s, url := online(t, func(o *Options) { o.Token = "correct-horse" })
	out, err := exec.CommandContext(t.Context(), list[len(list)-1], "testdata/openenv_client.py", url+"/openenv/echo",
		"correct-horse").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.open.wait()
}

// The package's own validator passes all its checks, below a mount and at the root.
func TestOpenEnvValidator(t *testing.T) {
	t.Parallel()
	list := openEnvPythons(t)
	validator := filepath.Join(filepath.Dir(list[len(list)-1]), "openenv")
	_, url := online(t, nil)
	for _, base := range []string{url, url + "/openenv/echo"} {
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
