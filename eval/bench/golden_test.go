package bench

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

// recorded is a file of requests that an original harness sent. configs/compared.yaml has
// how far presets reproduce it.
type recorded struct {
	File string
	// preset plays it, {env} standing for the last word of the file's protocol.
	Preset string
	// originals is the checkout of the source in the folder of originals.
	Originals string
	// elsewhere: the recorded tasks are not the preset's.
	Elsewhere bool
	// settings replace the preset's.
	Settings map[string]string
	// whole: what is compared holds for all parts of the preset.
	Whole bool
	// served: the game of AgentGym whose server answers as it did.
	Served string
	// Long: the short form leaves it out, and plays another one of this protocol.
	Long bool
}

// goldenFiles are all files of recorded protocols.
func goldenFiles(t testing.TB) []recorded { return sharedtest.Cases[recorded](t, "golden.yaml") }

// Every recorded file is in the table.
func TestGoldenFilesAreComplete(t *testing.T) {
	folder := sharedtest.Golden(t, "protocols")
	files := sharedtest.Must(filepath.Glob(filepath.Join(folder, "*.jsonl.gz")))(t)
	deeper := sharedtest.Must(filepath.Glob(filepath.Join(folder, "*", "*.jsonl.gz")))(t)
	all := goldenFiles(t)
	for _, file := range append(files, deeper...) {
		name := sharedtest.Must(filepath.Rel(folder, file))(t)
		name = strings.TrimSuffix(filepath.ToSlash(name), ".jsonl.gz")
		if strings.HasSuffix(name, ".outcomes") {
			continue
		}
		if !slices.ContainsFunc(all, func(r recorded) bool { return r.File == name }) {
			t.Errorf("%s is in no table", name)
		}
	}
}

// Every recorded task is played under its preset with the recorded replies, by the client and the server of a run.
// Every request is compared with the original's, and so are outcome and score.
func TestGoldenRequests(t *testing.T) {
	folder := sharedtest.Golden(t, "protocols")
	counted := sharedtest.Must(configs.Comparisons())(t)
	for _, file := range goldenFiles(t) {
		t.Run(file.File, func(t *testing.T) {
			if file.Long {
				sharedtest.Heavy(t)
			}
			t.Parallel()
			if strings.HasSuffix(file.Preset, ":seen") && strings.Contains(file.Preset, "gigpo") {
				seenGames(t)
			}
			file.check(t, folder, counted)
		})
	}
}

// check plays a file, and compares what is equal with what configs/compared.yaml has.
func (f recorded) check(t *testing.T, folder string, counted []configs.Comparison) {
	t.Helper()
	was := slices.DeleteFunc(slices.Clone(counted), func(c configs.Comparison) bool { return c.File != f.File })
	cases := readCases(t, folder, f.File)
	some := cases
	if f.Served == "" && !slices.ContainsFunc(was, differs) {
		some = sharedtest.Sample(t, cases, 1)
	}
	var found []configs.Comparison
	var differences []string
	for n, c := range some {
		s := f.compare(t, folder, c, n == 0)
		i := slices.IndexFunc(found, func(f configs.Comparison) bool { return f.Preset == s.Preset })
		if i < 0 {
			i, found = len(found), append(found, configs.Comparison{File: f.File, Preset: s.Preset})
		}
		found[i].Add(s.Comparison)
		differences = append(differences, s.differences...)
	}
	for _, line := range firstOfEach(differences) {
		t.Log(line)
	}
	if len(some) < len(cases) {
		if i := slices.IndexFunc(found, differs); i >= 0 {
			t.Errorf("all requests and outcomes were equal, and now there are\n%s", lines(found[i:i+1]))
		}
		return
	}
	slices.SortFunc(found, func(a, b configs.Comparison) int { return strings.Compare(a.Preset, b.Preset) })
	if !slices.Equal(was, found) {
		t.Errorf("configs/compared.yaml has\n%sand now there are\n%s"+
			"Write that if it is better, and mend the preset if it is not.", lines(was), lines(found))
	}
}

// differs reports whether not all of a comparison is equal.
func differs(c configs.Comparison) bool {
	return c.Equal < c.Requests || c.Same < c.Outcomes || c.Extra > 0
}

// lines writes comparisons for their file.
func lines(list []configs.Comparison) string {
	text, err := yaml.MarshalWithOptions(list, yaml.Flow(true))
	return fmt.Sprintln(string(text), err)
}
