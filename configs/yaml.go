package configs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"heldout/envs/address"
	"heldout/envs/datafile"
)

// The limits of a YAML document.
const (
	// maxYAML is the size in bytes. The largest embedded file has a tenth of this.
	maxYAML  = 256 << 10
	maxDepth = 64 // how deep lists and mappings may be nested
	// maxMarks is the number of anchors (&name) and aliases (*name) together, but for marks of
	// texts. With so few marks, nested aliases cannot expand to much more than the written text.
	maxMarks = 16
	// maxShared is the size of texts that aliases stand for, all together, in bytes: sections of a
	// prompt may share one.
	maxShared = 4 << 20
)

// yamlError is what is wrong on a line of a document, at a value that keys lead to.
type yamlError struct {
	line  int
	keys  string
	cause error
}

func (e *yamlError) Error() string {
	text := fmt.Sprintf("%d: ", e.line)
	if e.keys != "" {
		text += e.keys + ": "
	}
	return address.Plain(text + e.cause.Error())
}

func (e *yamlError) Unwrap() error { return e.cause }

// at gives an error the place of a node, unless it has one.
func located(n *yaml.Node, keys string, err error) error {
	if err == nil || errors.As(err, new(*yamlError)) {
		return err
	}
	return &yamlError{n.Line, keys, err}
}

// decode reads a YAML document into v. Errors begin with the file's name and the line.
func decode(file string, b []byte, v any) error {
	root, err := parseYAML(file, b)
	if err != nil || root == nil { // an empty file is not an error here
		return err
	}
	return inFile(file, fill(root, v))
}

// inFile names the file of an error that begins with a line.
func inFile(file string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s:%w", file, err)
	}
	return err
}

// parseYAML parses a document of at most maxYAML bytes, and checks its other limits; nil
// if it is empty. No setting needs a tag (!name), so there are none.
func parseYAML(file string, b []byte) (*yaml.Node, error) {
	if len(b) > maxYAML {
		return nil, fmt.Errorf("%s: the file has more than %d bytes, the limit for YAML", file, maxYAML)
	}
	b, err := datafile.Text(file, b)
	if err != nil {
		return nil, err
	}
	n := 0
	for line := range bytes.Lines(b) {
		n++
		if i := bytes.IndexFunc(line, unprintable); i >= 0 {
			return nil, fmt.Errorf("%s:%d: the character %q does not print; write it as an escape in double quotes, "+
				"or leave it out", file, n, []rune(string(line[i:]))[0])
		}
	}
	documents, err := yaml.NewLoader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := documents.Load(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, inFile(file, badSyntax(b, err))
	}
	if err := documents.Load(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: there is more than one YAML document", file)
	}
	root := document.Content[0]
	return root, inFile(file, new(limits).check(root, 0))
}

// unprintable reports a character that YAML does not have as such.
func unprintable(r rune) bool {
	return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r) || r == '\ufffe' || r == '\uffff'
}

// limits counts anchors and aliases of a document, and the bytes of texts that aliases stand for.
type limits struct{ marks, shared int }

func (l *limits) check(n *yaml.Node, depth int) error {
	if len(n.Content) > 0 {
		depth++
	}
	switch isAlias := n.Kind == yaml.AliasNode; {
	case isAlias && n.Alias.Kind == yaml.ScalarNode:
		l.shared += len(n.Alias.Value)
	case isAlias, n.Anchor != "" && n.Kind != yaml.ScalarNode:
		l.marks++
	}
	switch {
	case depth > maxDepth:
		return located(n, "", errTooDeep)
	case n.Style&yaml.TaggedStyle != 0:
		return located(n, "", fmt.Errorf("there is a tag, %.20q; leave it out, or put a text that starts with ! in quotes",
			n.Tag))
	case l.marks > maxMarks:
		return located(n, "", fmt.Errorf("there are more than %d anchors and aliases", maxMarks))
	case l.shared > maxShared:
		return located(n, "", fmt.Errorf("aliases stand for texts of more than %d bytes", maxShared))
	}
	for _, inner := range n.Content {
		if err := l.check(inner, depth); err != nil {
			return err
		}
	}
	return nil
}

var errTooDeep = fmt.Errorf("lists or mappings are nested more than %d deep", maxDepth)

// badSyntax is the error of a document that cannot be parsed, with the line at fault.
func badSyntax(b []byte, err error) error {
	var found *yaml.LoadError
	if !errors.As(err, &found) {
		return &yamlError{1, "", errors.New("this is not YAML")}
	}
	lines := strings.Split(string(b), "\n")
	n := min(max(1, found.Mark.Line), len(lines))
	if begin := found.ContextMark.Line; begin > 0 && strings.Contains(found.Message, "could not find expected ':'") {
		n = begin
	}
	message := "this is not YAML: " + found.Message
	var slips []struct {
		Found string `yaml:"found"`
		Says  string `yaml:"says"`
	}
	_ = embedded("slips.yaml", &slips) // it is ours, and tests read it
	for _, slip := range slips {
		if strings.Contains(found.Message, slip.Found) {
			message = strings.ReplaceAll(slip.Says, "{deep}", errTooDeep.Error())
			break
		}
	}
	message = strings.ReplaceAll(message, "{line}", strconv.Itoa(cmp.Or(found.ContextMark.Line, n)))
	for i, line := range lines[max(0, n-2):n] {
		if column := strings.IndexFunc(line, lookalike); column >= 0 {
			message += fmt.Sprintf("; %U on line %d only looks like a blank or a colon", []rune(line[column:])[0],
				max(1, n-1)+i)
		}
	}
	if text := strings.TrimSpace(lines[n-1]); text != "" {
		message += fmt.Sprintf(": %.80q", text)
	}
	return &yamlError{n, "", errors.New(message)}
}

// lookalike reports a blank that YAML does not take for one, a sign without width, or the wide colon.
func lookalike(r rune) bool {
	return r != ' ' && unicode.In(r, unicode.Zs, unicode.Cf) || r == '\uff1a'
}

// Values are what a key has: one value, or a list.
type Values struct {
	Texts []string
	List  bool
	Line  int
}

// takeKeys takes keys out of a mapping, whose values are plain texts, numbers or truth
// values, or lists of them. They are returned as they are written.
func takeKeys(m *yaml.Node, keys []string) (map[string]Values, error) {
	fields := map[string]Values{}
	var rest []*yaml.Node
	for i := 0; i < len(m.Content); i += 2 {
		key, value := m.Content[i], unaliased(m.Content[i+1])
		if !slices.Contains(keys, key.Value) {
			rest = append(rest, key, m.Content[i+1])
			continue
		}
		if previous, ok := fields[key.Value]; ok {
			return nil, located(key, key.Value, twice(previous.Line))
		}
		values := Values{Line: key.Line}
		nodes := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			nodes, values.List = value.Content, true
		}
		for _, node := range nodes {
			if node = unaliased(node); node.Kind != yaml.ScalarNode {
				return nil, located(key, key.Value,
					errors.New("want one value, or a list where the flag may be repeated"))
			}
			values.Texts = append(values.Texts, node.Value)
		}
		fields[key.Value] = values
	}
	m.Content = rest
	return fields, nil
}

func twice(line int) error { return fmt.Errorf("the key stands there twice, first on line %d", line) }

func unaliased(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}
