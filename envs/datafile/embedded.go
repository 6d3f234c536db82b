package datafile

import (
	"encoding/json"
	"sync"

	"go.yaml.in/yaml/v4"
)

// Embedded returns what reads a table in YAML that is part of the program, when it is first needed. All share what was
// read: nobody changes it.
func Embedded[T any](text []byte) func() T {
	return sync.OnceValue(func() (table T) {
		if err := yaml.Unmarshal(text, &table); err != nil {
			panic(err) // it is ours, and tests read it
		}
		return table
	})
}

// Table reads a table in JSON that is part of the program.
func Table[T any](text []byte) (table T) {
	if err := json.Unmarshal(text, &table); err != nil {
		panic(err) // it is ours, and tests read it
	}
	return table
}
