package hotpotqa

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/runenames"

	"heldout/envs/pytext"
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
		read := pytext.Escape
		if strings.HasPrefix(s[i+1:], "N") {
			read = namedEscape
		}
		r, width, err := read(s[i+1:])
		if err != nil {
			return "", errDecode
		}
		i += 1 + width
		switch {
		case r == pytext.Nothing:
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
