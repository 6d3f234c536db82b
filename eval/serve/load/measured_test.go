package load

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// usual are options that make sense.
func usual() Options {
	return Options{URL: "http://127.0.0.1:8000/openenv/pddl", Protocol: OpenEnv, Kind: Steps, Clients: 4, Batch: 64,
		For: time.Second, Tasks: 16}
}

func TestCheck(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"":                                  func(*Options) {},
		`--protocol is "soap"`:              func(o *Options) { o.Protocol = "soap" },
		`--kind is "walks"`:                 func(o *Options) { o.Kind = "walks" },
		"--clients must be 1 to 65536":      func(o *Options) { o.Clients = 0 },
		"--rate must not be negative":       func(o *Options) { o.For = time.Millisecond },
		"want an address such as http://12": func(o *Options) { o.Protocol = V1 },
	} {
		o := usual()
		change(&o)
		if err := o.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	o := usual()
	o.Protocol, o.URL = V1, "http://127.0.0.1:8000/v1/envs/pddl"
	if err := o.Check(); err != nil || o.Env != "pddl" || o.URL != "http://127.0.0.1:8000" {
		t.Errorf("%q of %q, %v", o.Env, o.URL, err)
	}
}

// A server that does not tell its CPU time has none in JSON, and an unknown one for people.
func TestMeasured(t *testing.T) {
	r := Result{Steps: 30, Resets: 10, Took: 2 * time.Second, Latency: hdrhistogram.New(1, 1e9, 3), ServerCPU: -1}
	if err := r.Latency.RecordValue(1500); err != nil {
		t.Fatal(err)
	}
	m := r.Measured(usual())
	if m.StepRate != 15 || m.P50 != 1.5 || m.ServerCPU != nil ||
		!strings.Contains(m.String(), "server CPU  unknown per") {
		t.Errorf("%+v\n%s", m, m)
	}
	r.ServerCPU = 400 * time.Microsecond
	b, err := json.Marshal(r.Measured(usual()))
	if err != nil || !strings.Contains(string(b), `"server_cpu_us":10`) {
		t.Errorf("%v: %s", err, b)
	}
}
