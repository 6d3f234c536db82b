package alfworld

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"heldout/envs"
)

// symbols is the text grammar of a game without the actions. GOAL and HELP are replaced.
//
//go:embed grammar.json
var symbols string

// export writes a task as a game.tw-pddl file that ALFWorld can play: the rules in PDDL, the text grammar in our
// own words, the problem, and a walkthrough, which proves that the task can be solved.
func (e *Env) export(t envs.Task) ([]byte, error) {
	w, err := e.NewWorld(t)
	if err != nil {
		return nil, err
	}
	r, err := w.(*world).loading.rules()
	if err != nil {
		return nil, err
	}
	g := r.game
	plan, ok := g.task.Plan(g.task.Init)
	if !ok {
		return nil, fmt.Errorf("%s: found no solution", t.ID)
	}
	walkthrough := make([]string, len(plan))
	for i, op := range plan {
		walkthrough[i] = g.texts[op]
	}
	d := e.games[t.Index].dialect
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	err = out.Encode(map[string]any{
		"pddl_domain":  exportDomain(d),
		"grammar":      exportGrammar(d, g.goal),
		"pddl_problem": e.games[t.Index].problem,
		"solvable":     true,
		"walkthrough":  walkthrough,
	})
	return b.Bytes(), err
}

// exportDomain leaves "help" out of the rules if the dialect has no such command.
func exportDomain(d dialect) string {
	if d.helps {
		return domainText
	}
	before, rest, _ := strings.Cut(domainText, "  (:action help\n")
	_, after, _ := strings.Cut(rest, "\n\n")
	return before + after
}

// exportGrammar writes the text grammar in ALFWorld's template language.
func exportGrammar(d dialect, goal string) string {
	var b strings.Builder
	text := strings.NewReplacer("GOAL", inJSON(goal), "HELP", inJSON(helpText)).Replace(symbols)
	b.WriteString("grammar :: \"\"\"\n" + text + "\"\"\";\n")
	for _, f := range d.forms() {
		answer := expand(f.answer, func(key string) string {
			switch name, _, _ := strings.Cut(key, " "); name {
			case "look", "inventory", "help", "see", "describe":
				return "#" + name + "#"
			}
			return "{" + key + ".name}"
		})
		fmt.Fprintf(&b, "\naction %s {\n  template :: %q;\n  feedback :: %q;\n}\n", f.action, f.command, answer)
	}
	return b.String()
}

// inJSON escapes a text for use inside a JSON string.
func inJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s // cannot happen: texts can always be encoded
	}
	return string(b[1 : len(b)-1])
}
