package agent

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heldout/eval/model"
)

// A digest differs where a role, a text or the border between two texts differs.
func TestSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		message := rapid.Custom(func(t *rapid.T) model.Message {
			return model.Message{Role: rapid.SampledFrom([]model.Role{model.User, model.Assistant}).Draw(t, "role"),
				Content: rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 3, -1).Draw(t, "content")}
		})
		prompts := rapid.SliceOfN(rapid.SliceOfN(message, 1, 4), 2, 6).Draw(t, "prompts")
		seen := map[string][]model.Message{}
		for _, p := range prompts {
			got := digest(p)
			if other, ok := seen[got]; ok && !slices.Equal(other, p) || len(got) != sentDigits {
				t.Fatalf("%v and %v have the digest %s", other, p, got)
			}
			seen[got] = p
		}
	})
}
