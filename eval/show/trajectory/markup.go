package trajectory

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"heldout/scoring/table"
)

// markup is HTML that is put together here, because a report has a million texts of episodes and html/template
// takes seven times as long. What records say can only become text of it: put and raw take markup only from
// constants of this package, as no string becomes a literal by itself.
type markup struct{ html []byte }

// literal is HTML that this package has written.
type literal string

// raw adds HTML.
func (m *markup) raw(html literal) { m.html = append(m.html, html...) }

// entities are what stands in HTML for characters with a meaning there, as html/template writes them.
var entities = [utf8.RuneSelf]literal{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&#34;", '\'': "&#39;",
	'+': "&#43;"}

// text adds a text, inside an element or the quotes of an attribute. What does not print is written out, as
// visible does.
func (m *markup) text(s string) {
	for i := 0; i < len(s); {
		c := s[i]
		start := i
		for c < utf8.RuneSelf && (c >= ' ' && c != 0x7f && entities[c] == "" || c == '\n' || c == '\t') {
			if i++; i == len(s) {
				break
			}
			c = s[i]
		}
		m.html = append(m.html, s[start:i]...)
		if i == len(s) {
			return
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r < utf8.RuneSelf && entities[r] != "":
			m.raw(entities[r])
		case r == '\r' && strings.HasPrefix(s[i:], "\r\n"):
		case unicode.IsPrint(r):
			m.html = utf8.AppendRune(m.html, r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			m.text(quoted[1 : len(quoted)-1])
		}
		i += size
	}
}

// put adds HTML in which each "$" stands for the next of some parts: texts, numbers, or literals.
func (m *markup) put(html literal, parts ...any) {
	for _, part := range parts {
		head, tail, _ := strings.Cut(string(html), "$")
		m.raw(literal(head))
		switch p := part.(type) {
		case literal:
			m.raw(p)
		case string:
			m.text(p)
		case int:
			m.html = strconv.AppendInt(m.html, int64(p), 10)
		default:
			m.text(fmt.Sprint(p))
		}
		html = literal(tail)
	}
	m.raw(html)
}

// relative is an address for an attribute, empty if it has a scheme of its own.
func relative(href string) string {
	if i := strings.IndexAny(href, ":/?#"); i >= 0 && href[i] == ':' {
		return ""
	}
	return href
}

// long adds a text of which so many bytes are shown at once; the rest unfolds.
func (m *markup) long(s string, length int) {
	if len(s) > length {
		s = visible(s)
	}
	if len(s) <= length+length/4 {
		m.put(`<span class="text" dir="auto">$</span>`, s)
		return
	}
	for length > 0 && !utf8.RuneStart(s[length]) {
		length--
	}
	m.put(`<span class="text" dir="auto">$<details><summary>$ more characters</summary>$</details></span>`, s[:length],
		utf8.RuneCountInString(s[length:]), s[length:])
}

// HTML is what was added.
func (m *markup) HTML() template.HTML { return template.HTML(m.html) }

// visible writes out what does not print, such as escape sequences and marks that turn the direction of writing,
// as Go writes it in strings. Line ends and tabs stay.
func visible(s string) string {
	if plain(s) {
		return s
	}
	return table.Escape(strings.ReplaceAll(s, "\r\n", "\n"), func(r rune) bool {
		return r != '\n' && r != '\t' && !unicode.IsPrint(r)
	})
}

// plain reports whether a text is ASCII that prints.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' || c >= 0x7f) && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// visibleTexts makes texts that come often visible, each once.
type visibleTexts map[string]string

func (v visibleTexts) text(s string) string {
	if plain(s) {
		return s
	}
	form, ok := v[s]
	if !ok {
		form = visible(s)
		v[s] = form
	}
	return form
}
