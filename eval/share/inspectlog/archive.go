package inspectlog

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"hash/crc32"
	"os"
	"sync"
)

// entry is a file of an archive, compressed.
type entry struct {
	header  zip.FileHeader
	content []byte
}

// utf8Name is the flag of an entry whose name is UTF-8.
const utf8Name = 0x800

var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	return w
}}

// pack compresses a value as JSON.
func pack(name string, value any) (entry, error) {
	var plain, packed bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return entry{}, err
	}
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(&packed)
	_, err := w.Write(plain.Bytes())
	err = errors.Join(err, w.Close())
	return entry{zip.FileHeader{Name: name, Method: zip.Deflate, Flags: utf8Name,
		CRC32: crc32.ChecksumIEEE(plain.Bytes()), UncompressedSize64: uint64(plain.Len()),
		CompressedSize64: uint64(packed.Len())}, packed.Bytes()}, err
}

// archive is a zip file in the making.
type archive struct {
	file *grown
	zip  *zip.Writer
}

func newArchive(path string) *archive {
	file := &grown{path: path}
	return &archive{file, zip.NewWriter(file)}
}

func (a *archive) add(e entry) error {
	w, err := a.zip.CreateRaw(&e.header)
	if err != nil {
		return err
	}
	_, err = w.Write(e.content)
	return err
}

func (a *archive) close() error {
	if err := a.zip.Close(); err != nil {
		return err
	}
	return a.file.flush()
}

// grown is a file that is open only while something is added to it: a sweep has hundreds of logs.
type grown struct {
	path    string
	pending bytes.Buffer
}

// mostPending is how much waits in memory, in bytes.
const mostPending = 1 << 18

// Write implements io.Writer.
func (g *grown) Write(b []byte) (int, error) {
	n, err := g.pending.Write(b)
	if err == nil && g.pending.Len() > mostPending {
		err = g.flush()
	}
	return n, err
}

func (g *grown) flush() error {
	f, err := os.OpenFile(g.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = g.pending.WriteTo(f)
	return errors.Join(err, f.Close())
}
