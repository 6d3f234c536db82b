package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/natefinch/atomic"
)

// writeFile writes a file for the user, all or nothing.
func writeFile(name string, content *bytes.Buffer) error {
	_, err := os.Stat(name)
	if err := atomic.WriteFile(name, content); err != nil {
		return err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return os.Chmod(name, 0o644) // a temporary file becomes one like others
	}
	return nil
}
