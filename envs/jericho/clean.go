package jericho

import (
	"bytes"
	"regexp"
	"strings"
)

// rule says which part of the captured text is the observation; spec §8. Rules
// write zeros into the buffer. The text that remains there can appear again in a
// later step that shows nothing.
type rule string

const (
	// everything keeps the whole text, for stories that are shown raw.
	everything rule = ""
	// withoutPrompt cuts a ">" and white space at both ends, for unknown stories.
	withoutPrompt rule = "without-prompt"
	// beforePrompt cuts two characters before the first ">".
	beforePrompt rule = "before-prompt"
	// beforeWidePrompt cuts two characters before the first ">" with two spaces.
	beforeWidePrompt rule = "before-wide-prompt"
	// beforeBracket cuts two characters before the first "[".
	beforeBracket rule = "before-bracket"
	// detectivePrompt cuts one character before a wide prompt, and keeps the
	// first character, which the others leave out.
	detectivePrompt rule = "detective-prompt"
	// afterLine leaves out the first line.
	afterLine rule = "after-line"
	// thirdOn leaves out two characters.
	thirdOn rule = "third-on"
)

// apply returns the observation in a capture buffer whose text ends at the first
// zero. The result lies in the buffer.
func (r rule) apply(buffer []byte) []byte {
	switch r {
	case withoutPrompt:
		text := bytes.TrimSpace(terminated(buffer))
		return bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimPrefix(text, []byte(">")), []byte(">")))
	case beforePrompt:
		return cut(buffer, ">", 2, 1)
	case beforeWidePrompt:
		return cut(buffer, ">  ", 2, 1)
	case beforeBracket:
		return cut(buffer, "[", 2, 1)
	case detectivePrompt:
		return cut(buffer, ">  ", 1, 0)
	case afterLine:
		text := terminated(buffer)
		return text[bytes.IndexByte(text, '\n')+1:]
	case thirdOn:
		return terminated(buffer[2:])
	default:
		return terminated(buffer)
	}
}

// cut ends the text back characters before a mark and returns it from a given
// first character on. It does not cut if the cut would be before the buffer.
func cut(buffer []byte, mark string, back, first int) []byte {
	if p := bytes.Index(terminated(buffer), []byte(mark)); p >= back {
		buffer[p-back] = 0
	}
	return terminated(buffer[first:])
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
