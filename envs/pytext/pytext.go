// Package pytext is what Python does with texts, where Go does otherwise: the reference
// environments and the original harnesses are written in Python.
package pytext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Lower is str.lower, which maps some characters to two and handles the final sigma of a word.
// ASCII takes a fraction of the time.
func Lower(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) {
		return strings.ToLower(s)
	}
	var out strings.Builder
	for start := 0; ; {
		place := strings.IndexRune(s[start:], 'Σ')
		if place < 0 {
			return out.String() + cases.Lower(language.Und).String(s[start:])
		}
		end := start + place + len("Σ")
		out.WriteString(cases.Lower(language.Und).String(s[start : start+place]))
		if isFinal(s[:start+place], s[end:]) {
			out.WriteRune('ς')
		} else {
			out.WriteRune('σ')
		}
		start = end
	}
}

// isFinal reports whether a sigma between two texts ends a word, as Python finds it: it skips what has no case of
// its own in words, also letters that have one besides.
func isFinal(head, tail string) bool {
	head = strings.TrimRightFunc(head, ignoresCase)
	last, _ := utf8.DecodeLastRuneInString(head)
	next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(tail, ignoresCase))
	return head != "" && isCased(last) && !isCased(next)
}

// isCased is Unicode's Cased, ignoresCase its Case_Ignorable.
func isCased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Uppercase, unicode.Other_Lowercase)
}

func ignoresCase(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r)
}

// Nothing is what an escaped line break stands for.
const Nothing rune = -1

// simpleEscapes are the escapes of one character.
var simpleEscapes = map[byte]rune{'\n': Nothing, '\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f',
	'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// Escape reads what follows a backslash in a literal: the character, which may be half of a pair, and the bytes that
// stand for it. An unknown escape, as one by name is here, is a backslash.
func Escape(s string) (r rune, size int, err error) {
	if s == "" {
		return 0, 0, errors.New("a backslash ends the text")
	}
	if r, ok := simpleEscapes[s[0]]; ok {
		return r, 1, nil
	}
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]; digits > 0 {
		if len(s) < 1+digits {
			return 0, 0, errors.New(`an escape such as \x41 is cut off`)
		}
		code, err := strconv.ParseUint(s[1:1+digits], 16, 32)
		if err == nil && code > unicode.MaxRune {
			err = fmt.Errorf(`\%s is not a character`, s[:1+digits])
		}
		return rune(code), 1 + digits, err
	}
	for size < min(3, len(s)) && s[size] >= '0' && s[size] <= '7' {
		r = r*8 + rune(s[size]-'0')
		size++
	}
	if size == 0 {
		r = '\\'
	}
	return r, size, nil
}

// Strip is str.strip: it removes white space from both ends.
func Strip(s string) string { return strings.TrimFunc(s, IsSpace) }

// IsSpace is str.isspace of a character: Unicode's white space and the four ASCII separators.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// Fields is str.split without a separator.
func Fields(s string) []string { return strings.FieldsFunc(s, IsSpace) }

// IsWord is \w of Python's regular expressions: letters, what stands for a number, and the underscore. Marks are
// none.
func IsWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

// IsLower is str.islower of a character.
func IsLower(r rune) bool { return unicode.In(r, unicode.Ll, unicode.Other_Lowercase) }

// Format is str.format with named fields: {name} is a value, and {{ and }} are braces. Positions, attributes,
// conversions and format specifications are refused, as are names without a value.
func Format(template string, values map[string]string) (string, error) {
	var out strings.Builder
	for {
		i := strings.IndexAny(template, "{}")
		if i < 0 {
			out.WriteString(template)
			return out.String(), nil
		}
		out.WriteString(template[:i])
		brace, rest := template[i:i+1], template[i+1:]
		if strings.HasPrefix(rest, brace) {
			out.WriteString(brace)
			template = rest[1:]
			continue
		}
		if brace == "}" {
			return "", errors.New("there is a single }")
		}
		name, rest, closed := strings.Cut(rest, "}")
		if !closed {
			return "", errors.New("there is a single {")
		}
		value, ok := values[name]
		if !ok {
			return "", fmt.Errorf("there is no slot {%.60s}", name)
		}
		out.WriteString(value)
		template = rest
	}
}

// List is how Python prints a list of texts.
func List(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = Repr(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// Repr is repr of a str: in single quotes, or in double ones if it has single ones alone.
func Repr(s string) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var out strings.Builder
	out.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			out.WriteString(`\` + string(r))
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case unicode.IsPrint(r):
			out.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&out, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\U%08x`, r)
		}
	}
	out.WriteRune(quote)
	return out.String()
}
