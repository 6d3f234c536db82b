package jericho

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parseGameInfo reads Jericho's file of bindings: Python assignments of dicts of
// literals. It ignores everything else in the file.
func parseGameInfo(text string) ([]binding, error) {
	p := python{text: text, line: 1}
	var out []binding
	for {
		if err := p.next(); err != nil {
			return nil, p.wrap(err)
		}
		switch {
		case p.kind == pythonEnd:
			return out, nil
		case p.kind == pythonMark && p.value == "{":
			dict, err := p.dict()
			if err != nil {
				return nil, p.wrap(err)
			}
			b := binding{Grammar: dict["grammar"], Walkthrough: dict["walkthrough"], ROM: dict["rom"]}
			if n, err := strconv.Atoi(dict["max_word_length"]); err == nil {
				b.MaxWordLength = n
			}
			out = append(out, b)
		}
	}
}

// Kinds of Python tokens.
type pythonKind int

const (
	pythonEnd    pythonKind = iota
	pythonString            // its value is the text
	pythonWord              // a name or a number
	pythonMark              // any other character
)

// python reads the tokens of a Python file.
type python struct {
	text  string // the unread rest
	line  int
	kind  pythonKind
	value string
}

func (p *python) wrap(err error) error { return fmt.Errorf("line %d: %w", p.line, err) }

func (p *python) next() error {
	p.space()
	switch {
	case p.text == "":
		p.kind, p.value = pythonEnd, ""
		return nil
	case p.text[0] == '"' || p.text[0] == '\'':
		return p.quoted()
	}
	n := 0
	for n < len(p.text) && isWordByte(p.text[n]) {
		n++
	}
	if n > 0 {
		word := p.text[:n]
		p.text = p.text[n:]
		if strings.Trim(strings.ToLower(word), "rub") == "" && len(word) <= 2 && p.text != "" &&
			(p.text[0] == '"' || p.text[0] == '\'') {
			return errors.New("texts with a prefix are not understood")
		}
		p.kind, p.value = pythonWord, word
		return nil
	}
	p.kind, p.value, p.text = pythonMark, p.text[:1], p.text[1:]
	return nil
}

func isWordByte(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// space skips white space, comments and joined lines.
func (p *python) space() {
	for p.text != "" {
		switch c := p.text[0]; {
		case c == '\n':
			p.line++
			p.text = p.text[1:]
		case c == ' ', c == '\t', c == '\r', c == '\\':
			p.text = p.text[1:]
		case c == '#':
			i := strings.IndexByte(p.text, '\n')
			if i < 0 {
				i = len(p.text)
			}
			p.text = p.text[i:]
		default:
			return
		}
	}
}

// quoted reads a text in quotes, single or triple.
func (p *python) quoted() error {
	quote := p.text[:1]
	if strings.HasPrefix(p.text, strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	rest := p.text[len(quote):]
	var b strings.Builder
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, quote):
			p.kind, p.value, p.text = pythonString, b.String(), rest[len(quote):]
			return nil
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(unescape(rest[1]))
			if rest[1] == '\n' {
				p.line++
			}
			rest = rest[2:]
		case rest[0] == '\n' && len(quote) == 1:
			return errors.New("a text does not end in its line")
		default:
			if rest[0] == '\n' {
				p.line++
			}
			b.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
	return errors.New("a text does not end")
}

func unescape(c byte) string {
	switch c {
	case '\n':
		return ""
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case '\\', '\'', '"':
		return string(c)
	default:
		return "\\" + string(c)
	}
}

// dict reads a dict after its opening bracket. It keeps the values that are
// texts, names or numbers.
func (p *python) dict() (map[string]string, error) {
	out := map[string]string{}
	for {
		if err := p.next(); err != nil {
			return nil, err
		}
		if p.kind == pythonMark && p.value == "}" {
			return out, nil
		}
		key := p.value
		if p.kind != pythonString && p.kind != pythonWord {
			return nil, fmt.Errorf("want a key, got %q", p.value)
		}
		if err := p.next(); err != nil {
			return nil, err
		}
		if p.kind != pythonMark || p.value != ":" {
			return nil, fmt.Errorf("want a colon behind %q, got %q", key, p.value)
		}
		value, err := p.item()
		if err != nil {
			return nil, err
		}
		out[key] = value
		if p.value == "}" {
			return out, nil
		}
	}
}

// item reads a value and the comma or bracket after it. It joins consecutive
// texts into one, also in round brackets. It drops lists and dicts.
func (p *python) item() (string, error) {
	var b strings.Builder
	round, inner := 0, 0 // brackets that are open
	for {
		if err := p.next(); err != nil {
			return "", err
		}
		switch {
		case p.kind == pythonEnd:
			return "", errors.New("a bracket is not closed")
		case p.kind != pythonMark:
			if inner == 0 {
				b.WriteString(p.value)
			}
		case p.value == "(":
			round++
		case p.value == ")":
			round--
		case p.value == "[", p.value == "{":
			inner++
		case p.value == "]":
			inner--
		case p.value == "}" && inner > 0:
			inner--
		case p.value == "}", p.value == "," && inner == 0 && round <= 0:
			return b.String(), nil
		}
	}
}
