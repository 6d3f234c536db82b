package configs

import (
	"bytes"
	"cmp"
	"encoding/json"
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
	x, err1 := a.Canonical()
	y, err2 := b.Canonical()
	if err := cmp.Or(err1, err2); err != nil {
		return nil, err
	}
	return DiffJSON(x, y)
}

// DiffJSON lists the fields in which two JSON objects differ, as DiffPresets does. A list is one value.
func DiffJSON(a, b []byte) ([]FieldDifference, error) {
	x, y := map[string]string{}, map[string]string{}
	if err := cmp.Or(flatten("", a, x), flatten("", b, y)); err != nil {
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

// flatten writes the values of a JSON object and of its parts, by their paths.
func flatten(path string, value json.RawMessage, out map[string]string) error {
	if len(value) == 0 || value[0] != '{' {
		out[path] = string(value)
		return nil
	}
	var parts map[string]json.RawMessage
	err := json.Unmarshal(value, &parts)
	for name, part := range parts {
		err = cmp.Or(err, flatten(strings.TrimPrefix(path+"."+name, "."), part, out))
	}
	return err
}
