package model

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/scoring/record"
)

// AppendJSON has every field of a reply.
func TestAppendJSON(t *testing.T) {
	full := Reply{Text: "a \"b\"\n<\u2028>", Reasoning: "c", Substitute: "d", Calls: []ToolCall{{"1", "n", "{}"}},
		FinishReason: "stop", Overran: true, Leftovers: []record.Leftover{record.EndTokens}, Fault: record.CutOff,
		Dropped: []string{"seed"}, PromptTokens: 1, CompletionTokens: 2, UnusedPromptTokens: 3,
		UnusedCompletionTokens: 4, Attempts: 5, Late: 8, Server: "s", Latency: time.Second,
		Model: "m", OtherModel: true, Fingerprint: "fp",
		TokenDetails: record.TokenDetails{CachedTokens: 6, ReasoningTokens: 7}}
	for f, v := range reflect.ValueOf(full).Fields() {
		if v.IsZero() && f.Name != "Again" && f.Name != "Counted" {
			t.Errorf("%s is not tested", f.Name)
		}
	}
	for _, want := range []Reply{full, {Text: "a"}} {
		var got Reply
		if err := json.Unmarshal(append(want.AppendJSON([]byte(`{"x":0`)), '}'), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
