// Package datafile reads the files that users provide: with a limit on their size, and only if reading them ends.
// Texts may begin with a byte order mark. Its errors name the file, the line or the field, and what helps.
package datafile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"syscall"

	"github.com/natefinch/atomic"
)

// The limits, in bytes. The largest official files have at most a quarter of them.
const (
	// MaxConfig is for configurations, prompts, perturbations and published results.
	MaxConfig = 1 << 20
	// MaxLabels is for labels, stories, bindings, and single games and problems.
	MaxLabels = 16 << 20
	// MaxQuestions is for HotpotQA's questions: with paragraphs they have 570 MB.
	MaxQuestions = 1 << 30
	// Unlimited is for files that are read in a stream, in bounded memory.
	Unlimited = math.MaxInt64
)

// Open opens a regular file of at most limit bytes for reading. A pipe or a device
// is refused before it is opened: opening or reading one may never end. Other
// errors come from os.Open. The limit does not bound a file that grows afterwards.
func Open(name string, limit int64) (*os.File, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a folder, want a file", name)
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a pipe or a device; copy its content to a file", name)
	case err == nil && info.Size() > limit:
		return nil, tooLarge(name, limit)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing{name, err}
	}
	return os.Open(name)
}

// ShellPath says what is wrong with a path that begins with what a shell would have replaced; empty for others.
func ShellPath(name string) string {
	if strings.IndexAny(name, "~$") != 0 {
		return ""
	}
	return fmt.Sprintf("only a shell knows what %.1s is: give the whole path", name)
}

// missing is the error of a file that does not exist, in plain words.
type missing struct {
	name  string
	cause error
}

func (m missing) Error() string {
	if hint := ShellPath(m.name); hint != "" {
		return m.name + " does not exist: " + hint
	}
	return m.name + " does not exist"
}

func (m missing) Unwrap() error { return m.cause }

// Read returns the content of a regular file of at most limit bytes. It refuses
// what Open refuses. Other errors come from os.ReadFile.
func Read(name string, limit int64) ([]byte, error) {
	f, err := Open(name, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, tooLarge(name, limit)
	}
	return b, nil
}

// Replace writes a file that everybody may read, all or nothing.
func Replace(name string, content []byte) error {
	if err := atomic.WriteFile(name, bytes.NewReader(content)); err != nil {
		return err
	}
	return os.Chmod(name, 0o644) // a temporary file is private
}

// Sum returns the SHA-256 of a regular file in hex. It refuses what Open refuses,
// except for large files: it reads in a stream.
func Sum(name string) (string, error) {
	f, err := Open(name, Unlimited)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Hash is the SHA-256 of bytes or of a text, in hex.
func Hash[T ~[]byte | string](content T) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func tooLarge(name string, limit int64) error {
	return fmt.Errorf("%s has more than %d bytes, the limit for a file of its kind", name, limit)
}

// Full is err as an error of a disk without room, which errors.Is finds, for errors that say it in words alone.
func Full(err error) error { return full{err} }

type full struct{ error }

// Is reports whether target stands for a disk without room.
func (full) Is(target error) bool { return target == syscall.ENOSPC }

// Unwrap returns the error itself.
func (f full) Unwrap() error { return f.error }
