package perturb

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/babyai"
	"heldout/envs/hotpotqa"
	"heldout/envs/jericho"
	"heldout/envs/sharedtest"
)

// BabyAI's answers repeat the action.
func TestBabyAIRepeats(t *testing.T) {
	iface := sharedtest.Must(babyai.New(babyai.Options{}))(t).Interface("")
	p := sharedtest.Must(New(configs.Perturbation{Name: "walk", Actions: map[string]string{
		"go to {thing}": "walk to {thing}"}}, iface))(t)
	sharedtest.Equal(t, p.writeObservation("You cannot go to red ball 1, as there is no path leading to it."),
		"You cannot walk to red ball 1, as there is no path leading to it.")
	sharedtest.Equal(t, p.writeObservation("Seen.\nAvailable actions: [\"turn left\", \"go to red ball 1\"]"),
		"Seen.\nAvailable actions: [\"turn left\", \"walk to red ball 1\"]")
}

// AgentGym's layer of BabyAI lists the actions under each answer, also under the list that
// was asked for. An action that is taken away is in no list.
func TestListsBehindAnswers(t *testing.T) {
	env := sharedtest.Must(babyai.New(babyai.Options{Variant: babyai.AgentGym}))(t)
	for rule, want := range map[string]string{
		"verbs:1": "The action is not recognized. Please check valid actions.\nAvailable actions: [\"rotate left\"",
		"help:1":  "The action is not recognized. Please list possible actions.\nAvailable actions: [\"turn left\"",
		"help:3":  "The action is not recognized.\nAvailable actions: [\"turn left\"",
		"answers:1+order:1": "This action is unknown. Please check valid actions.\n" +
			"Available actions: [\"check available actions\"",
		"names:3": "The action is not recognized. Please check valid actions.\nAvailable actions: [\"turn left\"",
		"all:1":   "This action is unknown. Please list possible actions.\nAvailable actions: [\"list possible actions\"",
		"all:3":   "This action is unknown.\nAvailable actions: [\"",
	} {
		rules := mustName(t, "babyai", rule)
		asked := "check available actions"
		for _, written := range rules.Verbs {
			if strings.HasPrefix(written, "list") {
				asked = written
			}
		}
		for i, step := range play(t, env, rules, "zzqx", asked) {
			switch taken := len(rules.Without) > 0; {
			case (i == 0 || taken) && !strings.HasPrefix(step.Observation, want):
				t.Errorf("%s: %q, want %q", rule, step.Observation, want)
			case i == 1 && !taken && strings.Count(step.Observation, asked) != 2:
				t.Errorf("%s: two lists are %q", rule, step.Observation)
			case taken && strings.Contains(step.Observation, "check"):
				t.Errorf("%s: %q has what is taken away", rule, step.Observation)
			}
		}
	}
}

// play types actions into a perturbed task and returns the answers.
func play(t *testing.T, env envs.Env, rules configs.Perturbation, actions ...string) (answers []envs.Step) {
	t.Helper()
	ctx := context.Background()
	perturbed := sharedtest.Must(Wrap(env, rules))(t)
	w := sharedtest.Must(perturbed.NewWorld(env.Tasks()[0]))(t)
	sharedtest.OK(t, sharedtest.Err(w.Start(ctx)))
	for _, a := range actions {
		answers = append(answers, sharedtest.Must(w.Step(ctx, a))(t))
	}
	return answers
}

func TestHotpotQA(t *testing.T) {
	env := sharedtest.Must(hotpotqa.NewEmbedded(hotpotqa.Options{}, envs.Outside{}))(t)
	rules := configs.Perturbation{Name: "find", Env: "hotpotqa",
		Actions: map[string]string{"search[{text}]": "find[{text}]"}}
	got := play(t, env, rules, "search[Saturn]", "find[Saturn]", "jump", "finish[yes]")
	if got[0].Valid || got[0].Observation != "Invalid action: search[Saturn]" || !got[1].Valid ||
		got[2].Observation != "Invalid action: jump" || !got[3].Done {
		t.Errorf("%+v", got)
	}
	p := sharedtest.Must(New(rules, env.Interface("")))(t)
	sharedtest.Equal(t, p.writeInstruction("Use search[], or search[entity], then finish[answer]."),
		"Use find[], or find[entity], then finish[answer].", "instructions say")
}

