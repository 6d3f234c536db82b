package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	"github.com/natefinch/atomic"
)

const (
	// batchSize is how many articles are written to disk at once.
	batchSize = 2000
	// lockTimeout is how long to wait for an index that another process builds.
	lockTimeout = "1s"
)

// Progress describes the progress of a build.
type Progress struct {
	// Articles counts the articles on disk, Skipped those that were there before.
	Articles, Skipped int
	// Bytes is how many bytes of the files were read; Total is their size.
	Bytes, Total int64
}

// buildProgress is the progress of a build, in the index itself: on disk with its articles.
type buildProgress struct {
	Version  int           `json:"version"`
	Kind     SourceKind    `json:"kind"`
	Files    []fingerprint `json:"files"`
	Articles int           `json:"articles"`
	Repeated int           `json:"repeated"`
	// Hash chains the hashes of the articles so far.
	Hash string `json:"hash"`
}

var stateKey = []byte("heldout")

// Build makes an index of the articles in files: question files of HotpotQA,
// which supply their paragraphs, or the processed dumps of Wikipedia of 2017,
// as archives or unpacked folders. Build resumes an interrupted build and does
// not repeat a finished one. It calls show with its progress.
func Build(ctx context.Context, dir string, paths []string, show func(Progress)) (Description, error) {
	src, err := newSource(paths)
	if err != nil {
		return Description{}, err
	}
	b, err := openData(dir)
	if err != nil {
		return Description{}, err
	}
	w := &writer{index: b, batch: b.NewBatch(), src: src, show: show}
	err = w.begin()
	if err == nil {
		err = w.run(ctx)
	}
	if err := errors.Join(err, b.Close()); err != nil {
		return Description{}, err
	}
	return w.finish(dir)
}

// openData opens the data of an index for writing, new or begun.
func openData(dir string) (bleve.Index, error) {
	data := filepath.Join(dir, dataDir)
	if _, err := os.Stat(data); errors.Is(err, fs.ErrNotExist) {
		if err := newData(data); err != nil {
			return nil, fmt.Errorf("no index can be made in %s: %w", dir, err)
		}
	}
	b, err := bleve.OpenUsing(data, map[string]any{"bolt_timeout": lockTimeout})
	if err != nil {
		return nil, fmt.Errorf("the index in %s cannot be continued (does another process build it?): %w", dir, err)
	}
	return b, nil
}

// newData makes data without articles. They have another name until they are whole: bleve
// cannot open those of a process that was killed while it made them.
func newData(data string) error {
	unfinished := data + ".unfinished"
	if err := errors.Join(os.RemoveAll(unfinished), os.MkdirAll(filepath.Dir(data), 0o755)); err != nil {
		return err
	}
	b, err := bleve.NewUsing(unfinished, newMapping(), bleve.Config.DefaultIndexType, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		return err
	}
	return errors.Join(b.Close(), os.Rename(unfinished, data))
}

type writer struct {
	index   bleve.Index
	batch   *bleve.Batch
	src     *articleFiles
	state   buildProgress
	skipped int
	show    func(Progress)
}

// begin finds the progress of an earlier build.
func (w *writer) begin() error {
	fresh := buildProgress{Version: version, Kind: w.src.kind, Files: w.src.fingerprints(),
		Hash: hash("", "heldout index", strconv.Itoa(version), string(w.src.kind))}
	b, err := w.index.GetInternal(stateKey)
	if err != nil {
		return err
	}
	if b == nil {
		w.state = fresh
		return nil
	}
	if err := json.Unmarshal(b, &w.state); err != nil {
		return fmt.Errorf("the index says nothing that can be read about how it was built: %w", err)
	}
	if w.state.Version != version || w.state.Kind != fresh.Kind || !slices.Equal(w.state.Files, fresh.Files) {
		return errors.New(
			"the index there was begun from other files or by another version: give those files, or another folder")
	}
	w.skipped = w.state.Articles
	return nil
}

// run adds all articles that are not in the index yet.
func (w *writer) run(ctx context.Context) error {
	passed, repeated := 0, 0
	err := w.src.walk(w.skipped, func(a Article, duplicate bool) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if duplicate {
			repeated++
			w.state.Repeated = max(w.state.Repeated, repeated)
			return nil
		}
		if passed++; passed <= w.skipped {
			return nil
		}
		if err := add(w.batch, a); err != nil {
			return err
		}
		w.state.Articles++
		w.state.Hash = hash(w.state.Hash, append([]string{a.Title}, a.Paragraphs...)...)
		if w.batch.Size() < batchSize {
			return nil
		}
		return w.flush()
	})
	if flushed := w.flush(); flushed != nil && err == nil {
		err = flushed
	}
	return err
}

// flush writes the batch to disk, together with the progress of the build.
func (w *writer) flush() error {
	b, err := json.Marshal(w.state)
	if err != nil {
		return err
	}
	w.batch.SetInternal(stateKey, b)
	if err := w.index.Batch(w.batch); err != nil {
		return err
	}
	w.batch.Reset()
	w.show(Progress{Articles: w.state.Articles, Skipped: w.skipped, Bytes: w.src.bytes(), Total: w.src.total})
	return nil
}

// finish marks the index as complete.
func (w *writer) finish(dir string) (Description, error) {
	a := Description{Version: version, Kind: w.state.Kind, Articles: w.state.Articles, Repeated: w.state.Repeated,
		Hash: w.state.Hash}
	for _, f := range w.state.Files {
		a.Sources = append(a.Sources, f.Name)
	}
	if a.Articles == 0 {
		return Description{}, fmt.Errorf("no articles in %q", a.Sources)
	}
	b, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return Description{}, err
	}
	file := filepath.Join(dir, aboutFile)
	if err := atomic.WriteFile(file, bytes.NewReader(append(b, '\n'))); err != nil {
		return Description{}, err
	}
	return a, os.Chmod(file, 0o644) // a temporary file is private
}

// hash chains texts, each prefixed with its length, onto an earlier hash.
func hash(prev string, texts ...string) string {
	h := sha256.New()
	h.Write([]byte(prev))
	for _, t := range texts {
		h.Write([]byte(strconv.Itoa(len(t)) + ":" + t))
	}
	return hex.EncodeToString(h.Sum(nil))
}
