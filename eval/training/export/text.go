package export

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"heldout/scoring/table"
)

// Text says what was taken by those options and what was left out, in lines.
func (r *Account) Text(o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %s taken: %s\n", r.Used, table.Counted(r.Episodes, "episode"), list(r.Environments))
	if r.Turns > 0 { // which forms that compare episodes do not have
		fmt.Fprintf(&b, "%s: %d trained, %d masked", table.Counted(r.Turns, "turn"), r.Trained, r.Turns-r.Trained)
		if len(r.Masked) > 0 {
			fmt.Fprintf(&b, " (%s)", list(r.Masked))
		}
		b.WriteString("\n")
	}
	if len(r.Omitted) > 0 {
		fmt.Fprintf(&b, "left out: %s\n", list(r.Omitted))
	}
	if r.Unfinished > 0 {
		fmt.Fprintf(&b, "planned, but without a result: %s\n", table.Counted(r.Unfinished, "episode"))
	}
	if r.Single > 0 {
		fmt.Fprintf(&b, "%s: calls do not continue each other, so each call is an example\n",
			table.Counted(r.Single, "episode"))
	}
	for _, p := range r.Parts {
		fmt.Fprintf(&b, "%s: %s, %s of %s, %.1f MB\n", table.Printable(filepath.Join(filepath.Dir(o.Out), p.File)),
			table.Counted(p.Examples, "example"), table.Counted(p.Episodes, "episode"), table.Counted(p.Tasks, "task"),
			float64(p.Bytes)/1e6)
	}
	b.WriteString(r.Lengths.text())
	fmt.Fprintf(&b, "%s\n", table.Printable(o.ManifestFile()))
	return b.String()
}

// text says how long examples are, and how many are longer than trainers take.
func (l *Lengths) text() string {
	if l == nil || l.Max == 0 {
		return ""
	}
	out := fmt.Sprintf("longest example: %d tokens (by %s)", l.Max, l.Method)
	for _, t := range l.Trainers {
		out += fmt.Sprintf("; %d longer than %s's %s %d", t.Cut, t.Trainer, t.Setting, t.Default)
	}
	if l.Long > 0 {
		out += fmt.Sprintf("; %s beyond the window of %d", table.Counted(l.Long, "turn"), l.Window)
	}
	return out + "\n"
}

// Warnings says what must not be overlooked.
func (r *Account) Warnings() (out []string) {
	for _, d := range r.Different {
		out = append(out, "left out: "+d)
	}
	if r.TestEpisodes > 0 {
		out = append(out,
			fmt.Sprintf("%s of tasks that a benchmark tests with: what is trained on them cannot be measured with them",
				table.Counted(r.TestEpisodes, "episode")))
	}
	for _, t := range r.Lengths.Trainers {
		if t.Cut > 0 {
			out = append(out, fmt.Sprintf("%s cuts or drops %s by default: set %s to %d, or divide them with --set window",
				t.Trainer, table.Counted(t.Cut, "example"), t.Setting, r.Lengths.Needed))
		}
	}
	for _, p := range r.Parts {
		if p.Examples == 0 {
			out = append(out, p.File+" is empty")
		}
	}
	return out
}

// Advice says what a trainer has to know of the format; empty if there is nothing.
func (r *Account) Advice() string {
	if r.Format == OpenAI && r.Parts[0].Examples < 10 {
		return "OpenAI wants at least 10 examples"
	}
	return known().Formats[r.Format].Advice
}

// whatIsThere says why nothing is left.
func (r *Account) whatIsThere() string {
	text := table.Counted(r.Episodes, "episode") + " with a result"
	if len(r.Omitted) > 0 {
		text += " (" + list(r.Omitted) + ")"
	}
	if r.Unfinished > 0 {
		text += fmt.Sprintf(", %d planned without one", r.Unfinished)
	}
	for _, d := range r.Different {
		text += "\n" + d
	}
	return text
}

// list writes counts by name, the largest first.
func list[K ~string](counts map[K]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	return strings.Join(table.Each(names, func(name K) string {
		return fmt.Sprintf("%d %s", counts[name], table.Printable(string(name)))
	}), ", ")
}
