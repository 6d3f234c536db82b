package main

import (
	"strings"

	"heldout/envs/datafile"
)

// readThoughts reads a file with a thought per line; none without a file.
func readThoughts(file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	b, err := datafile.Read(file, datafile.MaxLabels)
	if err != nil {
		return nil, usage(err)
	}
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' || r == '\r' }), nil
}
