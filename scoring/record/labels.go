package record

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"unicode/utf8"

	"heldout/envs/datafile"
)

// Labels is labels.json: what people noted about a run. It is not part of the run's identity:
// nothing depends on it, bundles leave it out, and it may change while the run goes on.
type Labels struct {
	Schema int      `json:"schema"`
	Tags   []string `json:"tags,omitempty"` // words to find the run by
	Note   string   `json:"note,omitempty"`
	// Archived runs are left out of lists unless somebody asks for them.
	Archived bool `json:"archived,omitempty"`
}

// labelsFile holds the labels of a run; of several shards, the first directory has it.
const labelsFile = "labels.json"

// The limits of labels. Lengths are in characters, MaxLabels is the size of the file in bytes.
const (
	MaxTags   = 20
	MaxTag    = 60
	MaxNote   = 10_000
	MaxLabels = 1 << 20
)

// Labels reads the labels of the run; without a file it has none.
func (p Parts) Labels() (l Labels, err error) {
	b, err := datafile.Read(p.labels(), MaxLabels)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		_, err = DecodeFile(b, &l)
	}
	if err == nil {
		err = l.check()
	}
	if err != nil {
		return Labels{}, fmt.Errorf("%s: %w; remove it and label the run again", p.labels(), err)
	}
	return l, nil
}

// SetLabels replaces the labels of the run. Without any, the file goes.
func (p Parts) SetLabels(l Labels) error {
	if err := l.check(); err != nil {
		return err
	}
	if len(l.Tags) == 0 && l.Note == "" && !l.Archived {
		return removeIfThere(p.labels())
	}
	l.Schema = Schema
	b, err := EncodeFile(l)
	if err != nil {
		return err
	}
	return realDisk().replace(p.labels(), b)
}

func (p Parts) labels() string { return filepath.Join(p[0], labelsFile) }

// check reports labels beyond their limits.
func (l Labels) check() error {
	if len(l.Tags) > MaxTags {
		return fmt.Errorf("there are %d tags, want at most %d", len(l.Tags), MaxTags)
	}
	for _, t := range l.Tags {
		if n := utf8.RuneCountInString(t); n == 0 || n > MaxTag || !utf8.ValidString(t) {
			return fmt.Errorf("a tag has %d characters, want 1 to %d", n, MaxTag)
		}
	}
	if n := utf8.RuneCountInString(l.Note); n > MaxNote || !utf8.ValidString(l.Note) {
		return fmt.Errorf("the note has %d characters, want at most %d", n, MaxNote)
	}
	return nil
}
