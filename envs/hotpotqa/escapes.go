package hotpotqa

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/runenames"
)

// The errors of unescape; the reference stops with these errors.
var (
	errDecode = errors.New("the text has a malformed escape or does not come out as UTF-8")
	errEncode = errors.New("the text has an escape above U+00FF")
)

// cleanText interprets backslash escapes in texts of Wikipedia, as the environment does (spec section 1.4). If the
// reference stops with an error, the text stays unchanged.
func cleanText(s string) string {
	if out, err := unescape(s); err == nil {
		return out
	}
	return s
}

// unescape reads the bytes of s as Latin-1 with Python's backslash escapes, and the result as UTF-8.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	out := make([]byte, 0, len(s))
	tooHigh := false // a malformed escape later in the text is reported first
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		r, width, err := escape(s[i+1:])
		if err != nil {
			return "", err
		}
		i += 1 + width
		switch {
		case r == nothing:
		case r == noEscape:
			out = append(out, '\\')
		case r > 0xff:
			tooHigh = true
		default:
			out = append(out, byte(r))
		}
	}
	if tooHigh {
		return "", errEncode
	}
	if !utf8.Valid(out) {
		return "", errDecode
	}
	return string(out), nil
}

// The results of escape other than characters.
const (
	nothing  rune = -1 // the escape stands for no character
	noEscape rune = -2 // not an escape, and the backslash stays
)

// simpleEscapes are the escapes of one character.
var simpleEscapes = map[byte]rune{
	'\n': nothing, '\\': '\\', '\'': '\'', '"': '"',
	'a': 7, 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11,
}

// escape reads the escape behind a backslash: its character and size in s.
func escape(s string) (r rune, width int, err error) {
	if s == "" {
		return 0, 0, errDecode
	}
	if r, ok := simpleEscapes[s[0]]; ok {
		return r, 1, nil
	}
	switch s[0] {
	case 'x':
		return hexEscape(s, 2)
	case 'u':
		return hexEscape(s, 4)
	case 'U':
		return hexEscape(s, 8)
	case 'N':
		return namedEscape(s)
	}
	for width < 3 && width < len(s) && s[width] >= '0' && s[width] <= '7' {
		r = r*8 + rune(s[width]-'0')
		width++
	}
	if width == 0 {
		return noEscape, 0, nil
	}
	return r, width, nil
}

// hexEscape reads a letter and the given number of hexadecimal digits.
func hexEscape(s string, digits int) (rune, int, error) {
	if len(s) < 1+digits || strings.ContainsAny(s[1:1+digits], "+-_") {
		return 0, 0, errDecode
	}
	n, err := strconv.ParseUint(s[1:1+digits], 16, 32)
	if err != nil || n > unicode.MaxRune {
		return 0, 0, errDecode
	}
	return rune(n), 1 + digits, nil
}

// namedEscape reads N{NAME}.
func namedEscape(s string) (rune, int, error) {
	end := strings.IndexByte(s, '}')
	if end < 0 || s[1] != '{' {
		return 0, 0, errDecode
	}
	name := strings.ToUpper(s[2:end])
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if found := runenames.Name(r); found == name && found != "" && found[0] != '<' {
			return r, end + 1, nil
		}
	}
	return 0, 0, errDecode
}
