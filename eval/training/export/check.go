package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"heldout/envs/datafile"
	"heldout/envs/testset"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// manifestEnd ends the names of manifests.
const manifestEnd = ".manifest.json"

// maxManifest is the largest manifest that is read, in bytes.
const maxManifest = 16 << 20

// Checked is what was found of a file.
type Checked struct {
	File      string
	Err       error    // how it differs from what was written; nil if it does not
	Uncovered []string // the names of what in it has no checksum
}

// Check compares the files of exports in a directory with their manifests, and the
// files of a directory of heldout synth or heldout judge with their checksums.
func Check(dir string) (out []Checked, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), manifestEnd) {
			out = append(out, checkExport(filepath.Join(dir, e.Name()))...)
		}
	}
	for _, k := range []record.LogKind{record.SynthLog, record.JudgeLog, record.ThinkLog} {
		if record.IsLog(dir, k) {
			out = append(out, checkLog(dir, k)...)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no manifest of an export (*%s) and is not of heldout synth, judge or think",
			dir, manifestEnd)
	}
	return out, nil
}

func checkExport(name string) []Checked {
	var m struct {
		Parts []PartReport `json:"parts"`
		Card  string       `json:"card_sha256"`
	}
	b, err := datafile.Read(name, maxManifest)
	covered := true
	if err == nil {
		covered, err = record.DecodeFile(b, &m)
	}
	if n := len(m.Parts); n > mostParts {
		err, m.Parts = fmt.Errorf("it names %d parts, the limit is %d", n, mostParts), nil
	}
	out := []Checked{{File: name, Err: err}}
	if !covered {
		out[0].Uncovered = []string{name}
	}
	check := func(file, want string) {
		c := Checked{File: filepath.Join(filepath.Dir(name), filepath.Base(file))}
		sum, err := datafile.Sum(c.File)
		if c.Err = err; err == nil && sum != want {
			c.Err = fmt.Errorf("it has the SHA-256 %s, its manifest says %s: it was changed after it was written", sum,
				want)
		}
		out = append(out, c)
	}
	named := map[string]bool{filepath.Base(name): true, cardName: true}
	for _, p := range m.Parts {
		check(p.File, p.SHA256)
		if named[filepath.Base(p.File)] = true; p.Parquet != "" {
			check(p.Parquet, p.ParquetSHA256)
			named[filepath.Base(p.Parquet)] = true
		}
	}
	if m.Card != "" {
		check(cardName, m.Card)
		out = append(out, strangers(filepath.Dir(name), named)...)
	}
	return out
}

// ReadTasks returns the tasks of an export, by their digests, from its manifest.
func ReadTasks(manifest string) (testset.List, error) {
	b, err := datafile.Read(manifest, maxManifest)
	if err != nil {
		return nil, err
	}
	var m struct {
		Tasks testset.List `json:"task_digests"`
	}
	if _, err = record.DecodeFile(b, &m); err == nil && m.Tasks == nil {
		err = errors.New("it does not say which tasks it has: name a manifest that this version of heldout export " +
			"wrote, such as data.jsonl" + manifestEnd)
	}
	if err == nil {
		err = m.Tasks.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	return m.Tasks, nil
}

// strangers are the files in the folder of a card that its manifest does not name: a hub would publish them, too.
func strangers(dir string, named map[string]bool) (out []Checked) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []Checked{{File: dir, Err: err}}
	}
	for _, e := range entries {
		if !named[e.Name()] && !strings.HasPrefix(e.Name(), ".") {
			cause := errors.New("the manifest does not name it")
			out = append(out, Checked{File: filepath.Join(dir, e.Name()), Err: cause})
		}
	}
	return out
}

// checkLog checks a directory of calls.
func checkLog(dir string, kind record.LogKind) []Checked {
	about := Checked{File: filepath.Join(dir, kind.Manifest)}
	covered, err := record.ReadLogManifest(dir, kind, &struct{}{})
	if about.Err = err; err == nil && !covered {
		about.Uncovered = []string{about.File}
	}
	calls, err := record.CheckCalls(dir)
	out := []Checked{about, {File: calls, Err: err}}
	for _, name := range kind.Results {
		// a killed command has none yet
		if c := checkLines(filepath.Join(dir, name)); !errors.Is(c.Err, os.ErrNotExist) {
			out = append(out, c)
		}
	}
	return out
}

func checkLines(name string) Checked {
	bare, err := synth.EachLineOf(name, func(_ int, line []byte) error {
		if !json.Valid(line) {
			return errors.New("it is not JSON")
		}
		return nil
	})
	return Checked{name, err, record.Uncovered(bare, name)}
}

// mostPrinted bounds a name or an error that is printed, in bytes: manifests may hold any.
const mostPrinted = 4000

// CheckAll checks folders of exports, and writes a line for each file. uncovered are the files and
// lines without a checksum; an error is there if some file is not as it was written.
func CheckAll(w io.Writer, dirs []string) (uncovered []string, err error) {
	files, bad := 0, 0
	for _, dir := range dirs {
		checked, err := Check(dir)
		if err != nil {
			return nil, err
		}
		for _, c := range checked {
			uncovered = append(uncovered, c.Uncovered...)
			files++
			status := c.File + ": as written"
			if c.Err != nil {
				bad++
				status = datafile.Named(c.File, c.Err).Error()
			}
			if _, err := fmt.Fprintln(w, table.Printable(table.Shortened(status, mostPrinted))); err != nil {
				return nil, err
			}
		}
	}
	if bad > 0 {
		return uncovered, fmt.Errorf("%d of %s differ from what was written; the commands that wrote them write them again", bad,
			table.Counted(files, "file"))
	}
	return uncovered, nil
}
