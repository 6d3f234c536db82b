package official

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// limits bound what is read of an archive, which comes from outside.
type limits struct {
	members int   // in an archive, wanted or not
	file    int64 // bytes of a member that is looked at; larger ones are none of ours
	total   int64 // bytes that an archive unpacks to, wanted or not
	// ratio is how many times an archive may grow when it is unpacked. It holds from slack bytes on.
	ratio, slack int64
	directory    int64 // bytes of a zip's directory
}

// usualLimits leave room for four times the published archives and more.
// Archives of text shrink to a tenth; one that grows a hundredfold is made to.
var usualLimits = limits{members: 1 << 17, file: 64 << 20, total: 64 << 30, ratio: 200, slack: 256 << 20,
	directory: 64 << 20}

// visitor is told of a regular file of an archive, and reads what it wants.
type visitor func(name string, size int64, content io.Reader) error

// contents is what an archive says beside its files.
type contents struct {
	// links are the names of links and devices, which are not followed.
	links []string
	// commit is what git writes into the archive of a commit; empty in others.
	commit string
}

// errPlain says that a file is not an archive.
var errPlain = errors.New("it is not an archive")

// walkArchive calls visit for every regular file of an archive, in its order. An archive that is damaged, larger
// than the limits, or has names that lead outside is an error; visit may have been called before.
func walkArchive(ctx context.Context, file string, l limits, visit visitor) (about contents, err error) {
	f, err := os.Open(file)
	if err != nil {
		return about, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return about, err
	}
	head := make([]byte, 262)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return about, err
	}
	head = head[:n]
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return about, err
	}
	w := &walk{limits: l, visit: visit, packed: info.Size()}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")):
		err = w.zip(ctx, f)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		err = w.gzip(ctx, f)
	case len(head) == 262 && string(head[257:262]) == "ustar":
		err = w.tar(ctx, bufio.NewReaderSize(f, 1<<16))
	default:
		err = fmt.Errorf("%w: it begins with %.20q", errPlain, head)
	}
	return w.contents, err
}

// walk goes through one archive.
type walk struct {
	limits
	visit    visitor
	packed   int64 // bytes of the archive
	members  int
	unpacked int64
	contents
}

func (w *walk) gzip(ctx context.Context, f io.Reader) error {
	z, err := gzip.NewReader(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		return damaged(err)
	}
	defer z.Close()
	return w.tar(ctx, z)
}

// tar goes through a tar to its end, so that its checksums are read too.
func (w *walk) tar(ctx context.Context, r io.Reader) error {
	counted := &meter{r: r, w: w}
	t := tar.NewReader(counted)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, counted)
			return damaged(err)
		}
		if w.members == 0 && errors.Is(err, tar.ErrHeader) {
			return errPlain // something else that is compressed
		}
		if err != nil {
			return damaged(err)
		}
		if err := w.enter(ctx, h.Name); err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeReg:
			if err := w.visitMember(h.Name, h.Size, t); err != nil {
				return err
			}
		case tar.TypeDir:
		case tar.TypeXGlobalHeader:
			w.commit = h.PAXRecords["comment"]
		default:
			w.links = append(w.links, h.Name)
		}
	}
}

func (w *walk) zip(ctx context.Context, f *os.File) error {
	if err := w.checkDirectory(f); err != nil {
		return err
	}
	z, err := zip.NewReader(f, w.packed)
	if err != nil {
		return damaged(err)
	}
	w.commit = z.Comment
	for _, m := range z.File {
		if err := w.enter(ctx, m.Name); err != nil {
			return err
		}
		mode := m.Mode()
		if mode.IsDir() {
			continue
		}
		if !mode.IsRegular() {
			w.links = append(w.links, m.Name)
			continue
		}
		if err := w.unzip(m); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) unzip(m *zip.File) error {
	r, err := m.Open()
	if err != nil {
		return damaged(err)
	}
	defer r.Close()
	if m.UncompressedSize64 > 1<<62 {
		return damaged(fmt.Errorf("%q says that it has %d bytes", m.Name, m.UncompressedSize64))
	}
	return w.visitMember(m.Name, int64(m.UncompressedSize64), &meter{r: r, w: w})
}

// checkDirectory looks at the size of a zip's directory before it is read into
// memory. It is at the end, before a comment of up to 64 KiB.
func (w *walk) checkDirectory(f *os.File) error {
	tail := make([]byte, min(w.packed, 22+1<<16))
	if _, err := f.ReadAt(tail, w.packed-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || len(tail)-i < 22 {
		return damaged(errors.New("the zip's directory is missing"))
	}
	count, size := binary.LittleEndian.Uint16(tail[i+10:]), binary.LittleEndian.Uint32(tail[i+12:])
	if int64(size) > w.directory || count == 0xffff {
		return fmt.Errorf("the zip's directory is too large to be read; unpack the archive and import its folder")
	}
	return nil
}

// enter counts a member and checks its name. No published archive has names that lead outside.
func (w *walk) enter(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.members++; w.members > w.limits.members {
		return fmt.Errorf("the archive has more than %d members", w.limits.members)
	}
	if strings.HasPrefix(name, "/") || strings.Contains(name, `\`) || slices.Contains(strings.Split(name, "/"), "..") {
		return fmt.Errorf("the archive has a member %q whose name leads outside", name)
	}
	return nil
}

// visitMember lets a member be read, if it is not too large to be one of ours.
func (w *walk) visitMember(name string, size int64, content io.Reader) error {
	if size > w.file {
		return nil
	}
	err := w.visit(path.Clean(name), size, io.LimitReader(content, w.file+1))
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zip.ErrChecksum) {
		return damaged(err)
	}
	return err
}

// damaged says that an archive cannot be read to its end.
func damaged(err error) error {
	if err == nil || errors.As(err, new(*limitError)) {
		return err
	}
	return fmt.Errorf("the archive is damaged: %w", err)
}

// limitError says that an archive grows beyond the limits.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

// meter counts what an archive unpacks to, up to the limits.
type meter struct {
	r io.Reader
	w *walk
}

func (c *meter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.w.unpacked += int64(n)
	switch u := c.w.unpacked; {
	case u > c.w.total:
		return n, &limitError{fmt.Sprintf("the archive unpacks to more than %d bytes", c.w.total)}
	case u > c.w.slack && u/c.w.ratio > c.w.packed:
		return n, &limitError{
			fmt.Sprintf("the archive unpacks to more than %d times its size: it is made to fill disks", c.w.ratio)}
	}
	return n, err
}