// Where forms are not all known, rules can be about any; the old form is no
// longer understood even if the story knows the new one by itself.
func TestOpenInterface(t *testing.T) {
	env := sharedtest.Must(jericho.New(jericho.Options{}))(t)
	rules := configs.Perturbation{Name: "grab", Env: "jericho",
		Actions: map[string]string{"look": "gaze", "take {thing}": "grab {thing}"}}
	got := play(t, env, rules, "look", "gaze", "take lantern", "grab lantern")
	plain := play(t, env, configs.Perturbation{Name: "other", Env: "jericho",
		Actions: map[string]string{"wave": "flap"}}, "zzqx", "look", "zzqx", "take lantern")
	for i := range got {
		sharedtest.Equal(t, got[i].Observation, plain[i].Observation, "answer", i)
	}
	if got[1].Observation == got[0].Observation || strings.TrimSpace(got[1].Observation) == "" {
		t.Errorf("gaze is answered %q", got[1].Observation)
	}
}

// echo is a world that repeats what it does not understand.
type echo struct{ envs.World }

func (echo) Step(_ context.Context, action string) (envs.Step, error) {
	return envs.Step{Observation: fmt.Sprintf("I don't know the word %q. ", action)}, nil
}

// A game that repeats the text that it does not understand repeats what was typed, even
// if it was given another text. Blanks at its end are no sentence.
func TestRefusalRepeatsWhatWasTyped(t *testing.T) {
	env := sharedtest.Must(jericho.New(jericho.Options{}))(t)
	for rule, want := range map[string]string{
		"verbs:1":            `I don't know the word "take lamp". `,
		"verbs:1+layout:2":   `- I don't know the word "take lamp". `,
		"arguments:1":        `I don't know the word "take lamp". `,
		"answers:1+layout:1": `I don't know the word "take lamp". `,
	} {
		p := sharedtest.Must(New(mustName(t, "jericho", rule), env.Interface("")))(t)
		s := sharedtest.Must((&world{World: echo{}, p: p}).Step(t.Context(), "take lamp"))(t)
		sharedtest.Equal(t, s.Observation, want, rule, "the answer")
	}
	p := sharedtest.Must(New(mustName(t, "jericho", "layout:1"), env.Interface("")))(t)
	const old, want = "Endless Stair It is dark. A lamp is here. ", "Endless Stair It is dark | A lamp is here. "
	if got := p.writeObservation(old); got != want || p.readObservation(got) != old {
		t.Errorf("%q is %q, want %q; it is read %q", old, got, want, p.readObservation(got))
	}
}

// What only looks like a form with the verb last stays a command of its own.
func TestVerbLastInOpenInterfaces(t *testing.T) {
	env := sharedtest.Must(jericho.New(jericho.Options{}))(t)
	for _, c := range []struct{ rule, said, read string }{
		{"arguments:1", "throw book at light", "throw book at light"},
		{"arguments:1", "look around light", "look around light"},
		{"arguments:1", "look at cube with light", "look at cube with light"},
		{"arguments:1", "lantern light", "light lantern"},
		{"arguments:1", "lamp on turn", "turn lamp on"},
		{"arguments:1", "coin in box put", "put coin in box"},
		{"all:1", "tie all to hand", "tie all to hand"},
	} {
		p := sharedtest.Must(New(mustName(t, "jericho", c.rule), env.Interface("")))(t)
		sharedtest.Equal(t, p.ReadAction(c.said), c.read, c.rule, c.said, "is read as")
	}
}
