package inspectlog

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/json"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"iter"
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
	return compress(name, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	})
}

// packList compresses a list of JSON values, one after the other.
func packList(name string, values iter.Seq[json.RawMessage]) (entry, error) {
	return compress(name, func(w io.Writer) error {
		_, err := io.WriteString(w, "[")
		separator := ""
		for v := range values {
			_, failed := io.WriteString(w, separator)
			_, other := w.Write(v)
			if err, separator = cmp.Or(err, failed, other), ",\n"; err != nil {
				return err
			}
		}
		_, failed := io.WriteString(w, "]")
		return cmp.Or(err, failed)
	})
}

// plain is what a zip file says of a text before it is compressed.
type plain struct {
	hash.Hash32
	size uint64
}

// Write implements io.Writer.
func (p *plain) Write(b []byte) (int, error) {
	p.size += uint64(len(b))
	return p.Hash32.Write(b)
}

// compress compresses what is written.
func compress(name string, write func(io.Writer) error) (entry, error) {
	var packed bytes.Buffer
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(&packed)
	text := plain{Hash32: crc32.NewIEEE()}
	err := errors.Join(write(io.MultiWriter(w, &text)), w.Close())
	return entry{zip.FileHeader{Name: name, Method: zip.Deflate, Flags: utf8Name, CRC32: text.Sum32(),
		UncompressedSize64: text.size, CompressedSize64: uint64(packed.Len())}, packed.Bytes()}, err
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
