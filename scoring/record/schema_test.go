package record

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// TestSchemaIsDocumented compares SCHEMA.md with the types: every type that is written has a section, with a line
// for each of its fields and for nothing else, in order.
func TestSchemaIsDocumented(t *testing.T) {
	documented := readSchema(t)
	written := map[string][]string{}
	for _, v := range []any{Episode{}, Fork{}, Manifest{}, Status{}, Labels{}} {
		describe(reflect.TypeOf(v), written)
	}
	for name, fields := range written {
		sharedtest.Same(t, documented[name], fields, "SCHEMA.md on", name)
	}
	for name := range documented {
		if written[name] == nil {
			t.Errorf("SCHEMA.md describes %s, which is not written", name)
		}
	}
}

func TestOutcomesAreDocumented(t *testing.T) {
	text := sharedtest.Must(os.ReadFile("SCHEMA.md"))(t)
	for _, o := range []Outcome{Success, Failure, ModelError, AgentError, EnvError, ContextExceeded, Cancelled} {
		if !o.valid() || !strings.Contains(string(text), "| `"+string(o)+"` |") {
			t.Errorf("SCHEMA.md says nothing of %s", o)
		}
	}
}

var fieldLine = regexp.MustCompile("^\\| `([a-z_0-9]+)` \\| (optional)?")

// readSchema returns the fields of each section with fields; "?" follows an optional one.
func readSchema(t *testing.T) map[string][]string {
	t.Helper()
	text := sharedtest.Must(os.ReadFile("SCHEMA.md"))(t)
	sections := map[string][]string{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		lines := strings.Split(section, "\n")
		if !slices.Contains(lines, "| field | meaning |") {
			continue
		}
		for _, line := range lines {
			if m := fieldLine.FindStringSubmatch(line); m != nil {
				if m[2] != "" {
					m[1] += "?"
				}
				sections[lines[0]] = append(sections[lines[0]], m[1])
			}
		}
	}
	return sections
}

// describe notes the JSON fields of a struct and of all that it refers to.
func describe(t reflect.Type, into map[string][]string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		describe(t.Elem(), into)
	case reflect.Struct:
		if t != reflect.TypeFor[time.Time]() && into[t.Name()] == nil {
			into[t.Name()] = fieldsOf(t, into)
		}
	}
}

func fieldsOf(t reflect.Type, into map[string][]string) (fields []string) {
	for f := range t.Fields() {
		if f.Anonymous {
			fields = append(fields, fieldsOf(f.Type, into)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if strings.Contains(options, "omit") {
			name += "?"
		}
		fields = append(fields, name)
		describe(f.Type, into)
	}
	return fields
}
