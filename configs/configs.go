// Package configs holds the YAML files embedded in heldout, and reads the same
// kinds of files from users: run configurations, prompts and published results.
// Decoding is strict: an unknown or misspelled key is an error that shows the
// line.
package configs

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"heldout/envs/address"
)

//go:embed weights.yaml compared.yaml presets/*.yaml published/*.yaml baselines/*.yaml prompts/*/*.yaml prompts/*/react.txt personas/*.txt suites/*.yaml perturbations/*.yaml families/*.yaml families/nonce.txt
var files embed.FS

// decode reads a YAML document into v. The file's name is used in errors, which
// show line, column and an excerpt. Documents beyond the limits are refused
// before they are parsed.
func decode(file string, b []byte, v any) error {
	if err := checkLimits(b); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	d := yaml.NewDecoder(bytes.NewReader(b), yaml.Strict())
	if err := d.Decode(v); err != nil && err != io.EOF { // an empty file is not an error here
		return invalid(file, err)
	}
	if err := d.Decode(new(any)); err != io.EOF {
		return fmt.Errorf("%s: there is more than one YAML document", file)
	}
	return nil
}

// decodeWith is decode for a document with further keys, whose values are plain
// texts, numbers or truth values, or lists of them. They are returned as they are
// written.
func decodeWith(file string, b []byte, v any, keys []string) (map[string]Values, error) {
	if err := checkLimits(b); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	fail := func(err error) (map[string]Values, error) {
		return nil, invalid(file, err)
	}
	parsed, err := parser.ParseBytes(b, 0)
	if err != nil {
		return fail(err)
	}
	documents := slices.DeleteFunc(parsed.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
	if len(documents) == 0 { // nothing but comments
		return nil, nil
	}
	if len(documents) > 1 {
		return nil, fmt.Errorf("%s: there is more than one YAML document", file)
	}
	body := documents[0].Body
	extras := map[string]Values{}
	if m, ok := body.(*ast.MappingNode); ok {
		if extras, err = takeKeys(m, keys); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if err := yaml.NodeToValue(body, v, yaml.Strict()); err != nil {
		return fail(err)
	}
	return extras, nil
}

// Values are what a key has: one value, or a list.
type Values struct {
	Texts []string
	List  bool
	Line  int
}

func takeKeys(m *ast.MappingNode, keys []string) (map[string]Values, error) {
	extras := map[string]Values{}
	var rest []*ast.MappingValueNode
	for _, entry := range m.Values {
		key := entry.Key.GetToken()
		if !slices.Contains(keys, key.Value) {
			rest = append(rest, entry)
			continue
		}
		values := Values{Line: key.Position.Line}
		nodes := []ast.Node{entry.Value}
		if list, ok := entry.Value.(*ast.SequenceNode); ok {
			nodes, values.List = list.Values, true
		}
		for _, node := range nodes {
			if _, ok := node.(ast.ScalarNode); !ok {
				return nil, fmt.Errorf("line %d: %s wants one value, or a list where the flag may be repeated",
					values.Line, key.Value)
			}
			values.Texts = append(values.Texts, node.GetToken().Value)
		}
		extras[key.Value] = values
	}
	m.Values = rest
	return extras, nil
}

// invalid is the error of a document that cannot be decoded, with the lines at fault.
func invalid(file string, err error) error {
	return fmt.Errorf("%s: %s", file, address.Plain(excerpt(yaml.FormatError(err, false, true))))
}

// longestLine is how much of a line an error shows, in bytes.
const longestLine = 200

// excerpt shortens the lines of an error that quotes the document.
func excerpt(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if len(line) > longestLine {
			lines[i] = strings.ToValidUTF8(line[:longestLine], "") + "…"
		}
	}
	return strings.Join(lines, "\n")
}

// embedded reads one of our own YAML files into v; a test reads all of them.
func embedded(file string, v any) error {
	b, err := files.ReadFile(file)
	if err != nil {
		return err
	}
	return decode(file, b, v)
}

// namesIn lists the embedded YAML files of a folder without their suffix, in order.
func namesIn(folder string) ([]string, error) {
	found, err := fs.Glob(files, folder+"/*.yaml")
	for i, f := range found {
		found[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	slices.Sort(found) // the suffix affected the order
	return found, err
}

// parsed decodes a document and checks what it says. Its errors name the file.
func parsed[T any](file string, b []byte, check func(T) error) (v T, err error) {
	if err = decode(file, b, &v); err != nil {
		return v, err
	}
	if err = check(v); err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return v, err
}

// ours reads an embedded file.
func ours[T any](file string, parse func(string, []byte) (T, error)) (out T, err error) {
	b, err := files.ReadFile(file)
	if err != nil {
		return out, err
	}
	return parse(file, b)
}
