package jericho

import (
	"bytes"
	"regexp"
	"strings"
)

// cleaning says which part of the captured text is the observation; spec §8. A mark is
// overwritten in the buffer. The text that remains there can appear again in a
// later step that shows nothing. The zero value keeps the whole text.
type cleaning struct {
	Mark      string // the text ends so many characters before it
	Back      int
	First     int  // so many characters at the beginning are left out
	AfterLine bool // the first line is left out
	Trim      bool // a ">" and white space at both ends are, for unknown stories
}

// apply returns the observation in a capture buffer whose text ends at the first
// zero. The result lies in the buffer.
func (c *cleaning) apply(buffer []byte) []byte {
	text := terminated(buffer)
	switch {
	case c.Trim:
		text = bytes.TrimSpace(text)
		return bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimPrefix(text, []byte(">")), []byte(">")))
	case c.AfterLine:
		return text[bytes.IndexByte(text, '\n')+1:]
	case c.Mark != "":
		if p := bytes.Index(text, []byte(c.Mark)); p >= c.Back { // else the cut would be before the buffer
			buffer[p-c.Back] = 0
		}
	}
	return terminated(buffer[c.First:])
}

func terminated(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}

func fromLatin1(latin1 []byte) string {
	for i, c := range latin1 {
		if c >= 0x80 {
			var b strings.Builder
			b.Write(latin1[:i])
			for _, c := range latin1[i:] {
				b.WriteRune(rune(c))
			}
			return b.String()
		}
	}
	return string(latin1)
}

// The patterns of the benchmark's own cleaning; spec §2.5.
var (
	spaces    = regexp.MustCompile(` {2,}`)
	scoreNote = regexp.MustCompile(`\[Your score .*?\]`)
)

// observation turns an observation into one line, as the benchmark shows it.
func observation(text string) string {
	text = strings.ReplaceAll(text, "\n", " ")
	text = spaces.ReplaceAllString(text, " ")
	return scoreNote.ReplaceAllString(text, "")
}
