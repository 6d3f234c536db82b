// Package configs holds the YAML files embedded in heldout, and reads the same kinds of files from users: run
// configurations, prompts and published results. Decoding is strict: an unknown or misspelled key is an error that
// names the line.
package configs

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"heldout/envs/spelling"
)

//go:embed forms.yaml options.yaml weights.yaml compared.yaml slips.yaml presets/*.yaml published/*.yaml baselines/*.yaml
//go:embed prompts/*/*.yaml prompts/*/react.txt personas/*.txt suites/*.yaml perturbations/*.yaml families/*
var files embed.FS

// embedded reads one of our own YAML files into v; a test reads all of them.
func embedded(file string, v any) error {
	b, err := files.ReadFile(file)
	if err != nil {
		return err
	}
	return decode(file, b, v)
}

// namesIn lists the embedded YAML files of a folder without their suffix, in order.
func namesIn(folder string) []string {
	found, _ := fs.Glob(files, folder+"/*.yaml") // only a malformed pattern is an error
	for i, f := range found {
		found[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	slices.Sort(found) // the suffix affected the order
	return found
}

// document is a kind of file that says what is wrong with it.
type document interface{ check() error }

// Parse decodes a document, such as a Judge, and checks what it says. Its errors name the file.
func Parse[T document](file string, b []byte) (v T, err error) {
	if err = decode(file, b, &v); err != nil {
		return v, err
	}
	if err = v.check(); err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return v, err
}

// ours reads an embedded document.
func ours[T document](file string) (out T, err error) {
	b, err := files.ReadFile(file)
	if err != nil {
		return out, err
	}
	return Parse[T](file, b)
}

// named reads the embedded file of a name in a folder of such things; hint says what else may be given.
func named(folder, thing, name, hint string) ([]byte, error) {
	b, err := files.ReadFile(folder + "/" + name + ".yaml")
	if err != nil {
		names := namesIn(folder)
		return nil, fmt.Errorf("unknown %s %q%s; there are %s, %s", thing, name, spelling.Hint(name, names),
			strings.Join(names, ", "), hint)
	}
	return b, nil
}
