package configs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// Training data that are not declared differ from training data declared to be none.
func TestLoadAbout(t *testing.T) {
	file := filepath.Join(t.TempDir(), "about.yaml")
	text := "who: A. Author\nlicence: CC-BY-4.0\nmodels:\n  vllm:tuned:\n    sha256: " + strings.Repeat("0a", 32) +
		"\n    parameters: 7.5\n    training_data: []\n    training_tasks: [a.json]\n  vllm:base: {base: vllm:none}\n"
	sharedtest.OK(t, os.WriteFile(file, []byte(text), 0o600))
	got := sharedtest.Must(LoadAbout(file))(t)
	want := About{Authors: "A. Author", Licence: "CC-BY-4.0", Models: map[string]AboutModel{
		"vllm:tuned": {SHA256: strings.Repeat("0a", 32), Parameters: 7.5, TrainingData: []string{},
			TrainingTasks: []string{"a.json"}},
		"vllm:base": {Base: "vllm:none"},
	}}
	sharedtest.Same(t, got, want)
}

func TestLoadAboutErrors(t *testing.T) {
	long := strings.Repeat("é", longestAbout)
	many := strings.Repeat("x, ", mostAbout+1)
	var models strings.Builder
	for i := range mostAbout + 1 {
		fmt.Fprintf(&models, "  m%d: {}\n", i)
	}
	for text, want := range map[string]string{
		"who: " + long:                "",
		"who: x" + long:               `"who": the text is longer than 300 characters`,
		`who: "a\nb"`:                 `"who": the text is longer than 300 characters, or some do not print`,
		"author: x":                   "unknown key",
		"# nobody\n":                  "says nothing",
		"models:\n" + models.String(): "models: there are 101, the limit is 100",
		"models: {m: {sha256: " + strings.Repeat("A", 64) + "}}": `the sha256 of "m" is not 64 hex digits in lower case`,
		"models: {m: {parameters: -1}}":                          "the parameters of \"m\" are -1, want billions",
		"models: {m: {parameters: .nan}}":                        "models, m, parameters: want a number, not .nan",
		"models: {m: {training_tasks: [" + many + "]}}":          "the training_tasks of \"m\" has 101 entries",
		"models: {m: {training_data: [" + many + "]}}":           "the training_data of \"m\" has 101 entries",
		`models: {m: {training_data: [a, "\t"]}}`:                `"training_data 2 of m"`,
		`models: {m: {revision: "\0"}}`:                          `"revision of m"`,
	} {
		file := filepath.Join(t.TempDir(), "about.yaml")
		sharedtest.OK(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := LoadAbout(file)
		if want == "" && err != nil ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file)) {
			t.Errorf("%.60q: error %v, want %q", text, err, want)
		}
	}
	sharedtest.Fails(t, sharedtest.Err(LoadAbout(filepath.Join(t.TempDir(), "none.yaml"))), "",
		"a file that is not there is read")
}
