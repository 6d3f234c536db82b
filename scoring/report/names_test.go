package report

import (
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring"
	"heldout/scoring/record"
)

// A model's name may hold a "=", at which a flag divides.
func TestSettleNames(t *testing.T) {
	runs := []NamedRun{{}}
	for _, name := range []string{"vllm:lr=2e-5", "vllm:a", "vllm:a=b=c"} {
		runs[0].Scores = append(runs[0].Scores, &scoring.Score{Condition: record.Condition{Model: name}})
	}
	names := map[string]string{"vllm:lr": "2e-5=tuned", "vllm:a": "x=y", "a": "b=c=deep", "other": "p=q"}
	settleNames(runs, names)
	want := map[string]string{"vllm:lr=2e-5": "tuned", "vllm:a": "x=y", "a": "b=c=deep", "other": "p=q"}
	sharedtest.Same(t, names, want)
}
