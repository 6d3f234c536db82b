package bench

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/configs"
	"heldout/eval/model"
)

func TestDecoding(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*configs.Run)
		want   model.Decoding
	}{
		{"react", func(*configs.Run) {}, model.Decoding{TopP: 1, MaxTokens: 512, Stop: []string{"\nObservation:"}}},
		{"act", func(r *configs.Run) { r.Agent = "act" }, model.Decoding{TopP: 1, MaxTokens: 100}},
		{"own", func(r *configs.Run) { r.MaxTokens, r.Temperature, r.Stop = 9, 1, configs.Strings{"x", ""} },
			model.Decoding{TopP: 1, MaxTokens: 9, Temperature: 1, Stop: []string{"x"}}},
		{"no stop", func(r *configs.Run) { r.Stop = configs.Strings{""} }, model.Decoding{TopP: 1, MaxTokens: 512}},
	} {
		r := configs.DefaultRun()
		c.change(&r)
		if diff := cmp.Diff(c.want, decoding(r)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
