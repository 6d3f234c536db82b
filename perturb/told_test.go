package perturb

import (
	"strings"
	"testing"

	"heldout/configs"
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
		for _, version := range configs.PromptVersions() {
			prompt, err := configs.LoadPrompt(name, version)
			if err != nil {
				t.Fatal(err)
			}
			for _, rule := range append(graded(t, name), "all:1", "all:2", "all:3") {
				perturbed, err := Wrap(env, mustName(t, name, rule))
				if err != nil {
					t.Fatal(err)
				}
				written, err := perturbed.WritePrompt(prompt)
				if err != nil {
					t.Fatal(err)
				}
				for taskType, p := range perturbed.byType {
					before, err := prompt.For(taskType)
					if err != nil {
						t.Fatal(err)
					}
					after, err := written.For(taskType)
					if err != nil {
						t.Fatal(err)
					}
					for i := range p.forms {
						f := &p.forms[i]
						now := f.written
						now.literals = append([]string{}, now.literals...)
						for j, l := range now.literals {
							now.literals[j] = p.say(l, false)
						}
						if f.changed() && told(f.old, before.Instruction) && !told(now, after.Instruction) {
							t.Errorf("%s, %s, %s: the instructions do not tell %q:\n%s", name, version, rule, f.written.text, after.Instruction)
							break
						}
						if f.removed && (strings.Contains(strings.ToLower(after.Instruction), "check") || strings.Contains(written.Help, "check")) {
							t.Errorf("%s, %s, %s: the instructions tell %q, which is taken away", name, version, rule, f.old.text)
						}
					}
				}
			}
		}
	}
}
