package datafile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

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
	const unpack, save = "a compressed file (%s): unpack it first", "a text in %s: save it in UTF-8"
	const export, office = "%s: save it as CSV, or as text in UTF-8", "an Excel workbook, or another file of Office"
	const table, page = "%s, a table in binary form: write it as JSON Lines", "a web page%s: download the file itself"
	start, isZip := strings.CutPrefix(string(b[:min(len(b), 80)]), "PK\x03\x04")
	if isZip {
		start = "PK\x03\x04" + start[min(len(start), 26):] // the name of the first file in it
	}
	for _, f := range []struct{ magic, form, name string }{
		{"PK\x03\x04[Content_Types]", export, office}, {"PK\x03\x04_rels/", export, office},
		{"PK\x03\x04docProps/", export, office}, {"PK\x03\x04xl/", export, office},
		{"\xd0\xcf\x11\xe0", export, office}, {"{\\rtf", export, "a text with formats (RTF)"},
		{"PK\x03\x04mimetypeapplication/vnd.oasis", export, "an OpenDocument file"},
		{"PK\x03\x04Index/", export, "a file of Numbers or Pages"}, {"%PDF-", export, "a PDF"},
		{"\x1f\x8b", unpack, "gzip"}, {"PK\x03\x04", unpack, "zip"}, {"BZh", unpack, "bzip2"},
		{"\xfd7zXZ", unpack, "xz"}, {"\x28\xb5\x2f\xfd", unpack, "zstd"}, {"7z\xbc\xaf", unpack, "7z"},
		{"PAR1", table, "Parquet"}, {"ARROW1", table, "Arrow"},
		{"<!DOCTYPE html", page, ""}, {"<!doctype html", page, ""}, {"<html", page, ""},
		{"version https://git-lfs", "a pointer of Git LFS%s: git lfs pull fetches the file itself", ""},
		{"\xff\xfe\x00\x00", save, "UTF-32"}, {"\x00\x00\xfe\xff", save, "UTF-32"},
		{"\xff\xfe", save, "UTF-16"}, {"\xfe\xff", save, "UTF-16"},
	} {
		if strings.HasPrefix(start, f.magic) {
			return fmt.Sprintf(f.form, f.name)
		}
	}
	// UTF-16 without a mark: what is written in ASCII has a zero in every second byte.
	if start := b[:min(len(b), 64)]; len(start) > 3 && 3*bytes.Count(start, []byte{0}) > len(start) &&
		(start[0] == 0) != (start[1] == 0) {
		return fmt.Sprintf(save, "UTF-16")
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
