package export

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// A folder has a Parquet file made of the other file, in every format, and a changed, missing or strange file is
// found.
func TestFolder(t *testing.T) {
	dirs := ofOneTask(t, solved(good(1), invalid(), good(3)), of(good(1), invalid(), invalid()))
	for _, f := range Formats() {
		if f == ETO { // no expert has played
			continue
		}
		o := options(t, f, dirs...)
		o.Folder, o.Command, o.Out = true, "heldout export run", filepath.Join(t.TempDir(), "hub", "data"+f.Extension())
		o.Parquet = func(_ Format, from, to string) error {
			b, err := os.ReadFile(from)
			return errors.Join(err, os.WriteFile(to, b, 0o644))
		}
		r := export(t, o)
		dir := filepath.Dir(o.Out)
		if card := read(t, filepath.Join(dir, cardName)); !strings.Contains(card, "path: data.parquet") ||
			!strings.Contains(card, "heldout export run") || !strings.Contains(card, "| pddl | ") ||
			r.Parts[0].ParquetBytes != r.Parts[0].Bytes || r.Parts[0].ParquetSHA256 != r.Parts[0].SHA256 {
			t.Errorf("%s: %s", f, card)
		}
		checked := sharedtest.Must(Check(dir))(t)
		sharedtest.Equal(t, len(checked), 4, f)
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

// Files that another program could not write whole leave nothing, and those that are there stay.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	made := func(force bool, failed error) error {
		_, err := Tables(filepath.Join(dir, "tables"), []string{"a.parquet", "b.parquet"}, force,
			func(places []string) error {
				for _, place := range places {
					if err := os.WriteFile(place, []byte(filepath.Base(place)), 0o644); err != nil {
						return err
					}
				}
				return failed
			})
		return err
	}
	if err := made(false, errors.New("no pyarrow")); err == nil {
		t.Error("a failure is no error")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	sharedtest.OK(t, made(false, nil))
	checked := sharedtest.Must(Check(dir))(t)
	sharedtest.Equal(t, len(checked), 3)
	for _, c := range checked {
		if c.Err != nil {
			t.Error(c)
		}
	}
	if made(false, nil) == nil || made(true, nil) != nil {
		t.Error("files are replaced without force, or not with it")
	}
}
