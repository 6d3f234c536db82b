//go:build unix

package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/share/bundle"
	"heldout/scoring/record"
)

// extremes are what a field of a type is set to.
func extremes(t reflect.Type) (values []reflect.Value) {
	add := func(v any) { values = append(values, reflect.ValueOf(v).Convert(t)) }
	nested := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		add([]byte(nested))
		add([]byte(`"` + strings.Repeat("x", 1<<20) + `"`))
	case t.Kind() == reflect.Interface:
		add(json.RawMessage(nested))
		add(strings.Repeat("x", 1<<20))
		add(json.Number("1e999999999"))
	case t.Kind() == reflect.String:
		add("")
		add(strings.Repeat("x ", 1<<19))
	case t.Kind() == reflect.Float64:
		add(math.MaxFloat64)
		add(-1.0)
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		add(math.MaxInt64)
		add(2_000_000_000)
		add(math.MinInt64)
		add(0)
	}
	return values
}

// eachExtreme sets one field after the other to its extremes, also the fields of parts that
// are not there, and calls try each time.
func eachExtreme(v reflect.Value, path string, try func(path string)) {
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	defer v.Set(before)
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if !before.IsNil() {
			v.Elem().Set(before.Elem())
		}
		eachExtreme(v.Elem(), path, try)
		return
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				eachExtreme(v.Field(i), path+"."+f.Name, try)
			}
		}
		return
	case reflect.Map:
		eachEntry(v, path, try)
		return
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), max(1, v.Len()), max(1, v.Len())))
			reflect.Copy(v, before)
			eachExtreme(v.Index(0), path+"[0]", try)
			return
		}
	}
	for i, value := range extremes(v.Type()) {
		v.Set(value)
		try(fmt.Sprintf("%s, extreme %d", path, i))
	}
}

// eachEntry is eachExtreme of a map: an entry with an extreme value, and one with a long key.
func eachEntry(v reflect.Value, path string, try func(path string)) {
	value := reflect.New(v.Type().Elem()).Elem()
	for _, key := range []string{"vllm:m", strings.Repeat("k", 1<<20)} {
		entry := func(path string) {
			m := reflect.MakeMap(v.Type())
			m.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), value)
			v.Set(m)
			try(path)
		}
		if len(key) > 10 {
			entry(path + ", long key")
			continue
		}
		eachExtreme(value, path+"[key]", entry)
	}
}

// answer fails a test if an answer takes long or much memory.
func answer(t *testing.T, path string, ask func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := sharedtest.ProcessorTime(t)
	ask()
	took := sharedtest.ProcessorTime(t) - start
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 2*time.Second || mb > 200 {
		t.Errorf("%s: it took %v and %d MB", path, took, mb)
	}
}

// No field of run.json keeps those who read and check it busy.
func TestExtremesOfManifest(t *testing.T) {
	run := read(t, play(t, bench.Plain, func(r *configs.Run) { r.Limit, r.Seeds = 1, "1" }))
	cases, every := 0, sharedtest.Every(t, 40, 6)
	eachExtreme(reflect.ValueOf(run.manifest).Elem(), "run.json", func(path string) {
		if cases++; cases%every > 0 {
			return
		}
		dir := consistent(t, run)
		answer(t, path, func() {
			m, err := record.ReadManifest(dir)
			if err != nil && len(err.Error()) > 10_000 {
				t.Errorf("%s: the error has %d bytes", path, len(err.Error()))
			}
			if err == nil {
				m.Plan()
			}
			c := &bundle.Contents{Runs: []record.Parts{{dir}}, Tables: filepath.Join(dir, "run.json")}
			r, err := Check(t.Context(), c, options())
			if err != nil {
				t.Errorf("%s: %v", path, err)
			} else if n := len(fmt.Sprint(r.Claims)); n > 100_000 {
				t.Errorf("%s: the claims have %d bytes", path, n)
			}
		})
		sharedtest.OK(t, os.RemoveAll(dir))
	})
	if cases < 200 {
		t.Errorf("only %d cases", cases)
	}
}

// consistent writes a run so that nothing but its limits is wrong with its manifest.
func consistent(t *testing.T, run *forged) string {
	t.Helper()
	m := *run.manifest
	g := m.Groups[0]
	env := m.Environments[0]
	env.Name, env.Source, env.Settings = g.Condition.Env, g.Condition.Source, g.Condition.Settings
	env.Protocol = g.Condition.Preset.Key()
	ids, err := record.EpisodeIDs(max(1, m.Behaviour), env.Tasks, g.Condition)
	if err == nil {
		g.Episodes = ids
	}
	m.Environments, m.Groups = []record.Environment{env}, []record.Group{g}
	b, err := json.Marshal(m)
	if err != nil {
		b = []byte(`{"schema":2,"groups":` + strings.Repeat("[", 20_000) + "}")
	}
	dir := sharedtest.Must(os.MkdirTemp(t.TempDir(), "run"))(t)
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, "run.json"), record.Seal(b), 0o644))
	return dir
}

// Nor does any field of bundle.json.
func TestExtremesOfBundle(t *testing.T) {
	run := play(t, bench.Plain, func(r *configs.Run) { r.Limit, r.Seeds = 1, "1" })
	dir := t.TempDir()
	c := sharedtest.Must(bundle.Stage(t.Context(), dir, []record.Parts{{run}}, configs.About{}))(t)
	about, cases, every := c.Manifest, 0, sharedtest.Every(t, 8)
	eachExtreme(reflect.ValueOf(&about).Elem(), "bundle.json", func(path string) {
		if cases++; cases%every > 0 {
			return
		}
		b := sharedtest.Must(record.EncodeFile(about))(t)
		sharedtest.OK(t, os.WriteFile(filepath.Join(dir, "bundle.json"), b, 0o644))
		file := filepath.Join(t.TempDir(), "x"+bundle.Extension)
		f := sharedtest.Must(os.Create(file))(t)
		sharedtest.OK(t, bundle.Pack(f, dir, c))
		sharedtest.OK(t, f.Close())
		answer(t, path, func() {
			if _, err := File(t.Context(), file, t.TempDir(), options()); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		})
	})
}

// A fault of this machine's files is an error of the command and no claim.
func TestMachineFaults(t *testing.T) {
	file := sharedtest.Must(pack(t, play(t, bench.Plain, func(r *configs.Run) { r.Limit, r.Seeds = 1, "1" })))(t)
	inTheWay := t.TempDir()
	sharedtest.OK(t, os.WriteFile(filepath.Join(inTheWay, "run-1"), nil, 0o644))
	for _, dir := range []string{inTheWay, filepath.Join(inTheWay, "absent")} {
		if r, err := File(t.Context(), file, dir, options()); err == nil {
			t.Errorf("%s: %v", dir, r.Claims)
		}
	}
	o := options()
	o.Signers = filepath.Join(inTheWay, "absent")
	if r, err := File(t.Context(), file, t.TempDir(), o); err == nil {
		t.Errorf("without the file of signers: %v", r.Claims)
	}
	full := fmt.Errorf("run-1/run.json: %w", errors.Join(&fs.PathError{Op: "write", Err: syscall.ENOSPC}, nil))
	if !bundle.MachineFault(full) || bundle.MachineFault(io.ErrUnexpectedEOF) {
		t.Error("a full disk is not told from a damaged bundle")
	}
}
