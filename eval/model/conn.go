package model

import (
	"io"
	"net"
	"sync"
)

// conn is a connection that copies bodies through buffers that connections share.
// A TCP connection of the library makes a buffer for every body.
type conn struct{ net.Conn }

var buffers = sync.Pool{New: func() any { b := make([]byte, 16<<10); return &b }}

// ReadFrom implements io.ReaderFrom.
func (c conn) ReadFrom(r io.Reader) (int64, error) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	return io.CopyBuffer(struct{ io.Writer }{c.Conn}, r, *buffer)
}
