// Package synth is AgentRefine's synthesis of training data (Fu et al. 2025): the
// form of scripts and trajectories, and their verification by rules.
package synth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"heldout/envs/datafile"
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
	Actions    []ListedAction // sorted by template
}

// ListedAction is an available action.
type ListedAction struct {
	// Template is the action with slots, such as "cd {path}"; Slots are their names in order.
	Template string
	Slots    []string
	Pattern  string              // the verification code: a regular expression as Python has them
	Values   map[string][]string // the allowed values of parameters, by name

	compiled *regexp.Regexp // nil if the pattern is unsupported, and err says so
	err      error
	groups   []int // the groups of the pattern that stand for the slots, nil if that is not known
}

var slot = regexp.MustCompile(`\{([^{}]*)\}`)

// ParseScript reads a script: an object with the keys Environment, Goal, Completion
// Conditions and Available Actions.
func ParseScript(raw []byte) (*Script, error) {
	var keys map[string]json.RawMessage
	if err := datafile.Unmarshal(raw, &keys, datafile.Lenient); err != nil {
		return nil, fmt.Errorf("the script is not a JSON object: %w", err)
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
	var actions map[string]json.RawMessage
	if err := json.Unmarshal(keys["Available Actions"], &actions); err != nil {
		return nil, errors.New(`"Available Actions" is not an object from templates to objects with ` +
			`"verification code" and "parameters"`)
	}
	switch {
	case len(actions) == 0:
		return nil, errors.New(`"Available Actions" is empty`)
	case len(actions) > mostActions:
		return nil, fmt.Errorf("there are %d available actions, the limit is %d", len(actions), mostActions)
	}
	for _, template := range slices.Sorted(maps.Keys(actions)) {
		a, err := parseAction(template, actions[template])
		if err != nil {
			return nil, fmt.Errorf(`in "Available Actions", the action %q %w`, template, err)
		}
		s.Actions = append(s.Actions, a)
	}
	return s, nil
}

// parseAction reads an action. An error goes on after the name of the action.
func parseAction(template string, raw json.RawMessage) (ListedAction, error) {
	a := ListedAction{Template: template}
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil || keys == nil {
		return a, errors.New(`is not an object with "verification code" and "parameters"`)
	}
	code, ok := keys["verification code"]
	if !ok || string(code) == "null" {
		return a, errors.New(`has no "verification code"`)
	}
	if json.Unmarshal(code, &a.Pattern) != nil {
		return a, errors.New(`has a "verification code" that is not a string`)
	}
	var err error
	if a.Values, err = parseParameters(keys["parameters"]); err != nil {
		return a, err
	}
	for _, m := range slot.FindAllStringSubmatch(template, -1) {
		a.Slots = append(a.Slots, m[1])
	}
	if a.compiled, a.err = compile(a.Pattern); a.compiled != nil {
		a.groups = a.assign()
	}
	return a, nil
}

// parseParameters reads the values of an action's parameters. An empty list is an object
// without parameters. Numbers, true and false are values as they are written.
func parseParameters(raw json.RawMessage) (map[string][]string, error) {
	var list []json.RawMessage
	if raw == nil || json.Unmarshal(raw, &list) == nil && len(list) == 0 {
		return nil, nil
	}
	var lists map[string]json.RawMessage
	if json.Unmarshal(raw, &lists) != nil {
		return nil, errors.New(`has "parameters" that are not an object from names to lists of values`)
	}
	out := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		var values []any
		d := json.NewDecoder(bytes.NewReader(lists[name]))
		d.UseNumber()
		if d.Decode(&values) != nil {
			return nil, fmt.Errorf("has a parameter %q whose values are not a list", name)
		}
		out[name] = make([]string, len(values))
		for i, v := range values {
			switch v.(type) {
			case string, json.Number, bool:
				out[name][i] = fmt.Sprint(v)
			default:
				return nil, fmt.Errorf("has a parameter %q with a value that is neither a string nor a number", name)
			}
		}
	}
	return out, nil
}

// Unsupported returns the templates of actions whose patterns cannot be used, with the reasons.
func (s *Script) Unsupported() []string {
	var out []string
	for _, a := range s.Actions {
		if a.compiled == nil {
			out = append(out, fmt.Sprintf("%s: %v", a.Template, a.err))
		}
	}
	return out
}

// match is how far an action of a trajectory fits an available action.
type match int

const (
	noMatch match = iota
	badValue
	unchecked // it is not known which groups of the pattern stand for the slots
	matched
)

