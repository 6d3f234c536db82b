package official

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Import finds official data in files, folders and archives that the user has, whatever their layout and names, and
// copies them into the data folder. It returns how many files of each part it found, by the part's ID. Nothing is
// copied if one of the paths cannot be read to its end.
func Import(ctx context.Context, o Options, paths []string) (found map[string]int, err error) {
	stage, err := openStage(o.Dir, o.Accept)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stage.close()) }()
	i := &importer{stage: stage, now: o.Now}
	for _, path := range paths {
		if err := i.path(ctx, path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	found = map[string]int{}
	for file := range stage.receipts {
		part, _ := stage.finder.part(file)
		found[part.ID()]++
	}
	if err := stage.place(); err != nil {
		return nil, err
	}
	return found, errors.Join(stage.problems(len(found) == 0)...)
}

type importer struct {
	stage *stage
	now   func() time.Time
}

// anyPart wants every part.
func anyPart(Part) bool { return true }

// path looks at a file, or at everything in a folder.
func (i *importer) path(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("no such file: name files, folders or archives that you have")
	}
	if err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil { // the names of folders above say what a file is
		return err
	}
	if !info.IsDir() {
		return i.file(ctx, path, filepath.ToSlash(path), info)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return filepath.WalkDir(real, func(file string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == workName) {
			return filepath.SkipDir
		}
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() {
			if d.Type()&fs.ModeSymlink != 0 { // it leads nowhere, or perhaps in circles
				i.stage.linked = append(i.stage.linked, file)
			}
			return nil // pipes never end
		}
		if err := i.file(ctx, file, filepath.ToSlash(file), info); err != nil {
			return fmt.Errorf("%s: %w", d.Name(), err)
		}
		return nil
	})
}

// file looks at a file: what it is itself or, if it is an archive, what is in it.
func (i *importer) file(ctx context.Context, path, name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is a pipe or a device; copy its content to a file")
	}
	receipt := Receipt{Origin: filepath.Base(path), Retrieved: i.now().UTC().Format(time.RFC3339)}
	if info.Size() == dumpSize {
		return i.stage.offerFile("hotpotqa/"+dumpName, path, false, receipt)
	}
	about, err := walkArchive(ctx, path, usualLimits, func(member string, _ int64, content io.Reader) error {
		return i.stage.offer(member, content, receipt, anyPart)
	})
	i.stage.linked = append(i.stage.linked, about.links...)
	if !errors.Is(err, errPlain) || info.Size() > usualLimits.file {
		if errors.Is(err, errPlain) {
			return nil
		}
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	content := io.Reader(f)
	if single, ok := strings.CutSuffix(name, ".gz"); ok { // one file, no archive
		if content, err = gzip.NewReader(f); err != nil {
			return err
		}
		name = single
	}
	return i.stage.offer(name, io.LimitReader(content, usualLimits.file), receipt, anyPart)
}
