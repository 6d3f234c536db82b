package model

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"heldout/configs"
	"heldout/scoring/record"
)

// The values of Server.Software.
const (
	vLLM     = "vllm"
	sgLang   = "sglang"
	llamaCpp = "llama.cpp"
	ollamaSW = "ollama"
)

// neutral holds the fields that are sent in addition to Decoding's, by the
// kind of server: fields that the server would otherwise set to its own defaults.
var neutral = map[string]map[string]any{
	vLLM:   {"top_k": -1, "min_p": 0, "repetition_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0},
	sgLang: {"top_k": -1, "min_p": 0, "repetition_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0},
	llamaCpp: {
		"top_k": 0, "min_p": 0, "typical_p": 1, "repeat_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0,
		"top_n_sigma": -1, "xtc_probability": 0, "dry_multiplier": 0, "dynatemp_range": 0, "mirostat": 0,
	},
	// Its repeat_last_n means nothing without a penalty.
	ollamaSW: {"top_k": 0, "min_p": 0, "typical_p": 1, "repeat_penalty": 1, "presence_penalty": 0,
		"frequency_penalty": 0},
}

// neutralFields are the names of all fields in neutral.
var neutralFields = func() []string {
	var names []string
	for _, fields := range neutral {
		names = slices.AppendSeq(names, maps.Keys(fields))
	}
	slices.Sort(names)
	return slices.Compact(names)
}()

// samplingFields are the names of the fields that say how tokens are drawn.
var samplingFields = slices.Concat(configs.SamplingFields(), neutralFields)

// validate reports a request that no server could answer.
func (r Request) validate() error {
	if len(r.Messages) == 0 {
		return errors.New("messages are missing")
	}
	if r.Seed < 0 || r.Seed > math.MaxInt32 {
		return fmt.Errorf("seed is %d, must be 0 to %d", r.Seed, math.MaxInt32)
	}
	return nil
}

// setNumbers sets the fields that say how tokens are drawn.
func setNumbers(fields map[string]any, d record.Decoding) {
	for _, n := range d.Numbers() {
		fields[n.Field] = n.Value
	}
}

// merge overrides fields with the extra fields for that kind of server; null removes a field.
func merge(fields map[string]any, d record.Decoding, kind string) {
	for name, value := range d.Extra {
		if value == nil || kind != vLLM && slices.Contains(d.OnlyVLLM, name) {
			delete(fields, name)
			continue
		}
		fields[name] = value
	}
}
