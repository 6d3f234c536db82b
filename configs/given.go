package configs

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// readGiven reads an option that says something of each model from YAML: a map, whose entries add takes, or the list
// that stands for it on the command line, whose texts one takes, or these texts as a map. want says what is wanted in
// place of anything else.
func readGiven[V any](one func(string) error, read func(any) error, add func(string, V) error, want string) error {
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
		return Each(list, one)
	}
	for _, spec := range slices.Sorted(maps.Keys(entries)) {
		if err := add(spec, entries[spec]); err != nil {
			return err
		}
	}
	return nil
}

// lookUp finds what is said of a model, with or without its provider.
func lookUp[V any](given map[string]V, spec string) (value V, ok bool) {
	value, ok = given[spec]
	if _, name, cut := strings.Cut(spec, ":"); !ok && cut {
		value, ok = given[name]
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
