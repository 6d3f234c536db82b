package refinement

import (
	"regexp"
	"strings"

	"heldout/configs"
)

var (
	slot = regexp.MustCompile(`\\\{[^{}]*\\\}`) // {name} in a quoted template
	// spacedName is a name as environments write it: a word, a blank, a number.
	spacedName = regexp.MustCompile(`\pL \d+\b`)
)

// OldForm returns a test of whether an action is in a form that the perturbation
// replaces: one of its actions' old templates, or a name with a blank before its
// number where the perturbation writes names otherwise. It is nil if the
// perturbation changes no actions.
func OldForm(p configs.Perturbation) func(action string) bool {
	var templates []string
	for old := range p.Actions {
		templates = append(templates, slot.ReplaceAllLiteralString(regexp.QuoteMeta(old), `.+`))
	}
	if len(templates) == 0 && p.Names == "" {
		return nil
	}
	actions := regexp.MustCompile(`^(?i:` + strings.Join(templates, "|") + `)$`)
	return func(action string) bool {
		action = strings.TrimSpace(action)
		return len(templates) > 0 && actions.MatchString(action) || p.Names != "" && spacedName.MatchString(action)
	}
}
