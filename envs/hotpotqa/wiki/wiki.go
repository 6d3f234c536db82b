// Package wiki finds Wikipedia pages as its search box does: live over two
// interfaces of MediaWiki, and recorded. It knows nothing of questions or
// agents.
package wiki

import "fmt"

// Answer is what a search led to: a page, or a list of pages that it may have
// meant.
type Answer struct {
	// List tells a list from a page.
	List bool `json:"list"`
	// Titles are those of a list, best first, with the notes that Wikipedia adds
	// to them such as "(redirect from X)". It may be empty.
	Titles []string `json:"titles,omitempty"`
	// Title is the page's; empty where the interface does not say it.
	Title string `json:"title,omitempty"`
	// Blocks are the texts of a page's paragraphs, in order, followed by those
	// of its lists, each without space around it.
	Blocks []string `json:"blocks,omitempty"`
}

// MissingError says that no recorded answer exists to a search.
type MissingError struct {
	Query string
	// Where is the folder of the records.
	Where string
}

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf("the Wikipedia recorded in %s has no answer to the search %q; play with --wiki live and the same --wiki-cache to add it", e.Where, e.Query)
}
