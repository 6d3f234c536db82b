package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/scoring/record"
)

// Result says what Create has written.
type Result struct {
	*Contents
	Signer string // the fingerprint of the key that signed; empty without a signature
}

// Create writes a bundle of runs to a file, all or nothing, and signs it with a private key unless that is empty.
func Create(ctx context.Context, file string, runs []record.Parts, about configs.About, key string) (*Result, error) {
	work, err := record.OpenWorkplace(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: the folder %s does not exist: make it first", file, filepath.Dir(file))
	}
	if err != nil {
		return nil, err
	}
	defer work.Close()
	if err := work.Empty(); err != nil {
		return nil, err
	}
	stop := work.Until(ctx)
	result, err := build(ctx, work, runs, about)
	if !stop() {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return result, result.publish(work.Path(packed), file, key)
}

// packed is the name of a bundle in its workplace.
const packed = "packed"

func build(ctx context.Context, work *record.Workplace, runs []record.Parts, about configs.About) (*Result, error) {
	dir := work.Path("staged")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	c, err := Stage(ctx, dir, runs, about)
	if err != nil {
		return nil, err
	}
	return &Result{Contents: c}, packFile(ctx, work.Path(packed), dir, c)
}

// publish signs a bundle, and gives it its name.
func (r *Result) publish(packed, file, key string) error {
	if key != "" {
		armored, signer, err := sign(packed, key)
		if err != nil {
			return err
		}
		if err := atomic.WriteFile(file+SignatureExtension, bytes.NewReader(armored)); err != nil {
			return err
		}
		r.Signer = signer
	} else if err := os.Remove(file + SignatureExtension); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the signature of the bundle before: %w", err)
	}
	return errors.Join(os.Chmod(packed, 0o644), atomic.ReplaceFile(packed, file))
}

// stoppable is a writer until its context ends.
type stoppable struct {
	context.Context
	io.Writer
}

// Write implements io.Writer.
func (s stoppable) Write(b []byte) (int, error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	return s.Writer.Write(b)
}

func packFile(ctx context.Context, file, dir string, c *Contents) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := errors.Join(Pack(stoppable{ctx, f}, dir, c), f.Sync()); err != nil {
		return errors.Join(err, f.Close())
	}
	info, err := f.Stat()
	if err == nil {
		c.Size = info.Size()
	}
	return errors.Join(err, f.Close())
}

// Open unpacks a bundle of a file into an empty directory.
func Open(file, dir string) (*Contents, error) {
	f, err := datafile.Open(file, datafile.Unlimited)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	c, err := Unpack(f, info.Size(), dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}
