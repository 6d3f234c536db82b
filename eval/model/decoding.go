package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// neutral holds the fields that are sent beside those of Decoding, by the kind
// of server: whatever it would otherwise fill in by itself.
var neutral = map[string]map[string]any{
	vLLM:   {"top_k": -1, "min_p": 0, "repetition_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0},
	sgLang: {"top_k": -1, "min_p": 0, "repetition_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0},
	llamaCpp: {
		"top_k": 0, "min_p": 0, "typical_p": 1, "repeat_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0,
		"top_n_sigma": -1, "xtc_probability": 0, "dry_multiplier": 0, "dynatemp_range": 0, "mirostat": 0,
	},
	// Its repeat_last_n means nothing without a penalty.
	ollamaSW: {"top_k": 0, "min_p": 0, "typical_p": 1, "repeat_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0},
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
var samplingFields = slices.Concat([]string{"temperature", "top_p"}, neutralFields)

// Validate reports every field that is out of its range, joined into one error.
func (d Decoding) Validate() error {
	var errs []error
	if !(d.Temperature >= 0) || math.IsInf(d.Temperature, 0) {
		errs = append(errs, fmt.Errorf("temperature is %v, must be 0 or more", d.Temperature))
	}
	if !(d.TopP > 0 && d.TopP <= 1) {
		errs = append(errs, fmt.Errorf("top_p is %v, must be more than 0 and at most 1", d.TopP))
	}
	if d.MaxTokens < 1 {
		errs = append(errs, fmt.Errorf("max_tokens is %d, must be 1 or more", d.MaxTokens))
	}
	if slices.Contains(d.Stop, "") {
		errs = append(errs, errors.New("a stop string is empty"))
	}
	for _, field := range []string{"model", "messages", "prompt", "stream"} {
		if _, set := d.Extra[field]; set {
			errs = append(errs, fmt.Errorf("extra field %q is no matter of decoding: leave it out", field))
		}
	}
	for _, field := range slices.Sorted(maps.Keys(d.Extra)) {
		if _, err := json.Marshal(d.Extra[field]); err != nil {
			errs = append(errs, fmt.Errorf("extra field %q cannot be sent: %w", field, err))
		}
	}
	return errors.Join(errs...)
}

// validate reports a request that no server could answer.
func (r Request) validate() error {
	if len(r.Messages) == 0 {
		return errors.New("there are no messages")
	}
	if r.Seed < 0 || r.Seed > math.MaxInt32 {
		return fmt.Errorf("seed is %d, must be 0 to %d", r.Seed, math.MaxInt32)
	}
	return r.Decoding.Validate()
}

// merge puts the extra fields over fields; null takes a field out.
func merge(fields, extra map[string]any) {
	for name, value := range extra {
		if value == nil {
			delete(fields, name)
			continue
		}
		fields[name] = value
	}
}
