package agent

import (
	"testing"

	"pgregory.net/rapid"

	"heldout/eval/model"
)

// A digest depends on the messages alone, not on those that were sent before, and differs
// where a role, a text or the border between two texts differs.
func TestSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		message := rapid.Custom(func(t *rapid.T) model.Message {
			return model.Message{Role: rapid.SampledFrom([]model.Role{model.User, model.Assistant}).Draw(t, "role"),
				Content: rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 3, -1).Draw(t, "content")}
		})
		prompts := rapid.SliceOfN(rapid.SliceOfN(message, 1, 4), 2, 6).Draw(t, "prompts")
		var s sent
		seen := map[string][]model.Message{}
		for _, p := range prompts {
			got := s.digest(p)
			if fresh := new(sent).digest(p); got != fresh || len(got) != sentDigits {
				t.Fatalf("%v: %s after other prompts, %s alone", p, got, fresh)
			}
			if other, ok := seen[got]; ok && !equal(other, p) {
				t.Fatalf("%v and %v have the same digest", other, p)
			}
			seen[got] = p
		}
	})
}

func equal(a, b []model.Message) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
