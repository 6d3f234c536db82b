package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/eval/serve"
	"heldout/scoring/claim"
	"heldout/scoring/figure"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/stats"
)

var update = flag.Bool("update", false, "write the generated files of the Python package anew")

// keywords are the classes of keywords of the Python package. Flags that its functions set themselves, that ask for
// help or say how text looks are left out, and groups of flags.
var keywords = []struct{ class, command, functions, without string }{
	{"RunOptions", "run", "`evaluate`",
		"model env base-url seeds out format dry-run quiet player " + tableFlags + " " + checkpointGroup},
	{"SweepOptions", "sweep", "`sweep`", ""}, // beside the former
	{"PoolOptions", "serve", "`Pool`, `make` and `make_vec`",
		"listen token-file no-token stdio deflate pprof max-sessions-per-client player"},
	{"CompareOptions", "compare", "`Records.tables`", "format table latex wide width fail-below fail-if-worse"},
	{"PlotOptions", "plot", "`Records.figure`", "figure out"},
	{"ReportOptions", "report", "`Records.report`", "out"},
}

// The Python package has the flags as typed keywords, and records as typed dictionaries.
func TestPythonTypes(t *testing.T) {
	for name, text := range map[string]string{"options": pythonOptions(t), "recorded": pythonRecords()} {
		path := "../../python/src/heldout/" + name + ".py"
		if *update {
			sharedtest.OK(t, os.WriteFile(path, []byte(text), 0o644))
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != text {
			t.Errorf("%s is not up to date (%v): go test ./cmd/heldout -run PythonTypes -update", path, err)
		}
	}
}

const written = `"""%s

Written by ` + "`go test ./cmd/heldout -run PythonTypes -update`" + `.
"""

from __future__ import annotations

`

func pythonOptions(t *testing.T) string {
	var b strings.Builder
	fmt.Fprintf(&b, written, "The flags of the binary as keywords, and names of tables and figures.")
	b.WriteString("import os\nfrom collections.abc import Mapping, Sequence\nfrom typing import Literal, TypedDict\n\n")
	fmt.Fprintf(&b, "TableName = %s\n", literal(append(report.IDs(), report.AllTables, report.EveryTable)))
	fmt.Fprintf(&b, "FigureName = %s\n\n", literal(figure.Names()))
	b.WriteString("# Earlier names of keywords, which still work.\nRENAMED = {\n")
	for _, r := range configs.Renames() {
		if r.Command == "" {
			fmt.Fprintf(&b, "    %q: %q,\n", keyword(r.Old), keyword(r.New))
		}
	}
	b.WriteString("}\n")
	repeated := map[string]bool{}
	for _, k := range keywords {
		c := command(k.command)
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if kind := f.Value.Type(); kind == "stringArray" || strings.Contains(kind, "=") {
				repeated[keyword(f.Name)] = true
			}
		})
		base := "TypedDict"
		if k.command == "sweep" {
			base = keywords[0].class
			command(keywords[0].command).Flags().VisitAll(func(f *pflag.Flag) { k.without += f.Name + " " })
		}
		fmt.Fprintf(&b, "\n\nclass %s(%s, total=False):\n", k.class, base)
		fmt.Fprintf(&b, "    \"\"\"Keywords of %s: flags of `heldout %s`.\"\"\"\n\n", k.functions, k.command)
		for _, f := range keywordFlags(c, k.without) {
			kind := strings.ReplaceAll(pythonType(f), "\n", "\n    ")
			fmt.Fprintf(&b, "    %s: %s\n%s", keyword(f.Name), kind, docstring(f))
		}
		if k.class == "PoolOptions" { // which the package makes --player of
			b.WriteString(`    version: str
    """With ` + "`record`" + `: what you call this version of who plays; without it, the source of the code decides."""
    sampling: Mapping[str, object]
    """With ` + "`record`" + `: how who plays samples replies, such as {"temperature": 0.7}."""
`)
		}
	}
	b.WriteString("\n\n# Keywords whose flags are repeated for a list; others take it with commas.\n")
	fmt.Fprintf(&b, "REPEATED = {\n    %s,\n}\n", quotedWords(slices.Sorted(maps.Keys(repeated)), ",\n    "))
	return b.String()
}

// keywordFlags are the flags of a command in the order of its help, and the flags of environments.
func keywordFlags(c *cobra.Command, without string) (flags []*pflag.Flag) {
	left := " help help-all set " + without + " "
	out := func(word string) bool { return strings.Contains(left, " "+word+" ") }
	for _, s := range sections(c) {
		s.flags.VisitAll(func(f *pflag.Flag) {
			if !out(f.Name) && !out(s.title) {
				flags = append(flags, f)
			}
		})
	}
	for _, name := range rareKeys(c) {
		if f := c.Flags().Lookup(name); !out(f.Name) && !out(groupOf(f)) {
			flags = append(flags, f)
		}
	}
	for _, s := range catalog.Settings() {
		if f := c.Flags().Lookup(s.Name); f != nil && f.Hidden && !out(f.Name) {
			flags = append(flags, f)
		}
	}
	return flags
}

func keyword(name string) string { return strings.ReplaceAll(name, "-", "_") }

func literal(values []string) string {
	line := fmt.Sprintf("Literal[%s]", quotedWords(values, ", "))
	if len(line) <= 80 {
		return line
	}
	return fmt.Sprintf("Literal[\n    %s,\n]", quotedWords(values, ",\n    "))
}

func quotedWords(values []string, between string) string {
	return `"` + strings.Join(values, `"`+between+`"`) + `"`
}

