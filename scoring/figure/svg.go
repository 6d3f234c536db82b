package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// pageScale is how many CSS pixels of a page a point of a paper is.
const pageScale = 2

// Inline returns the figure as an SVG element of a page, and the number of its marks. Colors are classes such as
// "f-c0" and "s-c0" (fill and stroke), so that a page can have others in the dark; there are no style attributes,
// which a content security policy forbids. Marks are boxes with their exact numbers as titles.
func (f Figure) Inline() (element template.HTML, marks int, err error) {
	c := vgsvg.New(f.width, f.height)
	found := f.paint(draw.New(c))
	var drawn, out bytes.Buffer
	if _, err := c.WriteTo(&drawn); err != nil {
		return "", 0, err
	}
	fmt.Fprintf(&out, `<svg viewBox="0 0 %s %s" width="%.0f" height="%.0f" role="img" aria-label="%s">`,
		decimal(f.width.Points()), decimal(f.height.Points()), pageScale*f.width.Points(), pageScale*f.height.Points(),
		template.HTMLEscapeString(f.Title+". "+f.Caption))
	if err := inline(&out, &drawn); err != nil {
		return "", 0, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	for _, m := range found {
		fmt.Fprintf(&out, `<rect class="mark" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`,
			decimal(m.box.Min.X.Points()), decimal((f.height - m.box.Max.Y).Points()), decimal(m.box.Size().X.Points()),
			decimal(m.box.Size().Y.Points()),
			template.HTMLEscapeString(display(m.text)))
	}
	out.WriteString("</svg>")
	return template.HTML(out.String()), len(found), nil
}

// textLength is the width of a text in the font that the figure was laid out in.
// Pages may lack that font, and then stretch another one.
func textLength(e xml.StartElement, content string) string {
	st := labelStyle()
	for _, a := range e.Attr {
		for _, declaration := range strings.Split(a.Value, ";") {
			property, value, _ := strings.Cut(declaration, ":")
			if size, err := strconv.ParseFloat(strings.TrimSuffix(value, "px"), 64); property == "font-size" &&
				err == nil {
				st.Font.Size = vg.Length(size)
			}
			if property == "font-weight" && value == "bold" {
				st = bold(st)
			}
		}
	}
	return decimal(st.Width(content).Points())
}

// inline copies the content of an SVG document with classes and attributes in place of styles. What the document
// has besides groups, paths and texts is an error.
func inline(w *bytes.Buffer, document io.Reader) error {
	d := xml.NewDecoder(document)
	var open xml.StartElement
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if err := start(w, token); err != nil {
				return err
			}
			open = token.Copy()
			if open.Name.Local != "text" && open.Name.Local != "svg" {
				w.WriteByte('>')
			}
		case xml.EndElement:
			if open.Name.Local == "text" { // without content
				w.WriteByte('>')
				open = xml.StartElement{}
			}
			if token.Name.Local != "svg" {
				fmt.Fprintf(w, "</%s>", token.Name.Local)
			}
		case xml.CharData:
			if content := strings.TrimSpace(string(token)); open.Name.Local == "text" && content != "" {
				fmt.Fprintf(w, ` textLength="%s" lengthAdjust="spacingAndGlyphs">%s`, textLength(open, content),
					template.HTMLEscapeString(content))
				open = xml.StartElement{}
			}
		}
	}
}

// start copies the start of an element.
func start(w *bytes.Buffer, e xml.StartElement) error {
	switch e.Name.Local {
	case "svg":
		return nil
	case "g", "path", "text":
	default:
		return fmt.Errorf("the drawing has an element %q", e.Name.Local)
	}
	fmt.Fprintf(w, "<%s", e.Name.Local)
	if !slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == "style" }) && e.Name.Local != "g" {
		writeStyle(w, "")
	}
	for _, a := range e.Attr {
		if a.Name.Local != "style" {
			fmt.Fprintf(w, ` %s="%s"`, a.Name.Local, template.HTMLEscapeString(rounded(a.Value)))
			continue
		}
		writeStyle(w, a.Value)
	}
	return nil
}

// writeStyle writes the declarations of a style as classes and attributes.
func writeStyle(w *bytes.Buffer, style string) {
	var classes []string
	filled := false
	for _, declaration := range strings.Split(style, ";") {
		property, value, _ := strings.Cut(declaration, ":")
		name, ok := role(value)
		switch {
		case property == "fill" && ok:
			classes, filled = append(classes, "f-"+name), true
		case property == "stroke" && ok:
			classes = append(classes, "s-"+name)
		case strings.HasPrefix(property, "font-") && property != "font-size" && value != "bold", property == "":
		default:
			filled = filled || property == "fill"
			fmt.Fprintf(w, ` %s="%s"`, property, template.HTMLEscapeString(value))
		}
	}
	if !filled { // the library leaves out black
		name, _ := role("#000000")
		classes = append(classes, "f-"+name)
	}
	fmt.Fprintf(w, ` class="%s"`, strings.Join(classes, " "))
}

// role names a color that the library wrote. It rounds the parts of colors that are not opaque.
func role(hex string) (name string, ok bool) {
	var r, g, b int
	if n, err := fmt.Sscanf(hex, "#%02X%02X%02X", &r, &g, &b); n != 3 || err != nil {
		return "", false
	}
	similar := func(x int, y uint8) bool { return x-int(y) <= 2 && int(y)-x <= 2 }
	for c, name := range roles() {
		if similar(r, c.R) && similar(g, c.G) && similar(b, c.B) {
			return name, true
		}
	}
	return "", false
}

// decimal writes a length with the decimals that are seen.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

// long matches a number with decimals.
var long = regexp.MustCompile(`-?[0-9]+\.[0-9]+`)

// rounded shortens the numbers of a path or a transformation.
func rounded(s string) string {
	return long.ReplaceAllStringFunc(s, func(number string) string {
		x, _ := strconv.ParseFloat(number, 64) // it is a number
		return strconv.FormatFloat(x, 'f', 2, 64)
	})
}

// CSS gives inline figures the colors of the page's variables.
func CSS() template.CSS {
	var b strings.Builder
	b.WriteString("svg text { font-family: \"Liberation Sans\", Arial, Helvetica, sans-serif; }\n")
	for _, name := range slices.Sorted(maps.Values(roles())) {
		fmt.Fprintf(&b, ".f-%[1]s { fill: var(--%[1]s); } .s-%[1]s { stroke: var(--%[1]s); }\n", name)
	}
	b.WriteString(
		".mark { fill: transparent; } .mark:hover { fill: var(--ink); fill-opacity: .12; stroke: var(--ink); " +
			"stroke-width: .5; }\n")
	return template.CSS(b.String())
}
