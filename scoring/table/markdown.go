package table

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
)

// markdownText escapes what Markdown or HTML would read as markup. A line break would end the row.
var markdownText = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `|`, `\|`, `[`, `\[`, `]`, `\]`, `#`, `\#`, `~`, `\~`, `$`, `\$`,
	`<`, `&lt;`, `>`, `&gt;`, `&`, `&amp;`,
)

// markdownBlock matches the start of a block that is not a paragraph: a list, or the line under a heading.
var markdownBlock = regexp.MustCompile(`^[-+=]|^\d+[.)]`)

// escapeParagraph makes text a literal paragraph.
func escapeParagraph(s string) string {
	s = escapeMarkdown(strings.TrimSpace(s))
	if match := markdownBlock.FindStringIndex(s); match != nil {
		s = s[:match[1]-1] + `\` + s[match[1]-1:]
	}
	return s
}

// escapeMarkdown makes text literal in a cell or within a paragraph.
func escapeMarkdown(s string) string {
	escape := func(line string) string { return markdownText.Replace(Printable(line)) }
	return strings.Join(Each(strings.Split(s, "\n"), escape), "<br>")
}

// markdownCell writes a cell.
func markdownCell(c Cell) []string {
	text := c.FullText()
	if c.Subtext != "" {
		text += " (" + c.Subtext + ")"
	}
	return []string{escapeMarkdown(text)}
}

func renderMarkdown(b *bytes.Buffer, tables []Table) error {
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		if published, _, _ := strings.Cut(t.Divided, "; "); published != "" && t.Divide < len(t.Rows) {
			t.Rows = slices.Insert(slices.Clone(t.Rows), t.Divide, []Cell{String("— " + published + " —")})
		}
		fmt.Fprintf(b, "**%s**\n\n", escapeMarkdown(strings.TrimSpace(t.Title)))
		plain := tablewriter.WithRenderer(renderer.NewMarkdown())
		if err := fill(b, t, escapeMarkdown, markdownCell, plain); err != nil {
			return err
		}
		for _, note := range t.Notes {
			fmt.Fprintf(b, "\n%s\n", escapeParagraph(note))
		}
	}
	return nil
}
