package perturb

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

var prompts = flag.String("prompts", "", "folder to write a prompt of every condition into, for a person to read")

// A person reads what a model would: go test ./perturb -run TestPrompts -prompts DIR
// writes the prompt of each condition of the suite, with the beginning of a task of one type.
func TestPrompts(t *testing.T) {
	if *prompts == "" {
		t.Skip("no folder to write to: give -prompts DIR")
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
