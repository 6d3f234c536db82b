package report

import (
	"testing"

	"heldout/envs"
	"heldout/scoring/record"
)

// TestEqualSeeds: seeds that a server ignores are one try, not a spread of 0.
func TestEqualSeeds(t *testing.T) {
	at := func(temperature float64, model string, seed int64, outcomes string) group {
		return group{"pddl", envs.Official, 4, model, seed, func(c *record.Condition) {
			c.Decoding.Temperature = temperature
		}, outcomes}
	}
	tables := everything([]NamedRun{newRun(t, "run",
		at(1, "vllm:M", 0, "SSff"), at(1, "vllm:M", 1, "SSff"), at(1, "vllm:M", 2, "SSf-"), // one is missing
		at(1, "vllm:N", 0, "SSff"), at(1, "vllm:N", 1, "SfSf"),
		at(0, "vllm:Z", 0, "SSff"), at(0, "vllm:Z", 1, "SSff"),
		at(1, "vllm:O", 0, "SSff"),
	)}, nil, weights)
	said :=
		"M on PDDL: 3 seeds gave equal results in every task at temperature 1: the server ignores the seed or the temperature"
	same(t, "std", below(t, find(t, tables, "paper").Programs[0], "pddl_success_std"), "–", "0.0", "–", "–")
	tries := find(t, tables, "pass-at-k")
	hasNote(t, tries, said)
	hasNoNote(t, tries, "N on pddl: 2 seeds")
	hasNote(t, tries, "Z on PDDL: 2 seeds gave equal results in every task at temperature 0, so they count as one run")
	hasNote(t, find(t, tables, "results"), "# M on PDDL: 3 seeds gave equal results")
	same(t, "pass@k", below(t, tries, "pass")[:2], "50.0*#", "50.0*#")
}
