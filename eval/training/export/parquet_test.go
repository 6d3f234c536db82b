package export

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"heldout/envs/sharedtest"
)

// The Parquet file of a folder has the examples of the other file, in every format, and a
// changed, missing or strange file is found.
func TestFolder(t *testing.T) {
	dirs := ofOneTask(t, solved(good(1), invalid(), good(3)), of(good(1), invalid(), invalid()))
	same := func(f Format, file string) {
		switch f {
		case ShareGPT:
			sameRows[shareGPTExample](t, file)
		case OpenAI:
			sameRows[openAIExample](t, file)
		case TRL:
			sameRows[trlExample](t, file)
		case Axolotl:
			sameRows[axolotlExample](t, file)
		case KTO:
			sameRows[labelExample](t, file)
		case PRM:
			sameRows[stepsExample](t, file)
		case DPO, StepDPO:
			sameRows[pairExample](t, file)
		}
	}
	for _, f := range Formats() {
		if f == ETO { // no expert has played
			continue
		}
		o := options(t, f, dirs...)
		o.Folder, o.Command, o.Out = true, "heldout export run", filepath.Join(t.TempDir(), "hub", "data"+f.Extension())
		r := export(t, o)
		dir := filepath.Dir(o.Out)
		if card := read(t, filepath.Join(dir, cardName)); !strings.Contains(card, "path: data.parquet") ||
			!strings.Contains(card, "heldout export run") || !strings.Contains(card, "| pddl | ") ||
			r.Parts[0].ParquetBytes == 0 {
			t.Errorf("%s: %s", f, card)
		}
		same(f, o.Out)
		checked, err := Check(dir)
		if err != nil || len(checked) != 4 {
			t.Errorf("%s: %+v, %v", f, checked, err)
		}
		for _, c := range checked {
			if c.Err != nil {
				t.Error(c)
			}
		}
		for _, name := range []string{cardName, "data.parquet", "more.txt"} {
			file := filepath.Join(dir, name)
			old, _ := os.ReadFile(file)
			sharedtest.OK(t, os.WriteFile(file, append(old, ' '), 0o644))
			bad := 0
			checked, err := Check(dir)
			for _, c := range checked {
				if c.Err != nil && filepath.Base(c.File) == name {
					bad++
				}
			}
			if bad != 1 || err != nil {
				t.Errorf("%s: %s was changed, and found %d times; %v", f, name, bad, err)
			}
		}
	}
}

// sameRows compares the rows of a Parquet file with the lines beside it.
func sameRows[Example any](t *testing.T, file string) {
	t.Helper()
	rows := sharedtest.Must(parquet.ReadFile[Example](strings.TrimSuffix(file, ".jsonl") + ".parquet"))(t)
	var got strings.Builder
	for _, row := range rows {
		b := sharedtest.Must(json.Marshal(row))(t)
		got.Write(append(b, '\n'))
	}
	var want strings.Builder
	for _, line := range lines[Example](t, file) {
		b := sharedtest.Must(json.Marshal(line))(t)
		want.Write(append(b, '\n'))
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" || len(rows) == 0 {
		t.Errorf("%s: %.2000s", file, diff)
	}
}
