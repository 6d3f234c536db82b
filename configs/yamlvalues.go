package configs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"heldout/envs/spelling"
)

// ownForm is a type that reads more than one form.
type ownForm interface {
	UnmarshalYAML(read func(any) error) error
}

// unknownKeyError is the error of a key that a mapping does not have.
type unknownKeyError struct {
	key  string
	keys []string
}

func (e *unknownKeyError) Error() string {
	const limit = 12
	hint := spelling.Hint(e.key, e.keys)
	if hint == "" && len(e.keys) <= limit {
		hint = "; there are " + strings.Join(e.keys, ", ")
	}
	return fmt.Sprintf("unknown key %.60q%s", e.key, hint)
}

// fill sets what v points to. Plain texts are what the document has written: 1.50 or null is a text where a text is
// wanted. A value that is left out, or null where no text is wanted, changes nothing.
func fill(n *yaml.Node, v any) error { return fillValue(n, reflect.ValueOf(v).Elem(), "") }

func fillValue(n *yaml.Node, v reflect.Value, keys string) error {
	n = unaliased(n)
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "" {
		return nil
	}
	form, ok := v.Addr().Interface().(ownForm)
	if v.Kind() == reflect.Map || ok && v.Kind() == reflect.Struct {
		n = mapping(n)
	}
	if ok {
		return located(n, keys, form.UnmarshalYAML(func(target any) error {
			return fillValue(n, reflect.ValueOf(target).Elem(), keys)
		}))
	}
	if isNull(n) && v.Kind() != reflect.String {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fillValue(n, v.Elem(), keys)
	case reflect.Struct:
		return fillStruct(n, v, keys)
	case reflect.Map:
		return fillMap(n, v, keys)
	case reflect.Slice:
		return fillList(n, v, keys)
	case reflect.Interface:
		x, err := untyped(n, keys)
		if err == nil {
			v.Set(reflect.ValueOf(&x).Elem())
		}
		return err
	}
	if n.Kind != yaml.ScalarNode {
		return located(n, keys, fmt.Errorf("want %s, not %s", wantedScalar(v), kindOf(n)))
	}
	return located(n, keys, fillScalar(n.Value, v))
}

// mapping is the mapping that a value stands for: the JSON object in a text, as flags take it, or the mappings of a
// list together. Anything else is returned as it is.
func mapping(n *yaml.Node) *yaml.Node {
	if strings.HasPrefix(n.Value, "{") && json.Valid([]byte(n.Value)) {
		if inner, err := parseYAML("", []byte(strings.Repeat("\n", max(0, n.Line-1))+n.Value)); err == nil {
			return inner
		}
	}
	node := &yaml.Node{Kind: yaml.MappingNode, Line: n.Line}
	for _, entry := range n.Content {
		if entry = unaliased(entry); n.Kind != yaml.SequenceNode || entry.Kind != yaml.MappingNode {
			return n
		}
		node.Content = append(node.Content, entry.Content...)
	}
	if len(node.Content) == 0 {
		return n
	}
	return node
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && slices.Contains([]string{"~", "null", "Null", "NULL"}, n.Value)
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "KEY: VALUE"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%.60q", n.Value)
}

var durationType = reflect.TypeFor[time.Duration]()

func wantedScalar(v reflect.Value) string {
	switch {
	case v.Type() == durationType:
		return "a time with its unit, such as 30s, 10m or 2h"
	case v.Kind() == reflect.String:
		return "a text"
	case v.Kind() == reflect.Bool:
		return "true or false"
	case v.CanFloat():
		return "a number"
	}
	return "a whole number"
}

func fillScalar(text string, v reflect.Value) error {
	refused := fmt.Errorf("want %s, not %.60q", wantedScalar(v), text)
	number, err := parseNumber(text)
	switch {
	case v.Kind() == reflect.String:
		v.SetString(text)
		return nil
	case v.Type() == durationType:
		d, err := time.ParseDuration(text)
		if err != nil {
			return refused
		}
		v.SetInt(int64(d))
		return nil
	case v.Kind() == reflect.Bool:
		v.SetBool(strings.EqualFold(text, "true"))
		if !v.Bool() && !strings.EqualFold(text, "false") {
			return refused
		}
		return nil
	case err != nil:
		return err
	}
	switch x := number.(type) {
	case int64:
		if v.CanInt() && !v.OverflowInt(x) {
			v.SetInt(x)
			return nil
		} else if v.CanUint() && x >= 0 && !v.OverflowUint(uint64(x)) {
			v.SetUint(uint64(x))
			return nil
		} else if v.CanFloat() {
			v.SetFloat(float64(x))
			return nil
		}
	case float64:
		const exact = 1 << 53
		if v.CanFloat() {
			v.SetFloat(x)
			return nil
		} else if v.CanInt() && x == math.Trunc(x) && math.Abs(x) <= exact && !v.OverflowInt(int64(x)) {
			v.SetInt(int64(x))
			return nil
		}
	}
	return refused
}

