package configs

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// presetKeys visits the keys of presets, each with its values.
func presetKeys(v reflect.Value, visit func(key string, value reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v = reflect.New(v.Type().Elem())
		}
		presetKeys(v.Elem(), visit)
	case reflect.Slice:
		if v.Len() == 0 {
			presetKeys(reflect.Zero(v.Type().Elem()), visit)
		}
		for i := range v.Len() {
			presetKeys(v.Index(i), visit)
		}
	case reflect.Map:
		presetKeys(reflect.Zero(v.Type().Elem()), visit)
		for _, key := range v.MapKeys() {
			presetKeys(v.MapIndex(key), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
			prompts := v.Field(i).Type() == reflect.TypeFor[*Template]()          // the language of prompt files
			if key == "-" || v.Type() == reflect.TypeFor[Decoding]() || prompts { // the options of a run
				continue
			}
			if key != "" {
				visit(key, v.Field(i))
			}
			presetKeys(v.Field(i), visit)
		}
	}
}

// The language of presets has at most 60 keys, and each is used by heldout's default or by two
// shipped presets: what one protocol alone does is a form.
func TestKeysAreShared(t *testing.T) {
	used := map[string][]string{}
	presetKeys(reflect.ValueOf(Preset{}), func(key string, _ reflect.Value) { used[key] = nil })
	if len(used) > 60 {
		t.Errorf("there are %d keys", len(used))
	}
	for _, name := range PresetNames() {
		b := sharedtest.Must(PresetText(name))(t)
		var p Preset // as it is written, without its form
		sharedtest.OK(t, decode(name, b, &p))
		presetKeys(reflect.ValueOf(p), func(key string, value reflect.Value) {
			if !value.IsZero() && !slices.Contains(used[key], name) {
				used[key] = append(used[key], name)
			}
		})
	}
	for key, by := range used {
		if len(by) < 2 && !slices.Contains(by, "agentrefine") {
			t.Errorf("%s is used by %q", key, by)
		}
		if len(by) < 4 {
			t.Logf("%s is used by %q", key, by)
		}
	}
}

// A released preset keeps its hash, which covers all rules of its form: another rule needs
// another version of form and preset. Every form belongs to a preset.
func TestReleasedHashes(t *testing.T) {
	want := sharedtest.Must(os.ReadFile("testdata/released.txt"))(t)
	names := PresetNames()
	got, unused := "", ProtocolForms()
	for _, name := range names {
		whole := sharedtest.Must(LoadPreset(name))(t)
		parts := sharedtest.Must(whole.Split())(t)
		for _, p := range append(parts, whole) {
			unused = slices.DeleteFunc(unused, func(form string) bool { return form == p.Protocol })
		}
		for _, p := range parts {
			hash := sharedtest.Must(p.Hash())(t)
			got += p.ID(false) + " " + hash + "\n"
		}
		for _, part := range whole.Env.Default {
			if !slices.Contains(whole.PartNames(), part) {
				t.Errorf("%s has no part %s", name, part)
			}
		}
	}
	sharedtest.Same(t, got, string(want), "testdata/released.txt lacks lines of new presets, or released ones changed, "+
		"which need a new version")
	if len(unused) > 0 {
		t.Errorf("no preset has the forms %q", unused)
	}
}

// The hash covers name and version of a form from its second version on.
func TestVersionsOfForms(t *testing.T) {
	hash := func(form string) string {
		return sharedtest.Must((&Preset{Protocol: form}).Hash())(t)
	}
	if hash("tales@1") != hash("") || hash("tales@2") == hash("tales@1") || hash("tales@2") == hash("eto@2") {
		t.Error("the hash does not tell versions of forms apart")
	}
}
