package record

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"heldout/envs/sharedtest"
)

// full is an episode with every field that has a place in a step.
func full() *Episode {
	e, score := episode("full"), 0.25
	e.Goal, e.Observation = `a "goal"`, "two\nlines <&> \u2028 é"
	e.Trajectory = append(e.Trajectory, Step{
		Thought: `\"`, Action: "go", Observation: "\\", Progress: e.Progress, Valid: false, Understood: true,
		Score: &score, OldForm: "o", NewForm: "n",
		FinishReason: "stop", Fault: CutOff, Reply: "r", Reasoning: "s", Parsed: "p", Repairs: []string{"a", `"`},
		PromptTokens: 12, CompletionTokens: 3, ModelSeconds: 1e-7,
		Sent: []string{"00ff00ff00ff00ff"}, TokenIDs: []int{7, 0}, Logprobs: []float64{-0.5, -1e-9},
	})
	e.Steps = len(e.Trajectory)
	return e
}

// What is decoded strictly is what encoding/json decodes.
func FuzzDecodeStrict(f *testing.F) {
	for _, e := range []*Episode{episode("a"), full()} {
		line := sharedtest.Must(encode(e))(f)
		f.Add(bytes.TrimSuffix(line[:bytes.LastIndex(line, []byte(checksumStart))], nil))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		line := []byte(string(body) + checksumStart + checksum(body) + checksumEnd)
		var got, want Episode
		if !decodeStrict(line, &got) {
			return
		}
		if err := unmarshal(line, &want); err != nil {
			t.Fatalf("the library refuses it: %v", err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		again := Episode{Result: Result{Steps: 7}, Goal: "old", Trajectory: []Step{{Thought: "old", Score: new(float64),
			Repairs: []string{"old"}}, {FormatError: true}}}
		if ok := decodeStrict(line, &again); !ok || !cmp.Equal(got, again, cmpopts.EquateEmpty()) {
			t.Errorf("in the room of another one: %v, %v", again, ok)
		}
	})
}

// Lines are written in the form that is decoded strictly.
func TestDecodeStrict(t *testing.T) {
	for _, e := range []*Episode{episode("a"), full()} {
		line := sharedtest.Must(encode(e))(t)
		var got, brief Episode
		if !decodeStrict(line, &got) {
			t.Fatalf("it is not decoded strictly: %s", line)
		}
		var r Result
		if sum, ok := decodeResult(line, &r); !ok || sum != got.Checksum || !cmp.Equal(r, e.Result) {
			t.Errorf("its result is %v, %v: %s", r, ok, line)
		}
		if err := decodeBriefly(line, &brief); err != nil || !cmp.Equal(brief.Result, e.Result) {
			t.Errorf("briefly it is %v, error %v: %s", brief.Result, err, line)
		}
		got.Checksum = ""
		if diff := cmp.Diff(e, &got, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}

// Fields that another version has written are skipped, such as the fields of searches.
func TestDecodeSkipsUnknownFields(t *testing.T) {
	line := sharedtest.Must(encode(episode("a")))(t)
	body, _, _ := cutSeal(line)
	body = bytes.Replace(body, []byte(`,"started"`), []byte(`,"search_steps":3,"search_end":"solved","started"`), 1)
	other := []byte(string(body) + checksumStart + checksum(body) + checksumEnd)
	if decodeStrict(other, &Episode{}) {
		t.Error("the fields are not there")
	}
	got, err := Decode(other)
	if diff := cmp.Diff(episode("a"), got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
