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
	for _, path := range paths {
		if err := stage.offerPath(ctx, path, o.Now); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	found = stage.counts()
	if err := stage.place(); err != nil {
		return nil, err
	}
	return found, errors.Join(stage.problems(len(found) == 0)...)
}

// offerPath looks at a file, or at everything in a folder.
func (s *stage) offerPath(ctx context.Context, path string, now func() time.Time) error {
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
		return s.unpack(ctx, path, info, now())
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
				s.linked = append(s.linked, file)
			}
			return nil // pipes never end
		}
		if err := s.unpack(ctx, file, info, now()); err != nil {
			return fmt.Errorf("%s: %w", d.Name(), err)
		}
		return nil
	})
}

// unpack looks at a file: what it is itself or, if it is an archive, what is in it.
func (s *stage) unpack(ctx context.Context, path string, info fs.FileInfo, now time.Time) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is a pipe or a device; copy its content to a file")
	}
	receipt := Receipt{Origin: filepath.Base(path), Retrieved: now.UTC().Format(time.RFC3339)}
	if info.Size() == dumpSize {
		return s.offerFile("hotpotqa/"+dumpName, path, false, receipt)
	}
	about, err := walkArchive(ctx, path, usualLimits, func(member string, _ int64, content io.Reader) error {
		return s.offer(member, content, receipt)
	})
	s.linked = append(s.linked, about.links...)
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
	name, content := filepath.ToSlash(path), io.Reader(f)
	if single, ok := strings.CutSuffix(name, ".gz"); ok { // one file, no archive
		if content, err = gzip.NewReader(f); err != nil {
			return err
		}
		name = single
	}
	return s.offer(name, io.LimitReader(content, usualLimits.file), receipt)
}