// pythonTypes are the types of values by the name of a flag or its type, pythonChoices all values of those that have
// few.
var pythonTypes = map[string]string{
	"tasks": "str | Sequence[str]", "generator-seed": "int | str",
	"bool": "bool", "int": "int", "int64": "int", "float64": "float", "string": "str", "duration": "str", "size": "str",
	"stringSlice": "str | Sequence[str]", "stringArray": "str | Sequence[str]",
	"json": "Mapping[str, object] | str", "seeds": "int | str | Sequence[int]",
	"SPEC=TEXT": "Mapping[str, str] | str | Sequence[str]", "SPEC=PRICES": "Mapping[str, str] | str | Sequence[str]",
	"MODEL=ENV": "Mapping[str, str | Sequence[str]] | str | Sequence[str]", "number or auto": `int | Literal["auto"]`,
	string(envs.Words): "str", string(envs.Switch): "bool", string(envs.Count): "int",
	string(envs.Path): "str | os.PathLike[str]", string(envs.Share): "float | str",
}

var pythonChoices = map[string][]string{
	"agent": {configs.React, configs.Act}, "interval": texts(stats.Questions()),
	"rate": texts(claim.Rates()), "reward": texts(serve.Rewards()),
}

func texts[T ~string](values []T) (out []string) {
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// files are flags with the names of files or folders that are not options of a run.
const files = "config events originals record thoughts weights"

func pythonType(f *pflag.Flag) string {
	if values := pythonChoices[f.Name]; values != nil {
		return literal(values)
	}
	if f.Value.Type() == string(envs.Choice) {
		var values []string
		settings(f.Name, func(_ string, s envs.Setting) { values = append(values, s.Values...) })
		slices.Sort(values)
		return literal(slices.Compact(values))
	}
	kind := cmp.Or(pythonTypes[f.Name], pythonTypes[f.Value.Type()])
	if o, _ := configs.FindOption(f.Name); o.Names != configs.Words || slices.Contains(strings.Fields(files), f.Name) {
		kind = strings.ReplaceAll(kind, "str", "str | os.PathLike[str]")
	}
	return cmp.Or(kind, "a type for "+f.Value.Type())
}

// settings visits the settings of a name with their environments.
func settings(name string, visit func(environment string, s envs.Setting)) {
	for _, e := range catalog.All() {
		for _, s := range e.Settings {
			if s.Name == name {
				visit(e.Name, s)
			}
		}
	}
}

// flagName is a flag in a text, which is a keyword in Python.
var flagName = regexp.MustCompile(`--([a-z][a-z-]*)`)

func docstring(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	text = strings.ToUpper(text[:1]) + text[1:]
	if _, ok := f.Value.(*settingValue); ok {
		var parts []string
		settings(f.Name, func(environment string, s envs.Setting) { parts = append(parts, environment+": "+s.Help) })
		text = strings.Join(parts, "; ")
	}
	text = flagName.ReplaceAllStringFunc(text, func(name string) string { return "`" + keyword(name[2:]) + "`" })
	text = strings.NewReplacer("repeat it for", "a list for", "; a mapping in a file", "; or a mapping").Replace(text)
	text = strings.ReplaceAll(text, `\`, `\\`) + "."
	if !slices.Contains([]string{"", "0", "0s", "-1", "false", "[]"}, f.DefValue) {
		text += " Default: " + f.DefValue + "."
	}
	var lines []string
	line := `    """`
	for _, word := range strings.Fields(text) {
		if len(line)+len(word) > 112 {
			lines, line = append(lines, line), "   "
		}
		line += map[bool]string{true: "", false: " "}[strings.HasSuffix(line, `"""`)] + word
	}
	return strings.Join(append(lines, line), "\n") + "\"\"\"\n"
}

// pythonRecords are the lines of episodes.jsonl as typed dictionaries, the innermost first.
func pythonRecords() string {
	var b strings.Builder
	fmt.Fprintf(&b, written, "What `heldout.episodes` yields: lines of episodes.jsonl. "+
		"`heldout help records` explains the fields.")
	b.WriteString("from typing import TYPE_CHECKING, TypedDict\n\n")
	b.WriteString("if TYPE_CHECKING:\n    from typing_extensions import NotRequired\n")
	done := map[string]bool{}
	pythonClass(&b, reflect.TypeFor[record.Episode](), done)
	return b.String()
}

func pythonClass(b *strings.Builder, t reflect.Type, done map[string]bool) {
	if done[t.Name()] {
		return
	}
	done[t.Name()] = true
	var fields strings.Builder
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		kind := pythonValue(b, f.Type, done)
		if strings.Contains(options, "omit") {
			kind = "NotRequired[" + kind + "]"
		}
		fmt.Fprintf(&fields, "    %s: %s\n", name, kind)
	}
	fmt.Fprintf(b, "\n\nclass %s(TypedDict):\n%s", t.Name(), fields.String())
}

func pythonValue(b *strings.Builder, t reflect.Type, done map[string]bool) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "str"
	case t.Kind() == reflect.Pointer:
		return pythonValue(b, t.Elem(), done)
	case t.Kind() == reflect.Slice:
		return "list[" + pythonValue(b, t.Elem(), done) + "]"
	case t.Kind() == reflect.Map:
		return "dict[str, " + pythonValue(b, t.Elem(), done) + "]"
	case t.Kind() == reflect.Struct:
		pythonClass(b, t, done)
		return t.Name()
	}
	return map[reflect.Kind]string{reflect.String: "str", reflect.Bool: "bool", reflect.Int: "int",
		reflect.Int64: "int", reflect.Float64: "float"}[t.Kind()]
}
