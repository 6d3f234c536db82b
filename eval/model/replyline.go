package model

import (
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendJSON appends the fields of the reply, each after a comma, as encoding/json has them. It
// takes a tenth of the time.
func (r *Reply) AppendJSON(b []byte) []byte {
	for _, f := range []struct{ name, value string }{
		{"text", r.Text}, {"reasoning", r.Reasoning}, {"substitute", r.Substitute}, {"finish_reason", r.FinishReason},
		{"fault", string(r.Fault)}, {"server", r.Server}, {"model", r.Model}, {"fingerprint", r.Fingerprint},
	} {
		if f.value != "" {
			b, _ = jsontext.AppendQuote(fieldName(b, f.name), f.value) // what is not UTF-8 is replaced
		}
	}
	for _, f := range []struct {
		name  string
		value int
	}{
		{"prompt_tokens", r.PromptTokens}, {"completion_tokens", r.CompletionTokens},
		{"cached_tokens", r.CachedTokens}, {"reasoning_tokens", r.ReasoningTokens},
		{"unused_prompt_tokens", r.UnusedPromptTokens}, {"unused_completion_tokens", r.UnusedCompletionTokens},
		{"attempts", r.Attempts}, {"late", r.Late}, {"latency", int(r.Latency)},
	} {
		if f.value != 0 {
			b = strconv.AppendInt(fieldName(b, f.name), int64(f.value), 10)
		}
	}
	if r.Overran {
		b = append(fieldName(b, "overran"), "true"...)
	}
	if r.OtherModel {
		b = append(fieldName(b, "other_model"), "true"...)
	}
	if len(r.Calls)+len(r.Leftovers)+len(r.Dropped) == 0 {
		return b
	}
	rare, _ := json.Marshal(Reply{Calls: r.Calls, Leftovers: r.Leftovers, Dropped: r.Dropped}) // texts only
	return append(append(b, ','), rare[1:len(rare)-1]...)
}

func fieldName(b []byte, name string) []byte {
	return append(append(append(b, `,"`...), name...), `":`...)
}
