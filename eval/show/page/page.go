// Package page writes HTML pages that consist of one file: styles, scripts and
// data are inside it, and a content security policy forbids everything else. A
// page runs only the scripts that the program brings, never text from records.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"unicode/utf8"

	"heldout/scoring/table"
)

// Page is one HTML page.
type Page struct {
	Title string
	// Lead stands below the title, in one line or two.
	Lead  string
	Links []Link          // the page's navigation
	Body  []template.HTML // the content in order, made by html/template
	// Styles follow the style that all pages share.
	Styles []template.CSS
	// Scripts run in order after the content has been read.
	Scripts []template.JS
	Data    []Data // bytes for the scripts, below Body
	Class   string // a class of the page, for its styles
	// Live allows scripts and forms to ask the server that the page comes from.
	Live bool
}

// Link is an entry of the navigation.
type Link struct{ Href, Text string }

// Data are bytes that a script finds as base64 in the element with this ID.
type Data struct {
	ID      string
	Content []byte
}

// Base64 is the element's content. Its alphabet cannot end the element.
func (d Data) Base64() template.HTML {
	return template.HTML(base64.StdEncoding.EncodeToString(d.Content))
}

var (
	//go:embed page.css
	style template.CSS
	// Script marks what scrolls sideways.
	//go:embed page.js
	Script template.JS
	//go:embed page.html
	skeleton string

	skeletonTemplate = template.Must(template.New("page").Parse(skeleton))
)

// Write writes the page.
func (p Page) Write(w io.Writer) error {
	if err := skeletonTemplate.Execute(inert{w}, p); err != nil {
		return fmt.Errorf("the page %q: %w", p.Title, err)
	}
	return nil
}

// inert writes HTML with references in place of characters that a terminal would obey.
type inert struct{ io.Writer }

// Write implements io.Writer.
func (w inert) Write(html []byte) (int, error) {
	n := len(html)
	for i := obeyed(html); i >= 0; i = obeyed(html) {
		r, size := utf8.DecodeRune(html[i:])
		if _, err := fmt.Fprintf(w.Writer, "%s&#x%x;", html[:i], r); err != nil {
			return 0, err
		}
		html = html[i+size:]
	}
	_, err := w.Writer.Write(html)
	return n, err
}

// obeyed is where the first character is that a terminal would obey; -1 without one. Most of a page is ASCII.
func obeyed(html []byte) int {
	for i, c := range html {
		if c < utf8.RuneSelf && (' ' <= c && c < 0x7f || c == '\n' || c == '\t') {
			continue
		}
		if r, _ := utf8.DecodeRune(html[i:]); table.Obeyed(r) {
			return i
		}
	}
	return -1
}

// Sheets are the shared style and the page's own.
func (p Page) Sheets() []template.CSS { return append([]template.CSS{style}, p.Styles...) }

// Policy is the page's content security policy: its own styles and scripts by
// their hashes, and nothing from elsewhere.
func (p Page) Policy() string {
	policy := "default-src 'none'; img-src data:; base-uri 'none'; form-action "
	if p.Live {
		policy += "'self'"
	} else {
		policy += "'none'"
	}
	policy += "; style-src" + hashes(p.Sheets())
	if len(p.Scripts) > 0 {
		policy += "; script-src" + hashes(p.Scripts)
	}
	if p.Live {
		policy += "; connect-src 'self'"
	}
	return policy
}

// hashes are the hashes of texts, each behind a blank.
func hashes[T ~string](texts []T) (out string) {
	for _, text := range texts {
		out += " " + hash(string(text))
	}
	return out
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
