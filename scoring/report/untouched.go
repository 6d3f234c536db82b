package report

import (
	"fmt"
	"strings"
)

// untouched says under which perturbations a model got what it gets without: neither its
// prompt nor any message or action of its episodes was another text. It says nothing of
// players that read no prompt.
func untouched(players []*perturbedPlayer) (notes []string) {
	for _, p := range players {
		var names []string
		for _, c := range p.perturbed {
			if p.base != nil && c.Condition.PromptHash != "" && c.Condition.PromptHash == p.base.Condition.PromptHash &&
				c.Replies.Episodes > 0 && c.Replies.Untouched == c.Replies.Episodes {
				names = append(names, c.about.Name)
			}
		}
		if len(names) > 0 {
			notes = append(notes, fmt.Sprintf("Nothing changed for %s on %s under %s: every message was as it is "+
				"without a perturbation. Lines about that, and averages with it, say nothing about robustness.",
				p.name, p.env, strings.Join(names, ", ")))
		}
	}
	return notes
}
