package queue

import (
	"bytes"
	"cmp"
	"compress/flate"
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"heldout/scoring/record"
)

// partHeader is the header of a message that has a part of a record which is larger than the server's messages:
// NUMBER/COUNT/HASH, the first number is 0. The hash covers the whole record, as it is sent.
const partHeader = "Heldout-Part"

// maxParts is the largest number of parts of a record.
const maxParts = 4096

// headroom is what a message of the largest size has for headers, in bytes.
const headroom = 1024

// cut divides a record into the messages that have it. Size is the largest message that the server takes.
func cut(subject string, data []byte, size int) ([]*nats.Msg, error) {
	size -= headroom
	if len(data) <= size {
		return []*nats.Msg{{Subject: subject, Data: data}}, nil
	}
	if size < headroom || len(data) > min(size*maxParts, maxRecord) {
		return nil, fmt.Errorf("the record has %d bytes, compressed, which is too much for the queue: messages of "+
			"its server have at most %d (max_payload)", len(data), size+headroom)
	}
	sum := sha256.Sum256(data)
	n := (len(data) + size - 1) / size
	var out []*nats.Msg
	for i := range n {
		out = append(out, &nats.Msg{
			Subject: subject, Data: data[i*size : min((i+1)*size, len(data))],
			Header: nats.Header{partHeader: {fmt.Sprintf("%d/%d/%x", i, n, sum[:8])}},
		})
	}
	return out, nil
}

// delivery is a record that came from a worker, or the parts of it that have come.
type delivery struct {
	key string
	// recordID identifies the record among all that workers sent for the key.
	recordID string
	parts    map[int]*recordPart // those that have come
	count    int                 // of all parts
}

type recordPart struct {
	msg jetstream.Msg
	seq uint64 // in the stream
}

// place reads which part of which record a message has.
func place(m jetstream.Msg, seq uint64) (number, count int, recordID string, err error) {
	text := m.Headers().Get(partHeader)
	if text == "" {
		return 0, 1, strconv.FormatUint(seq, 10), nil
	}
	fields := strings.Split(text, "/")
	if len(fields) != 3 {
		return 0, 0, "", fmt.Errorf("part %.40q of a record", text)
	}
	number, err1 := strconv.Atoi(fields[0])
	count, err2 := strconv.Atoi(fields[1])
	if err1 != nil || err2 != nil || number < 0 || number >= count || count > maxParts {
		return 0, 0, "", fmt.Errorf("part %.40q of a record", text)
	}
	return number, count, text[strings.Index(text, "/"):], nil
}

// put takes a part. One that comes again replaces the earlier message, which the server has, or will have, dropped.
func (d *delivery) put(number int, p *recordPart) {
	if old := d.parts[number]; old != nil && old.seq != p.seq {
		_ = old.msg.Ack() // it was sent twice
	}
	d.parts[number] = p
}

func (d *delivery) complete() bool { return len(d.parts) == d.count }

// data is the record as it was sent.
func (d *delivery) data() (out []byte) {
	if d.count == 1 {
		return d.parts[0].msg.Data()
	}
	for i := range d.count {
		out = append(out, d.parts[i].msg.Data()...)
	}
	return out
}

// size is the size of the parts that are there, in bytes.
func (d *delivery) size() (n int) {
	for _, p := range d.parts {
		n += len(p.msg.Data())
	}
	return n
}

// ack says that the record is not needed any more. It comes again if that is lost.
func (d *delivery) ack() {
	for _, p := range d.parts {
		_ = p.msg.Ack()
	}
}

// giveBack has the record delivered again after a while.
func (d *delivery) giveBack(delay time.Duration) {
	for _, p := range d.parts {
		_ = p.msg.NakWithDelay(delay)
	}
}

// maxRecord bounds a record after decompression, in bytes.
const maxRecord = 128 << 20

// pack returns a record in the form in which it is sent.
func pack(rec *record.Episode) ([]byte, error) {
	var line, b bytes.Buffer
	if err := record.Encode(&line, rec); err != nil {
		return nil, err
	}
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // only an unknown level is an error
	_, err := line.WriteTo(w)
	err = cmp.Or(err, w.Close())
	return b.Bytes(), err
}

// unpack reads what pack wrote, and checks it.
func unpack(data []byte) (*record.Episode, error) {
	line, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), maxRecord+1))
	if err == nil && len(line) > maxRecord {
		err = fmt.Errorf("it has more than %d bytes", maxRecord)
	}
	if err != nil {
		return nil, fmt.Errorf("the record that a worker sent cannot be read: %w", err)
	}
	rec, err := record.Decode(line)
	if err != nil {
		return nil, fmt.Errorf("the record that a worker sent cannot be used: %w", err)
	}
	return rec, nil
}
