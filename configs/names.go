package configs

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName is how long the name of a model in tables may be, in characters.
const longestName = 80

// Names are what models are called in tables and figures, by what --model calls them.
// On the command line and in lists, each is SPEC=TEXT.
type Names map[string]string

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (n *Names) UnmarshalYAML(read func(any) error) error {
	*n = Names{}
	return readGiven(n.Append, read, n.add, `want a map from models to texts, such as {"vllm:NAME": TEXT}`)
}

// severalNames matches names of several models in one text.
var severalNames = regexp.MustCompile(`,\s*(expert|random|memoriser|reciter|[a-z]+:[^,=]+)=`)

func (n *Names) add(spec, text string) error {
	switch text = strings.TrimSpace(text); {
	case spec == "":
		return fmt.Errorf("the name %q is for no model; want SPEC=TEXT, such as vllm:ckpt-1000=tuned", text)
	case text == "":
		return fmt.Errorf("the name of %s is empty", spec)
	case severalNames.MatchString(text):
		return fmt.Errorf("the name of %s is %q: repeat --names for each model", spec, text)
	case utf8.RuneCountInString(text) > longestName:
		return fmt.Errorf("the name of %s has %d characters; at most %d fit a table", spec,
			utf8.RuneCountInString(text), longestName)
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("the name of %s has characters that do not print: %q", spec, text)
	case (*n)[spec] != "" && (*n)[spec] != text:
		return fmt.Errorf("%s has two names, %q and %q", spec, (*n)[spec], text)
	}
	if *n == nil {
		*n = Names{}
	}
	(*n)[spec] = text
	return nil
}

// Append reads one more text.
func (n *Names) Append(s string) error {
	spec, text, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("%q is not a name; want SPEC=TEXT, such as vllm:ckpt-1000=tuned", s)
	}
	return n.add(strings.TrimSpace(spec), text)
}

// GetSlice returns the texts that Append reads.
func (n *Names) GetSlice() []string { return assignments(*n, func(name string) string { return name }) }

// assignments are the texts of a map, as flags take them.
func assignments[V any](entries map[string]V, text func(V) string) (values []string) {
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		values = append(values, key+"="+text(entries[key]))
	}
	return values
}

// readGiven reads an option that says something of each model from YAML: a map, whose entries add takes, or the list
// that stands for it on the command line, whose texts one takes, or these texts as a map. want says what is wanted in
// place of anything else.
func readGiven[V any](single func(string) error, read func(any) error, add func(string, V) error, want string) error {
	var entries map[string]V
	if read(&entries) != nil {
		var list Strings
		var texts map[string]string
		if read(&list) != nil && read(&texts) != nil {
			return errors.New(want)
		}
		for spec, text := range texts {
			list = append(list, spec+"="+text)
		}
		return Each(list, single)
	}
	for _, spec := range slices.Sorted(maps.Keys(entries)) {
		if err := add(spec, entries[spec]); err != nil {
			return err
		}
	}
	return nil
}

// lookUp finds what is said of a model, with or without its provider.
func lookUp[V any](values map[string]V, spec string) (value V, ok bool) {
	value, ok = values[spec]
	if _, name, cut := strings.Cut(spec, ":"); !ok && cut {
		value, ok = values[name]
	}
	return value, ok
}

// Each does something with each value, until it fails.
func Each(values []string, do func(string) error) error {
	for _, value := range values {
		if err := do(value); err != nil {
			return err
		}
	}
	return nil
}
