package synth

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// compile translates a regular expression of Python, matched at the beginning of a text as re.match does, to one
// that takes linear time. Look-around and back references have no translation: the error says what is unsupported.
func compile(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > mostPattern {
		return nil, fmt.Errorf("the pattern has %d bytes, the limit is %d", len(pattern), mostPattern)
	}
	translated, err := translate(pattern)
	if err != nil {
		return nil, err
	}
	translated = `\A(?:` + translated + `)`
	parsed, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if n := size(parsed); n > mostSize {
		return nil, fmt.Errorf("the pattern has about %d parts once its repetitions are written out, the limit is %d",
			n, mostSize)
	}
	return regexp.Compile(translated)
}

// mostSize bounds the size of a pattern, and with it the time that a match takes.
const mostSize = 20_000

// size is about the number of instructions of a pattern's automaton. Repetitions with a number are written out.
func size(re *syntax.Regexp) int {
	const rangesPerPart = 50 // of a class of characters
	n := 1 + len(re.Rune)/rangesPerPart
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += size(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, 1<<30)
}

// Python's classes know all of Unicode, Go's only ASCII.
var classes = map[byte]string{
	'd': `\p{Nd}`,
	'w': `\p{L}\p{N}_`,
	's': `\s\x0b\x1c-\x1f\x{85}\p{Z}`,
}

// translate rewrites what has another form or meaning in Go.
func translate(pattern string) (string, error) {
	var out strings.Builder
	inClass := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			i++
			text, err := escape(pattern[i], inClass)
			if err != nil {
				return "", err
			}
			out.WriteString(text)
		case inClass && c == '[':
			out.WriteString(`\[`) // Python has no [:names:]
		case inClass:
			inClass = c != ']'
			out.WriteByte(c)
		case c == '[':
			inClass = true
			out.WriteByte(c)
			if strings.HasPrefix(pattern[i+1:], "^") {
				i++
				out.WriteByte('^')
			}
			if strings.HasPrefix(pattern[i+1:], "]") { // the first one is a character
				i++
				out.WriteString(`\]`)
			}
		case c == '$':
			out.WriteString(`(?:\n?\z)`) // also before a last line feed
		case strings.HasPrefix(pattern[i:], "(?#"):
			return "", fmt.Errorf("comments in patterns are unsupported")
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), nil
}

func escape(c byte, inClass bool) (string, error) {
	class, isClass := classes[c|0x20]
	upper := c < 'a'
	switch {
	case c >= '1' && c <= '9':
		return "", fmt.Errorf(`back references such as \%c are unsupported`, c)
	case isClass && inClass && !upper:
		return class, nil
	case isClass && inClass:
		return "", fmt.Errorf(`\%c in a class is unsupported`, c)
	case isClass && upper:
		return "[^" + class + "]", nil
	case isClass:
		return "[" + class + "]", nil
	case c == 'Z' && !inClass:
		return `\z`, nil
	}
	return `\` + string(rune(c)), nil
}
