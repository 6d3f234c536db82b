package presets

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/eval/originals"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// List has a row for parts that follow each other and are equally near to the original;
// programs, and wide, have one for each part instead.
func List(wide bool) (table.Table, error) {
	parts, err := listedParts()
	if err != nil {
		return table.Table{}, err
	}
	full := fullList(parts)
	if wide {
		return full, nil
	}
	t := shortList(parts)
	t.Programs = []table.Table{full}
	return t, nil
}

// listedPart is a part of an embedded preset.
type listedPart struct {
	configs.Preset
	compared configs.Comparison
	sha256   string
}

// listedParts lists every part of every embedded preset.
func listedParts() (out []listedPart, err error) {
	parts, err := configs.PresetParts()
	for _, p := range parts {
		l := listedPart{Preset: p}
		if l.sha256, err = p.Hash(); err != nil {
			return nil, err
		}
		if l.compared, err = p.Compared(); err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, err
}

// fullList has a row for every part.
func fullList(parts []listedPart) table.Table {
	t := table.Table{ID: "presets", Title: "Presets",
		Columns: column.Heads("preset environment tasks steps form metric status compared equal originals sha256"),
		Notes: []string{
			"Steps: the largest step limit. Compared: requests of the original code that tests compare with " +
				"heldout's; Equal: those that are the same. Files: how many files of the source the preset reads " +
				"(heldout preset pull NAME)."}}
	for _, p := range parts {
		t.Rows = append(t.Rows, []table.Cell{
			table.String(p.ID(false)), table.String(p.Env.Name), table.Int(p.Env.Tasks.Count),
			table.Int(p.Env.Limit.Max()),
			table.String(p.Agent.Form), table.String(p.Metric.Primary), table.String(p.StatusText()),
			table.Int(p.compared.Requests), table.Int(p.compared.Equal + p.compared.UpTo),
			table.Int(len(originals.Files(&p.Preset))), table.String(p.sha256),
		})
	}
	return t
}

// shortList has a row for parts of a preset that follow each other and are equally near to the original.
func shortList(parts []listedPart) table.Table {
	t := table.Table{ID: "presets", Title: "Presets", Columns: column.Heads("preset parts status equal"),
		Notes: []string{
			"Equal: how many of the requests that the original code was recorded with are the same here; read: none was " +
				"recorded, and only its code was read. --wide has " +
				"versions, tasks, step limits, agents, metrics and hashes; heldout preset show NAME has deviations."}}
	for len(parts) > 0 {
		first, n := parts[0], 1
		for n < len(parts) && parts[n].Name == first.Name && parts[n].StatusText() == first.StatusText() &&
			parts[n].compared == first.compared {
			n++
		}
		equal := table.String("read")
		if c := first.compared; c.Requests > 0 {
			equal = table.String(fmt.Sprintf("%d/%d", c.Equal+c.UpTo, c.Requests))
		}
		t.Rows = append(t.Rows, []table.Cell{table.String(first.Name), broken(partsText(parts[:n]), 24),
			table.String(first.StatusText()), equal})
		parts = parts[n:]
	}
	return t
}

// broken is a cell whose text is broken at blanks.
func broken(text string, width int) table.Cell {
	return table.Cell{Text: text, Value: text, Lines: table.Wrap(table.Printable(text), width)}
}

// numberedPart is the name of a part that ends in a number.
var numberedPart = regexp.MustCompile(`^(.+-)(\d+)$`)

// partsText names parts; a series such as seed-1, seed-2, seed-3 by its ends. A preset
// without parts has an empty name.
func partsText(parts []listedPart) string {
	var names []string
	for i := 0; i < len(parts); {
		last := i
		for last+1 < len(parts) && follows(parts[last].Env.Part, parts[last+1].Env.Part) {
			last++
		}
		name := parts[i].Env.Part
		if last > i {
			name += "…" + numberedPart.FindStringSubmatch(parts[last].Env.Part)[2]
		}
		names = append(names, name)
		i = last + 1
	}
	return cmp.Or(strings.Join(names, ", "), "–")
}

// follows reports whether b is the name with the next number after a.
func follows(a, b string) bool {
	x, y := numberedPart.FindStringSubmatch(a), numberedPart.FindStringSubmatch(b)
	if x == nil || y == nil || x[1] != y[1] {
		return false
	}
	n, err := strconv.Atoi(x[2])
	return err == nil && strconv.Itoa(n+1) == y[2]
}
