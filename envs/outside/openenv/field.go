package openenv

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// schema is what is read of the JSON Schema of actions or observations.
type schema struct {
	Properties  map[string]property `json:"properties"`
	Definitions map[string]property `json:"$defs"`
}

// property is a field of a schema.
type property struct {
	Type        any        `json:"type"`
	Const       any        `json:"const"`
	Enum        []any      `json:"enum"`
	AnyOf       []property `json:"anyOf"`
	Reference   string     `json:"$ref"`
	Description string     `json:"description"`
}

// resolve gives fields the types of the definitions that they refer to.
func (s *schema) resolve() {
	for name, p := range s.Properties {
		if d, ok := s.Definitions[strings.TrimPrefix(p.Reference, "#/$defs/")]; ok {
			p.Type, p.Enum = d.Type, d.Enum
			s.Properties[name] = p
		}
	}
}

// words are the only texts that a field takes; nil if it takes any, or more than can be listed.
func (p property) words() (words []string) {
	const limit = 100
	if len(p.Enum) > limit {
		return nil
	}
	for _, w := range p.Enum {
		word, ok := w.(string)
		if !ok {
			return nil
		}
		words = append(words, word)
	}
	return words
}

// common are the fields of all observations and actions.
var common = []string{"done", "reward", "metadata"}

// isText reports whether a field can hold a text that is not fixed.
func (p property) isText() bool {
	return p.Const == nil && (p.Type == "string" || slices.ContainsFunc(p.AnyOf, property.isText))
}

// contains reports whether there is a field of a name.
func (s *schema) contains(name string) bool {
	_, ok := s.Properties[name]
	return ok
}

// own are the names of the fields that not every environment has.
func (s *schema) own() []string {
	names := slices.Sorted(maps.Keys(s.Properties))
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(common, name) })
}

// text returns the only text field, or the one with the preferred name.
func (s *schema) text(purpose, preferred, option string) (string, error) {
	texts := slices.DeleteFunc(s.own(), func(name string) bool { return !s.Properties[name].isText() })
	switch {
	case len(texts) == 1:
		return texts[0], nil
	case slices.Contains(texts, preferred):
		return preferred, nil
	}
	return "", fmt.Errorf("its %s have %d text fields, want one: choose by --%s; the fields are %s", purpose, len(texts),
		option, s.list())
}

// list lists the fields with their types.
func (s *schema) list() string {
	const limit = 30
	var list []string
	for _, name := range s.own()[:min(len(s.own()), limit)] {
		kind := "object"
		switch p := s.Properties[name]; {
		case p.isText():
			kind = "text"
		case p.Type != nil:
			kind = fmt.Sprint(p.Type)
		case len(p.AnyOf) > 0 && p.AnyOf[0].Type != nil:
			kind = fmt.Sprint(p.AnyOf[0].Type)
		}
		list = append(list, fmt.Sprintf("%s (%s)", name, kind))
	}
	if len(list) == 0 {
		return "none of its own"
	}
	return strings.Join(list, ", ")
}

// path leads to a value: names of members, and numbers of elements, which count from the end if they are negative.
type path []string

func newPath(text string) path {
	if text == "" {
		return nil
	}
	return strings.Split(text, ".")
}

func (p path) String() string { return strings.Join(p, ".") }

// ofState reports whether a path leads into the state, not the observation.
func (p path) ofState() bool { return len(p) > 1 && p[0] == "state" }

// value is where a path leads; nil if it leads nowhere.
func (p path) value(v any) any {
	for _, step := range p {
		switch holder := v.(type) {
		case map[string]any:
			v = holder[step]
		case []any:
			i, err := strconv.Atoi(step)
			if i < 0 {
				i += len(holder)
			}
			if err != nil || i < 0 || i >= len(holder) {
				return nil
			}
			v = holder[i]
		default:
			return nil
		}
	}
	return v
}

// quoted is a value as a text: a value that is no text is JSON.
func quoted(v any) string {
	if text, ok := v.(string); ok || v == nil {
		return text
	}
	b, _ := jsonv2.Marshal(v, jsonv2.Deterministic(true)) // it was read from JSON
	return string(b)
}

// described is a value of a wrong type in an error.
func described(v any) string {
	switch v := v.(type) {
	case string:
		return "the text " + fmt.Sprintf("%.40q", v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return quoted(v)
}
