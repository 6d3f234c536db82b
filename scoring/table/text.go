package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Printable makes text safe for a terminal and keeps it on one line: characters that do not print, escape sequences
// among them, are written as Go writes them in strings.
func Printable(s string) string {
	return Escape(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Obeyed reports whether a character may act on who prints it: a control character, or a mark
// that turns the direction of writing. Line feeds and tabs do not count.
func Obeyed(r rune) bool {
	return r != '\t' && r != '\n' && unicode.In(r, unicode.Cc, unicode.Bidi_Control)
}

// PrintableLines is Printable for several lines, without the feed of the last.
func PrintableLines(text string) string {
	return strings.Join(Each(strings.Split(strings.TrimRight(text, "\n"), "\n"), Printable), "\n")
}

// Shortened is a text of at most so many bytes, or the beginning of a longer one.
func Shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// Abridged is a text of at most so many bytes, or the beginning and the end of a longer one: of an error, the end
// often says what was wrong.
func Abridged(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit/2], "") + "…" + strings.ToValidUTF8(text[len(text)-limit/2:], "")
}

// Counted is a number with a noun, or with words that begin with one. Other numbers than 1 have the noun with an s,
// or the words that are given for them: Counted(n, "episode was", "episodes were").
func Counted(n int, singular string, several ...string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprintf("%d %s", n, append(several, singular+"s")[0])
}

// List joins words for a sentence.
func List(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// Shortlist lists names, and counts those that are more than so many.
func Shortlist(names []string, limit int) string {
	text := strings.Join(names[:min(limit, len(names))], ", ")
	if n := len(names) - limit; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// Escape replaces the characters that a text must not contain by their Go string escapes.
func Escape(s string, must func(rune) bool) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, must) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !must(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

func renderText(b *bytes.Buffer, tables []Table) error {
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		title := Printable(t.Title)
		if t.TitleLines != nil {
			title = strings.Join(t.TitleLines, "\n")
		}
		fmt.Fprintln(b, title)
		r := renderer.NewBlueprint(tw.Rendition{
			Borders: tw.Border{Left: tw.Off, Right: tw.Off},
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			},
		})
		var text strings.Builder
		if err := fill(&text, t, Printable, Cell.textLines, tablewriter.WithRenderer(r)); err != nil {
			return err
		}
		b.WriteString(t.divided(text.String()))
		for _, note := range t.Notes {
			fmt.Fprintln(b, Printable(note))
		}
	}
	return nil
}

// divided puts the line of a division into a table as text, whose rows are as high as their highest cells.
func (t Table) divided(text string) string {
	if t.Divided == "" || t.Divide >= len(t.Rows) {
		return text
	}
	lines := strings.Split(text, "\n")
	index := len(lines) - 2 // before the last rule and the end
	width := twwidth.Width(lines[index])
	for _, row := range t.Rows[t.Divide:] {
		height := 1
		for _, c := range row {
			height = max(height, len(c.textLines()))
		}
		index -= height
	}
	title := "─ " + Printable(t.Divided) + " "
	if short, _, _ := strings.Cut(t.Divided, "; "); twwidth.Width(title) > width {
		title = Cut("─ "+Printable(short)+" ", width)
	}
	title += strings.Repeat("─", max(0, width-twwidth.Width(title)))
	return strings.Join(slices.Insert(lines, index, title), "\n")
}

// fill renders one table with tablewriter, which must not change any text. A table without columns has notes alone.
func fill(w io.Writer, t Table, escape func(string) string, lines func(Cell) []string,
	options ...tablewriter.Option) error {
	if len(t.Columns) == 0 {
		return nil
	}
	var align []tw.Align
	var header []string
	for _, c := range t.Columns {
		if c.Lines != nil {
			header = append(header, strings.Join(c.Lines, "\n"))
		} else {
			header = append(header, escape(c.Header))
		}
		if c.Words {
			align = append(align, tw.AlignLeft)
		} else {
			align = append(align, tw.AlignRight)
		}
	}
	options = append(options,
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithAlignment(align),
	)
	out := tablewriter.NewTable(w, options...)
	out.Header(header)
	for _, row := range t.Rows {
		var texts []string
		for _, c := range row {
			parts := lines(c)
			if t.Bold && c.Best && len(parts) > 0 {
				parts = append([]string{ansi.NewStyle(ansi.AttrBold).Styled(parts[0])}, parts[1:]...)
			}
			texts = append(texts, strings.Join(parts, "\n"))
		}
		if err := out.Append(texts); err != nil {
			return fmt.Errorf("table %s: %w", t.ID, err)
		}
	}
	if err := out.Render(); err != nil {
		return fmt.Errorf("table %s: %w", t.ID, err)
	}
	return nil
}

// Wrap breaks a line at spaces so that its parts take at most width columns; a longer word stays whole. It breaks at no
// hyphens, as flags have: ansi.Wordwrap would.
func Wrap(line string, width int) []string {
	const hyphen, unbreakable = "-", "\u2011"
	text := ansi.Wordwrap(strings.ReplaceAll(line, hyphen, unbreakable), max(1, width), "")
	return strings.Split(strings.ReplaceAll(text, unbreakable, hyphen), "\n")
}
