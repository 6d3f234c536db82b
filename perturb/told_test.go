package perturb

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/sharedtest"
)

// told are the words of a form that stand together, without slots.
func told(t template, text string) bool {
	for _, literal := range t.literals {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimSpace(literal))) {
			return false
		}
	}
	return true
}

// Whoever reads the instructions knows the new forms: each form that they tell is
// told in its new words, and an action that is taken away is not mentioned.
func TestInstructionsTellTheNewForms(t *testing.T) {
	for _, name := range withFamilies(t) {
		env := generated(t, name)
		for _, rule := range sharedtest.Sample(t, append(graded(t, name), "all:1", "all:2", "all:3"), 5) {
			eachPrompt(t, env, rule, func(version string, perturbed *Env, prompt, written configs.Prompt) {
				for taskType, p := range perturbed.byType {
					for _, fault := range untold(t, p, taskType, prompt, written) {
						t.Errorf("%s, %s, %s: %s", name, version, rule, fault)
					}
				}
			})
		}
	}
}

// eachPrompt writes the prompts of an environment as a rule has them.
func eachPrompt(t *testing.T, env envs.Env, rule string,
	do func(version string, perturbed *Env, prompt, written configs.Prompt)) {
	t.Helper()
	name := env.Info().Name
	perturbed := sharedtest.Must(Wrap(env, mustName(t, name, rule)))(t)
	for _, version := range configs.PromptVersions() {
		prompt := sharedtest.Must(configs.LoadPrompt(name, version))(t)
		do(version, perturbed, prompt, sharedtest.Must(perturbed.WritePrompt(prompt, nil))(t))
	}
}

// untold lists what the instructions of a task type do not tell, or should not.
func untold(t *testing.T, p *Perturbation, taskType string, prompt, written configs.Prompt) (faults []string) {
	t.Helper()
	before := sharedtest.Must(prompt.For(taskType))(t)
	after := sharedtest.Must(written.For(taskType))(t)
	for i := range p.forms {
		f := &p.forms[i]
		now := template{slots: f.current.slots}
		for _, l := range f.current.literals {
			now.literals = append(now.literals, p.say(l, false))
		}
		if f.changed() && told(f.old, before.Instruction) && !told(now, after.Instruction) {
			faults = append(faults, fmt.Sprintf("the instructions do not tell %q:\n%s", f.current.text,
				after.Instruction))
		}
		if f.removed && (strings.Contains(strings.ToLower(after.Instruction), "check") ||
			strings.Contains(written.Help, "check")) {
			faults = append(faults, fmt.Sprintf("the instructions tell %q, which is taken away", f.old.text))
		}
	}
	return faults
}

// The help of ALFWorld's second dialect explains each action in its new words, also one without slots.
func TestHelpExplainsTheNewForms(t *testing.T) {
	env := sharedtest.Must(alfworld.NewGenerated(0, alfworld.Options{Dialect: "v2"}))(t)
	w := sharedtest.Must(env.NewWorld(env.Tasks()[0]))(t)
	defer w.Close()
	help := sharedtest.Must(w.Step(context.Background(), "help"))(t)
	for _, rule := range []string{"verbs:1", "verbs:2", "verbs:3", "arguments:2", "all:1", "all:2", "all:3"} {
		p := sharedtest.Must(Wrap(env, mustName(t, "alfworld", rule)))(t).anyType()
		written, err := p.checked(help.Observation)
		if err != nil {
			t.Errorf("%s: %v", rule, err)
		}
		for _, action := range []string{"look", "inventory"} {
			now := p.WriteAction(action)
			explains := func(action string) bool { return strings.Contains(written, "\n  "+action+": ") }
			if !explains(now) || now != action && explains(action) {
				t.Errorf("%s: the help does not explain %q alone, which was %q:\n%s", rule, now, action, written)
			}
		}
	}
}

// Whoever reads new verbs learns what they do, and an answer says no more than the
// environment's own: an action that the instructions tell exists.
func TestNewWordsAreTrue(t *testing.T) {
	for rule, want := range map[string]string{"verbs:3": "(?s)loosen the nut, or tighten it.*inflate the wheel",
		"answers:1": "Fetch wrench from boot"} {
		perturbed := sharedtest.Must(Wrap(generated(t, "pddl"), mustName(t, "pddl", rule)))(t)
		p := sharedtest.Must(perturbed.ofType("tyreworld"))(t)
		prompt := fmt.Sprint(promptLines(t, p, ownPrompts(t, "pddl")[0], "tyreworld"))
		if !regexp.MustCompile(want).MatchString(prompt) || strings.Contains(prompt, "does not exist") {
			t.Errorf("%s: %s", rule, prompt)
		}
	}
}

// Under other verbs, instructions explain each verb by itself: "nunal OBJ, drumix OBJ: open
// or close" does not say which is which.
func TestVerbsAreExplainedApart(t *testing.T) {
	for _, name := range withFamilies(t) {
		eachPrompt(t, generated(t, name), "verbs:3", func(version string, perturbed *Env, _, written configs.Prompt) {
			for taskType, p := range perturbed.byType {
				section := sharedtest.Must(written.For(taskType))(t)
				for _, line := range strings.Split(section.Instruction, "\n") {
					head, _, explains := strings.Cut(line, ": ")
					if at := strings.LastIndex(head, ". "); at >= 0 {
						head = head[at+2:]
					}
					if explains && strings.Contains(head, ", ") && mentions(p, head) > 1 {
						t.Errorf("%s, %s: %q explains several verbs", name, version, line)
					}
				}
			}
		})
	}
}

// mentions counts the changed forms whose verbs a text has.
func mentions(p *Perturbation, text string) (n int) {
	for _, f := range p.changedForms {
		if told(f.current, text) {
			n++
		}
	}
	return n
}

var prompts = flag.String("prompts", "", "folder to write a prompt of every condition into, for a person to read")

// A person reads what a model would: go test ./perturb -run TestPrompts -prompts DIR
// writes the prompt of each condition of the suite, with the beginning of a task of one type.
func TestPrompts(t *testing.T) {
	if *prompts == "" {
		t.Skip("there is no folder for the prompts: go test ./perturb -run TestPrompts -prompts DIR writes them")
	}
	for _, name := range withFamilies(t) {
		env := generated(t, name)
		heard, versions := hearTasks(t, env), ownPrompts(t, name)
		for _, rule := range suiteOf(t, name) {
			perturbed := sharedtest.Must(Wrap(env, mustName(t, name, rule)))(t)
			for i, version := range configs.PromptVersions() {
				var b strings.Builder
				for _, h := range heard[:1] {
					p := sharedtest.Must(perturbed.ofType(h.taskType))(t)
					fmt.Fprintf(&b, "##### %s\n", h.taskType)
					for _, l := range append(promptLines(t, p, versions[i], h.taskType), h.sheet(p)...) {
						mark := ""
						if l.before == l.after {
							mark = " (as it was)"
						}
						fmt.Fprintf(&b, "[%s]%s %s\n", l.kind, mark, l.after)
					}
				}
				file := fmt.Sprintf("%s-%s-%s.txt", name, strings.ReplaceAll(rule, ":", ""), version)
				sharedtest.OK(t, os.WriteFile(filepath.Join(*prompts, file), []byte(b.String()), 0o666))
			}
		}
	}
}

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
