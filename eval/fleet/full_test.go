package fleet

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"heldout/eval/model"
)

func TestFull(t *testing.T) {
	waiting, preempted, status, asked := 0, 5, 200, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		asked++
		w.WriteHeader(status)
		fmt.Fprintf(w, "vllm:num_requests_waiting{engine=\"0\"} %d\nvllm:num_requests_running 8\n"+
			"vllm:num_preemptions_total %d\n", waiting, preempted)
	}))
	defer server.Close()
	connect := func(address string) (*model.Client, error) {
		spec := model.Spec{Provider: model.VLLM, Name: "m"}
		return model.Open(model.Options{Spec: spec, BaseURL: address, Now: time.Now})
	}
	f, err := Open(Options{Servers: []string{server.URL + "/v1"}, Open: connect})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	check := func(want string) {
		t.Helper()
		if got := f.Full(t.Context()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("")
	waiting = 4
	check("")
	waiting = 5
	check("requests wait at the server")
	waiting, preempted = 0, 6
	check("the server preempts")
	check("")
	status, waiting = 404, 3
	check("")
	before := asked
	check("")
	if asked != before {
		t.Error("a server without metrics was asked again")
	}
}
