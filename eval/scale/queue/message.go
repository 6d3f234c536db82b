package queue

import (
	"bytes"
	"cmp"
	"compress/flate"
	"fmt"
	"io"

	"heldout/scoring/record"
)

// maxRecord bounds a record after decompression, in bytes.
const maxRecord = 128 << 20

// pack returns a record in the form in which it is sent.
func pack(rec *record.Episode) ([]byte, error) {
	line, err := record.Encode(rec)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // only an unknown level is an error
	_, err = w.Write(line)
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
