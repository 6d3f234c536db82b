// Package configs holds what heldout brings along as YAML, and reads the same
// kinds of files from users: run configurations, prompts and published results.
// Decoding is strict: an unknown or misspelled key is an error that shows the
// line.
package configs

import (
	"bytes"
	"embed"
	"fmt"
	"io"

	"github.com/goccy/go-yaml"
)

//go:embed heldout.yaml baselines/*.yaml prompts/*.yaml prompts/react.txt suites/*.yaml perturbations/*.yaml
var files embed.FS

// decode reads a YAML document into v. The file's name is used in errors, which
// show line, column and an excerpt.
func decode(file string, b []byte, v any) error {
	d := yaml.NewDecoder(bytes.NewReader(b), yaml.Strict())
	if err := d.Decode(v); err != nil && err != io.EOF { // an empty file says nothing, which is no error here
		return fmt.Errorf("%s: %s", file, yaml.FormatError(err, false, true))
	}
	if err := d.Decode(new(any)); err != io.EOF {
		return fmt.Errorf("%s: there is more than one YAML document", file)
	}
	return nil
}

// embedded reads an embedded YAML file into v. The file is ours, and a test
// reads all of them; a failure is still reported, not hidden.
func embedded(file string, v any) error {
	b, err := files.ReadFile(file)
	if err != nil {
		return err
	}
	return decode(file, b, v)
}
