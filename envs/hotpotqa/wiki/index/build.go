package index

import (
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
	"strings"
	"syscall"

	"github.com/blevesearch/bleve/v2"

	"heldout/envs/datafile"
)

const (
	// batchSize is how many articles are written to disk at once.
	batchSize = 2000
	// lockTimeout is how long to wait for an index that another process builds.
	lockTimeout = "1s"
)

// Progress describes the progress of a build.
type Progress struct {
	// Articles counts the articles on disk, Skipped the articles that were there before.
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

// Build makes an index of the articles in files: question files of HotpotQA, which supply their paragraphs, or the
// processed dumps of Wikipedia of 2017, as archives or unpacked folders. Build resumes an interrupted build and
// does not repeat a finished one. It calls show with its progress.
func Build(ctx context.Context, dir string, paths []string, show func(Progress)) (Description, error) {
	src, err := newSource(paths)
	if err != nil {
		return Description{}, err
	}
	if about, ok, err := finished(dir, src); ok || err != nil {
		return about, err
	}
	b, err := openData(dir)
	if err != nil {
		return Description{}, roomless(err)
	}
	w := &writer{index: b, batch: b.NewBatch(), src: src, show: show}
	err = w.begin()
	if err == nil {
		err = w.run(ctx)
	}
	if err := errors.Join(err, b.Close()); err != nil {
		return Description{}, roomless(err)
	}
	return w.finish(dir)
}

// roomless marks an error of a disk without room: bleve says it in words alone.
func roomless(err error) error {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if strings.Contains(err.Error(), full.Error()) {
			return datafile.Full(err)
		}
	}
	return err
}

// finished returns the description of an index that these files have made already. It adds
// checksums to one of an earlier version.
func finished(dir string, src *articleFiles) (about Description, ok bool, err error) {
	if _, err := os.Stat(filepath.Join(dir, aboutFile)); errors.Is(err, fs.ErrNotExist) {
		return about, false, nil
	}
	if about, err = readAbout(dir); err != nil {
		return about, false, err
	}
	if about.Checksum != "" {
		if err := about.checkFiles(dir); err != nil {
			return about, false, err
		}
	}
	b, err := openFinished(dir)
	if err != nil {
		return about, false, err
	}
	err = guarded(dir, func() error {
		_, begun, err := src.state(b)
		if err == nil && !begun {
			err = damaged(filepath.Join(dir, dataDir), "it is empty")
		}
		return err
	})
	if err = errors.Join(err, b.Close()); err == nil && about.Checksum == "" {
		about, err = about.write(dir)
	}
	return about, err == nil, err
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
// cannot open data of a process that was killed while it made them.
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
	state, begun, err := w.src.state(w.index)
	if w.state = state; begun {
		w.skipped = state.Articles
	}
	return err
}

// state returns the progress that an index has, or the progress before the first article.
func (s *articleFiles) state(index bleve.Index) (state buildProgress, begun bool, err error) {
	fresh := buildProgress{Version: version, Kind: s.kind, Files: s.fingerprints,
		Hash: hash("", "heldout index", strconv.Itoa(version), string(s.kind))}
	b, err := index.GetInternal(stateKey)
	if err != nil || b == nil {
		return fresh, false, err
	}
	if err := json.Unmarshal(b, &state); err != nil {
		return state, false, fmt.Errorf("the index says nothing that can be read about how it was built: %w", err)
	}
	if state.Version != version || state.Kind != fresh.Kind || !slices.Equal(state.Files, fresh.Files) {
		return state, false, errors.New(
			"the index there was begun from other files or by another version: give those files, or another folder")
	}
	return state, true, nil
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
	w.show(Progress{Articles: w.state.Articles, Skipped: w.skipped, Bytes: w.src.read.Load(), Total: w.src.total})
	return nil
}

// finish marks the index as complete.
func (w *writer) finish(dir string) (Description, error) {
	a := Description{Version: version, Kind: w.state.Kind, Articles: w.state.Articles, Repeated: w.state.Repeated,
		Hash: w.state.Hash}
	for _, f := range w.state.Files {
		a.Sources = append(a.Sources, strings.ToValidUTF8(f.Name, "\ufffd")) // as JSON has it
	}
	if a.Articles == 0 {
		return Description{}, fmt.Errorf("no articles in %q", a.Sources)
	}
	return a.write(dir)
}

// write adds the checksums to a description and stores it.
func (a Description) write(dir string) (_ Description, err error) {
	if a.Files, err = listFiles(dir); err != nil {
		return a, err
	}
	if a.Checksum, err = a.sum(); err != nil {
		return a, err
	}
	b, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return a, err
	}
	return a, datafile.Replace(filepath.Join(dir, aboutFile), append(b, '\n'))
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
