package wiki

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"heldout/envs/pytext"
)

// headingClass marks the titles of a page of search results.
const headingClass = "mw-search-result-heading"

// ParsePage reads a whole page of Wikipedia: a list of search results if it has
// one, otherwise an article (spec section 1.2, a and b).
func ParsePage(r io.Reader) (Answer, error) {
	root, err := parse(r)
	if err != nil {
		return Answer{}, err
	}
	var titles []string
	for n := range root.Descendants() {
		if n.DataAtom == atom.Div && n.Type == html.ElementNode && hasClass(n, headingClass) {
			titles = append(titles, pytext.Strip(text(n)))
		}
	}
	if titles != nil {
		return Answer{List: true, Titles: titles}, nil
	}
	return Answer{Title: firstHeading(root), Blocks: blocks(root)}, nil
}

func firstHeading(root *html.Node) string {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == atom.H1 &&
			slices.Contains(n.Attr, html.Attribute{Key: "id", Val: "firstHeading"}) {
			return pytext.Strip(text(n))
		}
	}
	return ""
}

// parseArticle reads the HTML of an article's body into its blocks.
func parseArticle(body string) ([]string, error) {
	root, err := parse(strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	return blocks(root), nil
}

func parse(r io.Reader) (*html.Node, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	// Without scripting, the content of <noscript> is part of the page.
	root, err := html.ParseWithOptions(strings.NewReader(strings.ToValidUTF8(string(b), "\ufffd")),
		html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, fmt.Errorf("not a page of HTML: %w", err)
	}
	return root, nil
}

// blocks are the texts of all paragraphs, then of all lists, in document order.
// A nested list also appears as a block of its own.
func blocks(root *html.Node) []string {
	var out []string
	for _, tag := range []atom.Atom{atom.P, atom.Ul} {
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && n.DataAtom == tag {
				out = append(out, pytext.Strip(text(n)))
			}
		}
	}
	return out
}

func hasClass(n *html.Node, class string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "class" && slices.Contains(strings.Fields(a.Val), class)
	})
}

// text joins the text of an element, without the text of scripts, styles and
// templates. It does not recurse, because external pages may be nested deeply.
func text(n *html.Node) string {
	var b strings.Builder
	for node := n; node != nil; {
		if node.Type == html.TextNode {
			b.WriteString(visibleText(node))
		}
		if node.FirstChild != nil && !silent(node) {
			node = node.FirstChild
			continue
		}
		for node != n && node.NextSibling == nil {
			node = node.Parent
		}
		if node == n {
			break
		}
		node = node.NextSibling
	}
	return b.String()
}

// visibleText is the text of a node as the reference reads it: white space alone is one character, but in <pre>.
func visibleText(n *html.Node) string {
	preserved := func(a *html.Node) bool { return a.DataAtom == atom.Pre || a.DataAtom == atom.Textarea }
	switch {
	case strings.Trim(n.Data, " \n\t\f\r") != "" || slices.ContainsFunc(slices.Collect(n.Ancestors()), preserved):
		return n.Data
	case strings.Contains(n.Data, "\n"):
		return "\n"
	}
	return " "
}

func silent(n *html.Node) bool {
	return n.Type == html.ElementNode && (n.DataAtom == atom.Script || n.DataAtom == atom.Style ||
		n.DataAtom == atom.Template)
}
