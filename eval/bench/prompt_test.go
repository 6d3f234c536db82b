package bench

import (
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
)

// ALFWorld's dialects have prompts of their own, as far as they have any.
func TestOwnPrompt(t *testing.T) {
	for _, c := range []struct {
		env      string
		settings map[string]string
		want     string // or what the error says
	}{
		{"babyai", map[string]string{"variant": "agentgym"}, "babyai"},
		{"alfworld", nil, "alfworld"},
		{"alfworld", map[string]string{"dialect": "v2"}, "alfworld-v2"},
		{"alfworld", map[string]string{"dialect": "file"}, "not file"},
		{"alfworld", map[string]string{"variant": "alfworld"}, "--preset"},
	} {
		got, err := ownPrompt(envs.Info{Name: c.env, Settings: c.settings})
		if err == nil {
			_, err = configs.LoadPrompt(got, configs.PromptVersions()[0])
		}
		if got != c.want && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %v: %q, %v, want %q", c.env, c.settings, got, err, c.want)
		}
	}
}
