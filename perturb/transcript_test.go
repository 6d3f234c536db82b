package perturb

import (
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

// Examples as text keep their marks. Actions, thoughts and observations are rewritten by
// their own rules, over several lines, and an action that is taken away goes with its answer.
func TestTranscripts(t *testing.T) {
	rules := configs.Perturbation{Name: "all", Names: "{class}{number}", Actions: order.Actions,
		Replies: map[string]string{"Nothing happens.": "No."}, Without: []string{"look"}}
	iface := household()
	iface.Unknown = "zzqx"
	p := sharedtest.Must(New(rules, iface))(t)
	for _, c := range []struct {
		text, want string
		first      passageKind
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
		sharedtest.Equal(t, p.writeTranscript(c.text, c.first), c.want, c.text, "becomes")
	}
}

// An example may show half an action, which is refused. It has the order and the words of
// the form as written now; a text that is no half of a form stays.
func TestHalfActions(t *testing.T) {
	for _, c := range []struct{ rule, shown, want string }{
		{"arguments:2", "take cellphone 1", "cellphone 1 take"},
		{"arguments:1", "take cellphone 1", "take cellphone 1"},
		{"arguments:2", "slice", "slice"},
		{"verbs:1+arguments:2", "clean mug 1", "mug 1 wash"},
		{"verbs:3", "take cellphone 1", "burux cellphone 1"},
		{"names:3+arguments:2+nouns:3", "take cellphone 1", "one_sikop take"},
		{"arguments:2+numbers:1", "put mug 1", "mug one put"},
	} {
		perturbed := sharedtest.Must(Wrap(generated(t, "alfworld"), mustName(t, "alfworld", c.rule)))(t)
		for _, p := range perturbed.byType {
			sharedtest.Equal(t, p.writeShown(c.shown), c.want, c.rule, c.shown, "becomes")
			break
		}
	}
}