// assign finds the groups that stand for the slots: those with their names, or all groups in order if there are as
// many as slots. If there are more, such as one around alternatives, a group stands for a slot if it has the slot's
// value in every instance of the template.
func (a *ListedAction) assign() []int {
	n := a.compiled.NumSubexp()
	named := make([]int, 0, len(a.Slots))
	for _, name := range a.Slots {
		if i := slices.Index(a.compiled.SubexpNames(), name); i > 0 {
			named = append(named, i)
		}
	}
	switch {
	case len(named) == len(a.Slots):
		return named
	case n < len(a.Slots):
		return nil
	case n == len(a.Slots):
		for i := range a.Slots {
			named = append(named[:i], i+1)
		}
		return named
	}
	return a.agreeing(n)
}

// agreeing returns the first groups, of n, that have the slots' values in every instance; nil if there are none.
func (a *ListedAction) agreeing(n int) []int {
	wrong := make([][]bool, len(a.Slots)) // by slot and group
	for i := range wrong {
		wrong[i] = make([]bool, n+1)
	}
	for _, values := range a.instances() {
		groups := a.compiled.FindStringSubmatch(a.filled(values))
		if groups == nil {
			return nil
		}
		for i, name := range a.Slots {
			for g := 1; g <= n; g++ {
				wrong[i][g] = wrong[i][g] || strings.TrimSpace(groups[g]) != values[name]
			}
		}
	}
	var out []int
	for g, i := 1, 0; g <= n && i < len(a.Slots); g++ {
		if !wrong[i][g] {
			out, i = append(out, g), i+1
		}
	}
	if len(out) < len(a.Slots) {
		return nil
	}
	return out
}

// matches compares an action with an available one. The text of the groups that stand for the slots, without
// surrounding white space, must be an allowed value. A parameter without a list of values may be anything.
func (a *ListedAction) matches(action string) match {
	if a.compiled == nil || len(action) > mostAction {
		return noMatch
	}
	groups := a.compiled.FindStringSubmatch(action)
	if groups == nil {
		return noMatch
	}
	if a.groups == nil && len(a.Slots) > 0 {
		return unchecked
	}
	for i, name := range a.Slots {
		if values := a.Values[name]; len(values) > 0 &&
			!slices.Contains(values, strings.TrimSpace(groups[a.groups[i]])) {
			return badValue
		}
	}
	return matched
}

// Fits reports whether an action fits an available one, and if so whether its parameters could be checked. reason
// says what is wrong otherwise; unsupported that only patterns that cannot be used are left.
func (s *Script) Fits(action string) (ok, parameters, unsupported bool, reason string) {
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

// Check reports actions whose own template, with allowed values in its slots, does not
// match their pattern, and patterns of which it is not known which of several groups stand
// for the slots. Each value is tried, with the first ones in the other slots.
func (s *Script) Check() error {
	var errs []error
	for i := range s.Actions {
		if err := s.Actions[i].check(); err != nil {
			errs = append(errs, fmt.Errorf("the action %q: its verification code %q %w", s.Actions[i].Template,
				s.Actions[i].Pattern, err))
		}
	}
	return errors.Join(errs...)
}

// check is Check for an action. The error goes on after its verification code.
func (a *ListedAction) check() error {
	if a.compiled == nil {
		return nil // not wrong, but not known
	}
	for _, values := range a.instances() {
		text := a.filled(values)
		switch a.matches(text) {
		case noMatch:
			err := fmt.Errorf("does not match %q", text)
			for _, name := range a.Slots {
				if len(a.Values[name]) == 0 {
					err = fmt.Errorf("%w, and the parameter %q has no list of values", err, name)
				}
			}
			return err
		case badValue:
			return fmt.Errorf("matches %q, but its groups are not the values of the parameters in their order", text)
		}
	}
	if n := a.compiled.NumSubexp(); a.groups == nil && n > len(a.Slots) {
		return fmt.Errorf("has %d groups for %d parameters, and it is not clear which ones are the values: "+
			"write (?:…) around alternatives", n, len(a.Slots))
	}
	return nil
}

// mostInstances is the number of instances of an action that are tried.
const mostInstances = 1_000

// instances are the values of the slots in instances of the template: the first allowed value in every slot, and
// each further value in one slot. A slot without values keeps its name.
func (a *ListedAction) instances() []map[string]string {
	first := map[string]string{}
	for _, name := range a.Slots {
		first[name] = name
		if values := a.Values[name]; len(values) > 0 {
			first[name] = values[0]
		}
	}
	out := []map[string]string{first}
	for _, name := range a.Slots {
		for i, value := range a.Values[name] {
			if i > 0 && len(out) < mostInstances {
				values := maps.Clone(first)
				values[name] = value
				out = append(out, values)
			}
		}
	}
	return out
}

func (a *ListedAction) filled(values map[string]string) string {
	return slot.ReplaceAllStringFunc(a.Template, func(s string) string { return values[s[1:len(s)-1]] })
}
