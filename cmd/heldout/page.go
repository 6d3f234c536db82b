package main

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	markdown "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"heldout/scoring/table"
)

// widestPage is how wide the text of a page is at most, in characters: longer lines read badly.
const widestPage = 120

// helpPage is a page in Markdown for a terminal: set in its width, without the syntax and images.
type helpPage struct {
	style
	source []byte
	out    strings.Builder
}

// page renders Markdown for a terminal, and leaves it as it is for a file or a pipe.
func (s *system) page(source []byte) string {
	p := helpPage{style: s.style(s.columns > 0), source: source}
	if s.columns == 0 && !p.bold {
		return string(source)
	}
	parser := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	p.blocks(parser.Parse(text.NewReader(source)), "", min(s.width(), widestPage))
	return p.out.String()
}

// blocks writes what a block consists of, in lines of at most so many columns behind the margin.
func (p *helpPage) blocks(parent ast.Node, margin string, columns int) {
	list, _ := parent.(*ast.List)
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindParagraph && p.inline(n) == "" { // of images
			continue
		}
		if n != parent.FirstChild() && (list == nil || !list.IsTight) && n.Kind() != ast.KindTextBlock {
			p.out.WriteByte('\n')
		}
		switch n := n.(type) {
		case *ast.Heading:
			p.wrap(p.strong(p.inline(n)), margin, columns)
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for line := range strings.Lines(string(n.Lines().Value(p.source))) {
				p.out.WriteString(margin + "    " + p.literal(strings.TrimRight(line, "\n")) + "\n")
			}
		case *ast.ListItem:
			p.item(list, n, margin, columns)
		case *markdown.Table:
			p.table(n, margin, columns)
		case *ast.Paragraph, *ast.TextBlock:
			p.wrap(p.inline(n), margin, columns)
		default:
			p.blocks(n, margin, columns)
		}
	}
}

// item writes an item of a list, its lines below each other behind the mark.
func (p *helpPage) item(list *ast.List, n ast.Node, margin string, columns int) {
	mark := "- "
	if list.IsOrdered() {
		number := list.Start
		for sibling := n.PreviousSibling(); sibling != nil; sibling = sibling.PreviousSibling() {
			number++
		}
		mark = fmt.Sprintf("%d. ", number)
	}
	start := p.out.Len()
	p.blocks(n, margin+strings.Repeat(" ", len(mark)), columns)
	printed := p.out.String()
	p.out.Reset()
	p.out.WriteString(printed[:start] + margin + mark + printed[min(len(printed), start+len(margin+mark)):])
}

func (p *helpPage) wrap(text, margin string, columns int) {
	for _, line := range table.Wrap(text, columns-len(margin)) {
		p.out.WriteString(margin + line + "\n")
	}
}

// table writes a table: columns as wide as their cells, of which the last are wrapped.
func (p *helpPage) table(n *markdown.Table, margin string, columns int) {
	var rows [][]string
	widths := make([]int, len(n.Alignments))
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cell := p.inline(c)
			if row.Kind() == markdown.KindTableHeader {
				cell = p.strong(cell)
			}
			widths[len(cells)] = max(widths[len(cells)], ansi.StringWidth(cell)+len(gap))
			cells = append(cells, cell)
		}
		rows = append(rows, cells)
	}
	for _, cells := range rows {
		head, last := margin, len(cells)-1
		for i, cell := range cells[:last] {
			head += cell + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell))
		}
		for _, line := range table.Wrap(cells[last], columns-ansi.StringWidth(head)) {
			p.out.WriteString(strings.TrimRight(head+line, " ") + "\n")
			head = strings.Repeat(" ", ansi.StringWidth(head))
		}
	}
}

// inline is the text of a block on one line.
func (p *helpPage) inline(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(util.UnescapePunctuations(n.Segment.Value(p.source)))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.CodeSpan:
			b.WriteString(p.literal(ansi.Strip(p.inline(n))))
		case *ast.Emphasis:
			b.WriteString(p.strong(p.inline(n)))
		case *ast.AutoLink:
			b.Write(n.URL(p.source))
		case *ast.RawHTML:
			b.Write(n.Segments.Value(p.source))
		case *ast.Image: // a terminal shows none
		default:
			b.WriteString(p.inline(n))
		}
	}
	return b.String()
}
