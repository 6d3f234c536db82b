// Package presets shows evaluation protocols: what there are, in what two differ, and the files
// of others that they read.
package presets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/scoring/table"
)

// Difference is two protocols, each with its parts.
type Difference struct {
	names  [2]string
	parts  [2][]configs.Preset
	common []partPair // pairs of parts that are compared
}

// partPair is two parts that are compared, and in what they differ.
type partPair struct {
	name    string // the name of both; empty if each preset has one part
	presets [2]*configs.Preset
	differs []configs.FieldDifference
}

// Pair sets two protocols side by side, part by part. Each has the parts of one preset, and
// the name by which the user called it.
func Pair(names []string, a, b []configs.Preset) (d Difference, err error) {
	d.parts = [2][]configs.Preset{a, b}
	for i, parts := range d.parts {
		d.names[i] = parts[0].ID(false)
		if len(parts) > 1 {
			d.names[i], _, _ = strings.Cut(d.names[i], ":")
		}
	}
	if len(a) == 1 && len(b) == 1 {
		d.common = []partPair{{presets: [2]*configs.Preset{&a[0], &b[0]}}}
	}
	for i := range a {
		for j := range b {
			if len(a) > 1 && len(b) > 1 && a[i].Env.Part == b[j].Env.Part {
				d.common = append(d.common, partPair{name: a[i].Env.Part, presets: [2]*configs.Preset{&a[i], &b[j]}})
			}
		}
	}
	for i, parts := range d.parts {
		if len(d.common) == 0 && len(parts) > 1 {
			return d, fmt.Errorf("preset %s has several parts; choose one, such as %s", names[i], parts[0].ID(false))
		}
	}
	for i := range d.common {
		pair := &d.common[i]
		fields, err := configs.DiffPresets(pair.presets[0], pair.presets[1])
		if err != nil {
			return d, err
		}
		pair.differs = slices.DeleteFunc(fields, func(f configs.FieldDifference) bool { return !f.Changes() })
	}
	return d, nil
}

// Verdict says whether numbers of the two compare. same: no field that can change a number differs.
func (d Difference) Verdict() (text string, same bool) {
	fields := map[string]bool{}
	for _, pair := range d.common {
		for _, f := range pair.differs {
			fields[f.Field] = true
		}
	}
	if len(fields) == 0 {
		return "Numbers of the two compare: no field that can change a number differs.", true
	}
	return fmt.Sprintf("Numbers of the two do not compare: they differ in %s that can change a number.",
		table.Counted(len(fields), "field")), false
}

// Table has a row for each subject; programs, and wide, have one for each field instead.
func (d Difference) Table(wide bool) table.Table {
	verdict, _ := d.Verdict()
	fields := d.fields(verdict)
	if wide {
		return fields
	}
	t := d.subjects(verdict)
	t.Programs = []table.Table{fields}
	return t
}

// fields lists the fields in which parts differ.
func (d Difference) fields(verdict string) table.Table {
	t := table.Table{ID: "preset-diff", Title: d.names[0] + " and " + d.names[1], Columns: []table.Column{
		{Key: "part", Header: "Part", Words: true}, {Key: "field", Header: "Field", Words: true},
		{Key: "a", Header: d.names[0], Words: true}, {Key: "b", Header: d.names[1], Words: true},
	}, Notes: []string{verdict}}
	for _, pair := range d.common {
		for _, f := range pair.differs {
			t.Rows = append(t.Rows, []table.Cell{table.String(cmp.Or(pair.name, "–")), table.String(f.Field),
				table.String(cmp.Or(f.A, "–")), table.String(cmp.Or(f.B, "–"))})
		}
	}
	return t
}

// subjects has a row for each subject of a protocol.
func (d Difference) subjects(verdict string) table.Table {
	t := table.Table{ID: "preset-diff", Title: d.names[0] + " and " + d.names[1], Columns: []table.Column{
		{Key: "subject", Header: "Subject", Words: true}, {Key: "same", Header: "", Words: true},
		{Key: "a", Header: d.names[0], Words: true}, {Key: "b", Header: d.names[1], Words: true},
	}}
	for _, s := range words().Subjects {
		a, b := d.text(s, 0), d.text(s, 1)
		if a == "" && b == "" {
			continue
		}
		mark := "="
		if slices.ContainsFunc(d.common, s.differs) {
			mark = "≠"
		}
		t.Rows = append(t.Rows, []table.Cell{table.String(s.Name), table.String(mark),
			broken(cmp.Or(a, "–"), subjectWidth),
			broken(cmp.Or(b, "–"), subjectWidth)})
	}
	t.Notes = append(t.Notes, verdict)
	for side, parts := range d.parts {
		deviation := func(reason string) string { return d.names[side] + ": " + reason }
		t.Notes = append(t.Notes, table.Each(deviationsOf(parts), deviation)...)
	}
	return t
}

// subjectWidth is how wide a protocol's column is.
const subjectWidth = 30

// text says what one side has of a subject: in words, then the fields that differ and that
// the words do not cover. What most parts have comes first.
func (d Difference) text(s subject, side int) string {
	var parts, rest []partText
	for i := range d.parts[side] {
		p := &d.parts[side][i]
		parts = append(parts, partText{s.tell(p), p.Env.Part})
	}
	for _, pair := range d.common {
		for _, f := range pair.differs {
			value := [2]string{f.A, f.B}[side]
			if s.covers(f) && !beginsAny(f.Field, s.Text) && value != "" {
				_, name, _ := strings.Cut(f.Field, ".")
				rest = append(rest, partText{name + " " + shortValue(value), pair.name})
			}
		}
	}
	texts := slices.Concat(byParts(parts, len(d.parts[side]), s.Named), byParts(rest, len(d.common), false))
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// partText is a text, and a part that has it.
type partText struct{ text, part string }

// byParts returns the texts, the most common one first. Unless named, a text that fewer than
// total parts have follows the names of its parts, except the first one if most parts have it.
func byParts(texts []partText, total int, named bool) (out []string) {
	groups := table.Grouped(texts, func(t partText) string { return t.text })
	slices.SortStableFunc(groups, func(a, b []partText) int { return len(b) - len(a) })
	for i, group := range groups {
		text := group[0].text
		if !named && len(group) < total && (i > 0 || 2*len(group) <= total) {
			names := table.Keys(group, func(t partText) string { return t.part })
			text = strings.Join(names, ", ") + ": " + text
		}
		out = append(out, text)
	}
	return out
}

// deviationsOf lists the deviations of parts, each once.
func deviationsOf(parts []configs.Preset) (out []string) {
	for _, p := range parts {
		out = table.AppendNew(out, p.Deviations...)
	}
	return out
}
