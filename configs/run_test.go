package configs

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

func TestParseRun(t *testing.T) {
	r := DefaultRun()
	sharedtest.Must(ParseRun("run.yaml",
		[]byte("model: vllm:a\nenv: x, y\nseeds: [10]\ntasks: [a, b*]\ntimeout: 90s\nstop: []\n"+
			"extra-body: {top_k: 20, min_p: null}\n"),
		&r, nil, nil))(t)
	want := DefaultRun()
	want.Model, want.Env, want.Seeds, want.Timeout = Strings{"vllm:a"}, Strings{"x", "y"}, "10,10", 90*time.Second
	want.Settings, want.Tasks = envs.Settings{}, "a,b*"
	want.Stop, want.Extra = Strings{}, map[string]any{"top_k": int64(20), "min_p": nil}
	sharedtest.Same(t, r, want)
}

func TestParseRunForms(t *testing.T) {
	for form, want := range map[string]string{
		`extra-body: '{"top_k": 20}'`: "extra-body: {top_k: 20}", "header: {X: Y}": "header: [X=Y]",
		"held-in: [{a: 'b, c'}]": "held-in: {a: [b, c]}", "perturb: P1, P2": "perturb: [P1, P2]",
		"<<: {seeds: [1, 2], limit: 3}\nlimit: 4": "seeds: 1,2\nlimit: 4", "prices: {a: 1/2}": "prices: [a=1/2]",
	} {
		var got, as Run
		sharedtest.OK(t, sharedtest.Err(ParseRun("f", []byte(form), &got, nil, nil)))
		sharedtest.OK(t, sharedtest.Err(ParseRun("f", []byte(want), &as, nil, nil)))
		sharedtest.Same(t, got, as, form)
	}
}

func TestParseRunErrors(t *testing.T) {
	for in, want := range sharedtest.Table[string](t, "run-errors.yaml") {
		r := DefaultRun()
		if _, err := ParseRun("run.yaml", []byte(in), &r, nil, nil); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", in, err, want)
		}
	}
}

// Keys of settings are taken as they are written; anything else stays strict.
func TestParseRunSettings(t *testing.T) {
	names := []string{"split", "switch", "moves"}
	r := DefaultRun()
	r.Settings = envs.Settings{"moves": "1", "other": "kept"}
	if _, err := ParseRun("f", []byte("split: \"test\"\nseeds: 3\nswitch: true\nmoves: 4 # of them\n"), &r, names,
		nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(envs.Settings{"split": "test", "switch": "true", "moves": "4", "other": "kept"},
		r.Settings); diff != "" || r.Seeds != "3" {
		t.Errorf("seeds %s, %s", r.Seeds, diff)
	}
	for in, want := range map[string]string{
		"split: [a]":          "f:1: split: want one value",
		"seeds: 1\nsplit: {}": "f:2: split: want one value, or a list",
		"split: a\nsplit: b":  "f:2: split: the key stands there twice",
		"split: a\nsplti: b":  `f:2: unknown key "splti" (did you mean split?)`,
	} {
		if _, err := ParseRun("f", []byte(in), &r, names, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", in, err, want)
		}
	}
	only := DefaultRun()
	sharedtest.OK(t, sharedtest.Err(ParseRun("f", []byte("split: a"), &only, names, nil)))
	sharedtest.Equal(t, only.Settings["split"], "a", only.Settings)
}

// Keys that are no matter of a run are returned, one value or several.
func TestParseRunOthers(t *testing.T) {
	r := DefaultRun()
	got, err := ParseRun("f", []byte("seeds: 3\nquiet: true\ntable: [a, 'b c']\nsplit: x\n"), &r, []string{"split"},
		[]string{"quiet", "table", "wide"})
	want := map[string]Values{"quiet": {Texts: []string{"true"}, Line: 2},
		"table": {Texts: []string{"a", "b c"}, List: true, Line: 3}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" || r.Seeds != "3" || r.Settings["split"] != "x" {
		t.Errorf("%v, %+v: %s", err, r, diff)
	}
	if _, err := ParseRun("f", []byte("table: {a: b}"), &r, nil, []string{"table"}); err == nil ||
		!strings.HasPrefix(err.Error(), "f:1: table: want one value") {
		t.Errorf("a mapping: %v", err)
	}
}

func TestLoadSuite(t *testing.T) {
	r := DefaultRun()
	if err := LoadSuite("default", &r); err != nil || len(r.Env) == 0 || len(r.Model) != 2 {
		t.Errorf("%v, %+v", err, r)
	}
}

// Reading a configuration never panics.
func FuzzParseRun(f *testing.F) {
	f.Add("model: vllm:a\nseeds: 1,5")
	f.Add("extra-body: {a: [1, {b: null}]}")
	f.Fuzz(func(t *testing.T, in string) {
		r := DefaultRun()
		_, _ = ParseRun("f", []byte(in), &r, []string{"model", "split"}, []string{"table", "seeds"})
	})
}

// What users write as a text stays that text, in every key that has texts, also if it looks like a number, a
// truth value, a date or nothing.
func TestTextsStayAsWritten(t *testing.T) {
	var fields []reflect.StructField
	for f := range reflect.TypeFor[Run]().Fields() {
		if f.Type.Kind() == reflect.String || f.Type == reflect.TypeFor[Strings]() {
			fields = append(fields, f)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[-+]?(0[xob])?[0-9a-f_]{1,12}`),
			rapid.StringMatching(`[-+]?[0-9_]{0,4}\.[0-9_]{1,4}([eE][-+]?[0-9]{1,3})?`),
			rapid.StringMatching(`[0-9]{1,4}[eE][-+]?[0-9]{1,4}`), rapid.StringMatching(`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}`),
			rapid.StringMatching(`[0-9]{4}-[01][0-9]-[0-3][0-9][Tt][0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z?`),
			rapid.StringMatching(`[0-9]{1,3}(:[0-5][0-9]){1,2}`),
			rapid.SampledFrom(strings.Fields("true True TRUE false yes Yes no NO on Off y n null Null NULL ~ .inf "+
				"-.Inf .NaN = << 1. .5 0 -0 00 007")),
		).Filter(func(s string) bool { return s != "-" && s != "+" }).Draw(t, "text")
		field := rapid.SampledFrom(fields).Draw(t, "field")
		forms := []string{"%s: %s\n", "%s: %s # said\n", "{%s: %s}\n", "%s:\n  %s\n", "%s: '%s'\n"}
		list := field.Type == reflect.TypeFor[Strings]()
		if list {
			forms = append(forms, "%s: [%s]\n", "%s:\n- %s\n", "%s: [ %s , ]\n")
		}
		file := fmt.Sprintf(rapid.SampledFrom(forms).Draw(t, "form"), field.Tag.Get("yaml"), text)
		r := DefaultRun()
		if _, err := ParseRun("f", []byte(file), &r, nil, nil); err != nil {
			t.Fatalf("%q: %v", file, err)
		}
		got := reflect.ValueOf(r).FieldByIndex(field.Index)
		if list && (got.Len() != 1 || got.Index(0).String() != text) || !list && got.String() != text {
			t.Fatalf("%q gives %q", file, got)
		}
	})
}
