package datafile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	sharedtest.OK(t, os.WriteFile(file, []byte("12345"), 0o600))
	sharedtest.Equal(t, string(sharedtest.Must(Read(file, 5))(t)), "12345")
	if b, err := Read(file, 4); err == nil || !strings.Contains(err.Error(), "more than 4 bytes") {
		t.Errorf("%q, %v", b, err)
	}
	_, err := Read(file+"x", 5)
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasSuffix(err.Error(), " does not exist") {
		t.Error(err)
	}
	sharedtest.Fails(t, sharedtest.Err(Read(filepath.Dir(file), 5)), "is a folder, want a file")
	sharedtest.Fails(t, sharedtest.Err(Open(file, 4)), "more than 4 bytes")
	if b, err := Read(os.DevNull, 5); err == nil || !strings.Contains(err.Error(), "is a pipe or a device") {
		t.Errorf("%q, %v", b, err)
	}
}

func TestSum(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	sharedtest.OK(t, os.WriteFile(file, []byte("abc"), 0o600))
	// The example of FIPS 180-4.
	want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	sharedtest.Equal(t, sharedtest.Must(Sum(file))(t), want)
	if _, err := Sum(file + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if sum, err := Sum(os.DevNull); err == nil || !strings.Contains(err.Error(), "is a pipe or a device") {
		t.Errorf("%q, %v", sum, err)
	}
}
