package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"heldout/envs/datafile"
)

// A line, and a JSON file, ends in its checksum, so that the checksum is one of all bytes before it.
const (
	checksumStart = `,"checksum":"`
	checksumEnd   = "\"}\n"
	checksumSize  = 16 // hex digits
	sealShape     = checksumStart + "0123456789abcdef" + checksumEnd
)

// firstSealed is the schema from which on everything ends in its checksum. What is
// older may lack it; so a checksum that was removed is not taken for an old form.
const firstSealed = 2

// Seal ends a JSON object, which must have fields, in its checksum and a line break.
func Seal(object []byte) []byte {
	body := unclosed(object)
	return append(bytes.Clone(body), checksumStart+checksum(body)+checksumEnd...)
}

// unclosed is an object without its brace.
func unclosed(object []byte) []byte {
	return bytes.TrimRight(bytes.TrimSuffix(bytes.TrimRight(object, "\n"), []byte("}")), "\n")
}

// seal adds a JSON object as a line that ends in its checksum; nothing if there is an error.
func seal(b *bytes.Buffer, object any) error {
	start := b.Len()
	if err := json.NewEncoder(b).Encode(object); err != nil {
		b.Truncate(start)
		return fmt.Errorf("the record cannot be written: %w", err)
	}
	if n := b.Len() - start; n > maxLine/2 {
		b.Truncate(start)
		return fmt.Errorf("the record has %d bytes, the limit is %d", n, maxLine/2)
	}
	body := unclosed(b.Bytes()[start:])
	b.Truncate(start + len(body))
	b.WriteString(checksumStart + checksum(body) + checksumEnd)
	return nil
}

// checksum is the first 16 hex digits of the SHA-256 of a line up to where checksumStart begins.
func checksum(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:checksumSize/2])
}

// cutSeal divides a line or a file into its body and the checksum that it ends in; the
// last line of a file may lack its line break. ok is false if it ends in none.
func cutSeal(raw []byte) (body []byte, sum string, ok bool) {
	raw, ok = bytes.CutSuffix(bytes.TrimSuffix(raw, []byte("\n")), []byte(strings.TrimSuffix(checksumEnd, "\n")))
	if !ok || len(raw) < checksumSize {
		return nil, "", false
	}
	start := len(raw) - checksumSize
	body, ok = bytes.CutSuffix(raw[:start], []byte(checksumStart))
	return body, string(raw[start:]), ok
}

// holds is cutSeal for what has the checksum that it ends in.
func holds(raw []byte) (body []byte, sum string, ok bool) {
	body, sum, ok = cutSeal(raw)
	return body, sum, ok && checksum(body) == sum
}

// checkSeal compares a line or a file with the checksum that it ends in.
func checkSeal(raw []byte, noun string) error {
	body, sum, ok := cutSeal(raw)
	if !ok {
		return fmt.Errorf("checksum: it is not the end of the %s: another program rewrote the %s", noun, noun)
	}
	if want := checksum(body); want != sum {
		return fmt.Errorf("checksum: the %s says %q, its content has %s: the %s was changed after it was written", noun,
			sum, want, noun)
	}
	return nil
}

// CheckLine compares a line, without its line break, with the checksum that it holds; has
// is false if it holds none, as lines of other makers do.
func CheckLine(line []byte) (covered bool, err error) {
	var l struct {
		Checksum string `json:"checksum"`
	}
	if err := unmarshal(line, &l); err != nil {
		return false, err
	}
	if l.Checksum == "" && !reachesEnd(append(bytes.Clone(tail(line)), '\n')) {
		return false, nil
	}
	return true, checkSeal(line, "line")
}

// Lines writes JSON objects as lines that end in their checksums, with <, > and & as they are.
type Lines struct{ w io.Writer }

// NewLines returns Lines that are written to w.
func NewLines(w io.Writer) Lines { return Lines{w} }

// Encode writes an object that has fields.
func (l Lines) Encode(object any) error {
	text, err := datafile.Marshal(object)
	if err == nil {
		_, err = l.w.Write(Seal(text))
	}
	return err
}

// EncodeFile returns the content of a file that people may read. It ends in its checksum.
func EncodeFile(v any) ([]byte, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	return Seal(b), nil
}

// DecodeFile decodes what EncodeFile wrote, and checks its schema and its checksum. has
// is false if it has no checksum, as files of schema 1.
func DecodeFile(b []byte, v any) (covered bool, err error) {
	if err := unmarshal(b, v); err != nil {
		return false, err
	}
	var form struct {
		Schema int `json:"schema"`
	}
	if err := unmarshal(b, &form); err != nil {
		return false, err
	}
	if !readable(form.Schema) {
		return false, &schemaError{form.Schema}
	}
	return checkFile(b, form.Schema)
}

// checkFile is what DecodeFile checks once the schema is known.
func checkFile(b []byte, schema int) (covered bool, err error) {
	if _, _, covered := cutSeal(b); !covered && schema < firstSealed {
		return false, nil
	}
	return true, checkSeal(b, "file")
}

// errNoChecksum says that a line lacks what all lines of its schema have.
var errNoChecksum = errors.New("checksum: it is missing: another program rewrote the line")

// tornEnd ends a line that a crash left unfinished, before the next line is written. No
// damaged byte turns the end of a whole line into such an end.
const tornEnd = "  \n\n"

// unfinished reports whether a line that nothing but an empty line or the end of the
// file follows is one that a crash left. A whole line with a damaged byte is none.
func unfinished(raw []byte) bool { return !json.Valid(raw) && !reachesEnd(raw) }

// reachesEnd reports whether a line, of which one byte may be damaged, ends in a checksum.
func reachesEnd(raw []byte) bool {
	if end := len(raw) - len(sealShape); end >= 0 {
		wrong := 0
		for i, c := range raw[end:] {
			digit := i >= len(checksumStart) && i < len(checksumStart)+checksumSize
			if digit && !isHex(c) || !digit && c != sealShape[i] {
				wrong++
			}
		}
		if wrong <= 1 {
			return true
		}
	}
	broken, ok := bytes.CutSuffix(tail(raw), []byte("\"\n")) // a line break in place of the brace
	_, _, complete := cutSeal(append(bytes.Clone(broken), checksumEnd...))
	return ok && complete
}

// tail is the end of a line, where its checksum is.
func tail(raw []byte) []byte { return raw[max(0, len(raw)-2*len(sealShape)):] }

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
