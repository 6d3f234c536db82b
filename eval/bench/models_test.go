package bench

import (
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

func TestDecoding(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*configs.Run)
		want   record.Decoding
	}{
		{"react", func(*configs.Run) {}, record.Decoding{TopP: 1, MaxTokens: 512, Stop: []string{"\nObservation:"}}},
		{"act", func(r *configs.Run) { r.Agent = "act" }, record.Decoding{TopP: 1, MaxTokens: 100}},
		{"own", func(r *configs.Run) { r.MaxTokens, r.Temperature, r.Stop = 9, 1, configs.Strings{"x", ""} },
			record.Decoding{TopP: 1, MaxTokens: 9, Temperature: 1, Stop: []string{"x"}}},
		{"no stop", func(r *configs.Run) { r.Stop = configs.Strings{""} }, record.Decoding{TopP: 1, MaxTokens: 512}},
	} {
		r := configs.DefaultRun()
		c.change(&r)
		sharedtest.Same(t, r.AgentDecoding(), c.want, c.name)
	}
}

// Headers take their values from the environment; an error never quotes what should name it.
func TestHeaders(t *testing.T) {
	out := Outside{Getenv: func(name string) string { return map[string]string{"MY_KEY": "secret"}[name] }}
	got := sharedtest.Must(headers(out, configs.Strings{"X-Api-Key=MY_KEY"}))(t)
	sharedtest.Equal(t, got["X-Api-Key"].Reveal(), "secret", got)
	for _, text := range []string{"X-Api-Key=sk0123456789", "Authorization: Bearer sk0123456789", "sk0123456789"} {
		if _, err := headers(out, configs.Strings{text}); err == nil || strings.Contains(err.Error(), "0123456789") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The variables of the providers' own clients say where they are, if nothing else does.
func TestAddressesOfTheEnvironment(t *testing.T) {
	out := Outside{Getenv: func(name string) string {
		return map[string]string{"OPENAI_BASE_URL": "http://a/v1", "OLLAMA_HOST": "b"}[name]
	}}
	given := configs.Run{BaseURL: configs.Servers{List: configs.Strings{"http://c/v1"}}}
	for name, want := range map[string]string{"openai:m": "http://a/v1", "ollama:m": "b", "vllm:m": ""} {
		spec, _ := model.ParseSpec(name)
		if now, _, err := addresses(out, configs.Run{}, spec, name); err != nil || !slices.Equal(now, []string{want}) {
			t.Errorf("%s: %q, %v", name, now, err)
		}
		if now, _, err := addresses(out, given, spec, name); err != nil || now[0] != "http://c/v1" {
			t.Errorf("%s: %q, %v", name, now, err)
		}
	}
}

func TestShardOfScheduler(t *testing.T) {
	slurm := map[string]string{arrayIndex: "5", arrayMin: "3", arrayMax: "10", arrayCount: "8"}
	gap := map[string]string{arrayIndex: "5", arrayMin: "1", arrayMax: "9", arrayCount: "5"}
	pod := map[string]string{jobIndex: "0"}
	for _, c := range []struct {
		text string
		env  map[string]string
		want string // or a part of the error
	}{
		{"3/8", nil, "3/8"},
		{"auto", slurm, "3/8"},
		{"auto/8", slurm, "3/8"},
		{"auto/9", slurm, "but the Slurm array has 8 tasks"},
		{"auto", gap, "leave none out"},
		{"auto/8", pod, "1/8"},
		{"auto", pod, "write auto/N"},
		{"auto/x", pod, "want I/N"},
		{"auto8", pod, "want I/N, auto or auto/N"},
		{"auto/8", map[string]string{jobIndex: "8"}, "want I/N"},
		{"auto/8", nil, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"},
		{"auto", map[string]string{arrayIndex: "x"}, "want a number"},
	} {
		got, err := shardOf(c.text, func(name string) string { return c.env[name] })
		if err == nil && got.String() != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %v: %v, %v; want %s", c.text, c.env, got, err, c.want)
		}
	}
}
