package sharedtest

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/goccy/go-yaml"
)

// Cases reads the cases of a test, at least one, from a YAML file of its folder testdata.
func Cases[T any](t testing.TB, file string) (cases []T) {
	t.Helper()
	read(t, file, &cases)
	return cases
}

// Table reads what a test wants of each text, at least of one, from such a file.
func Table[V any](t testing.TB, file string) (want map[string]V) {
	t.Helper()
	read(t, file, &want)
	return want
}

func read(t testing.TB, file string, v any) {
	t.Helper()
	text := Must(os.ReadFile(filepath.Join("testdata", file)))(t)
	if err := yaml.UnmarshalWithOptions(text, v, yaml.Strict()); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if reflect.ValueOf(v).Elem().Len() == 0 {
		t.Fatalf("%s: nothing is in it", file)
	}
}
