package model

import "io"

// body is the body of a request: head, pieces and tail. A transport may still
// read it when a call has ended.
type body struct {
	head   string
	pieces []string
	tail   string
}

func (b *body) size() int {
	n := len(b.head) + len(b.tail)
	for _, piece := range b.pieces {
		n += len(piece)
	}
	return n
}

func (b *body) reader() io.ReadCloser { return &bodyReader{body: b, left: b.head} }

type bodyReader struct {
	body *body
	// left is what is left of a piece, next the number of the piece after it; the tail
	// counts as the last piece.
	left string
	next int
}

// Read implements io.Reader.
func (r *bodyReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		switch pieces := r.body.pieces; {
		case len(r.left) > 0:
			k := copy(p[n:], r.left)
			n, r.left = n+k, r.left[k:]
			continue
		case r.next < len(pieces):
			r.left = pieces[r.next]
		case r.next == len(pieces):
			r.left = r.body.tail
		default:
			return n, io.EOF
		}
		r.next++
	}
	return n, nil
}

// Close implements io.Closer.
func (r *bodyReader) Close() error { return nil }
