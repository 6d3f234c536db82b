package export

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"heldout/envs"
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
	return formats().Formats[r.Format].Advice
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

// cardName is the file that a hub shows.
const cardName = "README.md"

// sizes are the classes of sizes that hubs have.
var sizes = []struct {
	limit int
	name  string
}{{1_000, "n<1K"}, {10_000, "1K<n<10K"}, {100_000, "10K<n<100K"}, {1_000_000, "100K<n<1M"}, {10_000_000, "1M<n<10M"}}

// card describes the folder, from what the manifest says.
func (x *exporter) card() string {
	r := x.report
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	examples, omitted := 0, 0
	for _, n := range r.Omitted {
		omitted += n
	}
	line("---\nconfigs:\n- config_name: default\n  data_files:")
	for _, p := range r.Parts {
		examples += p.Examples
		line("  - split: %s\n    path: %s", strings.ReplaceAll(cmp.Or(p.Name, "train"), "-", "_"), p.Parquet)
	}
	for _, s := range sizes {
		if examples < s.limit {
			line("size_categories:\n- %s", s.name)
			break
		}
	}
	line("license: other\nlanguage:\n- en\ntags:\n- agent\n- heldout\n---\n")
	line("# Training data of text environments\n")
	line("%s in the form `%s`, of %s, written by heldout %s.\n", table.Counted(examples, "example"), r.Format,
		table.Counted(r.Used, "episode"), r.Tool.Version)
	line("| environment | episodes | tasks | licence of the environment |\n|---|---|---|---|")
	for _, env := range slices.Sorted(maps.Keys(r.Environments)) {
		licence := formats().Licences[env]
		if x.origins[env][envs.Generated] && !x.origins[env][envs.Official] {
			licence = "generated by heldout, in the words of the environment; " + licence
		}
		line("| %s | %d | %s | %s |", env, r.Environments[env],
			strings.Join(slices.Sorted(maps.Keys(x.settings[env])), ", "), licence)
	}
	line("\n| file | split | examples | episodes | tasks | MB |\n|---|---|---|---|---|---|")
	for _, p := range r.Parts {
		line("| %s, %s | %s | %d | %d | %d | %.1f |", p.Parquet, p.File, p.Name, p.Examples, p.Episodes, p.Tasks,
			float64(p.Bytes)/1e6)
	}
	line("\n## Lengths\n\nTokens of an example, by %s; the longest has %d.\n", r.Lengths.Method, r.Lengths.Max)
	line("| at most | examples |\n|---|---|")
	for i, n := range r.Lengths.Histogram {
		line("| %d | %d |", histogramBase<<i, n)
	}
	for _, t := range r.Lengths.Trainers {
		line("\n%s cuts or drops %s by default (`%s` %d); set it to %d.", t.Trainer, table.Counted(t.Cut, "example"),
			t.Setting, t.Default, r.Lengths.Needed)
	}
	line("\n## What it must not be evaluated on\n")
	if r.TestEpisodes > 0 {
		line("%s a benchmark tests with (`benchmark_use` is `test`): a model that was trained on them cannot be measured "+
			"on these benchmarks.\n",
			table.Counted(r.TestEpisodes, "episode comes from a task that", "episodes come from tasks that"))
	}
	line("A model that was trained on this must not be measured on the same tasks (the column `task`), nor on tasks of " +
		"the same splits or generator seeds.")
	line("\n## How to make it again\n\n```\n%s\n```\n", x.Command)
	line("The sources are known by their hashes in `%s`; `heldout export --check .` compares the folder with it. "+
		"%s left out; the manifest says why.", filepath.Base(x.ManifestFile()),
		table.Counted(omitted, "episode was", "episodes were"))
	return b.String()
}
