package configs_test

import (
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

// Settings that the form of the agent would ignore are refused, and so are numbers
// out of their range.
func TestPlaysThatWouldBeIgnored(t *testing.T) {
	for _, c := range []struct{ replaces, with, want string }{
		{"agent: {form: react}", "agent: {form: react}\nobservation: {task: x}", "observation is for the forms chat"},
		{"agent: {form: react}", "agent: {form: act}", "the form act has reply.parser agentboard"},
		{"agent: {form: react}", "agent: {form: react, pairs: 2}",
			"agent.pairs is for the forms single, chat, not for react"},
		{"agent: {form: react}", "agent: {form: chat, cue: x}", "agent.cue is for the forms completion, text"},
		{"agent: {form: react}", "agent: {form: single, shots: {as: text, count: 1}}",
			"agent.shots.as: text is for the forms chat"},
		{"agent: {form: react}", "agent: {form: chat}", "reply.on-failure is missing"},
		{"when: never", "when: every", "actions-shown is for the forms chat"},
		{"{parser: agentrefine}", "{parser: thought-action-i}", "thought-action-i is for the forms completion"},
		{"{parser: agentrefine}", "{parser: agentrefine, on-failure: end}", "the form react has"},
		{"{parser: agentrefine}", "{parser: agentrefine, on-failure: 'send-tail:2.5'}", "want a whole number"},
	} {
		text := strings.Replace(minimal, c.replaces, c.with, 1)
		if text == minimal {
			t.Fatalf("%q is not in the preset", c.replaces)
		}
		sharedtest.Fails(t, sharedtest.Err(configs.ParsePreset("f", []byte(text))), c.want, c.with)
	}
}
