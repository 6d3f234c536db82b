package perturb

import (
	"testing"

	"heldout/configs"
)

// Examples as text keep their marks. Actions, thoughts and observations are rewritten by
// their own rules, over several lines, and an action that is taken away goes with its answer.
func TestTranscripts(t *testing.T) {
	rules := configs.Perturbation{Name: "all", Names: "{class}{number}", Actions: order.Actions,
		Replies: map[string]string{"Nothing happens.": "No."}, Without: []string{"look"}}
	iface := household()
	iface.Unknown = "zzqx"
	p, err := New(rules, iface)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, want string
		first      kind
	}{
		{"You see a desk 1.\n\nYour task is to: x.\n> think: the desk 1\nOK.\n> take pen 1 from desk 1\nNothing happens.\n",
			"You see a desk1.\n\nYour task is to: x.\n> think: the desk1\nOK.\n> from desk1 take pen1\nNo.\n", saidByEnv},
		{"THOUGHT: I see desk 1.\n ACTION: take pen 1 from desk 1\n",
			"THOUGHT: I see desk1.\n ACTION: from desk1 take pen1\n", saidAsThought},
		{"Thought 1: go\nAction 1: take pen 1 from desk 1\nObservation 1: Nothing happens.",
			"Thought 1: go\nAction 1: from desk1 take pen1\nObservation 1: No.", saidByEnv},
		{"Action:\ntake pen 1 from desk 1", "Action:\nfrom desk1 take pen1", saidAsThought},
		{"Action: look\nObservation: a desk 1\nor two\nAction: go to desk 1", "Action: go to desk1", saidByEnv},
		{"Observation: Nothing happens.\n", "Observation: No.\n", saidByEnv},
		{"", "", saidByEnv},
	} {
		if got := p.writeTranscript(c.text, c.first); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
}
