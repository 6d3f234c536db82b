package configs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseRun(t *testing.T) {
	r := DefaultRun()
	err := ParseRun("run.yaml", []byte("model: vllm:a\nenv: [x, y]\nseeds: 10\ntimeout: 90s\nstop: []\nextra-body: {top_k: 20, min_p: null}\n"), &r)
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultRun()
	want.Model, want.Env, want.Seeds, want.Timeout = Strings{"vllm:a"}, Strings{"x", "y"}, "10", 90*time.Second
	want.Stop, want.ExtraBody = Strings{}, map[string]any{"top_k": uint64(20), "min_p": nil}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}

func TestParseRunErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "run.yaml: the configuration is empty",
		"max_steps: 3":                   "run.yaml: [1:1] unknown field \"max_steps\"\n>  1 | max_steps: 3",
		"seeds: 1\nconcurrency: many":    "run.yaml: [2:14] cannot unmarshal string",
		"concurrency: 1\nconcurrency: 2": "run.yaml: [2:1] mapping key \"concurrency\" already defined",
		"timeout: 90":                    "run.yaml: [1:10] cannot unmarshal",
		"- model":                        "run.yaml: [1:1] sequence was used where mapping is expected",
		"seeds: 1\n---\nseeds: 2":        "run.yaml: there is more than one YAML document",
		"model: {a: b}":                  "run.yaml: ",
	} {
		r := DefaultRun()
		if err := ParseRun("run.yaml", []byte(in), &r); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", in, err, want)
		}
	}
}

func TestLoadSuite(t *testing.T) {
	r := DefaultRun()
	if err := LoadSuite("default", &r); err != nil || len(r.Env) == 0 || len(r.Model) != 2 {
		t.Errorf("%v, %+v", err, r)
	}
}

// Reading a configuration never panics.
func FuzzParseRun(f *testing.F) {
	f.Add("model: vllm:a\nseeds: 1,5")
	f.Add("extra-body: {a: [1, {b: null}]}")
	f.Fuzz(func(t *testing.T, in string) {
		r := DefaultRun()
		_ = ParseRun("f", []byte(in), &r)
	})
}
