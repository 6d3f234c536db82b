package bundle

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Unpack writes the files of a bundle, which has size bytes, into an empty directory. It writes only files of its
// own names that have the sizes and hashes of bundle.json, and stops at the limits.
func Unpack(r io.Reader, size int64, dir string) (*Contents, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(window), zstd.WithDecoderMaxMemory(maxSize))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	u := unpacker{tar: tar.NewReader(z), dir: dir, limit: min(maxSize, maxAbout+maxRatio*size)}
	m, err := u.manifest()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", aboutFile, err)
	}
	for _, f := range m.Files {
		if err := u.file(f); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if _, err := u.tar.Next(); err != io.EOF {
		return nil, errors.Join(errors.New("there is more behind the last file"), err)
	}
	if n, err := io.CopyN(io.Discard, z, 1); n > 0 || err != io.EOF {
		return nil, errors.Join(errors.New("there is more behind the end of the archive"), err)
	}
	c := m.contents(dir)
	c.Size = size
	return c, nil
}

// MachineFault reports whether an error is one of this machine's files, such as a full disk,
// and says nothing about a bundle: no content of one gives such an error.
func MachineFault(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path)
}

// unpacker unpacks files one after the other.
type unpacker struct {
	tar   *tar.Reader
	dir   string
	limit int64 // of bytes that are still written
}

// manifest reads bundle.json, which comes first.
func (u *unpacker) manifest() (*Manifest, error) {
	h, err := u.tar.Next()
	if err != nil {
		return nil, notBundle(err)
	}
	if h.Size > maxAbout {
		return nil, fmt.Errorf("it has %d bytes, the limit is %d", h.Size, maxAbout)
	}
	if err := ours(h, aboutFile, h.Size); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(u.tar)
	if err != nil {
		return nil, err
	}
	m, err := parse(b)
	if err != nil {
		return nil, err
	}
	n, err := m.runs()
	if err != nil {
		return nil, err
	}
	sum := int64(0)
	for _, f := range m.Files {
		sum += f.Size
	}
	if sum > u.limit {
		return nil, fmt.Errorf("the files have %d bytes unpacked, the limit for a bundle of this size is %d", sum, u.limit)
	}
	for i := range n {
		if err := os.Mkdir(filepath.Join(u.dir, runDir(i)), 0o755); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// file unpacks a file.
func (u *unpacker) file(f File) error {
	h, err := u.tar.Next()
	if err != nil {
		return notBundle(err)
	}
	if err := ours(h, f.Name, f.Size); err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Join(u.dir, filepath.FromSlash(f.Name)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, sum), u.tar)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != f.SHA256 {
		return fmt.Errorf("its hash is %.8s…, %s has %.8q…: it was changed after the bundle was made", got, aboutFile,
			f.SHA256)
	}
	return nil
}

// ours reports a header that is not the one that Pack writes: links, paths, owners, times.
func ours(h *tar.Header, name string, size int64) error {
	want := header(name, size)
	if h.Name != name || h.Size != size {
		return fmt.Errorf("the archive has %.80q of %d bytes in its place, want %d", h.Name, h.Size, size)
	}
	if h.Typeflag != want.Typeflag || h.Mode != want.Mode || !h.ModTime.Equal(want.ModTime) || h.Linkname != "" ||
		h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || len(h.PAXRecords) > 0 || h.Devmajor != 0 ||
		h.Devminor != 0 {
		return errors.New("it has a type, owner or time that heldout bundle does not write")
	}
	return nil
}

// notBundle says of a file that is not an archive, or a part of one, that it is not a bundle.
func notBundle(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("this is not a bundle, or is a part of one: %w", err)
}
