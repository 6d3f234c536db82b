package configs

import (
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

func TestLoadReflection(t *testing.T) {
	for i, version := range ReflectionVersions() {
		r := sharedtest.Must(LoadReflection(version))(t)
		if len(r.Examples) != 2-2*i || !strings.Contains(r.Instruction, "plan") || strings.Contains(r.Memory, "\n") {
			t.Errorf("%+v", r)
		}
	}
}

func TestParseReflection(t *testing.T) {
	for text, want := range map[string]string{
		"instruction: x\nmemory: y\n":                                        "",
		"memory: y\n":                                                        "f: instruction is missing or empty",
		"instruction: x\n":                                                   "f: memory is missing or empty",
		"instruction: ' '\nmemory: y\n":                                      "f: instruction is missing or empty",
		"instruction: x\nmemory: y\nexamples: [{trial: t}]\n":                "f: example 1 needs a trial and a",
		"instruction: x\nmemory: y\nreflexion: 1\n":                          `unknown key "reflexion"`,
		"instruction: x\nmemory: y\nexamples: [{trial: t, reflection: p}]\n": "",
		"instruction: x\nmemory: y\n---\ninstruction: x\n":                   "more than one YAML document",
		"": "f: instruction is missing or empty",
		"instruction: " + strings.Repeat("x", 300<<10) + "\nmemory: y\n": "more than",
	} {
		_, err := Parse[Reflection]("f", []byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzParseReflection(f *testing.F) {
	f.Add([]byte("instruction: x\nmemory: y\nexamples: [{trial: t, reflection: p}]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := Parse[Reflection]("f", b); err == nil && strings.TrimSpace(r.Instruction) == "" {
			t.Errorf("%q has no instruction", b)
		}
	})
}
