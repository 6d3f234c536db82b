package bench

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/configs"
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
		if diff := cmp.Diff(c.want, r.AgentDecoding()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
