//go:build unix

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/training/export"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

var everyFlip = flag.Bool("every-flip", false, "change every byte in all ways, not in one")

// flips counts what became of changed bytes.
type flips struct{ bytes, changes, refused, harmless int }

// flip changes every byte of a file, one at a time, in the long form one of 20 and in the short one of 40: in turn
// one of its bits, or the whole byte to a line break, a blank or a digit; with -every-flip each byte in all these
// ways. Look says what a reader makes of the file; an error is a refusal. Anything that it is silent about and that
// differs fails the test.
func flip(t *testing.T, file string, look func() (string, error)) (f flips) {
	t.Helper()
	content := sharedtest.Must(os.ReadFile(file))(t)
	want := sharedtest.Must(look())(t)
	f.bytes = len(content)
	every := sharedtest.Every(t, 40, 20)
	for i, original := range content {
		if i%every != 0 {
			continue
		}
		others := []byte{'\n', ' ', '7'}
		for bit := range 8 {
			others = append(others, original^1<<bit)
		}
		if !*everyFlip {
			others = others[i%len(others):][:1]
		}
		for _, c := range others {
			if c == original {
				continue
			}
			content[i] = c
			sharedtest.OK(t, os.WriteFile(file, content, 0o644))
			f.changes++
			switch got, err := look(); {
			case err != nil:
				f.refused++
			case got == want:
				f.harmless++
			default:
				t.Errorf("%s: byte %d is %q instead of %q, and nothing says so", file, i, c, original)
			}
		}
		content[i] = original
	}
	sharedtest.OK(t, os.WriteFile(file, content, 0o644))
	t.Logf("%s: %d bytes, %d changes: %d refused, %d harmless, %d silent", filepath.Base(file), f.bytes, f.changes,
		f.refused, f.harmless, f.changes-f.refused-f.harmless)
	return f
}

// quiet is a system whose commands print nothing on standard error.
func quiet() *system {
	s := &system{stdout: io.Discard, stderr: io.Discard, getenv: noVariables}
	s.open()
	return s
}

// allTables are all tables of a run, as JSON.
func allTables(dir string) (string, error) {
	if _, err := scoring.ReadResults(record.Parts{dir}); err != nil {
		return "", err // as the tables do, in less time
	}
	o := output{Inputs: report.Inputs{Interval: string(stats.TheseKinds)}}
	from, err := o.read(quiet(), []record.Chosen{{Parts: record.Parts{dir}}}, true)
	if err != nil {
		return "", err
	}
	var tables []table.Table
	for _, kind := range report.IDs() {
		tables = append(tables, from.Tables(kind)...)
	}
	var b bytes.Buffer
	err = table.Render(&b, table.JSON, tables...)
	return b.String(), err
}

// Whatever byte of a run is changed, it is refused, or its tables are what they were. So
// is what the index of the pages and of heldout runs says.
func TestFlippedRun(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	sharedtest.OK(t, exec.Command("heldout", "run", "--env", "pddl", "--tasks", "0-1", "--model", "random",
		"--step-limit", "2", "--quiet", "--out", dir).Run())
	for _, file := range []string{"run.json", "episodes.jsonl"} {
		f := flip(t, filepath.Join(dir, file), func() (string, error) { return allTables(dir) })
		if f.refused < f.changes*9/10 {
			t.Errorf("%s: only %d of %d changes are refused", file, f.refused, f.changes)
		}
		flip(t, filepath.Join(dir, file), func() (string, error) {
			x, err := record.OpenIndex(record.Parts{dir})
			if err == nil && len(x.Bad) > 0 {
				err = x.Bad[0].Cause
			}
			if err != nil {
				return "", err
			}
			said := fmt.Sprintf("%+v", x.Manifest)
			for i := range x.Results().Len() {
				said += fmt.Sprintf(" %+v", x.Results().Result(i))
			}
			return said, nil
		})
	}
}

// Whatever byte of synthetic trajectories is changed, they are refused, or export writes
// what it wrote. Of items, labels and exports, export --check says so.
func TestFlippedTrainingData(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	at := t.TempDir()
	made, judged, out := filepath.Join(at, "made"), filepath.Join(at, "judged"), filepath.Join(at, "out")
	command := func(args ...string) {
		t.Helper()
		if said, err := exec.Command("heldout", args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, said)
		}
	}
	sharedtest.OK(t, os.Mkdir(out, 0o755))
	command("synth", "--model", "vllm:fake", "--base-url", server.URL+"/v1", "--max-tokens", "1000", "--quiet",
		"--count", "4", "--out", made)
	command("judge", made, "--model", "vllm:fake", "--base-url", server.URL+"/v1", "--trajectories", "2", "--quiet",
		"--out", judged)
	command("export", made, "--format", "openai", "--out", filepath.Join(out, "data.jsonl"))

	exported := filepath.Join(at, "again.jsonl")
	flip(t, filepath.Join(made, record.TrajectoriesFile), func() (string, error) {
		o := export.Options{Sources: []string{made}, Format: export.OpenAI, Out: exported, Force: true,
			Duplicates: export.SameMessages, Mask: export.Marks()}
		if _, err := export.Run(t.Context(), o); err != nil {
			return "", err
		}
		b, err := os.ReadFile(exported)
		return string(b), err
	})
	check := func(file string) {
		t.Helper()
		flip(t, file, func() (string, error) {
			checked, err := export.Check(filepath.Dir(file))
			var uncovered []string
			for _, c := range checked {
				err = errors.Join(err, c.Err)
				uncovered = append(uncovered, c.Uncovered...)
			}
			return fmt.Sprint(uncovered), err
		})
	}
	check(filepath.Join(made, "synth.json"))
	check(filepath.Join(made, record.ItemsFile))
	check(filepath.Join(judged, record.LabelsFile))
	check(filepath.Join(judged, "judge.json"))
	check(filepath.Join(out, "data.jsonl"))
	check(filepath.Join(out, "data.jsonl.manifest.json"))
}
