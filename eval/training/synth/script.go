// Package synth is AgentRefine's synthesis of training data (Fu et al. 2025): the
// form of scripts and trajectories, and their verification by rules.
package synth

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Limits of what a model may have written.
const (
	mostActions = 1_000
	mostPattern = 2_000 // bytes
	mostAction  = 4_000 // bytes
	mostTurns   = 10_000
)

// Script describes an environment, a task in it and the actions that there are.
type Script struct {
	Goal       string
	Conditions []string
	// Actions are sorted by template.
	Actions []Action
}

// Action is an available action.
type Action struct {
	// Template is the action with slots, such as "cd {path}"; Slots are their names in
	// order.
	Template string
	Slots    []string
	// Pattern is the verification code: a regular expression as Python has them.
	Pattern string
	// Values are the allowed values of parameters, by name.
	Values map[string][]string

	// compiled is nil if the pattern is unsupported, and why says so.
	compiled *regexp.Regexp
	why      error
}

var slot = regexp.MustCompile(`\{([^{}]*)\}`)

// ParseScript reads a script: an object with the keys Environment, Goal, Completion
// Conditions and Available Actions.
func ParseScript(raw []byte) (*Script, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return nil, fmt.Errorf("the script is no JSON object: %w", err)
	}
	for _, key := range []string{"Environment", "Goal", "Completion Conditions", "Available Actions"} {
		if _, ok := keys[key]; !ok {
			return nil, fmt.Errorf("the script has no %q", key)
		}
	}
	s := &Script{}
	if err := json.Unmarshal(keys["Goal"], &s.Goal); err != nil {
		return nil, errors.New(`"Goal" is not a string`)
	}
	if err := json.Unmarshal(keys["Completion Conditions"], &s.Conditions); err != nil {
		return nil, errors.New(`"Completion Conditions" is not a list of strings`)
	}
	var actions map[string]struct {
		Code       *string             `json:"verification code"`
		Parameters map[string][]string `json:"parameters"`
	}
	if err := json.Unmarshal(keys["Available Actions"], &actions); err != nil {
		return nil,
			errors.New(
				`"Available Actions" is not an object from templates to objects with "verification code", a string, and "parameters", an object from names to lists of strings`)
	}
	switch {
	case len(actions) == 0:
		return nil, errors.New(`"Available Actions" is empty`)
	case len(actions) > mostActions:
		return nil, fmt.Errorf("there are %d available actions, the limit is %d", len(actions), mostActions)
	}
	for _, template := range slices.Sorted(maps.Keys(actions)) {
		a := Action{Template: template, Values: actions[template].Parameters}
		if actions[template].Code == nil {
			return nil, fmt.Errorf("the action %q has no %q", template, "verification code")
		}
		a.Pattern = *actions[template].Code
		for _, m := range slot.FindAllStringSubmatch(template, -1) {
			a.Slots = append(a.Slots, m[1])
		}
		a.compiled, a.why = compile(a.Pattern)
		s.Actions = append(s.Actions, a)
	}
	return s, nil
}

// Unsupported returns the templates of actions whose patterns cannot be used, with
// the reasons.
func (s *Script) Unsupported() []string {
	var out []string
	for _, a := range s.Actions {
		if a.compiled == nil {
			out = append(out, fmt.Sprintf("%s: %v", a.Template, a.why))
		}
	}
	return out
}

// match is how far an action of a trajectory fits an available action.
type match int

const (
	noMatch match = iota
	badValue
	unchecked // the pattern has fewer groups than the template slots
	matched
)

// matches compares an action with an available one. Groups stand for the slots, in
// order, and their text without surrounding white space must be an allowed value.
// A parameter without a list of values may be anything.
func (a *Action) matches(action string) match {
	if a.compiled == nil || len(action) > mostAction {
		return noMatch
	}
	groups := a.compiled.FindStringSubmatch(action)
	if groups == nil {
		return noMatch
	}
	if len(groups)-1 < len(a.Slots) {
		return unchecked
	}
	for i, name := range a.Slots {
		values, limited := a.Values[name]
		if limited && len(values) > 0 && !slices.Contains(values, strings.TrimSpace(groups[i+1])) {
			return badValue
		}
	}
	return matched
}

// Fits reports whether an action fits an available one, and if so whether its
// parameters could be checked. Why says what is wrong otherwise; unsupported that
// only patterns that cannot be used are left.
func (s *Script) Fits(action string) (ok, parameters, unsupported bool, why string) {
	best, template := noMatch, ""
	skipped := false
	for i := range s.Actions {
		a := &s.Actions[i]
		skipped = skipped || a.compiled == nil
		if m := a.matches(action); m > best {
			best, template = m, a.Template
		}
	}
	switch {
	case best >= unchecked:
		return true, best == matched, false, ""
	case skipped:
		return false, false, true, fmt.Sprintf("no usable pattern matches %q, and some patterns cannot be used: %s",
			action, strings.Join(s.Unsupported(), "; "))
	case best == badValue:
		return false, false, false, fmt.Sprintf("the parameters of %q are not allowed values of %q", action, template)
	}
	return false, false, false, fmt.Sprintf("%q matches none of the available actions", action)
}

// Check reports actions whose own template, with allowed values in its slots, does
// not match their pattern. Each value is tried, with the first ones in the other
// slots.
func (s *Script) Check() error {
	var errs []error
	for i := range s.Actions {
		a := &s.Actions[i]
		if a.compiled == nil {
			continue // not wrong, but not known
		}
		for _, text := range a.instances() {
			if a.matches(text) < unchecked {
				errs = append(errs,
					fmt.Errorf("the action %q: its verification code %q does not match %q with these parameters",
						a.Template, a.Pattern, text))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// mostInstances is the number of instances of an action that are tried.
const mostInstances = 1_000

// instances are the template with the first allowed value in every slot, and with
// each further value in one slot. A slot without values keeps its name.
func (a *Action) instances() []string {
	first := map[string]string{}
	for _, name := range a.Slots {
		first[name] = name
		if values := a.Values[name]; len(values) > 0 {
			first[name] = values[0]
		}
	}
	out := []string{a.filled(first)}
	for _, name := range a.Slots {
		kept := first[name]
		for i, value := range a.Values[name] {
			if i > 0 && len(out) < mostInstances {
				first[name] = value
				out = append(out, a.filled(first))
			}
		}
		first[name] = kept
	}
	return out
}

// filled is the template with values in its slots.
func (a *Action) filled(values map[string]string) string {
	return slot.ReplaceAllStringFunc(a.Template, func(s string) string { return values[s[1:len(s)-1]] })
}
