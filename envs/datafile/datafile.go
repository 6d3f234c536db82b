// Package datafile reads the files that users provide: whole, with a limit on
// their size, and only if reading them ends.
package datafile

import (
	"fmt"
	"io"
	"os"
)

// The limits, in bytes. The largest official files have a quarter of them or
// less.
const (
	// MaxConfig is for configurations, prompts, perturbations and published
	// results.
	MaxConfig = 1 << 20
	// MaxLabels is for label files, story files and bindings.
	MaxLabels = 16 << 20
	// MaxQuestions is for HotpotQA's questions. The training set with its
	// paragraphs has 570 MB.
	MaxQuestions = 1 << 30
)

// Read returns the content of a regular file of at most limit bytes. A pipe or a
// device is refused before it is opened: opening or reading one may never end.
// Other errors are those of os.ReadFile.
func Read(name string, limit int64) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("%s is a pipe or a device; copy its content to a file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes, the limit for a file of its kind", name, limit)
	}
	return b, nil
}