var (
	wholeForm = regexp.MustCompile(`^[-+]?(0|[1-9](_?[0-9])*|0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+)$`)
	floatForm = regexp.MustCompile(`^[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	zerosForm = regexp.MustCompile(`^[-+]?0[0-9_]+$`)
	oldTruth  = regexp.MustCompile(`(?i)^(yes|no|on|off)$`)
	noNumber  = regexp.MustCompile(`(?i)^[-+]?\.(inf|nan)$`)
)

// parseNumber returns a number of YAML as int64 or float64; nil if the text is none. 010 is an
// error, since it is 8 in some versions of YAML and 10 in others, and so are .inf and .nan.
func parseNumber(text string) (any, error) {
	switch {
	case zerosForm.MatchString(text):
		return nil, fmt.Errorf("%.60q begins with a zero: write the number without it, or a text in quotation marks",
			text)
	case noNumber.MatchString(text):
		return nil, fmt.Errorf("want a number, not %s", text)
	case wholeForm.MatchString(text):
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			return n, nil
		}
	case !floatForm.MatchString(text):
		return nil, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("%.60q is too large", text)
	}
	return x, nil
}

// untyped returns a value as JSON has it: a number, a text, true, false, nil, a list or a mapping.
func untyped(n *yaml.Node, keys string) (any, error) {
	n = unaliased(n)
	switch {
	case n.Kind == yaml.SequenceNode:
		list := []any{}
		return list, fillList(n, reflect.ValueOf(&list).Elem(), keys)
	case n.Kind == yaml.MappingNode:
		m := map[string]any{}
		return m, fillMap(n, reflect.ValueOf(&m).Elem(), keys)
	case n.Style != 0:
		return n.Value, nil
	case n.Value == "" || isNull(n):
		return nil, nil
	case strings.EqualFold(n.Value, "true") || strings.EqualFold(n.Value, "false"):
		return strings.EqualFold(n.Value, "true"), nil
	case oldTruth.MatchString(n.Value):
		return nil, located(n, keys, fmt.Errorf("%q is a truth value in some versions of YAML and a text in others: write "+
			"true or false, or the text in quotation marks", n.Value))
	}
	number, err := parseNumber(n.Value)
	if err != nil || number != nil {
		return number, located(n, keys, err)
	}
	return n.Value, nil
}

func fillList(n *yaml.Node, v reflect.Value, keys string) error {
	if n.Kind != yaml.SequenceNode {
		return located(n, keys, fmt.Errorf("want a list, not %s", kindOf(n)))
	}
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, entry := range n.Content {
		if err := fillValue(entry, list.Index(i), joined(keys, fmt.Sprintf("entry %d", i+1))); err != nil {
			return err
		}
	}
	v.Set(list)
	return nil
}

func fillMap(n *yaml.Node, v reflect.Value, keys string) error {
	m := reflect.MakeMap(v.Type())
	err := eachPair(n, keys, func(key, value *yaml.Node, keys string) error {
		x := reflect.New(v.Type().Elem()).Elem()
		m.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), x)
		err := fillValue(value, x, keys)
		m.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), x)
		return err
	})
	if err == nil {
		v.Set(m)
	}
	return err
}

func fillStruct(n *yaml.Node, v reflect.Value, keys string) error {
	fields := map[string]reflect.Value{}
	collect(v, fields)
	return eachPair(n, keys, func(key, value *yaml.Node, keys string) error {
		field, ok := fields[key.Value]
		if !ok {
			err := &unknownKeyError{key: key.Value}
			for name := range fields {
				err.keys = append(err.keys, name)
			}
			slices.Sort(err.keys)
			return located(key, "", err)
		}
		return fillValue(value, field, keys)
	})
}

// collect finds the fields of a struct by their keys, and the fields of its inline structs.
func collect(v reflect.Value, fields map[string]reflect.Value) {
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			collect(v.Field(i), fields)
		case name != "" && name != "-":
			fields[name] = v.Field(i)
		}
	}
}

// eachPair visits the entries of a mapping.
func eachPair(n *yaml.Node, keys string, visit func(key, value *yaml.Node, keys string) error) error {
	if n.Kind != yaml.MappingNode {
		return located(n, keys, fmt.Errorf("want KEY: VALUE, as in {KEY: VALUE}, not %s", kindOf(n)))
	}
	lines := map[string]int{}
	pairs := merged(n)
	for i := 0; i < len(pairs); i += 2 {
		key := unaliased(pairs[i])
		line, duplicate := lines[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			return located(key, keys, errors.New("a key is a text, not a list or a mapping"))
		case duplicate:
			return located(key, joined(keys, key.Value), twice(line))
		}
		lines[key.Value] = key.Line
		if err := visit(key, pairs[i+1], joined(keys, key.Value)); err != nil {
			return err
		}
	}
	return nil
}

// merged are the keys and values of a mapping. The key << adds the pairs of other mappings whose keys it lacks.
func merged(n *yaml.Node) (pairs []*yaml.Node) {
	var sources []*yaml.Node
	keys := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		value := unaliased(n.Content[i+1])
		switch {
		case n.Content[i].ShortTag() != "!!merge" || value.Kind == yaml.ScalarNode:
			pairs = append(pairs, n.Content[i], value)
			keys[n.Content[i].Value] = true
		case value.Kind == yaml.SequenceNode:
			sources = append(sources, value.Content...)
		default:
			sources = append(sources, value)
		}
	}
	for _, source := range sources {
		inherited := merged(unaliased(source))
		for i := 0; i < len(inherited); i += 2 {
			if !keys[inherited[i].Value] {
				pairs = append(pairs, inherited[i:i+2]...)
				keys[inherited[i].Value] = true
			}
		}
	}
	return pairs
}

// joined is the path to a value in a mapping or list.
func joined(keys, key string) string {
	if len(key) > 60 {
		key = strings.ToValidUTF8(key[:60], "") + "…"
	}
	if keys == "" {
		return key
	}
	return keys + ", " + key
}
