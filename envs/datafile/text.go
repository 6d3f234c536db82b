package datafile

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

//go:embed faults.yaml
var faultsText []byte

// faults are what files may be in place of texts or JSON.
var faults = Embedded[struct {
	Forms []struct {
		Says   string
		Begins []struct{ With, Is string }
	}
	Slips  []struct{ Pattern, Says string }
	Wanted map[string]string
}](faultsText)

// A zip begins with zip, and has the name of the first file in it from zipName on.
const zip, zipName = "PK\x03\x04", 30

// bom is the byte order mark with which some editors begin a text in UTF-8.
const bom = "\ufeff"

// ReadText returns the text of a file, without a byte order mark. It refuses what Read and Text refuse.
func ReadText(name string, limit int64) ([]byte, error) {
	b, err := Read(name, limit)
	if err != nil {
		return nil, err
	}
	return Text(name, b)
}

// ListedLine is a line of a list, and where it stands: FILE:LINE, or empty if it is in no file.
type ListedLine struct{ Text, Place string }

// ReadList returns the lines of a file, trimmed, without empty ones and those that begin with #.
func ReadList(name string) (lines []ListedLine, err error) {
	b, err := ReadText(name, MaxConfig)
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, ListedLine{line, fmt.Sprintf("%s:%d", name, n)})
		}
	}
	return lines, err
}

// Text returns the content of a file without a byte order mark. A content that is not
// a text in UTF-8 is an error, which says what it is.
func Text(name string, b []byte) ([]byte, error) {
	if form := Foreign(b); form != "" {
		return nil, fmt.Errorf("%s is %s", name, form)
	}
	b = bytes.TrimLeft(b, bom)
	if utf8.Valid(b) {
		if !bytes.Contains(b, []byte("\n")) {
			b = bytes.ReplaceAll(b, []byte("\r"), []byte("\n")) // of old Macs
		}
		return b, nil
	}
	n := 0
	for line := range bytes.Lines(b) {
		n++
		if err := checkUTF8(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	return b, nil // which cannot be: some line is not valid
}

// Foreign says what a content is that is no text in UTF-8, by how it begins, and what helps; empty for others.
func Foreign(b []byte) string {
	var start strings.Builder // in Latin-1
	for i, c := range b[:min(len(b), 80)] {
		if !bytes.HasPrefix(b, []byte(zip)) || i < len(zip) || i >= zipName {
			start.WriteRune(rune(c))
		}
	}
	for _, f := range faults().Forms {
		for _, begin := range f.Begins {
			if strings.HasPrefix(start.String(), begin.With) {
				return fmt.Sprintf(f.Says, begin.Is)
			}
		}
	}
	// UTF-16 without a mark: what is written in ASCII has a zero in every second byte.
	if start := b[:min(len(b), 64)]; len(start) > 3 && 3*bytes.Count(start, []byte{0}) > len(start) &&
		(start[0] == 0) != (start[1] == 0) {
		return fmt.Sprintf(faults().Forms[0].Says, "UTF-16")
	}
	return ""
}

// checkUTF8 reports the first byte of a line that is not UTF-8.
func checkUTF8(line []byte) error {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && size <= 1 {
			return fmt.Errorf("the byte %#x after %q is not UTF-8: the text is in another encoding, such as Latin-1; "+
				"save it in UTF-8", line[i], strings.ToValidUTF8(string(line[max(0, i-20):i]), ""))
		}
		i += size
	}
	return nil
}

// Start returns a reader of a text without a byte order mark. It refuses data that do not begin as text in UTF-8.
func Start(name string, r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReader(r)
	start, err := in.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if form := Foreign(start); form != "" {
		return nil, fmt.Errorf("%s is %s", name, form)
	}
	if bytes.HasPrefix(start, []byte(bom)) {
		_, err = in.Discard(len(bom))
	} else {
		err = nil
	}
	return in, err
}

// EachLine visits the lines of a text that are not blank, without the line break and white space at their ends. A
// line has at most longest bytes. Errors begin with the name and the line's number, counted from 1.
func EachLine(name string, r io.Reader, longest int, visit func(n int, line []byte) error) error {
	in, err := Start(name, r)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longest)
	n := 0
	for lines.Scan() {
		n++
		for line := range bytes.SplitSeq(lines.Bytes(), []byte("\r")) { // as old Macs end them
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			if err = checkUTF8(line); err == nil {
				err = visit(n, line)
			}
			if err != nil {
				return fmt.Errorf("%s:%d: %w", name, n, err)
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s:%d: the line has more than %d bytes", name, n+1, longest)
	case err != nil:
		return fmt.Errorf("%s: after line %d: %w", name, n, err)
	}
	return nil
}
