package refinement

import (
	"fmt"
	"regexp"
	"strings"

	"heldout/scoring/record"
)

// slot is a slot of a quoted template.
var slot = regexp.MustCompile(`\\\{([^{}]*)\\\}`)

// OldForm returns a test of whether an action is in a form that the perturbation
// replaces: it fits an old template and no new one, or it has a name as the
// environment itself writes names. It is nil if the perturbation changes neither
// actions nor names. The error says that the record's regular expressions cannot
// be read.
func OldForm(r *record.Rules) (func(action string) bool, error) {
	if r == nil || len(r.Actions) == 0 && r.Names == "" {
		return nil, nil
	}
	var olds, news []string
	for from, to := range r.Actions {
		olds, news = append(olds, fullMatch(from)), append(news, fullMatch(to))
	}
	patterns := make([]*regexp.Regexp, 0, 4)
	for _, p := range []string{alternation(olds), alternation(news), nameIn(r.OwnNames, r.NameParts),
		nameIn(r.Names, r.NameParts)} {
		compiled, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("the rules of the perturbation are damaged: %w", err)
		}
		patterns = append(patterns, compiled)
	}
	old, current, ownName, name := patterns[0], patterns[1], patterns[2], patterns[3]
	return func(action string) bool {
		action = strings.TrimSpace(action)
		return old.MatchString(action) && !current.MatchString(action) ||
			ownName.MatchString(name.ReplaceAllString(action, "_"))
	}, nil
}

// nothing is a pattern that matches no text.
const nothing = `[^\s\S]`

func alternation(patterns []string) string {
	if len(patterns) == 0 {
		return nothing
	}
	return strings.Join(patterns, "|")
}

// fullMatch is the pattern of actions that fit a template from end to end.
func fullMatch(template string) string {
	return `(?i:^` + slot.ReplaceAllLiteralString(regexp.QuoteMeta(template), `.+`) + `$)`
}

// nameIn is the pattern of names in a text that are written like the template.
func nameIn(template string, parts map[string]string) string {
	if template == "" {
		return nothing
	}
	return `(?i:\b` + slot.ReplaceAllStringFunc(regexp.QuoteMeta(template), func(s string) string {
		return parts[slot.FindStringSubmatch(s)[1]]
	}) + `\b)`
}
