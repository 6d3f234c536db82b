package load_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"heldout/eval/serve/load"
)

func TestWrongAddresses(t *testing.T) {
	for _, url := range []string{"", "pddl", "ftp://127.0.0.1/x", "http://"} {
		_, err := load.Run(t.Context(), load.Options{URL: url, Protocol: load.OpenEnv, Clients: 1, Tasks: 1,
			For: time.Second, Now: time.Now})
		if err == nil || !strings.Contains(err.Error(), "is no address") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestDeadServer(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	for _, p := range []load.Protocol{load.OpenEnv, load.AgentGym, load.V1} {
		_, err := load.Run(t.Context(), load.Options{URL: s.URL, Protocol: p, Kind: load.Steps, Clients: 2, Batch: 2,
			Tasks: 1, For: time.Second, Now: time.Now})
		if err == nil || !strings.Contains(err.Error(), "walks cannot be played") {
			t.Errorf("%s: %v", p, err)
		}
	}
}
