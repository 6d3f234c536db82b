package configs

import (
	"errors"
	"maps"
	"slices"
)

// given is an option that says something of each of several models.
type given interface{ Replace(values []string) error }

// readGiven reads such an option from YAML: a map from models, whose entries add takes, or the list that stands for it
// on the command line. want says what is wanted in place of anything else.
func readGiven[V any](o given, read func(any) error, add func(spec string, value V) error, want string) error {
	var entries map[string]V
	if read(&entries) != nil {
		var list Strings
		if read(&list) != nil {
			return errors.New(want)
		}
		return o.Replace(list)
	}
	for _, spec := range slices.Sorted(maps.Keys(entries)) {
		if err := add(spec, entries[spec]); err != nil {
			return err
		}
	}
	return nil
}

// each does something with each value, until it fails.
func each(values []string, do func(string) error) error {
	for _, value := range values {
		if err := do(value); err != nil {
			return err
		}
	}
	return nil
}
