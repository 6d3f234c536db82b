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
