package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/envs/datafile"
)

// Canonical returns the canonical JSON of a preset of one part: keys sorted, no white space, files as their hashes,
// without the published results and with no fields that have no value. Its SHA-256 identifies the protocol. It
// leaves out heat-order, which was found after results were recorded: the protocol is the same.
func (p *Preset) Canonical() ([]byte, error) {
	same := *p
	same.UpTo = slices.DeleteFunc(slices.Clone(p.UpTo), func(name string) bool { return name == heatOrder })
	same.Protocol = p.hashedProtocol()
	b, err := json.Marshal(same)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var fields any
	if err := d.Decode(&fields); err != nil {
		return nil, err
	}
	return datafile.Marshal(fields) // a map's keys are sorted
}

// Hash is the SHA-256 of Canonical, in hex.
func (p *Preset) Hash() (string, error) {
	b, err := p.Canonical()
	return hash(b), err
}

// FieldDifference is a field in which two presets differ. A value is JSON, empty if the preset has none.
type FieldDifference struct {
	Field, A, B string
}

// DiffPresets lists the fields in which two presets differ, sorted. Fields are paths such as decoding.temperature.
func DiffPresets(a, b *Preset) ([]FieldDifference, error) {
	x, err := a.fields()
	if err != nil {
		return nil, err
	}
	y, err := b.fields()
	if err != nil {
		return nil, err
	}
	union := maps.Clone(x)
	maps.Copy(union, y)
	var out []FieldDifference
	for _, field := range slices.Sorted(maps.Keys(union)) {
		if x[field] != y[field] {
			out = append(out, FieldDifference{field, x[field], y[field]})
		}
	}
	return out, nil
}

// Changes reports whether a difference in the field can change a number. The name of
// a preset and what is said about it do not.
func (d FieldDifference) Changes() bool {
	name, _, _ := strings.Cut(d.Field, ".")
	return d.Field != "env.part" && !slices.Contains([]string{"preset", "version", "title", "status", "up-to",
		"deviations", "source"}, name)
}

// fields returns the canonical JSON as paths with values. A list is one value.
func (p *Preset) fields() (map[string]string, error) {
	b, err := p.Canonical()
	if err != nil {
		return nil, err
	}
	var root map[string]json.RawMessage
	if err := json.Unmarshal(b, &root); err != nil {
		return nil, err
	}
	out := map[string]string{}
	return out, flatten("", root, out)
}

func flatten(prefix string, object map[string]json.RawMessage, out map[string]string) error {
	for name, value := range object {
		if len(value) == 0 || value[0] != '{' {
			out[prefix+name] = string(value)
			continue
		}
		var inner map[string]json.RawMessage
		if err := json.Unmarshal(value, &inner); err != nil {
			return fmt.Errorf("%s: %w", prefix+name, err)
		}
		if err := flatten(prefix+name+".", inner, out); err != nil {
			return err
		}
	}
	return nil
}
