package sharedtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
)

// Cases reads the cases of a test, at least one, from a YAML file of its folder testdata.
func Cases[T any](t testing.TB, file string) (cases []T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err == nil {
		err = yaml.UnmarshalWithOptions(text, &cases, yaml.Strict())
	}
	if err != nil || len(cases) == 0 {
		t.Fatalf("%s: %d cases, %v", file, len(cases), err)
	}
	return cases
}
