// Package tensorboard writes values that TensorBoard shows as curves.
package tensorboard

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Scalar is one value of a curve. Tag names the curve, such as pddl/success.
type Scalar struct {
	Tag   string
	Value float64
}

// Append adds a point to curves: it writes a file of its own into a folder, which TensorBoard
// reads with all others there. An error says which file cannot be written.
func Append(dir string, now time.Time, step int64, values []Scalar) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name := fmt.Sprintf("events.out.tfevents.%d.%09d.heldout", now.Unix(), now.Nanosecond())
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(frame(version(now)), frame(event(now, step, values))...))
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// The numbers of fields in TensorFlow's event.proto and summary.proto.
const (
	eventWallTime, eventStep, eventVersion, eventSummary = 1, 2, 3, 5
	summaryValue                                         = 1
	valueTag, valueSimple                                = 1, 2
)

// version encodes the event that a file begins with.
func version(now time.Time) []byte {
	b := appendTime(nil, now)
	b = protowire.AppendTag(b, eventVersion, protowire.BytesType)
	return protowire.AppendString(b, "brain.Event:2")
}

// event encodes values as an Event with a Summary.
func event(now time.Time, step int64, values []Scalar) []byte {
	var summary []byte
	for _, v := range values {
		value := protowire.AppendTag(nil, valueTag, protowire.BytesType)
		value = protowire.AppendString(value, v.Tag)
		value = protowire.AppendTag(value, valueSimple, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(v.Value)))
		summary = protowire.AppendTag(summary, summaryValue, protowire.BytesType)
		summary = protowire.AppendBytes(summary, value)
	}
	b := appendTime(nil, now)
	b = protowire.AppendTag(b, eventStep, protowire.VarintType)
	b = protowire.AppendVarint(b, uint64(step))
	b = protowire.AppendTag(b, eventSummary, protowire.BytesType)
	return protowire.AppendBytes(b, summary)
}

func appendTime(b []byte, now time.Time) []byte {
	b = protowire.AppendTag(b, eventWallTime, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, math.Float64bits(float64(now.UnixNano())/1e9))
}

// frame makes a record of a TFRecord file: length, its checksum, data, their checksum.
func frame(data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, masked(b))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, masked(data))
}

// masked is the checksum of TFRecord files: CRC-32C, turned and moved so that the checksum of
// data that hold checksums is none of them.
func masked(b []byte) uint32 {
	sum := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + 0xa282ead8
}
