package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"heldout/envs/datafile"
)

// LogKind is a kind of directory that holds model calls rather than episodes.
type LogKind struct {
	Command  string   // the command that makes such directories
	Manifest string   // the file that says under which condition the calls are made
	Results  []string // the files that follow from the calls
}

// The files of results: lines that end in their checksums.
const (
	TrajectoriesFile = "trajectories.jsonl" // the synthetic items that passed and stay
	ItemsFile        = "items.jsonl"        // what became of every synthetic item
	LabelsFile       = "labels.jsonl"       // a judge's labels of turns
	ThoughtsFile     = "thoughts.jsonl"     // the thoughts of experts, an episode a line
)

// The kinds of directories with model calls.
var (
	SynthLog = LogKind{Command: "heldout synth", Manifest: "synth.json", Results: []string{TrajectoriesFile, ItemsFile}}
	JudgeLog = LogKind{Command: "heldout judge", Manifest: "judge.json", Results: []string{LabelsFile}}
	ThinkLog = LogKind{Command: "heldout think", Manifest: "think.json", Results: []string{ThoughtsFile}}
)

// Thoughts is a line of ThoughtsFile: what an expert thinks before each step of an episode,
// "" where no thought could be read.
type Thoughts struct {
	Episode  string   `json:"episode"`
	Thoughts []string `json:"thoughts"`
}

const (
	callsFile      = "calls.jsonl"
	maxLogManifest = 16 << 20 // the largest manifest of a log that is read, in bytes
)

// Log is a directory of model calls that this process works on: a manifest, and one line for every call that came
// to an end. Lines are only ever added, and each is on disk before it counts. It is safe for concurrent use.
type Log struct {
	*appender
	kind LogKind
}

// Span is where a line stands in the file of calls, in bytes.
type Span struct{ Offset, Length int64 }

// OpenLog opens a directory for work, creates it if necessary, and locks out other
// processes until Close. visit receives each line with its place; the line is only
// valid during the call. A directory that holds anything else is refused.
func OpenLog(dir string, kind LogKind, visit func(line []byte, span Span) error) (*Log, error) {
	if err := kind.suits(dir); err != nil {
		return nil, err
	}
	a, err := openAppender(realDisk(), dir, callsFile, "calls")
	if err != nil {
		return nil, err
	}
	l := &Log{appender: a, kind: kind}
	if err := l.resume(checking, calls(l.name, visit)); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

// suits reports a directory that is not for logs of this kind.
func (k LogKind) suits(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || IsLog(dir, k) {
		return nil
	}
	if err != nil {
		return err
	}
	if IsRun(dir) {
		return fmt.Errorf("%s is a run directory: give another --out", dir)
	}
	if err := checkLogKind(dir, episodesFile); err != nil {
		return err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == lockFile, leftover.MatchString(name):
		case name == callsFile:
			if info, err := e.Info(); err == nil && info.Size() > 0 {
				return fmt.Errorf("%s holds calls, but its %s is missing: put it back, or give another --out", dir,
					k.Manifest)
			}
		default:
			return fmt.Errorf("%s holds other files, such as %s: give a folder of %s, an empty one or a new one", dir,
				name, k.Command)
		}
	}
	return nil
}

// checkLogKind reports a directory that belongs to another kind of log than the file that is to be opened in it.
func checkLogKind(dir, base string) error {
	if base == callsFile {
		return nil // suits has looked
	}
	for _, k := range []LogKind{SynthLog, JudgeLog, ThinkLog} {
		if IsLog(dir, k) {
			return fmt.Errorf("%s is a folder of %s: give another --out", dir, k.Command)
		}
	}
	return nil
}

// Calls visits all lines of the file, also this session's.
func (l *Log) Calls(visit func(line []byte, span Span) error) error {
	content, err := l.content()
	if err == nil {
		err = scan(content, l.name, checking, calls(l.name, visit))
	}
	return err
}

// CheckCalls checks the calls of a directory, but not what was asked.
func CheckCalls(dir string) (name string, err error) {
	name = filepath.Join(dir, callsFile)
	f, err := datafile.Open(name, datafile.Unlimited)
	if err != nil {
		return name, err
	}
	defer f.Close()
	return name, scan(f, name, checking, calls(name, func([]byte, Span) error { return nil }))
}

// calls visits the lines of a file of calls.
func calls(name string, visit func([]byte, Span) error) func(*scanned) error {
	return func(l *scanned) error {
		if l.torn {
			return nil
		}
		if l.bad != nil {
			return fmt.Errorf("%s:%d: %w; remove the line, and its call is made again", name, l.number, l.bad)
		}
		if err := visit(l.raw, Span{l.offset, int64(len(l.raw))}); err != nil {
			return fmt.Errorf("%s:%d: %w", name, l.number, err)
		}
		return nil
	}
}

// checkCall checks schema and checksum of a line.
func checkCall(raw []byte, _ *Episode) error {
	var l struct {
		Schema int `json:"schema"`
	}
	if err := unmarshal(raw, &l); err != nil {
		return err
	}
	if !readable(l.Schema) {
		return &schemaError{l.Schema}
	}
	return checkSeal(raw, "line")
}

// Line returns a line of the file.
func (l *Log) Line(span Span) ([]byte, error) {
	line := make([]byte, span.Length)
	_, err := l.file.ReadAt(line, span.Offset)
	return line, err
}

// Append writes a JSON object, whose key schema is Schema, as a line. The line is on disk when Append returns
// without error. After a failed write, all other writes are refused.
func (l *Log) Append(object any) error { return l.add(object) }

// Manifest reads the manifest into m; false if there is none.
func (l *Log) Manifest(m any) (exists bool, err error) {
	covered, err := ReadLogManifest(l.dir, l.kind, m)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && !covered {
		l.warn("%s", NotCovered([]string{l.kind.Manifest}))
	}
	return true, err
}

// ReadLogManifest reads the manifest of a directory into m. covered is false if it has no checksum.
func ReadLogManifest(dir string, kind LogKind, m any) (covered bool, err error) {
	b, err := datafile.Read(filepath.Join(dir, kind.Manifest), maxLogManifest)
	if err == nil {
		covered, err = DecodeFile(b, m)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", filepath.Join(dir, kind.Manifest), err)
	}
	return covered, nil
}

// IsLog reports whether a directory is one of this kind.
func IsLog(dir string, kind LogKind) bool {
	_, err := os.Stat(filepath.Join(dir, kind.Manifest))
	return err == nil
}

// SetManifest writes the manifest.
func (l *Log) SetManifest(m any) error {
	b, err := EncodeFile(m)
	if err != nil {
		return err
	}
	return l.disk.replace(filepath.Join(l.dir, l.kind.Manifest), b)
}

// Replace writes a file of the directory, all or nothing.
func (l *Log) Replace(base string, write func(io.Writer) error) error {
	return l.disk.replaceWith(filepath.Join(l.dir, base), func(f *os.File) error {
		out := bufio.NewWriterSize(f, 1<<20)
		return errors.Join(write(out), out.Flush())
	})
}
